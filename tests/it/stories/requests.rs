//! Requests to the servers can be listed, and copied as a shell command without the key.

use frontdesk::model::calls::Call;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::Clock;
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
        .run_command("show-calls")
        .shows("Requests · newest first")
        .shows("GET    /account")
        .shows("/triggers/new-message");
    desk.keys("f").shows("failures and changes").shows("INTERNAL_ERROR").shows("500");
    photographs!(desk, "failed");
    desk.keys("y").shows("copied as a curl command");
    let copied = desk.copied.last().cloned().unwrap_or_default();
    assert!(copied.starts_with("curl 'http") && copied.contains("/account'"), "{copied}");
    assert!(copied.contains("$CHANNEL_KEY") && !copied.contains("svc_live"), "{copied}");
    desk.keys("f").shows("Requests · failures ").shows("INTERNAL_ERROR").keys("f").shows("newest first");
    // The wall opens the failures of a tab.
    desk.keys("<Esc>")
        .run_command("go-to-wall")
        .keys("<Enter>")
        .shows("Requests · failures ")
        .shows("INTERNAL_ERROR")
        .keys("<Esc>");
}

#[test]
fn the_newest_change_is_copied_with_its_own_key() {
    let mut desk = Desk::new(120, 40);
    desk.settle().keys("yc").shows("no changes or failures lately; :show-calls lists all requests");
    let maria = desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.wait(SECOND);
    desk.settle().keys("p").settle().keys("yc").shows("copied as a curl command");
    let copied = desk.copied.last().cloned().unwrap_or_default();
    assert!(copied.starts_with("curl -X PATCH 'http") && copied.contains(&maria), "{copied}");
    assert!(copied.contains("Idempotency-Key: ") && !copied.contains("svc_live"), "{copied}");
}

#[test]
fn what_other_processes_on_the_folder_asked_stands_there_too() {
    let mut desk = Desk::new(120, 40);
    desk.settle();
    let call = |path: &str, answer| Call {
        channel: ChannelId::new("whatsapp"),
        at: desk.clock.now().plus(SECOND),
        method: "GET".to_owned(),
        base: desk.base_url.clone(),
        path: path.to_owned(),
        duration: 12_000,
        answer,
        code: None,
        replayed: false,
        key: None,
        request_id: None,
        has_body: false,
        process: SafeText::default(),
    };
    let calls = vec![
        call("/contacts?search=Maria%20Lopez&limit=30", Ok(200)),
        call("/conversations", Err(SafeText::line("no answer: reset"))),
    ];
    let kept = desk.store.store_calls("engine, process 4312".to_owned(), calls);
    desk.runtime.block_on(kept).expect("kept");
    desk.run_command("show-calls")
        .shows("engine, process 4312")
        .shows("/contacts?search=…&limit=30")
        .shows("/account");
    desk.hides("Maria").shows("no answer: reset");
}
