//! Sent mails over real mail servers, parsed by a third library.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailparse::{MailAddr, MailHeaderMap, ParsedMail, addrparse_header, parse_mail};
use serde_json::{Value, json};

use super::Served;
use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, quiet};

/// Maximum length of a line without its end, in bytes.
const MAX_LINE_BYTES: usize = 998;

struct SentMail(Vec<u8>);

impl SentMail {
    fn parsed(&self) -> ParsedMail<'_> {
        parse_mail(&self.0).expect("another library reads it")
    }

    fn header(&self, name: &str) -> Option<String> {
        self.parsed().headers.get_first_value(name)
    }

    fn people(&self, name: &str) -> Vec<(Option<String>, String)> {
        let parsed = self.parsed();
        let Some(header) = parsed.headers.get_first_header(name) else { return Vec::new() };
        let all = addrparse_header(header).expect("addresses").into_inner();
        all.into_iter()
            .map(|one| match one {
                MailAddr::Single(person) => (person.display_name, person.addr),
                MailAddr::Group(group) => panic!("{group:?}"),
            })
            .collect()
    }

    fn addresses(&self, name: &str) -> Vec<String> {
        self.people(name).into_iter().map(|person| person.1).collect()
    }

    /// Text of the first part of a media type that is no file.
    fn text(&self, kind: &str) -> Option<String> {
        let parsed = self.parsed();
        let is_text = |part: &&ParsedMail<'_>| part.ctype.mimetype == kind && name_of(part).is_none();
        let part = parsed.parts().find(is_text)?;
        Some(part.get_body().expect("a text").replace("\r\n", "\n").trim_end().to_owned())
    }

    fn files(&self) -> Vec<(String, String, Vec<u8>)> {
        let parsed = self.parsed();
        let named = parsed.parts().filter_map(|part| Some((name_of(part)?, part)));
        named
            .map(|(name, part)| (name, part.ctype.mimetype.clone(), part.get_body_raw().expect("its bytes")))
            .collect()
    }
}

fn name_of(part: &ParsedMail<'_>) -> Option<String> {
    part.get_content_disposition().params.get("filename").cloned()
}

/// Sends a mail and waits until it reached its first recipient.
async fn send(served: &Served, mailbox: &TestMailbox, asked: Value, to: &str) -> SentMail {
    let (status, told) = served.send(asked, None).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    let id = told["messageId"].as_str().expect("an id").to_owned();
    let raw = mailbox.waits_for(to, &id).into_bytes();
    for line in raw.split(|byte| *byte == b'\n') {
        assert!(line.is_ascii() && line.len() <= MAX_LINE_BYTES, "{}", String::from_utf8_lossy(line));
    }
    SentMail(raw)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_and_subjects_are_read_as_they_were_written() {
    let Some(servers) = servers() else { return };
    let mailbox = servers.mailbox();
    let served = quiet(&mailbox).await;
    let texts = [
        "Hello".to_owned(),
        "Grüße aus Köln\n\nÄÖÜ ß € 🚲\n日本語".to_owned(),
        format!("{}\n{}", "long ".repeat(600), "ü".repeat(3_000)),
        ".\n..\n.dot\nFrom here\n>From there\n- - -\n--b--".to_owned(),
        "trailing space \ntab\t\n= equals =3D =\n\nend".to_owned(),
        "one\r\ntwo\rthree\nfour".to_owned(),
    ];
    let subjects = [
        "Order 1042".to_owned(),
        "Größe: „Jacke“ — 10 €".to_owned(),
        "🚲".repeat(120),
        format!("Re: {}", "word ".repeat(150).trim_end()),
        "x".repeat(300),
        "=?utf-8?q?not_a_word?= \"quoted\" <b@x.example>".to_owned(),
    ];
    for (text, subject) in texts.iter().zip(&subjects) {
        let to = customer();
        let mail = send(&served, &mailbox, json!({"to": to, "subject": subject, "text": text}), &to).await;
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        let read = mail.text("text/plain").expect("a text").replace('\r', "\n");
        assert_eq!(read, lines.trim_end());
        assert_eq!(mail.header("Subject").as_deref(), Some(subject.as_str()));
        assert_eq!((mail.addresses("To"), mail.addresses("From")), (vec![to], vec![mailbox.address.clone()]));
        let html = format!("<p title=\"ü\">{}</p>", "Ein langer Satz. ".repeat(100));
        let to = customer();
        let asked = json!({"to": to, "subject": subject, "text": text, "html": html});
        let mail = send(&served, &mailbox, asked, &to).await;
        assert_eq!(mail.text("text/html").as_deref(), Some(html.as_str()));
        assert_eq!(mail.text("text/plain").expect("a text").replace('\r', "\n"), lines.trim_end());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_keep_their_names_and_bytes() {
    let Some(servers) = servers() else { return };
    let (mailbox, to) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    let every_byte: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    let files: Vec<(String, &str, Vec<u8>)> = vec![
        ("invoice.pdf".to_owned(), "application/pdf", every_byte),
        ("Rückgabe – Größe.pdf".to_owned(), "application/pdf", b"%PDF".to_vec()),
        ("日本語の請求書.txt".to_owned(), "text/plain", "日本語\n.\n".as_bytes().to_vec()),
        ("a;b, (c) 'd' 100%.txt".to_owned(), "text/plain", b"\r\n\r\n".to_vec()),
        ("say \"hi\" \\ there.txt".to_owned(), "text/plain", b"x".to_vec()),
        (format!("{}.png", "ü".repeat(120)), "image/png", vec![0; 100]),
        ("two  spaces .md".to_owned(), "text/markdown", b"# x".to_vec()),
    ];
    let attachments: Vec<Value> = files
        .iter()
        .map(|(name, kind, bytes)| {
            json!({"filename": name, "contentType": kind, "content": STANDARD.encode(bytes)})
        })
        .collect();
    let asked =
        json!({"to": to, "subject": "Files", "html": "<p>See below.</p>", "attachments": attachments});
    let mail = send(&served, &mailbox, asked, &to).await;
    let read = mail.files();
    assert_eq!(read.len(), files.len());
    for ((name, kind, bytes), file) in files.iter().zip(read) {
        assert_eq!((name.as_str(), *kind), (file.0.as_str(), file.1.as_str()));
        assert!(*bytes == file.2, "the bytes of {name}");
    }
    assert_eq!(mail.text("text/html").as_deref(), Some("<p>See below.</p>"));
    assert_eq!(mail.text("text/plain").as_deref(), Some("See below."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_and_references_are_read_as_they_were_asked_for() {
    let Some(servers) = servers() else { return };
    let (mailbox, ann, bo, cleo) = (servers.mailbox(), customer(), customer(), customer());
    let served = quiet(&mailbox).await;
    let abroad = format!("ida-{}@xn--bcher-kva.example", uuid::Uuid::new_v4().simple());
    let asked = json!({
        "to": [ann, abroad], "cc": [bo], "bcc": [cleo], "subject": "Order 1042", "text": "Hello",
        "from": "Größe, Laden & Söhne", "replyTo": "help@shop.example", "headers": {"X-Order": "1042"},
    });
    let mail = send(&served, &mailbox, asked, &ann).await;
    assert_eq!(mail.addresses("To"), [ann.clone(), abroad.clone()]);
    assert_eq!(mail.addresses("Cc"), std::slice::from_ref(&bo));
    assert_eq!(mail.header("Bcc"), None);
    assert_eq!(mail.people("From"), [(Some("Größe, Laden & Söhne".to_owned()), mailbox.address.clone())]);
    assert_eq!(mail.addresses("Reply-To"), ["help@shop.example"]);
    assert_eq!(mail.header("X-Order").as_deref(), Some("1042"));
    assert!(mail.header("Date").is_some_and(|date| mailparse::dateparse(&date).is_ok()));
    let id = mail.header("Message-ID").expect("an id");
    for other in [&abroad, &bo, &cleo] {
        let copy = SentMail(mailbox.waits_for(other, &id).into_bytes());
        assert_eq!(copy.text("text/plain").as_deref(), Some("Hello"));
        assert!(!String::from_utf8_lossy(&copy.0).contains(&format!("Bcc: {cleo}")));
    }
    let answer =
        mailbox.hears(&ann, "Re: Order 1042", "When?", &format!("In-Reply-To: {id}\nReferences: {id}\n"));
    let thread = served.thread(&ann, "the answer", |thread| thread["messageCount"] == 2).await;
    let asked =
        json!({"to": ann, "subject": "Re: Order 1042", "text": "Tomorrow.", "threadId": thread["id"]});
    let mail = send(&served, &mailbox, asked, &ann).await;
    assert_eq!(mail.header("In-Reply-To"), Some(answer.clone()));
    let references = mail.header("References").expect("references");
    assert_eq!(references.split_whitespace().collect::<Vec<_>>(), [id.as_str(), answer.as_str()]);
    assert_eq!(mail.people("From")[0].0.as_deref(), Some("Harbor Bicycles"));
}
