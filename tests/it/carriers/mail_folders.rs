//! Further folders of a mailbox that are read besides the inbox.

use frontdesk::model::time::{Clock, DAY, SECOND, Timestamp};
use frontdesk::platforms::Channel;
use frontdesk::platforms::mailbox::MailFolder;
use frontdesk::service::admin::AdminError;
use frontdesk::service::carriers::dashboard::MailSince;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::mail_server::{OldMail, TestMailbox, servers};
use super::mails::{customer, mails_of, quiet};
use super::{Served, connect_mailbox, dashboard};
use crate::waiting::{until_found, until_so};

const CONTRACTS: &str = "Verträge & Co";
const CONTRACTS_CODED: &str = "\"Vertr&AOQ-ge &- Co\"";

pub(super) fn now() -> Timestamp {
    Timestamp::from_micros(SystemClock.now().micros() / SECOND * SECOND)
}

pub(super) fn mail(from: &str, id: &str, text: &str) -> String {
    format!("From: Maria Lopez <{from}>\nSubject: Order {id}\nMessage-ID: <{id}@mail.example>\n\n{text}\n")
}

/// Puts a mail into a folder, as a rule of the server does.
pub(super) fn holds(
    mailbox: &TestMailbox,
    folder: &'static str,
    flags: &'static str,
    at: Timestamp,
    text: String,
) {
    mailbox.holds([OldMail { folder, flags, at, text }]);
}

async fn choose(served: &Served, read: &[&str], not: &[&str]) -> Result<Vec<MailFolder>, AdminError> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (read, not) = (owned(read), owned(not));
    let admin = dashboard(&served.options).await;
    let folders = admin.choose_folders(Channel::Email, (&read, &not), SystemClock.now()).await;
    admin.close();
    folders
}

fn read_names(folders: &[MailFolder]) -> Vec<&str> {
    folders.iter().filter(|folder| folder.is_read).map(|folder| folder.shown.as_str()).collect()
}

fn state(thread: &Value) -> (&Value, &Value, &Value) {
    (&thread["folder"], &thread["isRead"], &thread["isStarred"])
}

async fn has_state(served: &Served, contact: &str, folder: &str, is_read: bool, is_starred: bool) {
    let wanted = (json!(folder), json!(is_read), json!(is_starred));
    let is_so = |thread: &Value| state(thread) == (&wanted.0, &wanted.1, &wanted.2);
    served.thread(contact, &format!("{wanted:?}"), is_so).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chosen_folders_are_read_like_the_inbox() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.since = MailSince::Span(30 * DAY);
    mailbox.elsewhere(&["a CREATE Suppliers", &format!("a CREATE {CONTRACTS_CODED}"), "a CREATE Drafts"]);
    let (old, older, unread) = (customer(), customer(), customer());
    let before = |days: i64| Timestamp::from_micros(now().micros() - days * DAY);
    holds(&mailbox, CONTRACTS_CODED, "\\Seen", before(3), mail(&old, "1", "Signed."));
    holds(&mailbox, CONTRACTS_CODED, "", before(90), mail(&older, "2", "Too old."));
    holds(&mailbox, "Suppliers", "", before(3), mail(&unread, "3", "In a folder that is not read."));
    let served = quiet(&mailbox).await;
    let listed = choose(&served, &[], &[]).await.expect("listed");
    let shown: Vec<_> = listed
        .iter()
        .map(|folder| (folder.shown.as_str(), folder.special.map(|special| special.word()), folder.is_read))
        .collect();
    let expected = [
        ("INBOX", Some("inbox"), true),
        ("Archive", Some("archive"), false),
        ("Drafts", Some("drafts"), false),
        ("Sent", Some("sent"), true),
        ("Suppliers", None, false),
        ("Trash", Some("trash"), false),
        (CONTRACTS, None, false),
    ];
    assert_eq!(shown, expected);
    let refused = choose(&served, &["Drafts"], &[]).await.expect_err("drafts were never sent").to_string();
    assert!(refused.contains("drafts"), "{refused}");
    let refused = choose(&served, &["Contracts"], &[]).await.expect_err("there is none").to_string();
    assert!(refused.contains("Suppliers") && refused.contains(CONTRACTS), "{refused}");
    let chosen = choose(&served, &[CONTRACTS], &[]).await.expect("chosen");
    assert_eq!(read_names(&chosen), ["INBOX", "Sent", CONTRACTS]);
    // Mail that is there is history.
    let thread = served.thread(&old, "an old mail", |thread| mails_of(thread).len() == 1).await;
    assert_eq!((state(&thread).1, &mails_of(&thread)[0]["imported"]), (&json!(true), &json!(true)));
    // New mail is news, once even with a copy in the inbox.
    let maria = customer();
    holds(&mailbox, CONTRACTS_CODED, "", now(), mail(&maria, "4", "Please sign."));
    let thread = served.thread(&maria, "a new mail", |thread| mails_of(thread).len() == 1).await;
    assert_eq!(state(&thread), (&json!("inbox"), &json!(false), &json!(false)));
    assert_ne!(mails_of(&thread)[0]["imported"], true);
    let text = mail(&maria, "4", "Please sign.");
    mailbox.receives(&maria, &text);
    let last = customer();
    mailbox.hears(&last, "After the copy", "Hello?", "");
    served.thread(&last, "a later mail", |_| true).await;
    served.thread(&maria, "one mail", |thread| mails_of(thread).len() == 1).await;
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1 +FLAGS (\\Deleted)", "a EXPUNGE"]);
    // Marks go both ways.
    let select = format!("a SELECT {CONTRACTS_CODED}");
    let uid = "a STORE 3 +FLAGS (\\Seen)";
    mailbox.elsewhere(&[&select, uid]);
    has_state(&served, &maria, "inbox", true, false).await;
    served.patch(&thread, json!({"isStarred": true})).await;
    until_so("marked in the folder", || {
        mailbox.elsewhere(&[&select, "a FETCH 3 (FLAGS)"]).contains("\\Flagged")
    });
    // A person moves a mail of the inbox there, and it stays open.
    mailbox.elsewhere(&["a SELECT INBOX", &format!("a MOVE 1 {CONTRACTS_CODED}")]);
    until_so("moved", || mailbox.inbox().is_empty());
    mailbox.elsewhere(&[&select, "a STORE 4 +FLAGS (\\Flagged)"]);
    has_state(&served, &last, "inbox", false, true).await;
    // Archived here, it goes to the archive of the mailbox.
    served.patch(&thread, json!({"archived": true})).await;
    until_so("archived", || mailbox.folder("Archive").len() == 1);
    has_state(&served, &maria, "archive", true, true).await;
    // Archived elsewhere.
    mailbox.elsewhere(&[&select, "a MOVE 3 Archive"]);
    has_state(&served, &last, "archive", true, true).await;
    let contacts: Vec<Value> =
        served.threads().await.iter().map(|thread| thread["contactEmail"].clone()).collect();
    assert!(!contacts.contains(&json!(older)) && !contacts.contains(&json!(unread)), "{contacts:?}");
    // A folder that is no longer read keeps its threads.
    assert_eq!(read_names(&choose(&served, &[], &[CONTRACTS]).await.expect("chosen")), ["INBOX", "Sent"]);
    let (unheard, heard) = (customer(), customer());
    holds(&mailbox, CONTRACTS_CODED, "", now(), mail(&unheard, "5", "Nobody reads it."));
    mailbox.hears(&heard, "Later", "Hello?", "");
    served.thread(&heard, "a later mail", |_| true).await;
    let threads = served.threads().await;
    assert!(threads.iter().all(|thread| thread["contactEmail"] != json!(unheard)), "{threads:?}");
    assert!(threads.iter().any(|thread| thread["contactEmail"] == json!(old)), "{threads:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_chosen_on_connecting_stay_chosen() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.since = MailSince::Span(30 * DAY);
    mailbox.elsewhere(&[&format!("a CREATE {CONTRACTS_CODED}"), "a CREATE Suppliers"]);
    let (first, second, third) = (customer(), customer(), customer());
    let day = Timestamp::from_micros(now().micros() - DAY);
    holds(&mailbox, CONTRACTS_CODED, "", day, mail(&first, "1", "Signed."));
    mailbox.folders = vec![CONTRACTS.to_lowercase()];
    let mut served = quiet(&mailbox).await;
    let thread = served.thread(&first, "an old mail", |thread| mails_of(thread).len() == 1).await;
    assert_eq!(mails_of(&thread)[0]["imported"], true);
    // Connected again without a choice, after a mail came meanwhile.
    served.running.shutdown().await;
    holds(&mailbox, CONTRACTS_CODED, "", now(), mail(&second, "2", "Signed, too."));
    mailbox.folders = Vec::new();
    connect_mailbox(&served.options, &mailbox).await;
    served.running = frontdesk::service::start(served.options.clone()).await.expect("it starts again");
    let thread = served.thread(&second, "a mail", |thread| mails_of(thread).len() == 1).await;
    assert_ne!(mails_of(&thread)[0]["imported"], true);
    assert_eq!(read_names(&choose(&served, &[], &[]).await.expect("listed")), ["INBOX", "Sent", CONTRACTS]);
    // A folder that was removed is named, and the rest is read.
    mailbox.elsewhere(&[&format!("a DELETE {CONTRACTS_CODED}")]);
    let listed = choose(&served, &["Suppliers"], &[]).await.expect("listed");
    let missing: Vec<&str> =
        listed.iter().filter(|folder| folder.is_missing).map(|folder| folder.shown.as_str()).collect();
    assert_eq!(missing, [CONTRACTS]);
    holds(&mailbox, "Suppliers", "", now(), mail(&third, "3", "An offer."));
    served.thread(&third, "a mail", |thread| mails_of(thread).len() == 1).await;
    // A new folder of this name has other mail and other UIDs.
    let fourth = customer();
    mailbox.elsewhere(&[&format!("a CREATE {CONTRACTS_CODED}")]);
    holds(&mailbox, CONTRACTS_CODED, "", now(), mail(&second, "2", "Signed, too."));
    holds(&mailbox, CONTRACTS_CODED, "", now(), mail(&fourth, "4", "Signed again."));
    served.thread(&fourth, "a mail", |thread| mails_of(thread).len() == 1).await;
    until_found("each mail once", async || {
        let thread = served.thread(&second, "its thread", |_| true).await;
        if mails_of(&thread).len() == 1 { Ok(()) } else { Err(thread) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folder_is_read_whatever_letters_its_name_has() {
    const ODD: &str = "Öl 50% & \"mehr\" \\*";
    const ODD_CODED: &str = "\"&ANY-l 50% &- \\\"mehr\\\" \\\\*\"";
    // Matches the first name as a pattern.
    const ALIKE_CODED: &str = "\"&ANY-l 50 per cent &- \\\"mehr\\\" \\\\ x\"";
    let Some(servers) = servers() else { return };
    let mailbox = servers.mailbox();
    mailbox.elsewhere(&[&format!("a CREATE {ODD_CODED}"), "a CREATE Suppliers"]);
    mailbox.elsewhere(&[&format!("a CREATE {ALIKE_CODED}")]);
    let served = quiet(&mailbox).await;
    let chosen = choose(&served, &[ODD], &[]).await.expect("chosen");
    assert_eq!(read_names(&chosen), ["INBOX", "Sent", ODD]);
    let maria = customer();
    holds(&mailbox, ODD_CODED, "", now(), mail(&maria, "1", "From an odd folder."));
    let thread = served.thread(&maria, "a mail", |thread| mails_of(thread).len() == 1).await;
    served.patch(&thread, json!({"isStarred": true})).await;
    let select = format!("a SELECT {ODD_CODED}");
    until_so("marked in the folder", || {
        mailbox.elsewhere(&[&select, "a FETCH 1 (FLAGS)"]).contains("\\Flagged")
    });
    mailbox.elsewhere(&[&select, "a STORE 1 +FLAGS (\\Seen)"]);
    has_state(&served, &maria, "inbox", true, true).await;
    // The mails of a removed folder are gone, also beside one with a name that it matches.
    mailbox.elsewhere(&[&format!("a DELETE {ODD_CODED}")]);
    served.thread(&maria, "a thread that is gone", |thread| thread["folder"] != "inbox").await;
}
