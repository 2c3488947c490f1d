//! Mail that could not be sent, as shown to a person, and the number of connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use frontdesk::model::time::{Clock, MINUTE};
use frontdesk::service::{AssistantChoice, Options};
use frontdesk::shell::clock::SystemClock;
use serde_json::json;

use super::mail_gate::{MailGate, MailWrong};
use super::mail_line::{CUT, MailLine};
use super::mail_server::servers;
use super::mails::{customer, mail_to, mails_of, quiet};
use super::{Served, StandIn, dashboard};
use crate::waiting::{until_found, until_so};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_queued_mail_asks_for_a_person() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    let served = Served::bounded(StandIn::Mailbox(&mailbox)).await;
    let before = served.balance().await;
    // Temporary refusals until the request was answered, then a permanent one.
    let answered = Arc::new(AtomicBool::new(false));
    let refuses = Arc::clone(&answered);
    gate.plan(move || match refuses.load(Ordering::SeqCst) {
        true => Some(MailWrong::Refused),
        false => Some(MailWrong::CutBefore),
    });
    let (status, told) = served.send(mail_to(&maria, "Hello", "Are you there?"), None).await;
    assert_eq!((status, &told["status"]), (200, &json!("queued")), "{told}");
    answered.store(true, Ordering::SeqCst);
    let is_failed = |value: &serde_json::Value| mails_of(value).iter().any(|mail| mail["status"] == "failed");
    let thread = served.thread(&maria, "a mail that failed", is_failed).await;
    assert_eq!(thread["priority"], "high", "{thread}");
    assert_eq!((served.balance().await, mailbox.reached(&maria).len()), (before, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_assistant_answer_asks_for_a_person() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria) = (servers.mailbox(), customer());
    let gate = MailGate::before(mailbox.submission());
    (mailbox.smtp_port, mailbox.auto_reply) = (gate.port, true);
    let served = Served::mailbox(&mailbox, AssistantChoice::Scripted).await;
    gate.once(MailWrong::Refused);
    mailbox.hears(&maria, "A question", "What are your opening hours?", "");
    served.thread(&maria, "a thread for a person", |value| value["priority"] == "high").await;
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

/// IDLE is renewed on the same connection; the test takes as long as the server's timeout.
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

async fn trouble(options: &Options, ahead: i64) -> Option<String> {
    let admin = dashboard(options).await;
    let all = admin.channels(SystemClock.now().plus(ahead)).await.expect("a list");
    admin.close();
    all.into_iter().find(|channel| channel.address.is_some()).expect("a connected one").trouble
}

async fn is_told(served: &Served, what: &str) {
    until_found(what, async || match trouble(&served.options, 0).await {
        Some(why) if why.contains(what) => Ok(()),
        other => Err(format!("{other:?}")),
    })
    .await;
}

/// A mailbox without login, answers or reader is reported until it is read again. Takes as long as
/// the service's retry delay.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_mailbox_is_reported_as_a_problem() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    let line = MailLine::before(mailbox.imap_port, &[]);
    mailbox.imap_port = line.port;
    let served = quiet(&mailbox).await;
    let reads = async |text: &str| {
        let maria = customer();
        mailbox.hears(&maria, "Order 1042", text, "");
        served.mails(&maria, 1).await;
        assert_eq!(trouble(&served.options, 0).await, None, "{text}");
    };
    reads("It is read").await;
    line.is_locked(true);
    mailbox.cut();
    is_told(&served, "user name and password").await;
    line.is_locked(false);
    reads("It is read again").await;
    line.is_silent(true);
    is_told(&served, "answer").await;
    line.is_silent(false);
    reads("It is read once more").await;
    served.running.shutdown().await;
    let later = trouble(&served.options, 2 * MINUTE).await;
    assert!(later.is_some_and(|why| why.contains("not read")), "nobody reads it");
}

/// An incomplete FETCH answer, cut or refused, is not taken for a whole one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incomplete_imap_answer_loses_no_mail() {
    const WELL: usize = 0;
    const CUTS: usize = 1;
    const REFUSES: usize = 2;
    const REFUSING: usize = 3;
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    let wrong = Arc::new(AtomicUsize::new(WELL));
    let does = Arc::clone(&wrong);
    let line = MailLine::changing(mailbox.imap_port, move |_, line| {
        let is_mail = line.contains(" FETCH (") && line.contains("RFC822.SIZE");
        match does.load(Ordering::SeqCst) {
            CUTS if is_mail => {
                does.store(WELL, Ordering::SeqCst);
                CUT.to_owned()
            }
            REFUSES if is_mail => {
                does.store(REFUSING, Ordering::SeqCst);
                String::new()
            }
            REFUSING if is_mail => String::new(),
            REFUSING if line.contains(" OK ") && !line.starts_with('*') => {
                does.store(WELL, Ordering::SeqCst);
                line.replacen(" OK ", " NO [UNAVAILABLE] ", 1)
            }
            _ => line,
        }
    });
    mailbox.imap_port = line.port;
    let served = quiet(&mailbox).await;
    for (round, goes_wrong) in [WELL, CUTS, REFUSES, CUTS, REFUSES].into_iter().enumerate() {
        let maria = customer();
        // Also the first FETCH of a connection, which knows the next UID.
        if round > 2 {
            mailbox.cut();
        }
        wrong.store(goes_wrong, Ordering::SeqCst);
        mailbox.hears(&maria, "Order 1042", &format!("Round {round}"), "");
        served.mails(&maria, 1).await;
        assert_eq!(wrong.load(Ordering::SeqCst), WELL, "it went wrong in round {round}");
    }
    assert_eq!(served.threads().await.len(), 5, "nothing is there twice");
}

/// A mail the server never returns does not block others. Takes as long as the retries.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_the_server_refuses_holds_up_no_other() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    // Answers with the head of the second mail end as refused.
    let is_refused = Arc::new(AtomicBool::new(false));
    let line = MailLine::changing(mailbox.imap_port, move |_, line| {
        if line.starts_with("* 2 FETCH (") && line.contains("RFC822.SIZE") {
            is_refused.store(true, Ordering::SeqCst);
            return String::new();
        }
        let ends = line.contains(" OK ") && !line.starts_with('*');
        if ends && is_refused.swap(false, Ordering::SeqCst) {
            return line.replacen(" OK ", " NO ", 1);
        }
        line
    });
    mailbox.imap_port = line.port;
    let served = quiet(&mailbox).await;
    let (first, broken, last) = (customer(), customer(), customer());
    mailbox.hears(&first, "Order 1042", "Where is my order?", "");
    served.mails(&first, 1).await;
    mailbox.hears(&broken, "Order 1043", "Nobody can read me.", "");
    mailbox.hears(&last, "Order 1044", "And mine?", "");
    served.mails(&last, 1).await;
    assert_eq!(served.threads().await.len(), 2);
    mailbox.hears(&first, "Order 1042", "Hello?", "");
    served.mails(&first, 2).await;
}
