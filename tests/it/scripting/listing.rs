//! `list`: reads no further than the rows it prints; names that would break columns.

use serde_json::{Value, json};

use crate::faults::world::World;
use crate::kills::folder::Folder;
use crate::proxy::{Door, Proxy};
use crate::scripting::{Script, run, texts};

fn fresh(script: &Script, arguments: &[&str]) -> Vec<Value> {
    // The service counts requests by its own clock.
    script.desk.clock.advance(61_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    let config = std::fs::read(script.folder.path().join("config.toml")).expect("readable");
    std::fs::write(folder.path().join("config.toml"), config).expect("written");
    let output = run(folder.path(), &script.desk.key_of("whatsapp"), arguments);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments:?}: {err}");
    let rows: Value = serde_json::from_str(&out).expect("JSON");
    rows.as_array().expect("a list").clone()
}

#[test]
fn the_rows_of_a_short_list_are_those_of_a_full_one() {
    let script = Script::new();
    for number in 0..60 {
        script.desk.clock.advance(1_000_000);
        // The last digits decide the simulated platform's behaviour.
        let phone = format!("+346001{:05}", number + 100);
        let id = script.desk.customer("whatsapp", &phone, &format!("Customer {number}"), "Hello?");
        if number % 3 == 0 {
            script.desk.colleague("whatsapp", &phone, "Here.");
        }
        if number % 10 == 7 {
            script.desk.elsewhere("whatsapp", "POST", &format!("/conversations/{id}/close"), json!({}));
        }
    }
    for (status, limits) in
        [("open", &[1, 7][..]), ("needs-reply", &[3]), ("closed", &[1]), ("all", &[2, 55])]
    {
        let list = |limit: &str| fresh(&script, &["list", "--json", "--status", status, "--limit", limit]);
        let full = list("1000");
        for limit in limits {
            assert_eq!(list(&limit.to_string()), full[..*limit], "{status} {limit}");
        }
    }
}

#[test]
fn a_closed_conversation_is_listed_with_the_time_of_closing() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    let list = || fresh(&script, &["list", "--json", "--status", "all"]);
    assert_eq!(list()[0]["closedAt"], Value::Null);
    script.desk.elsewhere("whatsapp", "POST", &format!("/conversations/{id}/close"), json!({}));
    let closed = &list()[0];
    assert!(closed["closedAt"].is_string(), "{closed}");
    assert_eq!(closed["closedAt"], closed["raw"]["closedAt"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_list_reads_only_the_top() {
    let world = World::start().await;
    for number in 0..60 {
        world.dev("/clock", json!({"advance_seconds": 1})).await;
        world.inbound("whatsapp", &format!("+346001{number:05}")).await;
    }
    let proxy = Proxy::start(world.address(), Door::Open).await;
    let folder = Folder::new(&proxy.base_url(), world.key("whatsapp").expose());
    let mut child = folder.start(&["list", "--limit", "1"]);
    let ended = tokio::task::spawn_blocking(move || child.wait()).await.expect("no panic");
    assert!(ended.expect("it ends").success());
    let asked: Vec<_> = proxy.seen().into_iter().map(|seen| seen.asked.target).collect();
    // Only the top of the list and the history of the one row; triggers add a few reads.
    let of_list = asked.iter().filter(|text| text.starts_with("/v1/conversations?")).count();
    let histories = asked.iter().filter(|entry| entry.contains("/messages?")).count();
    assert_eq!((of_list, histories), (1, 1), "{asked:#?}");
    assert!(asked.len() <= 10, "{asked:#?}");
}

#[test]
fn a_name_does_not_break_the_columns() {
    let script = Script::new();
    let config = script.folder.path().join("config.toml");
    let text = std::fs::read_to_string(&config).expect("readable");
    let text = text.replace("Harbor chat", "Harbor\\tchat\\u001b[2J\\nnorth");
    std::fs::write(&config, text).expect("written");
    script.desk.customer("whatsapp", "+34600111222", "Maria\tLopez", "Hello?");
    for (arguments, columns) in [
        (&["list"][..], 8),
        (&["search", "maria"], 9),
        (&["search", "hello"], 8),
        (&["account"], 7),
        (&["channel", "list"], 6),
    ] {
        let line = script.ok(arguments);
        assert_eq!((line.lines().count(), line.matches('\t').count() + 1), (1, columns), "{line:?}");
        assert!(!line.contains('\u{1b}'), "{line:?}");
    }
}
