//! Misbehaving servers: the tab shows the problem, typing continues, and work resumes afterwards.

use wiremock::matchers::{any, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::desk::Desk;
use frontdesk::api::messages::unreadable_message;
use frontdesk::inbox::command::Command;
use frontdesk::inbox::keymap::KeyMap;
use frontdesk::model::ids::ConversationId;

/// A desk on a server with a constant answer.
fn against(answer: ResponseTemplate) -> (Desk, MockServer, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(answer).mount(&server).await;
        server
    });
    let desk = Desk::on_server(&format!("{}/v1", server.uri()), "svc_live_0123456789");
    (desk, server, runtime)
}

#[test]
fn a_web_page_instead_of_json() {
    let html = ResponseTemplate::new(502).set_body_raw("<html>Bad gateway</html>", "text/html");
    let (mut desk, _server, _runtime) = against(html);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("Server trouble").shows("instead of JSON");
    photographs!(desk, "a_web_page_instead_of_json", Tabs, List, Status);
}

#[test]
fn truncated_json_and_500s() {
    let truncated = ResponseTemplate::new(200).set_body_raw(r#"{"id":"acc","workspa"#, "application/json");
    let (mut desk, _server, _runtime) = against(truncated);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("Server trouble");
    let failing = ResponseTemplate::new(500)
        .set_body_raw(r#"{"code":"INTERNAL_ERROR","message":"boom \u001b[2J"}"#, "application/json");
    let (mut desk, _server, _runtime) = against(failing);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("Server trouble").shows("500");
}

#[test]
fn a_wrong_key_stops_the_tab_and_keeps_it_usable() {
    let mut desk = Desk::new(80, 24);
    let key = desk.key_of("whatsapp");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("<Enter>i").types("half a thou");
    desk.dev("keys/revoke", serde_json::json!({"key": key}));
    desk.settle().shows("Key refused · REVOKED_KEY");
    desk.types("ght").shows("half a thought");
    photographs!(desk, "a_wrong_key_stops_the_tab_and_keeps_it_usable", Tabs, Composer, Status);
    desk.keys("<Enter>").shows("Harbor chat refused the key (REVOKED_KEY); the draft is kept");
}

#[test]
fn an_unreachable_server_is_named_and_comes_back() {
    let mut desk = Desk::on_server("http://127.0.0.1:9/v1", "svc_live_0123456789");
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("Offline since").shows("cannot be reached");
    photographs!(desk, "an_unreachable_server_is_named_and_comes_back", Tabs, List, Status);
}

#[test]
fn faults_end_and_the_tab_works_again() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().is_connected();
    let fault =
        serde_json::json!({"path_prefix": "/", "count": 100, "status": 500, "code": "INTERNAL_ERROR"});
    desk.dev("fault", fault);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("Server trouble").shows("Maria Lopez");
    desk.keys("<Enter>i").types("typing goes on").shows("typing goes on");
    desk.dev("fault", serde_json::json!({"path_prefix": "/", "count": 0}));
    desk.settle().is_connected().hides("Server trouble");
}

/// One item of the list is invalid; the server has no contacts.
#[test]
fn what_cannot_be_read_is_shown_and_counted_and_what_is_missing_is_no_trouble() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let account = r#"{"id":1,"workspace":null,"assistant":{"platform":"WHATSAPP"},"whatsappNumber":"+34600",
        "creditsBalance":"10","environment":"live"}"#;
    let list = r#"{"data":[{"id":7,"customerPhone":"+34600111222","customerName":"Maria","status":"active",
        "lastMessagePreview":"cut \ud83d","lastMessageAt":"2026-11-20T09:10:00Z","escalation":{"state":"none"}},
        {"id":["of","a","list"],"customerName":"Nobody"}],"hasMore":0,"nextCursor":5}"#;
    let webhooks = r#"{"data":["no webhook"]}"#;
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        for (path, body) in
            [("/v1/account$", account), ("/v1/conversations$", list), ("/v1/webhooks$", webhooks)]
        {
            let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
            Mock::given(path_regex(path)).respond_with(answer).mount(&server).await;
        }
        let gone = ResponseTemplate::new(404).set_body_raw("<html>Cannot GET /contacts</html>", "text/html");
        Mock::given(path_regex("/v1/contacts$")).respond_with(gone).mount(&server).await;
        let nothing = ResponseTemplate::new(200).set_body_raw(r#"{"data":[]}"#, "application/json");
        Mock::given(path_regex("/v1/.*(messages|new-message|templates)$"))
            .respond_with(nothing)
            .mount(&server)
            .await;
        server
    });
    let mut desk = Desk::on_server(&format!("{}/v1", server.uri()), "svc_live_0123456789");
    desk.resize((120, 40));
    desk.settle().settle().shows("Maria").shows("cut \u{fffd}").hides("AI failing");
    desk.shows("This row could not be read").shows("1 row could not be read · :show-unreadable");
    desk.clicks("This row could not be read")
        .settle()
        .keys("=")
        .shows("\"of\"")
        .shows("Nobody")
        .keys("<Esc>");
    desk.keys("<Esc>p").shows("could not be read").hides("AI: pausing");
    desk.keys("gw").settle().shows("unreadable").shows("2 rows could not be read");
    desk.run_command("show-unreadable").shows("webhooks:").shows("no webhook").keys("<Esc>");
    desk.keys("gp").settle();
    desk.wait(5_000_000);
    desk.settle().shows("this server does not offer contacts").hides("Server trouble");
}

#[test]
fn an_unreadable_message_names_the_key_of_its_raw_data() {
    let message = unreadable_message("7", &ConversationId::new("c1"));
    let key = KeyMap::default().first_key_name(Command::Raw);
    assert!(message.content.as_str().contains(&format!("({key})")), "{}", message.content);
}
