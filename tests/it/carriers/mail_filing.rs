//! Threads and folders of a real mailbox with more mail than is followed and with other clients.

use serde_json::{Value, json};

use super::mail_line::MailLine;
use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, quiet};
use crate::waiting::until_so;

/// Far more than the mails whose flags are followed.
const MANY: u32 = 1000;

fn is_new(thread: &Value) -> bool {
    thread["isRead"] == false && thread["folder"] == "inbox"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_stays_open_when_newer_mail_pushes_its_mail_out_of_those_that_are_followed() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria, other) = (servers.mailbox(), customer(), customer());
    let served = quiet(&mailbox).await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    served.thread(&maria, "a thread nobody has read", is_new).await;
    mailbox.numbered_from(MANY);
    mailbox.hears(&other, "Order 1043", "And mine?", "");
    served.thread(&other, "a thread nobody has read", is_new).await;
    // Seen after everything that could happen to the first.
    mailbox.elsewhere(&["a SELECT INBOX", &format!("a UID STORE {MANY} +FLAGS (\\Flagged)")]);
    served.thread(&other, "marked elsewhere", |value| value["isStarred"] == json!(true)).await;
    let first = served.thread(&maria, "a thread", |_| true).await;
    assert!(is_new(&first), "{first}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_in_a_large_mailbox_made_while_disconnected_are_noticed() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria, other) = (servers.mailbox(), customer(), customer());
    let mut served = quiet(&mailbox).await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    served.thread(&maria, "a thread nobody has read", is_new).await;
    mailbox.numbered_from(MANY);
    mailbox.hears(&other, "Order 1043", "And mine?", "");
    served.thread(&other, "a thread nobody has read", is_new).await;
    served.running.shutdown().await;
    mailbox.elsewhere(&["a SELECT INBOX", &format!("a UID MOVE {MANY} Archive")]);
    served.running = frontdesk::service::start(served.options.clone()).await.expect("it starts again");
    served.thread(&other, "archived elsewhere", |value| value["folder"] == "archive").await;
    let first = served.thread(&maria, "a thread", |_| true).await;
    assert!(is_new(&first), "it lies below what is followed, and nobody moved it: {first}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spam_trash_and_other_folders_are_those_of_the_mailbox() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    let thread = served.thread(&maria, "a thread nobody has read", is_new).await;
    let mut lay: Option<&str> = None;
    // The last two are created: the server has no junk folder and none of this name.
    for (word, name) in [("trash", "Trash"), ("spam", "Junk"), ("Verträge", "Vertr&AOQ-ge")] {
        served.patch(&thread, json!({"folder": word})).await;
        until_so("moved, not copied", || {
            let is_gone = mailbox.inbox().is_empty() && lay.is_none_or(|lay| mailbox.folder(lay).is_empty());
            mailbox.folder(name).len() == 1 && is_gone
        });
        served.thread(&maria, word, |value| value["folder"] == word).await;
        lay = Some(name);
    }
    // A new mail in a spam thread is no news.
    served.patch(&thread, json!({"folder": "spam"})).await;
    until_so("among spam", || mailbox.folder("Junk").len() == 1);
    mailbox.hears(&maria, "Order 1042", "Buy now", "");
    until_so("the next one beside it", || mailbox.folder("Junk").len() == 2 && mailbox.inbox().is_empty());
    served.thread(&maria, "still spam", |value| value["folder"] == "spam").await;
    // Another client marks it as no spam.
    mailbox.elsewhere(&["a SELECT Junk", "a MOVE 1:* INBOX"]);
    served.thread(&maria, "no spam", |value| value["folder"] == "inbox").await;
    served.patch(&thread, json!({"folder": "trash"})).await;
    until_so("in the trash", || mailbox.folder("Trash").len() == 2);
    mailbox.hears(&maria, "Order 1042", "One more thing", "");
    served.thread(&maria, "back", |value| value["folder"] == "inbox").await;
}

/// Archives one thread here and deletes a mail of another elsewhere, on a server without MOVE. Checks that `remaining`
/// mails stay in the inbox.
async fn archived_where_nothing_moves(
    mailbox: &mut TestMailbox,
    hidden: &'static [&'static str],
    remaining: usize,
) {
    let (maria, other) = (customer(), customer());
    let line = MailLine::before(mailbox.imap_port, hidden);
    mailbox.imap_port = line.port;
    let served = quiet(mailbox).await;
    mailbox.hears(&other, "Order 1043", "And mine?", "");
    served.thread(&other, "a thread nobody has read", is_new).await;
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1 +FLAGS (\\Deleted)"]);
    served.thread(&other, "deleted elsewhere", |value| value["folder"] == "archive").await;
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    let thread = served.thread(&maria, "a thread nobody has read", is_new).await;
    let is_archived = |value: &Value| value["folder"] == "archive";
    served.patch(&thread, json!({"archived": true})).await;
    until_so("archived in the mailbox", || mailbox.folder("Archive").len() == 1);
    // The next change is applied after all of that.
    served.patch(&thread, json!({"isStarred": true})).await;
    until_so("marked in the archive", || {
        mailbox.elsewhere(&["a SELECT Archive", "a FETCH 1:* (FLAGS)"]).contains("\\Flagged")
    });
    until_so("what was archived has gone", || mailbox.inbox().len() == remaining);
    // Seen after everything that could happen to the first.
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1 -FLAGS (\\Deleted)", "a STORE 1 +FLAGS (\\Flagged)"]);
    served
        .thread(&other, "back elsewhere", |entry| entry["folder"] == "inbox" && entry["isStarred"] == true)
        .await;
    served.thread(&maria, "archived", is_archived).await;
    until_so("the other mails stay", || mailbox.inbox().len() == remaining);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_marked_as_deleted_stays_until_it_is_removed() {
    let Some(servers) = servers() else { return };
    // Only what was archived goes; where it cannot be removed alone, it keeps the mark.
    archived_where_nothing_moves(&mut servers.mailbox(), &["MOVE"], 1).await;
    archived_where_nothing_moves(&mut servers.mailbox(), &["MOVE", "UIDPLUS"], 2).await;
}
