//! The sealing key: read only from the named file.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc;

use frontdesk::model::connections::Connection;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::Timestamp;
use frontdesk::service::admin::Admin;
use serde_json::json;

use super::*;
use crate::service::receiver::{Receiver, hex_hmac};
use crate::waiting::PATIENCE;

const JSON: &str = "content-type: application/json";

fn write_key(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

/// Error of a service that refuses to start.
fn refused(binary: &Binary, key: &Path) -> String {
    let database = binary.folder().join("service.db");
    let arguments =
        ["serve", "--listen", "127.0.0.1:0", "--db", path_text(&database), "--key-file", path_text(key)];
    binary.fails(1, &arguments, "")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_sealed_with_the_key_that_was_named() {
    let binary = Binary::new();
    let (key, beside) = (binary.folder().join("keys/seal"), binary.folder().join("service.db.key"));
    std::fs::create_dir(binary.folder().join("keys")).expect("a folder");
    let receiver = Receiver::start().await;
    let mut serving = Serving::start(&binary, &["--dev", "--key-file", path_text(&key)]);
    let hook = json!({"url": receiver.url, "secret": "s3cret"}).to_string();
    assert_eq!(serving.call("POST", "/v1/webhooks", &[JSON], hook.as_bytes()).status, 200);
    let made = std::fs::metadata(&key).expect("the key was made");
    assert_eq!((made.len(), made.permissions().mode() & 0o777), (32, 0o600));
    assert!(!beside.exists());
    serving.child.kill().expect("killed");
    drop(serving);

    let other = binary.folder().join("keys/other");
    write_key(&other, &"7f".repeat(32), 0o600);
    let said = refused(&binary, &other);
    assert!(said.contains("keys/seal") && said.contains("keys/other does not decrypt them"), "{said}");
    let missing = binary.folder().join("keys/missing");
    let said = refused(&binary, &missing);
    assert!(said.contains("keys/missing does not exist") && !missing.exists(), "{said}");

    let (tell, told) = mpsc::channel();
    receiver.answer_by(move |receiver| {
        let _ = tell.send((receiver.headers.get("x-service-signature").cloned(), receiver.body.clone()));
        (200, "", Vec::new())
    });
    let serving = Serving::start(&binary, &["--dev", "--key-file", path_text(&key)]);
    let inbound = br#"{"channel": "whatsapp", "from": "+34600111222", "text": "hi"}"#;
    assert_eq!(serving.ask("POST", "/dev/inbound", &[JSON], inbound).status, 200);
    let (signature, body) = told.recv_timeout(PATIENCE).expect("a delivery");
    assert_eq!(signature.expect("signed"), hex_hmac("s3cret", &body));
}

#[test]
fn missing_key_file_is_named_and_not_replaced() {
    let binary = Binary::new();
    let (key, beside) = (binary.folder().join("seal"), binary.folder().join("service.db.key"));
    drop(Serving::start(&binary, &["--key-file", path_text(&key)]));
    let database = binary.folder().join("service.db");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--db", path_text(&database)];
    // Nothing is sealed yet: any key will do.
    drop(Serving::start(&binary, &[]));
    std::fs::remove_file(&beside).expect("one was made");
    drop(Serving::start(&binary, &["--key-file", path_text(&key)]));
    let sealed = "INSERT INTO webhooks (id, channel, url, events, secret, created_at)
                  VALUES ('wh_1', 'ch_whatsapp', 'https://a.example', '[]', x'00', 0)";
    rusqlite::Connection::open(&database).expect("opens").execute(sealed, []).expect("kept");
    let said = binary.fails(1, &serve, "");
    for part in [path_text(&key), "service.db.key does not exist", "--key-file", "key-file reset"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!beside.exists(), "no second key is made");
    // Another key beside it cannot open the database.
    write_key(&beside, &"7f".repeat(32), 0o600);
    let said = binary.fails(1, &serve, "");
    assert!(
        said.contains(path_text(&key)) && said.contains("service.db.key does not decrypt them"),
        "{said}"
    );
    drop(Serving::start(&binary, &["--key-file", path_text(&key)]));
}

#[test]
fn reset_drops_a_lost_key_and_its_secrets() {
    let binary = Binary::new();
    let key = binary.folder().join("seal");
    let serving = Serving::start(&binary, &["--key-file", path_text(&key)]);
    let database = binary.folder().join("service.db");
    let sealed = "INSERT INTO webhooks (id, channel, url, events, secret, created_at)
                  VALUES ('wh_1', 'ch_whatsapp', 'https://a.example', '[]', x'00', 0);
                  INSERT INTO connections (workspace, name, definition, sealed, created_at)
                  VALUES ('ws_1', 'shop', '{}', x'00', 0);
                  INSERT INTO connected_channels (channel, settings, sealed, version, mark, read_until, connected_at)
                  VALUES ('ch_telegram', '{}', x'00', 'v', '', 0, 0)";
    rusqlite::Connection::open(&database).expect("opens").execute_batch(sealed).expect("kept");
    let admin = ["admin", "--db", path_text(&database), "--json"];
    let reset = [&admin[..], &["key-file", "reset", "--yes"]].concat();
    let said = binary.fails(1, &reset, "");
    assert!(said.contains("already serves this file"), "{said}");
    drop(serving);
    std::fs::remove_file(&key).expect("lost");
    binary.fails(2, &[&admin[..], &["key-file", "reset"]].concat(), "");
    let named =
        ["serve", "--listen", "127.0.0.1:0", "--db", path_text(&database), "--key-file", path_text(&key)];
    let said = binary.fails(1, &named, "");
    assert!(said.contains("seal does not exist") && said.contains("key-file reset"), "{said}");
    let told: Value = serde_json::from_str(&binary.ok(&reset, "")).expect("JSON");
    let wanted =
        json!({"channels": ["telegram of ws_1"], "webhooks": ["https://a.example"], "connections": ["shop"]});
    assert_eq!(told, wanted);
    let serving = Serving::start(&binary, &["--key-file", path_text(&key)]);
    assert!(key.exists(), "a new one is made");
    let listed = binary.ok(&["admin", "--db", path_text(&database), "webhook", "list"], "");
    assert!(listed.contains("ENDED"), "{listed}");
    drop(serving);
}

#[test]
fn unusable_sealing_key_prevents_api_keys() {
    let binary = Binary::new();
    let key = binary.folder().join("seal");
    write_key(&key, &"7f".repeat(32), 0o644);
    assert!(refused(&binary, &key).contains("can be read by others; run: chmod 600"));
    write_key(&key, "a password", 0o600);
    assert!(refused(&binary, &key).contains("a key is 32 bytes or 64 hex digits"));
    let nowhere = binary.folder().join("no folder/seal");
    assert!(refused(&binary, &nowhere).contains("the key file"));
    assert!(!binary.folder().join("service.db.key").exists());
    // The first successful start prints the keys of a new database.
    write_key(&key, &"7f".repeat(32), 0o600);
    let serving = Serving::start(&binary, &["--key-file", path_text(&key)]);
    assert!(serving.key("email", "test").starts_with("svc_test_"));
}

#[tokio::test]
async fn the_dashboard_seals_with_the_same_key() {
    let binary = Binary::new();
    let key = binary.folder().join("seal");
    drop(Serving::start(&binary, &["--key-file", path_text(&key)]));
    let database = binary.folder().join("service.db");
    let put = async |admin: &Admin| {
        let shop = Connection::new("shop", "https://shop.example");
        admin.put_connection(shop, Some(&Secret::new("token")), Timestamp::from_micros(0)).await
    };
    let place = database.clone().into();
    let open = |key: Option<&Path>| Admin::open(&place, key).expect("the file");
    let admin = open(None);
    let said = put(&admin).await.expect_err("no key beside it").to_string();
    assert!(said.contains("service.db.key does not exist"), "{said}");
    let other = binary.folder().join("other");
    write_key(&other, &"7f".repeat(32), 0o600);
    let admin = open(Some(&other));
    assert!(put(&admin).await.expect_err("another key").to_string().contains("another key"));
    let admin = open(Some(&key));
    put(&admin).await.expect("the right key");
    let (_, secret) = admin.connection("shop").await.expect("kept");
    assert_eq!(secret.expect("a credential").expose(), "token");
    let listed = ["admin", "--db", path_text(&database), "--key-file", path_text(&key), "connection", "list"];
    assert!(binary.ok(&listed, "").contains("shop"));
}
