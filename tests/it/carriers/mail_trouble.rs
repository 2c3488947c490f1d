//! What reaches a person at the desk where a mail does not leave, and how few
//! connections it all takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frontdesk::service::AssistantChoice;
use serde_json::json;

use super::mail_gate::{MailGate, MailWrong};
use super::mail_line::MailLine;
use super::mail_server::servers;
use super::mails::{customer, mail_to, mails_of, quiet};
use super::{Served, StandIn};
use crate::waiting::until_so;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_to_look_where_what_was_queued_is_refused() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    let served = Served::bounded(StandIn::Mailbox(&mailbox)).await;
    let before = served.balance().await;
    // Not now, until whoever asked waits no longer; and then never.
    let answered = Arc::new(AtomicBool::new(false));
    let refuses = Arc::clone(&answered);
    gate.plan(move || match refuses.load(Ordering::SeqCst) {
        true => Some(MailWrong::Refused),
        false => Some(MailWrong::CutBefore),
    });
    let (status, told) = served.send(mail_to(&maria, "Hello", "Are you there?"), None).await;
    assert_eq!((status, &told["status"]), (200, &json!("queued")), "{told}");
    answered.store(true, Ordering::SeqCst);
    let is_failed = |it: &serde_json::Value| mails_of(it).iter().any(|it| it["status"] == "failed");
    let thread = served.thread(&maria, "a mail that failed", is_failed).await;
    assert_eq!(thread["priority"], "high", "{thread}");
    assert_eq!((served.balance().await, mailbox.reached(&maria).len()), (before, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_to_look_where_an_answer_of_the_assistant_is_refused() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    let gate = MailGate::before(mailbox.submission());
    (mailbox.smtp_port, mailbox.auto_reply) = (gate.port, true);
    let served = Served::mailbox(&mailbox, AssistantChoice::Scripted).await;
    gate.once(MailWrong::Refused);
    mailbox.hears(&maria, "A question", "What are your opening hours?", "");
    served.thread(&maria, "a thread for a person", |it| it["priority"] == "high").await;
    assert_eq!((served.mails(&maria, 1).await.len(), mailbox.reached(&maria).len()), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mails_leave_over_one_connection() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    let served = quiet(&mailbox).await;
    let before = gate.connections();
    for _ in 0..2 {
        assert_eq!(served.send(mail_to(&customer(), "x", "y"), None).await.1["status"], "sent");
    }
    assert_eq!(gate.connections(), before + 1);
}

/// The server is asked anew to tell of mail before it forgets, over the same
/// connection. That takes as long as it is set to take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quiet_mailbox_is_waited_for_over_one_connection() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    let line = MailLine::before(mailbox.imap_port, &[]);
    mailbox.imap_port = line.port;
    let served = quiet(&mailbox).await;
    until_so("the server is asked to tell", || line.count("IDLE") > 0);
    let (logins, waits) = (line.count("LOGIN"), line.count("IDLE"));
    until_so("it is asked anew", || line.count("IDLE") > waits);
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    served.mails(&maria, 1).await;
    assert_eq!(line.count("LOGIN"), logins);
}
