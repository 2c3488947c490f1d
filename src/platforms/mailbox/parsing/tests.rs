//! Parses whole mails: each `NAME.eml` in `tests/mail` has a `NAME.json` with the expected fields;
//! omitted fields are not compared.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mail")
}

fn word<T: std::fmt::Debug>(value: T) -> String {
    let name = format!("{value:?}");
    name[..1].to_lowercase() + &name[1..]
}

fn as_json(reading: &ParsedMail) -> Value {
    let people = &reading.people;
    let addresses = |header: &AddressHeader| {
        header.mailboxes.iter().map(|mailbox| mailbox.address.clone()).collect::<Vec<_>>()
    };
    let author = people.from.mailboxes.first();
    let (answers_to, shown, name) = match &people.answers_go_to {
        AnswerTarget::Author => {
            (json!("author"), json!(null), json!(author.and_then(|mailbox| mailbox.name.clone())))
        }
        AnswerTarget::Others { to, name } => (json!(to), json!(null), json!(name)),
        AnswerTarget::Nobody { shown } => (json!("nobody"), json!(shown), json!(null)),
    };
    json!({
        "direction": word(people.direction),
        "kind": word(reading.kind),
        "from": addresses(&people.from),
        "fromName": author.and_then(|mailbox| mailbox.name.clone()),
        "sender": people.sender.as_ref().map(|mailbox| mailbox.address.clone()),
        "replyTo": addresses(&people.reply_to),
        "to": addresses(&people.to),
        "cc": addresses(&people.cc),
        "answersTo": answers_to,
        "shown": shown,
        "customerName": name,
        "messageId": reading.message_id,
        "hasOwnId": reading.has_own_id,
        "inReplyTo": reading.in_reply_to,
        "references": reading.references,
        "claimedAt": reading.claimed_at.map(|claimed_at| claimed_at.to_string()),
        "subject": reading.subject,
        "topic": reading.topic,
        "text": reading.text.as_deref().map(|address| address.replace("\r\n", "\n").trim().to_owned()),
        "html": reading.html.as_deref().map(|address| address.replace("\r\n", "\n").trim().to_owned()),
        "fileTexts": reading.files.iter().map(|file| String::from_utf8_lossy(&file.bytes).replace("\r\n", "\n")).collect::<Vec<_>>(),
        "files": reading.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>(),
        "returned": reading.bounce.as_ref().map(|report| json!({"id": report.header_id, "failed": report.has_failed})),
    })
}

#[test]
fn mails_are_read_as_their_files_say() {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the folder of mails")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".eml")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() >= 50, "{} mails", names.len());
    let mut wrong = Vec::new();
    for name in names {
        let raw = fs::read(folder().join(format!("{name}.eml"))).expect("a mail");
        let expected =
            fs::read(folder().join(format!("{name}.json"))).unwrap_or_else(|_| panic!("{name}.json"));
        let mut expected: Map<String, Value> =
            serde_json::from_slice(&expected).unwrap_or_else(|why| panic!("{name}.json: {why}"));
        let is_sent = expected.remove("folder").is_some_and(|text| text == "sent");
        let folder = if is_sent { MailUpdateKind::Sent } else { MailUpdateKind::Inbox };
        let own = ["desk@shop.example".to_owned()];
        let is_cut = expected.remove("cut").is_some();
        let place = MailPlace { folder, own: &own, is_cut, left: &[] };
        // Mail has either line ending.
        let crlf = String::from_utf8(raw.clone()).map(|text| text.replace('\n', "\r\n").into_bytes());
        for raw in [Some(raw), crlf.ok()].into_iter().flatten() {
            let found = as_json(&parse_mail(&raw, place));
            for (key, value) in &expected {
                if found[key] != *value {
                    wrong.push(format!("{name}: {key} is {}, not {value}", found[key]));
                }
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0], "\n{}", wrong.join("\n"));
}

#[test]
fn a_mail_without_an_id_is_known_by_its_bytes() {
    let own = ["desk@shop.example".to_owned()];
    let place = MailPlace { folder: MailUpdateKind::Inbox, own: &own, is_cut: false, left: &[] };
    let id = |raw: &str| parse_mail(raw.as_bytes(), place).message_id;
    let mail = "From: ann@a.example\r\n\r\nHello";
    assert_eq!(id(mail), id(mail));
    assert_ne!(id(mail), id("From: ann@a.example\r\n\r\nHello!"));
    assert!(id("").ends_with("@shop.example>"));
}

#[test]
fn any_bytes_are_read() {
    let own = ["desk@shop.example".to_owned()];
    let place = MailPlace { folder: MailUpdateKind::Inbox, own: &own, is_cut: true, left: &[] };
    for raw in [&b""[..], b"\0", b"\xff\xfe", b":", b"From", b"From:", b"\r\n\r\n", b"no header at all"] {
        let reading = parse_mail(raw, place);
        assert!(matches!(reading.people.answers_go_to, AnswerTarget::Nobody { .. }), "{raw:?}");
    }
}
