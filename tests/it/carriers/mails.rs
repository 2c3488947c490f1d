//! The email channel on real mail servers: incoming mail, answers, and both under faults.

use std::time::Duration;

use frontdesk::model::time::Clock;
use frontdesk::service::AssistantChoice;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::Served;
use super::mail_gate::{MailGate, MailWrong};
use super::mail_line::MailLine;
use super::mail_server::{OldMail, TestMailbox, TokenServer, servers};
use crate::waiting::{until_found, until_so};

const MARIA: &str = "maria@mail.example";

/// A customer no other test uses.
pub(super) fn customer() -> String {
    format!("maria-{}@mail.example", uuid::Uuid::new_v4().simple())
}

impl Served {
    pub(super) async fn threads(&self) -> Vec<Value> {
        self.get("/email/threads?limit=100").await["data"].as_array().expect("a list").clone()
    }

    pub(super) async fn thread(&self, contact: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        until_found(what, async || {
            let mut seen = Vec::new();
            for listed in self.threads().await {
                if listed["contactEmail"].as_str().is_some_and(|text| text.eq_ignore_ascii_case(contact)) {
                    let path = format!("/email/threads/{}", listed["id"].as_str().expect("an id"));
                    let whole = self.get(&path).await;
                    if wanted(&whole) {
                        return Ok(whole);
                    }
                    seen.push(whole);
                }
            }
            Err(format!("{seen:?}"))
        })
        .await
    }

    pub(super) async fn mails(&self, contact: &str, count: usize) -> Vec<Value> {
        let thread =
            self.thread(contact, "the mails of a thread", |value| mails_of(value).len() == count).await;
        mails_of(&thread).to_vec()
    }

    pub(super) async fn patch(&self, thread: &Value, change: Value) {
        let path = format!("/email/threads/{}", thread["id"].as_str().expect("an id"));
        let (status, told) = self.call(&self.live_key(), "PATCH", &path, Some(change), None).await;
        assert_eq!(status, 200, "{told}");
    }
}

pub(super) fn mails_of(thread: &Value) -> &[Value] {
    thread["messages"].as_array().map_or(&[], Vec::as_slice)
}

fn text_of(mail: &Value) -> &str {
    mail["text"].as_str().unwrap_or("").trim()
}

pub(super) fn mail_to(to: &str, subject: &str, text: &str) -> Value {
    json!({"to": to, "subject": subject, "text": text})
}

pub(super) async fn quiet(mailbox: &TestMailbox) -> Served {
    Served::mailbox(mailbox, AssistantChoice::Off).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_answers_what_a_customer_wrote() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    mailbox.hears(&maria, "Before", "This was there before it was connected.", "");
    let served = quiet(&mailbox).await;
    let id = mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    let inbound = served.mails(&maria, 1).await.remove(0);
    assert_eq!((text_of(&inbound), inbound["messageId"].as_str()), ("Where is my order?", Some(id.as_str())));
    assert_eq!((&inbound["from"], &inbound["fromName"]), (&json!(maria), &json!("Maria Lopez")));
    let account = served.get("/email/account").await;
    assert_eq!((&account["emailAddress"], &account["provider"]), (&json!(mailbox.address), &json!("imap")));
    assert_eq!(
        (&account["displayName"], &account["aiAutoReply"]),
        (&json!("Harbor Bicycles"), &json!(false))
    );
    let before = served.balance().await;
    let thread = served.threads().await[0]["id"].clone();
    let answer = json!({
        "to": maria, "subject": "Re: Order 1042", "html": "<p>On its <b>way</b>, .</p>", "threadId": thread,
        "bcc": ["boss@mail.example"], "headers": {"X-Order": "1042"},
        "attachments": [{"filename": "Label ü.txt", "contentType": "text/plain", "content": "aGVsbG8="}],
    });
    let (status, sent) = served.send(answer.clone(), Some("key-1")).await;
    assert_eq!((status, &sent["status"], &sent["threadId"]), (200, &json!("sent"), &thread), "{sent}");
    let reached = mailbox.waits_for(&maria, "On its");
    for header in [
        format!("In-Reply-To: {id}"),
        format!("References: {id}"),
        "X-Order: 1042".to_owned(),
        "Subject: Re: Order 1042".to_owned(),
        format!("From: \"Harbor Bicycles\" <{}>", mailbox.address),
    ] {
        assert!(reached.contains(&header), "{header}: {reached}");
    }
    assert!(reached.contains("text/plain") && reached.contains("aGVsbG8="), "{reached}");
    assert!(!reached.contains("boss@"), "nobody sees a blind copy");
    let again = served.send(answer, Some("key-1")).await;
    assert_eq!((again.0, &again.1), (200, &sent), "the same answer to the same request");
    assert_eq!((mailbox.reached(&maria).len(), served.balance().await), (1, before - 1));
    let mails = served.mails(&maria, 2).await;
    assert_eq!((&mails[1]["status"], &mails[1]["inReplyTo"]), (&json!("sent"), &json!(id)));
    let link = mails[1]["attachments"][0]["url"].as_str().expect("an address");
    assert_eq!(reqwest::get(link).await.expect("served").text().await.expect("text"), "hello");
    until_so("a copy among what was sent", || mailbox.folder("Sent").len() == 1);
    until_so("the mail is marked as answered", || {
        mailbox.flags().lines().any(|line| line.contains("\\Answered") && line.contains("\\Seen"))
    });
    // A new subject; the references assign it to the thread.
    let own = mails[1]["messageId"].as_str().expect("an id");
    mailbox.hears(&maria, "No subject at all", "Thanks!", &format!("References: {id} {own}\n"));
    let mails = served.mails(&maria, 3).await;
    assert_eq!((text_of(&mails[2]), mails[0]["subject"].as_str()), ("Thanks!", Some("Order 1042")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_is_taken_apart_and_its_files_are_kept() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    let mail = format!(
        "From: =?utf-8?q?Mar=C3=ADa?= <{maria}>\nTo: {}\nSubject: =?iso-8859-1?q?R=FCckgabe?=\nMessage-ID: <x.{maria}>\n\
         MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
         Content-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain; charset=iso-8859-1\n\
         Content-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n--c\nContent-Type: text/html; charset=utf-8\n\n\
         <p>Hallo</p>\n--c--\n--b\nContent-Type: image/png; name=\"../../photo.png\"\n\
         Content-Disposition: attachment; filename=\"../../photo.png\"\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n\
         --b--\n",
        mailbox.address
    );
    mailbox.receives(&maria, &mail);
    let found = served.mails(&maria, 1).await.remove(0);
    assert_eq!((text_of(&found), found["subject"].as_str()), ("Grüße", Some("Rückgabe")));
    assert_eq!(
        (found["fromName"].as_str(), found["html"].as_str().map(str::trim)),
        (Some("María"), Some("<p>Hallo</p>"))
    );
    let file = &found["attachments"][0];
    assert_eq!(
        (&file["filename"], &file["contentType"], &file["size"]),
        (&json!("photo.png"), &json!("image/png"), &json!(8))
    );
    let link = file["url"].as_str().expect("an address");
    let bytes = reqwest::get(link).await.expect("served").bytes().await.expect("bytes");
    assert_eq!(&bytes[..4], b"\x89PNG");
    // A duplicate of the same mail, as some servers store it.
    mailbox.receives(&maria, &mail);
    mailbox.hears(&maria, "Re: Rückgabe", "and one more", "");
    assert_eq!(served.mails(&maria, 2).await.len(), 2);
}

/// A server that stores sent mail itself, as Gmail does; the copy comes after the answer to the mail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_that_the_server_stores_is_not_doubled() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    let line = MailLine::changing(mailbox.imap_port, |_, line| line.replace(" IDLE", " IDLE X-GM-EXT-1"));
    mailbox.imap_port = line.port;
    let served = quiet(&mailbox).await;
    for text in ["The first", "The second"] {
        let maria = customer();
        let body = mail_to(&maria, "Order 1042", text);
        let copied = async {
            let copy = until_found("a letter", async || {
                let letters = mailbox.reached(&maria);
                letters.first().cloned().ok_or("none")
            });
            let text = copy.await;
            tokio::time::sleep(Duration::from_millis(700)).await;
            let at = SystemClock.now();
            mailbox.holds([OldMail { folder: "Sent", flags: "\\Seen", at, text }]);
        };
        let (sent, ()) = tokio::join!(served.send(body, None), copied);
        assert_eq!(sent.1["status"], "sent", "{sent:?}");
        served.mails(&maria, 1).await;
    }
    assert_eq!(mailbox.folder("Sent").len(), 2, "one copy of each");
    // A copy that does not come is stored.
    let maria = customer();
    assert_eq!(served.send(mail_to(&maria, "Order 1042", "The third"), None).await.1["status"], "sent");
    until_so("a copy", || mailbox.folder("Sent").len() == 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_refused_by_the_server_costs_nothing_and_is_not_stored() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    let served = quiet(&mailbox).await;
    let before = served.balance().await;
    for _ in 0..2 {
        let (status, told) = served.send(mail_to("refused@mail.example", "x", "y"), Some("refused")).await;
        assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
        assert!(told["message"].to_string().contains("no such person here"), "{told}");
    }
    gate.once(MailWrong::Refused);
    let (status, told) = served.send(mail_to(MARIA, "x", "y"), None).await;
    assert_eq!((status, &told["code"]), (502, &json!("WHATSAPP_ERROR")), "{told}");
    gate.once(MailWrong::ForeignSender);
    let (_, told) = served.send(mail_to(MARIA, "x", "y"), None).await;
    let remedy = format!("Allow {0} to send as {0}", mailbox.address);
    let words = told["message"].as_str().unwrap_or_default();
    assert!(words.contains("SendAsDenied") && words.contains(&remedy), "{told}");
    assert_eq!((served.balance().await, served.threads().await.len()), (before, 0));
    // The connection with the refusal is reused.
    assert_eq!(served.send(mail_to(&customer(), "x", "y"), None).await.1["status"], "sent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_with_unknown_outcome_is_not_repeated_and_is_settled_by_arriving_mail() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    let served = quiet(&mailbox).await;
    let (answers, copied, silent) = (customer(), customer(), customer());
    let returned = format!("bounced-{}", customer());
    for to in [&answers, &copied, &returned] {
        gate.once(MailWrong::CutAfter);
        let (status, told) = served.send(mail_to(to, "A question", "Did this arrive?"), Some(to)).await;
        assert_eq!((status, &told["status"]), (200, &json!("unknown")), "{told}");
        assert_eq!(served.send(mail_to(to, "A question", "Did this arrive?"), Some(to)).await.1, told);
    }
    gate.once(MailWrong::CutDuring);
    assert_eq!(served.send(mail_to(&silent, "A question", "Half"), None).await.1["status"], "unknown");
    let settled = async |to: &str, wanted: &str| {
        let thread = served.thread(to, wanted, |value| mails_of(value)[0]["status"] == wanted).await;
        mails_of(&thread)[0].clone()
    };
    // A bounce proves that the mail was sent.
    settled(&returned, "failed").await;
    // An answer by the customer proves it.
    let unknown = settled(&answers, "unknown").await;
    let id = unknown["messageId"].as_str().expect("an id");
    mailbox.hears(&answers, "Re: A question", "It did.", &format!("In-Reply-To: {id}\n"));
    settled(&answers, "sent").await;
    // The copy in the Sent folder proves it.
    let letter = mailbox.waits_for(&copied, "Did this arrive?");
    let head = letter.find("Message-ID").expect("a head");
    let copy = letter[head..].replace("\r\n", "\n").replace('\n', "\r\n");
    let append = format!("a APPEND Sent (\\Seen) {{{}}}", copy.len());
    mailbox.elsewhere(&[&append, &copy, "a NOOP"]);
    settled(&copied, "sent").await;
    // Without a report the outcome stays unknown.
    let thread = served.thread(&silent, "unknown", |value| mails_of(value)[0]["status"] == "unknown").await;
    assert_eq!(thread["priority"], "high", "a person is to look");
    for to in [&answers, &copied] {
        mailbox.waits_for(to, "Did this arrive?");
        assert_eq!(mailbox.reached(to).len(), 1, "nothing is sent twice");
    }
    assert!(mailbox.reached(&silent).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsent_mail_is_sent_later_and_in_order() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    let served = quiet(&mailbox).await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    let thread = served.thread(&maria, "a mail", |value| mails_of(value).len() == 1).await["id"].clone();
    gate.once(MailWrong::CutBefore);
    let in_thread = |text: &str| json!({"to": maria, "subject": "Re", "text": text, "threadId": thread});
    let (status, told) = served.send(in_thread("one"), None).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(served.send(in_thread("two"), None).await.0, 200);
    // At the recipient, the second may arrive first.
    until_so("both arrive", || mailbox.reached(&maria).len() >= 2);
    let texts: Vec<String> =
        served.mails(&maria, 3).await.iter().map(|mail| text_of(mail).to_owned()).collect();
    assert_eq!(texts, ["Where is my order?", "one", "two"]);
    assert_eq!(mailbox.reached(&maria).len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn marks_and_folders_are_the_same_on_both_sides() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    let is = |read: bool, starred: bool, folder: &'static str| {
        move |value: &Value| {
            value["isRead"] == read && value["isStarred"] == starred && value["folder"] == folder
        }
    };
    let thread = served.thread(&maria, "a thread nobody has read", is(false, false, "inbox")).await;
    // Changes made elsewhere are picked up.
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1 +FLAGS (\\Seen \\Flagged)"]);
    served.thread(&maria, "read and marked elsewhere", is(true, true, "inbox")).await;
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1 -FLAGS (\\Seen)"]);
    served.thread(&maria, "unread elsewhere", is(false, true, "inbox")).await;
    // Changes made here are applied in the mailbox.
    served.patch(&thread, json!({"isRead": true, "isStarred": false})).await;
    until_so("read in the mailbox", || {
        let flags = mailbox.flags();
        flags.contains("\\Seen") && !flags.contains("\\Flagged")
    });
    served.patch(&thread, json!({"archived": true})).await;
    until_so("archived in the mailbox", || {
        mailbox.inbox().is_empty() && mailbox.folder("Archive").len() == 1
    });
    served.thread(&maria, "archived", is(true, false, "archive")).await;
    served.patch(&thread, json!({"archived": false})).await;
    until_so("back in the inbox", || mailbox.inbox().len() == 1 && mailbox.folder("Archive").is_empty());
    served.thread(&maria, "in the inbox", is(true, false, "inbox")).await;
    mailbox.elsewhere(&["a SELECT INBOX", "a MOVE 1 Archive"]);
    served.thread(&maria, "archived elsewhere", is(true, false, "archive")).await;
    mailbox.elsewhere(&["a SELECT Archive", "a MOVE 1 INBOX"]);
    served.thread(&maria, "back elsewhere", is(true, false, "inbox")).await;
    assert_eq!(served.mails(&maria, 1).await.len(), 1, "a mail that moves is the same mail");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mail_is_missed_or_doubled_after_a_disconnect_or_renumbering() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    for round in 1..=4 {
        mailbox.hears(&maria, "A talk", &format!("mail {round}"), "");
        if round % 2 == 0 {
            served.mails(&maria, round).await;
            mailbox.numbered_anew();
        } else {
            mailbox.cut();
        }
    }
    mailbox.hears(&maria, "A talk", "mail 5", "");
    let mails = served.mails(&maria, 5).await;
    let texts: Vec<&str> = mails.iter().map(text_of).collect();
    assert_eq!(texts, ["mail 1", "mail 2", "mail 3", "mail 4", "mail 5"]);
    // A mail written with another program is added to the thread.
    let id = mails[4]["messageId"].as_str().expect("an id");
    let own = format!(
        "From: {}\r\nTo: {maria}\r\nSubject: Re: A talk\r\nMessage-ID: <phone.{maria}>\r\nIn-Reply-To: {id}\r\n\r\nfrom my phone\r\n",
        mailbox.address
    );
    mailbox.elsewhere(&[&format!("a APPEND Sent (\\Seen) {{{}}}", own.len()), &own, "a NOOP"]);
    let mails = served.mails(&maria, 6).await;
    assert_eq!((text_of(&mails[5]), &mails[5]["direction"]), ("from my phone", &json!("outbound")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_assistant_answers_people_and_no_programs() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.auto_reply = true;
    let served = Served::mailbox(&mailbox, AssistantChoice::Scripted).await;
    let (robot, list, maria, returned) =
        (customer(), customer(), customer(), format!("bounced-{}", customer()));
    mailbox.hears(&robot, "Out of office", "I am away.", "Auto-Submitted: auto-replied\n");
    mailbox.hears(&list, "News", "Many of them.", "List-Id: <news.mail.example>\nPrecedence: bulk\n");
    assert_eq!(served.send(mail_to(&returned, "Hello", "Are you there?"), None).await.1["status"], "sent");
    // The bounce is in the thread of the mail it concerns.
    let mails = served.mails(&returned, 2).await;
    assert_eq!((&mails[0]["status"], &mails[1]["direction"]), (&json!("failed"), &json!("inbound")));
    mailbox.hears(&maria, "A question", "What are your opening hours?", "");
    let answer = mailbox.waits_for(&maria, "Auto-Submitted: auto-replied");
    assert!(
        answer.contains("Subject: Re: A question") && answer.contains("X-Auto-Response-Suppress"),
        "{answer}"
    );
    // After a takeover the assistant is silent.
    let thread = served.thread(&maria, "the answer", |value| mails_of(value).len() == 2).await["id"].clone();
    let taken = json!({"to": maria, "subject": "Re: A question", "text": "Ana here.", "threadId": thread});
    assert_eq!(served.send(taken, None).await.1["status"], "sent");
    mailbox.hears(&maria, "Re: A question", "Are you open now?", "");
    // A later mail was answered, so the earlier one had its time.
    let other = customer();
    mailbox.hears(&other, "A question", "What are your opening hours?", "");
    mailbox.waits_for(&other, "Auto-Submitted");
    assert_eq!(served.mails(&maria, 4).await.len(), 4);
    mailbox.waits_for(&maria, "Ana here.");
    assert_eq!(mailbox.reached(&maria).len(), 2);
    assert!(mailbox.reached(&robot).is_empty() && mailbox.reached(&list).is_empty());
    // An automatic responder is answered three times at most.
    for round in 1..=4 {
        mailbox.hears(&other, "Re: A question", &format!("and {round}?"), "");
        let wanted = if round < 3 { 2 + 2 * round } else { 4 + round };
        served.mails(&other, wanted).await;
    }
    until_so("its answers arrive", || mailbox.reached(&other).len() >= 3);
    assert_eq!(mailbox.reached(&other).len(), 3);
    served.thread(&other, "a person is to look", |entry| entry["priority"] == "high").await;
}

/// A rotated refresh token: connecting, serving, restarting and testing use the latest one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refresh_token_that_changes_is_kept() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.tokens = true;
    let _tokens = TokenServer::rotating(mailbox.token_port(), &mailbox.address);
    let mut served = quiet(&mailbox).await;
    for round in 1..=3 {
        let maria = customer();
        mailbox.hears(&maria, "Order 1042", &format!("question {round}"), "");
        served.mails(&maria, 1).await;
        let text = format!("answer {round}");
        assert_eq!(served.send(mail_to(&maria, "Re: Order 1042", &text), None).await.1["status"], "sent");
        mailbox.waits_for(&maria, &text);
        let admin = super::dashboard(&served.options).await;
        let tested = admin.test_channel(frontdesk::platforms::Channel::Email).await;
        assert!(tested.expect("let in")[0].contains("accepts the login"));
        mailbox.cut();
        if round == 2 {
            served.running.shutdown().await;
            served.running =
                frontdesk::service::start(served.options.clone()).await.expect("it starts again");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_is_let_in_by_tokens() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    mailbox.tokens = true;
    let _tokens = TokenServer::start(mailbox.token_port(), &mailbox.address);
    let served = quiet(&mailbox).await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    assert_eq!(text_of(&served.mails(&maria, 1).await[0]), "Where is my order?");
    assert_eq!(served.send(mail_to(&maria, "Re: Order 1042", "On its way"), None).await.1["status"], "sent");
    mailbox.waits_for(&maria, "On its way");
}
