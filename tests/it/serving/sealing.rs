//! The key that seals secrets: where it was named, and no other.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use frontdesk::model::connections::Connection;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::Timestamp;
use frontdesk::service::admin::Admin;
use serde_json::json;

use super::*;
use crate::service::receiver::{Receiver, hex_hmac};

const JSON: &str = "content-type: application/json";

fn write_key(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

/// Serves the binary's database; what it says as it is refused.
fn refused(binary: &Binary, key: &Path) -> String {
    let database = binary.folder().join("service.db");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--db", words(&database), "--key-file", words(key)];
    binary.fails(1, &arguments, "")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_sealed_with_the_key_that_was_named() {
    let binary = Binary::new();
    let (key, beside) = (binary.folder().join("keys/seal"), binary.folder().join("service.db.key"));
    std::fs::create_dir(binary.folder().join("keys")).expect("a folder");
    let receiver = Receiver::start().await;
    let mut serving = Serving::start(&binary, &["--dev", "--key-file", words(&key)]);
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
    assert!(
        said.contains("sealed with another key than the one in") && said.contains("keys/other"),
        "{said}"
    );
    let missing = binary.folder().join("keys/missing");
    let said = refused(&binary, &missing);
    assert!(said.contains("keys/missing is not there") && !missing.exists(), "{said}");

    let (tell, told) = mpsc::channel();
    receiver.answer_by(move |it| {
        let _ = tell.send((it.headers.get("x-service-signature").cloned(), it.body.clone()));
        (200, "", Vec::new())
    });
    let serving = Serving::start(&binary, &["--dev", "--key-file", words(&key)]);
    let inbound = br#"{"channel": "whatsapp", "from": "+34600111222", "text": "hi"}"#;
    assert_eq!(serving.ask("POST", "/dev/inbound", &[JSON], inbound).status, 200);
    let (signature, body) = told.recv_timeout(Duration::from_secs(120)).expect("a delivery");
    assert_eq!(signature.expect("signed"), hex_hmac("s3cret", &body));
}

#[test]
fn without_its_key_a_database_is_served_and_says_so() {
    let binary = Binary::new();
    let key = binary.folder().join("seal");
    drop(Serving::start(&binary, &["--key-file", words(&key)]));
    let sealed = "INSERT INTO webhooks (id, channel, url, events, secret, created_at)
                  VALUES ('wh_1', 'ch_whatsapp', 'https://a.example', '[]', x'00', 0)";
    let database = binary.folder().join("service.db");
    rusqlite::Connection::open(&database).expect("opens").execute(sealed, []).expect("kept");
    let mut serving = Serving::start(&binary, &[]);
    serving.child.kill().expect("killed");
    let mut said = String::new();
    serving.child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    assert!(said.contains("sealed with another key") && said.contains("--key-file"), "{said}");
}

#[test]
fn no_api_key_is_made_where_the_sealing_key_cannot_be_used() {
    let binary = Binary::new();
    let key = binary.folder().join("seal");
    write_key(&key, &"7f".repeat(32), 0o644);
    assert!(refused(&binary, &key).contains("can be read by others; run: chmod 600"));
    write_key(&key, "a password", 0o600);
    assert!(refused(&binary, &key).contains("holds no key, which is 32 bytes or 64 hex digits"));
    let nowhere = binary.folder().join("no folder/seal");
    assert!(refused(&binary, &nowhere).contains("the key file"));
    assert!(!binary.folder().join("service.db.key").exists());
    // The first that works tells the keys of a new database.
    write_key(&key, &"7f".repeat(32), 0o600);
    let serving = Serving::start(&binary, &["--key-file", words(&key)]);
    assert!(serving.key("email", "test").starts_with("svc_test_"));
}

#[tokio::test]
async fn the_dashboard_seals_with_the_same_key() {
    let binary = Binary::new();
    let key = binary.folder().join("seal");
    drop(Serving::start(&binary, &["--key-file", words(&key)]));
    let database = binary.folder().join("service.db");
    let put = async |admin: &Admin| {
        let shop = Connection::new("shop", "https://shop.example");
        admin.put_connection(shop, Some(&Secret::new("token")), Timestamp::from_micros(0)).await
    };
    let place = database.clone().into();
    let open = |key: Option<&Path>| Admin::open(&place, key).expect("the file");
    let admin = open(None);
    let said = put(&admin).await.expect_err("no key beside it").to_string();
    assert!(said.contains("service.db.key is not there"), "{said}");
    let other = binary.folder().join("other");
    write_key(&other, &"7f".repeat(32), 0o600);
    let admin = open(Some(&other));
    assert!(put(&admin).await.expect_err("another key").to_string().contains("another key"));
    let admin = open(Some(&key));
    put(&admin).await.expect("the right key");
    let (_, secret) = admin.connection("shop").await.expect("kept");
    assert_eq!(secret.expect("a credential").expose(), "token");
    let listed = ["admin", "--db", words(&database), "--key-file", words(&key), "connection", "list"];
    assert!(binary.ok(&listed, "").contains("shop"));
}
