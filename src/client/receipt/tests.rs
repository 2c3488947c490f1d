//! Accepted success responses of each operation.

use crate::receipt::{AcceptedAnswer, ReadReceipt, Receipt, ReceiptKind, read};
use model::ids::MessageId;
use model::outbox::Operation;
use model::outbox::content::{Audience, BroadcastContent, ContactPatch, Mail, ThreadChange};

fn answer(body: &str) -> AcceptedAnswer<'_> {
    let body = body.as_bytes();
    AcceptedAnswer { status: 200, body, replayed: false, is_rated: true, server_time: None }
}

fn receipt(operation: &Operation, body: &str) -> Option<Receipt> {
    match read(operation, answer(body)) {
        ReadReceipt::Promised(receipt) => Some(receipt),
        ReadReceipt::Other => None,
        ReadReceipt::Failed(word) => panic!("{operation:?} {body}: {word}"),
    }
}

fn text() -> Operation {
    Operation::SendText { to: "+34600111222".into(), text: "hi".into(), reply_to: None }
}

/// Each operation with a success response and the id it contains.
pub(crate) fn promised() -> Vec<(Operation, &'static str, Option<&'static str>)> {
    let phone = || "+34600111222".to_owned();
    let sms = Operation::SendSms { to: phone(), body: "hi".into(), via: None };
    let call = Operation::Call { to: phone(), via: None, context: None };
    let content = BroadcastContent::Text("hi".into());
    let broadcast = Operation::Broadcast { to: Audience::Everyone, content };
    let contact =
        Operation::SaveContact(Box::new(ContactPatch { phone: phone(), ..ContactPatch::default() }));
    let delete = Operation::DeleteContact { contact: "ct".into(), phone: phone() };
    let hook = Operation::AddWebhook { url: "https://h.example".into(), events: Vec::new() };
    let unhook = Operation::RemoveWebhook { webhook: "wh".into(), url: String::new() };
    let upload = Operation::Upload { filename: "a".into(), mime_type: "a/b".into(), size: 1 };
    let file = Operation::ChangeThread { thread: "t".into(), change: ThreadChange::default() };
    let react = Operation::React { message: "m".into(), emoji: "👍".into() };
    vec![
        (text(), r#"{"messageId":"m1","status":"sent"}"#, Some("m1")),
        (sms, r#"{"messageId":"m2","status":"sent","creditsUsed":1}"#, Some("m2")),
        (Operation::SendMail(Box::<Mail>::default()), r#"{"messageId":"e1","threadId":"t1"}"#, Some("e1")),
        (call, r#"{"callId":"call1","status":"queued"}"#, Some("call1")),
        (broadcast, r#"{"broadcastId":"b1","totalRecipients":3,"status":"sending"}"#, Some("b1")),
        (contact, r#"{"id":"ct1","phone":"+34600111222"}"#, Some("ct1")),
        (delete, r#"{"success":true,"deleted":"ct"}"#, None),
        (hook, r#"{"id":"wh1","url":"https://h.example"}"#, Some("wh1")),
        (unhook, r#"{"success":true}"#, None),
        (upload, r#"{"url":"https://f.example/a","mimeType":"a/b","size":1}"#, Some("https://f.example/a")),
        (file, r#"{"id":"t","isRead":true}"#, None),
        (react, r#"{"success":true}"#, None),
        (Operation::SetAutomation { enabled: true }, r#"{"success":true,"automationEnabled":true}"#, None),
        (Operation::SetAutomation { enabled: true }, r#"{"id":"conv_1","enabled":true}"#, None),
        (Operation::Close, r#"{"success":true,"conversationId":"c","status":"closed"}"#, None),
    ]
}

#[test]
fn each_operation_has_its_own_success() {
    for (operation, body, made) in promised() {
        let receipt = receipt(&operation, body).unwrap_or_else(|| panic!("{operation:?} {body}"));
        assert_eq!(receipt.kind.created_id(), made, "{operation:?}");
        assert!(!receipt.test);
    }
}

#[test]
fn what_is_not_promised_is_not_a_success() {
    for (operation, ..) in promised() {
        for body in ["[]", "\"ok\"", r#"{"code":"INTERNAL_ERROR","message":"no"}"#, r#"{"code":"X"}"#] {
            if body.starts_with('{') {
                assert_eq!(receipt(&operation, body), None, "{operation:?} {body}");
            }
        }
        // An empty response suffices for operations that set a state, and no others.
        let sets = matches!(
            operation,
            Operation::React { .. }
                | Operation::SetAutomation { .. }
                | Operation::Close
                | Operation::ChangeThread { .. }
                | Operation::DeleteContact { .. }
                | Operation::RemoveWebhook { .. }
        );
        assert_eq!(receipt(&operation, " \n").is_some(), sets, "{operation:?}");
        // The API defines no response for these, so any success is accepted.
        let untold = matches!(
            operation,
            Operation::React { .. } | Operation::ChangeThread { .. } | Operation::RemoveWebhook { .. }
        );
        assert_eq!(receipt(&operation, r#"{"status":"ok"}"#).is_some(), untold, "{operation:?}");
    }
    let unclosed = r#"{"success":true,"conversationId":"c","status":"active"}"#;
    assert_eq!(receipt(&Operation::Close, unclosed), None);
}

#[test]
fn what_somebody_else_answers_in_its_place_is_not_a_success() {
    for (operation, ..) in promised() {
        for body in ["", r#"{"portal":"guest"}"#, r#"{"status":"ok"}"#] {
            let found = read(&operation, AcceptedAnswer { is_rated: false, ..answer(body) });
            // The state of the AI switch is read separately.
            let looked_at =
                matches!(found, ReadReceipt::Promised(Receipt { kind: ReceiptKind::Automation(None), .. }));
            assert!(looked_at || found == ReadReceipt::Other, "{operation:?} {body}: {found:?}");
        }
    }
}

#[test]
fn a_test_key_is_told_made_up_ids() {
    for (operation, ..) in promised() {
        let mock = r#"{"test":true,"messageId":"test_1","broadcastId":"test_1","creditsUsed":0}"#;
        let receipt = receipt(&operation, mock).unwrap_or_else(|| panic!("{operation:?}"));
        assert!(receipt.test, "{operation:?}");
    }
}

#[test]
fn balances_are_believed_only_where_somebody_could_have_them() {
    let cases = [
        ("412", Some(412.0)),
        ("0", Some(0.0)),
        ("0.1", Some(0.1)),
        ("\"12\"", Some(12.0)),
        ("-1", None),
        ("1e308", None),
        ("\"NaN\"", None),
        ("null", None),
        ("{}", None),
    ];
    for (number, credits) in cases {
        let body = format!(r#"{{"messageId":"m1","status":"sent","creditsRemaining":{number}}}"#);
        let receipt = receipt(&text(), &body).expect("it was sent all the same");
        assert_eq!(receipt.credits, credits, "{number}");
    }
}

#[test]
fn optional_fields_of_a_wrong_type_count_as_absent() {
    let body =
        r#"{"messageId":7,"status":{},"telegramMessageId":31,"creditsUsed":[],"test":"no","more":null}"#;
    let sent = ReceiptKind::Sent {
        message: MessageId::new("7"),
        platform_id: Some("31".to_owned()),
        status: "sent".to_owned(),
    };
    assert_eq!(receipt(&text(), body), Some(Receipt::from_kind(sent)));
    let wrong_id = r#"{"messageId":["m1"],"status":"sent"}"#;
    assert_eq!(receipt(&text(), wrong_id), None);
    let switched = r#"{"success":true,"automationEnabled":"true","enabled":false}"#;
    let off = Some(Receipt::from_kind(ReceiptKind::Automation(Some(false))));
    assert_eq!(receipt(&Operation::SetAutomation { enabled: false }, switched), off);
}

#[test]
fn no_success_in_words_is_not_a_success() {
    for (operation, promised, _) in promised() {
        for failed in [r#""success":false"#, r#""error":"no""#, r#""errors":[{"code":131026}]"#] {
            let fields = promised.trim_start_matches('{').trim_start_matches(r#""success":true,"#);
            let body = format!("{{{failed},{fields}").replace(",}", "}");
            let body = body.replace(r#","success":true}"#, "}");
            assert_eq!(read(&operation, answer(&body)), ReadReceipt::Other, "{operation:?} {body}");
        }
    }
}

#[test]
fn a_status_that_says_it_failed_is_not_a_success() {
    for word in ["failed", "FAILED", "rejected", "undelivered", "not_sent"] {
        let body = format!(r#"{{"messageId":"m1","status":"{word}","creditsUsed":1}}"#);
        assert_eq!(read(&text(), answer(&body)), ReadReceipt::Failed(word.to_owned()));
    }
    for word in ["sent", "queued", "accepted", "delivered", "pending", "a new word"] {
        let body = format!(r#"{{"messageId":"m1","status":"{word}"}}"#);
        assert!(receipt(&text(), &body).is_some(), "{word}");
    }
    let unnamed = r#"{"status":"failed"}"#;
    for (operation, ..) in promised() {
        assert_eq!(read(&operation, answer(unnamed)), ReadReceipt::Other, "{operation:?}");
    }
}
