//! Sign-in tokens, sessions and personal keys, which are in no log and in no list of the administrator.

use std::process::Stdio;

use super::joining::files;
use super::*;
use crate::binary::Binary;
use crate::postgres::together::{Process, UNLIMITED};
use crate::waiting::{aside, until_found};

const CUSTOMER: &str = "+34600111222";

/// Log files of a service or a desk, with their texts.
fn read_logs(folder: &Path) -> Vec<(String, String)> {
    let is_log = |path: &std::path::PathBuf| path.extension().is_some_and(|ending| ending == "log");
    let read = |path: std::path::PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a log")).into_owned();
        (path.display().to_string(), text)
    };
    files(folder).into_iter().filter(is_log).map(read).collect()
}

/// Output of the administrator's lists, by command.
fn run_lists(binary: &Binary, database: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for words in [&["key", "list"][..], &["person", "list"], &["audit"]] {
        for form in [None, Some("--json")] {
            let mut arguments = [&["admin", "--db", database], words].concat();
            arguments.extend(form);
            found.push((arguments.join(" "), binary.ok(&arguments, "")));
        }
    }
    found
}

#[track_caller]
fn check_texts(texts: &[(String, String)], secrets: &[String]) {
    for (name, text) in texts {
        for secret in secrets {
            assert!(!text.contains(secret.as_str()), "{secret} is in {name}:\n{text}");
        }
    }
}

/// Waits until the desk has shared its claim and follows the events.
async fn wait_for_desk(process: &Process, session: &str, chat: &str) {
    let path = format!("/desk/v1/conversations?ids={chat}");
    until_found("the claim", async || {
        let (_, shared) = process.ask(&path, session, None, None).await;
        let claim = shared["data"][0]["claim"].clone();
        if claim["person"]["name"] == "Ana" { Ok(()) } else { Err(shared) }
    })
    .await;
    let metrics = format!("http://{}/metrics", process.address);
    until_found("the desk's stream", async || {
        let page = process.http.get(&metrics).send().await.map_err(|error| error.to_string())?;
        let page = page.text().await.map_err(|error| error.to_string())?;
        if page.contains("frontdesk_team_streams 1") { Ok(()) } else { Err(page) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_and_lists_have_no_token_session_or_personal_key() {
    frontdesk::client::install_tls();
    let (mut service, mut desk) = (Binary::new(), Binary::new());
    service.set("FRONTDESK_LOG", "trace");
    desk.set("FRONTDESK_LOG", "trace");
    let database = service.folder().join("service.db").to_str().expect("words").to_owned();
    let child = Process::begin(&service, "service", &[&["--db", database.as_str()][..], &UNLIMITED].concat());
    let process = tokio::task::block_in_place(|| Process::reached_with_log(child, &service, "service"));
    let chat = text(&process.inbound(CUSTOMER, "Hola").await["conversationId"]);
    let url = format!("http://{}", process.address);

    // A desk joins, works and follows the events.
    let add = ["admin", "--db", &database, "person", "add", "Ana"];
    let make_token = || {
        let out = tokio::task::block_in_place(|| service.ok(&add, ""));
        out.split_whitespace().last().expect("a token").to_owned()
    };
    let (of_desk, of_test) = (make_token(), make_token());
    let token = of_desk.clone();
    let desk = aside(move || {
        desk.ok(&["join", &url], &token);
        desk.ok(&["list"], "");
        let taken = desk.run(&["take", CUSTOMER], "");
        assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
        desk
    })
    .await;
    let body = json!({"token": of_test, "device": "test"});
    let (status, signed_in) = process.ask("/desk/v1/sign-in", "none", None, Some(body.clone())).await;
    assert_eq!(status, 200, "{signed_in}");
    let session = text(&signed_in["session"]);
    let mut engine = desk.command(&["engine"]);
    engine.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut engine = engine.spawn().expect("it runs");
    wait_for_desk(&process, &session, &chat).await;

    let of_keys_folder = files(&desk.folder().join("keys"));
    let second_line = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a secret");
        text.lines().nth(1).expect("a secret").to_owned()
    };
    let channels = signed_in["channels"].as_array().expect("channels");
    let mut secrets: Vec<String> = of_keys_folder.iter().map(second_line).collect();
    secrets.extend(channels.iter().map(|channel| text(&channel["key"])));
    secrets.extend([of_desk, of_test, session.clone()]);
    assert_eq!(secrets.len(), 12, "four keys, a session and a token of each of two desks");
    let listed = tokio::task::block_in_place(|| run_lists(&service, &database));
    assert!(listed[2].1.contains("Ana") && listed[4].1.contains("sign-in"), "{listed:?}");
    check_texts(&listed, &secrets);

    // Refused secrets are not logged, either.
    let remove = ["admin", "--db", &database, "person", "remove", "Ana"];
    tokio::task::block_in_place(|| service.ok(&remove, ""));
    for secret in &secrets {
        for path in ["/v1/account", "/desk/v1/events"] {
            let refusal =
                until_found("the refusal", async || match process.ask(path, secret, None, None).await {
                    (401, refusal) => Ok(refusal),
                    (_, answer) => Err(answer),
                })
                .await;
            assert!(!refusal.to_string().contains(secret.as_str()), "{refusal}");
        }
    }
    let (status, refusal) = process.ask("/desk/v1/sign-in", "none", None, Some(body)).await;
    assert_eq!(status, 401, "{refusal}");
    engine.kill().and_then(|()| engine.wait()).expect("ended");
    drop(process);
    let of_service = read_logs(service.folder());
    assert!(of_service.iter().any(|(_, text)| text.contains("/desk/v1/sign-in")), "requests are logged");
    let of_desk = read_logs(&desk.data());
    assert!(of_desk.iter().any(|(_, text)| text.contains("answered")), "answers are logged: {of_desk:?}");
    check_texts(&of_service, &secrets);
    check_texts(&of_desk, &secrets);
    check_texts(&tokio::task::block_in_place(|| run_lists(&service, &database)), &secrets);
}
