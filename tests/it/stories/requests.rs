//! What was asked of the servers can be looked at, and taken to a shell without
//! the key.

use serde_json::json;

use crate::desk::Desk;

const SECOND: i64 = 1_000_000;

#[test]
fn a_refusal_is_found_and_taken_to_a_shell() {
    let mut desk = Desk::new(120, 40);
    let fault = json!({"path_prefix": "/account", "count": 1, "status": 500, "code": "INTERNAL_ERROR"});
    desk.dev("fault", fault);
    desk.settle().wait(SECOND);
    desk.settle()
        .keys("gl")
        .shows("Requests · newest first")
        .shows("GET    /account")
        .shows("/triggers/new-message");
    desk.keys("f").shows("failures and changes").shows("INTERNAL_ERROR").shows("500");
    photographs!(desk, "failed");
    desk.keys("y").shows("copied as a curl command");
    let copied = desk.copied.last().cloned().unwrap_or_default();
    assert!(copied.starts_with("curl 'http") && copied.contains("/account'"), "{copied}");
    assert!(copied.contains("$CHANNEL_KEY") && !copied.contains("svc_live"), "{copied}");
    desk.keys("<Esc>");
}

#[test]
fn the_newest_change_is_copied_with_its_own_key() {
    let mut desk = Desk::new(120, 40);
    desk.settle().keys("yc").shows("nothing was changed and nothing failed lately; g l lists all");
    let maria = desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.wait(SECOND);
    desk.settle().keys("p").settle().keys("yc").shows("copied as a curl command");
    let copied = desk.copied.last().cloned().unwrap_or_default();
    assert!(copied.starts_with("curl -X PATCH 'http") && copied.contains(&maria), "{copied}");
    assert!(copied.contains("Idempotency-Key: ") && !copied.contains("svc_live"), "{copied}");
}
