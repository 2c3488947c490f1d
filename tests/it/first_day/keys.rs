//! Keys that are no key, refused, or for another tab.

use std::net::TcpListener;

use super::{channel, doctor_lines};
use crate::binary::Binary;
use crate::desk::Desk;

/// Lines of config.toml for the sources of a key, with the advice to replace it.
fn sources(binary: &mut Binary, key: &str) -> Vec<(String, String)> {
    let file = binary.folder().join("shop.key");
    std::fs::write(&file, key).expect("written");
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
    binary.set("SHOP_KEY", key);
    let command = format!("key_command = \"printf {key}\"");
    vec![
        ("key_env = \"SHOP_KEY\"".to_owned(), "put another key into the variable SHOP_KEY".to_owned()),
        ("key_file = \"shop.key\"".to_owned(), format!("put another key into the file {}", file.display())),
        (command, "let key_command print another key".to_owned()),
    ]
}

#[test]
fn text_that_is_no_key_is_not_sent() {
    let mut binary = Binary::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("set");
    let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    for (line, advice) in sources(&mut binary, "sk-0123456789abcdef") {
        binary.configure(&channel(&base_url, &line));
        let found = doctor_lines(&binary, "Shop", &[]).remove(0);
        assert!(found.contains("a key begins with svc_live_ or svc_test_"), "{found}");
        assert!(found.contains(&advice) && found.contains("frontdesk admin key create"), "{found}");
        for arguments in [&["list"][..], &["channel", "test"]] {
            let said = binary.fails(1, arguments, "");
            assert!(said.contains("this is not a channel key") && said.contains(&advice), "{said}");
        }
    }
    binary.configure("");
    let add = ["channel", "add", "--name", "Shop", "--base-url", &base_url];
    let said = binary.fails(1, &add, "sk-0123456789abcdef\n");
    assert!(said.contains("nothing was added: this is not a channel key"), "{said}");
    assert!(listener.accept().is_err(), "a connection was made");
}

#[test]
fn refused_key_is_replaced_where_it_is_kept() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    for (line, advice) in sources(&mut binary, "svc_live_0123456789abcdef0123") {
        binary.configure(&channel(&desk.base_url, &line));
        let found = doctor_lines(&binary, "Shop", &[]).remove(0);
        assert!(found.contains("the server refuses this key") && found.contains(&advice), "{found}");
        let said = binary.fails(1, &["channel", "test"], "");
        assert!(said.contains(&advice) && said.contains("frontdesk admin key create"), "{said}");
    }
    let kept = Binary::new();
    let key = desk.key_of("whatsapp");
    kept.ok(&["channel", "add", "--name", "Shop", "--base-url", &desk.base_url], &format!("{key}\n"));
    desk.dev("keys/revoke", serde_json::json!({"key": key}));
    let found = doctor_lines(&kept, "Shop", &[]).remove(0);
    assert!(found.contains("run: frontdesk channel add --name \"Shop\""), "{found}");
}

/// The tab had a live key of business chat.
#[test]
fn key_for_another_tab_fails_the_doctor_and_is_not_added_silently() {
    let desk = Desk::new(80, 24);
    let others = [
        (desk.test_key_of("whatsapp"), "this tab was LIVE; its key is a test key (TEST)"),
        (desk.key_of("telegram"), "this tab was business chat; its key is for bot-chat"),
    ];
    for (other, words) in others {
        let binary = Binary::new();
        let add = ["channel", "add", "--name", "Shop", "--base-url", &desk.base_url];
        binary.ok(&add, &format!("{}\n", desk.key_of("whatsapp")));
        binary.ok(&["list"], "");
        assert!(!doctor_lines(&binary, "Shop", &[]).iter().any(|line| line.contains("this tab was")));
        let said = binary.fails(2, &add, &format!("{other}\n"));
        assert!(said.contains(words) && said.contains("nothing was changed"), "{said}");
        binary.ok(&["channel", "test"], "");
        let answer = binary.ok(&[&add[..], &["--yes"]].concat(), &format!("{other}\n"));
        assert!(answer.contains("Shop"), "{answer}");
        let found = doctor_lines(&binary, "Shop", &[]);
        assert!(found.iter().any(|line| line.starts_with("fail") && line.contains(words)), "{found:?}");
        assert_eq!(binary.run(&["doctor"], "").code, Some(1));
    }
}

#[test]
fn key_file_is_found_beside_the_configuration_and_in_the_home_folder() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    let key = desk.key_of("whatsapp");
    sources(&mut binary, &key);
    let home = binary.folder().display().to_string();
    binary.set("HOME", &home);
    for line in ["key_file = \"shop.key\"", "key_file = \"~/shop.key\""] {
        binary.configure(&channel(&desk.base_url, line));
        binary.ok(&["channel", "test"], "");
    }
}
