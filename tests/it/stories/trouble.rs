//! Servers that misbehave: the tab says what is wrong, typing goes on, and
//! it works again when it ends.

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::desk::Desk;

/// A desk on a server that always gives one answer.
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
    desk.settle().shows("SERVER TROUBLE").shows("web page");
    photographs!(desk, "a_web_page_instead_of_json");
}

#[test]
fn truncated_json_and_500s() {
    let truncated = ResponseTemplate::new(200).set_body_raw(r#"{"id":"acc","workspa"#, "application/json");
    let (mut desk, _server, _runtime) = against(truncated);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("SERVER TROUBLE");
    let failing = ResponseTemplate::new(500)
        .set_body_raw(r#"{"code":"INTERNAL_ERROR","message":"boom \u001b[2J"}"#, "application/json");
    let (mut desk, _server, _runtime) = against(failing);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("SERVER TROUBLE").shows("500");
}

#[test]
fn a_wrong_key_stops_the_tab_and_keeps_it_usable() {
    let mut desk = Desk::new(80, 24);
    let key = desk.key_of("whatsapp");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("<Enter>i").types("half a thou");
    desk.dev("keys/revoke", serde_json::json!({"key": key}));
    desk.settle().shows("KEY NOT TAKEN: REVOKED_KEY");
    desk.types("ght").shows("half a thought");
    photographs!(desk, "a_wrong_key_stops_the_tab_and_keeps_it_usable");
    desk.keys("<Enter>").shows("the key of Harbor chat is not taken (REVOKED_KEY); the draft is kept");
}

#[test]
fn an_unreachable_server_is_named_and_comes_back() {
    let mut desk = Desk::on_server("http://127.0.0.1:9/v1", "svc_live_0123456789");
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("OFFLINE since").shows("cannot be reached");
    photographs!(desk, "an_unreachable_server_is_named_and_comes_back");
}

#[test]
fn faults_end_and_the_tab_works_again() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().shows("live");
    let fault =
        serde_json::json!({"path_prefix": "/", "count": 100, "status": 500, "code": "INTERNAL_ERROR"});
    desk.dev("fault", fault);
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("SERVER TROUBLE").shows("Maria Lopez");
    desk.keys("<Enter>i").types("typing goes on").shows("typing goes on");
    desk.dev("fault", serde_json::json!({"path_prefix": "/", "count": 0}));
    desk.settle().shows("live").hides("SERVER TROUBLE");
}
