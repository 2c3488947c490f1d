//! Large files of mails: they stay in the mailbox until somebody opens them.

use frontdesk::model::time::{Clock, DAY, SECOND, Timestamp};
use frontdesk::service::carriers::dashboard::MailSince;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::mail_server::{OldMail, TestMailbox, servers};
use super::mails::{customer, mails_of, quiet};
use super::{Served, dashboard};
use crate::postgres::cluster;
use crate::waiting::{until_found, until_so};

/// Bytes of the large file, more than a mail that is read whole.
const VIDEO_BYTES: usize = 45_000_000;

fn video() -> Vec<u8> {
    (0..VIDEO_BYTES).map(|place| u8::try_from((place * 7 + place / 251) % 256).expect("a byte")).collect()
}

/// Encodes bytes as mail programs do, in lines of 76 characters.
fn base64_lines(bytes: &[u8]) -> String {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let lines = text.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).expect("ASCII"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A mail with a text, a small file, a large one, and a header that a stranger wrote.
fn large_mail(from: &str, id: &str, video: &[u8]) -> String {
    let (small, large) = (base64_lines(b"%PDF-1.7 the plan"), base64_lines(video));
    format!(
        "From: Maria Lopez <{from}>\nSubject: The video\nMessage-ID: <{id}@mail.example>\n\
         X-Left-In-Mailbox: 1\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"=_b:1\"\n\n\
         --=_b:1\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nLook, Gr\u{fc}\u{df}e!\n\
         --=_b:1\nContent-Type: application/pdf\nX-Left-In-Mailbox: 3\n\
         Content-Disposition: attachment; filename=plan.pdf\nContent-Transfer-Encoding: base64\n\n{small}\n\
         --=_b:1\nContent-Type: video/mp4\nContent-Disposition: attachment; filename*=utf-8''T%C3%BCr.mp4\n\
         Content-Transfer-Encoding: base64\n\n{large}\n--=_b:1--\n"
    )
}

fn now() -> Timestamp {
    Timestamp::from_micros(SystemClock.now().micros() / SECOND * SECOND)
}

fn holds(mailbox: &TestMailbox, at: Timestamp, text: String) {
    mailbox.holds([OldMail { folder: "INBOX", flags: "", at, text }]);
}

fn names(mail: &Value) -> Vec<(&str, &str)> {
    let files = mail["attachments"].as_array().expect("a list");
    files
        .iter()
        .map(|file| {
            (file["filename"].as_str().expect("a name"), file["contentType"].as_str().expect("a type"))
        })
        .collect()
}

async fn open(served: &Served, file: &Value) -> (u16, Vec<u8>) {
    let answer = served.http.get(file["url"].as_str().expect("a link")).send().await.expect("an answer");
    (answer.status().as_u16(), answer.bytes().await.expect("bytes").to_vec())
}

fn stored_files(served: &Served) -> usize {
    cluster::column(&served.options.database, "SELECT id FROM media").len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_file_is_fetched_when_it_is_opened() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria, video) = (servers.mailbox(), customer(), video());
    let served = quiet(&mailbox).await;
    holds(&mailbox, now(), large_mail(&maria, &maria, &video));
    let thread = served.thread(&maria, "the mail", |thread| mails_of(thread).len() == 1).await;
    let mail = &mails_of(&thread)[0];
    let text = mail["text"].as_str().expect("a text");
    assert!(text.starts_with("Look, Gr\u{fc}\u{df}e!") && text.contains("T\u{fc}r.mp4 (4"), "{text}");
    assert_eq!(names(mail), [("plan.pdf", "application/pdf"), ("T\u{fc}r.mp4", "video/mp4")]);
    let size = mail["attachments"][1]["size"].as_u64().expect("a size");
    assert!(size.abs_diff(VIDEO_BYTES as u64) < 1000, "{size}");
    assert_eq!(stored_files(&served), 1, "the small file");
    assert_eq!(open(&served, &mail["attachments"][0]).await, (200, b"%PDF-1.7 the plan".to_vec()));
    // A person moves the mail before it is opened.
    mailbox.elsewhere(&["a CREATE Videos", "a SELECT INBOX", "a MOVE 1 Videos"]);
    let (status, bytes) = open(&served, &mail["attachments"][1]).await;
    assert_eq!((status, bytes.len()), (200, VIDEO_BYTES));
    assert!(bytes == video, "the same bytes");
    assert_eq!(stored_files(&served), 2);
    // A fetched file is kept, also without the mail.
    mailbox.elsewhere(&["a SELECT Videos", "a STORE 1 +FLAGS (\\Deleted)", "a EXPUNGE"]);
    assert_eq!(open(&served, &mail["attachments"][1]).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_that_has_gone_from_the_mailbox_is_said_to_be() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria, video) = (servers.mailbox(), customer(), video());
    mailbox.since = MailSince::Span(30 * DAY);
    let day = Timestamp::from_micros(now().micros() - DAY);
    holds(&mailbox, day, large_mail(&maria, &maria, &video));
    let served = quiet(&mailbox).await;
    let thread = served.thread(&maria, "the mail", |thread| mails_of(thread).len() == 1).await;
    let mail = &mails_of(&thread)[0];
    assert_eq!((names(mail).len(), &mail["imported"]), (2, &json!(true)));
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1 +FLAGS (\\Deleted)", "a EXPUNGE"]);
    let (status, told) = open(&served, &mail["attachments"][1]).await;
    let told = String::from_utf8_lossy(&told).into_owned();
    assert!(status == 404 && told.contains("the mail is no longer in the mailbox"), "{status} {told}");
    // A mail that was restored is found again.
    holds(&mailbox, day, large_mail(&maria, &maria, &video));
    until_found("the file", async || match open(&served, &mail["attachments"][1]).await {
        (200, bytes) if bytes == video => Ok(()),
        (status, bytes) => Err(format!("{status}, {} bytes", bytes.len())),
    })
    .await;
    // With the person go the requests for their files.
    holds(&mailbox, now(), large_mail(&maria, "second", &self::video()));
    served.thread(&maria, "a second mail", |thread| mails_of(thread).len() == 2).await;
    let requests = "SELECT name FROM ingress WHERE name LIKE 'file %' AND done_at IS NULL";
    assert_eq!(cluster::column(&served.options.database, requests).len(), 1);
    let admin = dashboard(&served.options).await;
    admin.erase(&maria, SystemClock.now()).await.expect("erased");
    admin.close();
    until_so("no request is left", || cluster::column(&served.options.database, requests).is_empty());
}
