use super::*;

fn read(json: &str) -> (Message, MailMessage) {
    let raw: Box<RawValue> = serde_json::from_str(json).expect("JSON");
    read_mail(&raw, &"t1".into(), Some("shop@x.example"), 3)
}

#[test]
fn a_mail_is_read_under_many_spellings() {
    // (mail, (id, from, name, text, inbound, dated))
    let cases = [
        (
            r#"{"id":"m1","direction":"inbound","from":"ana@y.example","fromName":"Ana","text":"Hi",
                "createdAt":"2026-11-20T09:00:00Z"}"#,
            ("m1", "ana@y.example", Some("Ana"), Some("Hi"), true, true),
        ),
        (
            r#"{"_id":7,"sender":{"email":"ana@y.example","name":"Ana"},"bodyText":"Hi","date":1795000000}"#,
            ("7", "ana@y.example", Some("Ana"), Some("Hi"), true, true),
        ),
        (
            r#"{"emailId":"e","from":"Ana Lopez <ana@y.example>","body":{"text":"Hi","html":"<p>Hi</p>"},
                "internalDate":"1795000000000"}"#,
            ("e", "ana@y.example", Some("Ana Lopez"), Some("Hi"), true, true),
        ),
        (
            r#"{"uid":"u","from":{"emailAddress":{"address":"SHOP@x.example","name":"Shop"}},"snippet":"Hi"}"#,
            ("u", "SHOP@x.example", Some("Shop"), Some("Hi"), false, false),
        ),
        (
            r#"{"messageId":"<a@b>","fromEmail":"ana@y.example","isOutbound":true,"plain":"Hi"}"#,
            ("<a@b>", "ana@y.example", None, Some("Hi"), false, false),
        ),
        (
            r#"{"from":["ana@y.example"],"body":"<div>Hi</div>"}"#,
            ("t1#3", "ana@y.example", None, None, true, false),
        ),
        (r#"{"unheard":"of"}"#, ("t1#3", "", None, None, true, false)),
        (r#"{"from":null,"text":5,"attachments":"none","to":{}}"#, ("t1#3", "", None, None, true, false)),
    ];
    for (json, (id, from, name, text, inbound, dated)) in cases {
        let (message, letter) = read(json);
        assert_eq!((message.id.as_str(), letter.from.as_str()), (id, from), "{json}");
        assert_eq!(letter.from_name.as_ref().map(SafeText::as_str), name, "{json}");
        assert_eq!(letter.plain.as_ref().map(SafeText::as_str), text, "{json}");
        assert_eq!(message.direction == Direction::Inbound, inbound, "{json}");
        assert_eq!((message.created_at.is_some(), message.raw.as_str()), (dated, json), "{json}");
    }
    assert!(read(r#"{"unheard":"of"}"#).0.content.as_str().contains("see its raw data"));
}

#[test]
fn date_of_the_sender_stands_beside_the_arrival() {
    let (message, letter) = read(
        r#"{"from":"ana@y.example","createdAt":"2026-11-20T09:00:00Z","sentAt":"2026-11-19T09:00:00Z",
            "datedAt":"2031-01-01T00:00:00Z"}"#,
    );
    let time = Timestamp::parse;
    assert_eq!(message.created_at, time("2026-11-20T09:00:00Z"));
    assert_eq!(message.sent_at, None, "mails stay in the order of arrival");
    assert_eq!(letter.sent_at, time("2026-11-19T09:00:00Z"));
    assert_eq!(letter.dated_at, time("2031-01-01T00:00:00Z"));
    let (message, letter) = read(r#"{"from":"ana@y.example","sentAt":"2026-11-19T09:00:00Z"}"#);
    assert_eq!((message.created_at, letter.sent_at), (time("2026-11-19T09:00:00Z"), None));
}

#[test]
fn html_is_found_wherever_it_is() {
    let cases = [
        (r#"{"html":"<p>x</p>"}"#, Some("<p>x</p>")),
        (r#"{"bodyHtml":"<p>x</p>","text":"x"}"#, Some("<p>x</p>")),
        (r#"{"body":{"html":"<p>x</p>"}}"#, Some("<p>x</p>")),
        (r#"{"body":"<html><p>x</p>"}"#, Some("<html><p>x</p>")),
        (r#"{"text":"a < b"}"#, None),
        ("{}", None),
        ("[]", None),
    ];
    for (json, found) in cases {
        assert_eq!(html(json).as_deref(), found, "{json}");
    }
}

#[test]
fn addresses_and_files() {
    let (_, letter) = read(
        r#"{"to":"Ana <ana@y.example>, bob@y.example","cc":[{"email":"c@y.example"},"d@y.example",7],
            "reply_to":"list@y.example",
            "attachments":[{"name":"a.pdf","mimeType":"application/pdf","size":"12","downloadUrl":"https://f.example/a"},
                {"filename":"b.txt","content":"aGk="},"c.png",{}]}"#,
    );
    let texts = |entry: &[SafeText]| entry.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&letter.to), ["ana@y.example", "bob@y.example"]);
    assert_eq!(texts(&letter.cc), ["c@y.example", "d@y.example"]);
    assert_eq!(letter.reply_to.iter().map(SafeText::as_str).collect::<Vec<_>>(), ["list@y.example"]);
    let names: Vec<&str> = letter.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.pdf", "b.txt", "c.png", "unnamed"]);
    assert_eq!(
        (letter.files[0].size, letter.files[0].url.as_deref()),
        (Some(12), Some("https://f.example/a"))
    );
    assert!(letter.files[1].enclosed && !letter.files[0].enclosed);
    let raw = r#"{"attachments":[{"content":"data:text/plain;base64,aG\nk="}]}"#;
    assert_eq!(attachment_bytes(&raw.replace("\\n", " "), 0).as_deref(), Some(b"hi".as_slice()));
}

#[test]
fn a_flood_in_a_head_is_cut() {
    let flood = "x".repeat(10_000_000);
    let many: Vec<String> = (0..20_000).map(|number| format!("\"a{number}@y.example\"")).collect();
    let (message, letter) = read(&format!(
        r#"{{"from":"{flood}","fromName":"{flood}","subject":"{flood}","text":"seen","to":[{}],"cc":"{flood}",
            "attachments":[{{"filename":"{flood}"}}]}}"#,
        many.join(",")
    ));
    assert_eq!(message.content.as_str(), "seen");
    assert_eq!(letter.to.len(), MAX_ADDRESSES);
    let lines = letter.cc.iter().chain([&letter.from]).chain(&letter.from_name).chain(&letter.subject);
    for line in lines.chain(letter.files.iter().map(|file| &file.name)) {
        assert!(line.as_str().len() <= 200_100, "{}", line.as_str().len());
    }
}

#[test]
fn the_list_of_mails_has_many_names() {
    for name in ["messages", "emails", "mails", "items", "data"] {
        let json = format!(r#"{{"id":"t1","{name}":[{{"id":"a"}},{{"id":"b"}}]}}"#);
        let raw: Box<RawValue> = serde_json::from_str(&json).expect("JSON");
        assert_eq!(mails_of_thread(&raw).len(), 2, "{name}");
    }
    for json in [r#"{"id":"t1"}"#, r#"{"messages":5}"#, "[]", "7"] {
        let raw: Box<RawValue> = serde_json::from_str(json).expect("JSON");
        assert!(mails_of_thread(&raw).is_empty(), "{json}");
    }
    let raw: Box<RawValue> = serde_json::from_str(r#"{"thread":{"messages":[{}]}}"#).expect("JSON");
    assert_eq!(mails_of_thread(&raw).len(), 1);
}
