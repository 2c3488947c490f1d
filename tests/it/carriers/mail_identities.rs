//! Aliases and tagged addresses of a mailbox: mail that reached one is answered from it.

use frontdesk::model::time::Clock;
use frontdesk::platforms::Channel;
use frontdesk::service::Options;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::dashboard;
use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, mails_of, quiet};
use crate::postgres::cluster;
use crate::waiting::{until_found, until_so};

fn alias_of(mailbox: &TestMailbox) -> String {
    mailbox.address.replacen("desk-", "sales-", 1)
}

fn tagged(mailbox: &TestMailbox) -> String {
    mailbox.address.replacen('@', "+repairs@", 1)
}

/// A mail for an address that the servers deliver to the mailbox.
fn writes(mailbox: &TestMailbox, from: &str, to: &str, header: &str) {
    let mail = format!(
        "From: Maria Lopez <{from}>\n{header}Subject: Order 1042\nMessage-ID: <{}@mail.example>\n\nWhere is it?\n",
        uuid::Uuid::new_v4().simple()
    );
    mailbox.receives_at(to, from, &mail);
}

fn answer(thread: &Value, to: &str) -> Value {
    json!({"to": to, "subject": "Re: Order 1042", "text": "On its way.", "threadId": thread["id"]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_is_answered_from_the_address_it_reached() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.aliases = vec![alias_of(&mailbox)];
    let served = quiet(&mailbox).await;
    assert_eq!(served.get("/email/account").await["aliases"], json!(mailbox.aliases));
    let (main, alias, tagged) = (mailbox.address.clone(), alias_of(&mailbox), tagged(&mailbox));
    let odd = main.replacen('@', "+a!b@", 1);
    let cases = [
        (alias.clone(), format!("To: {}\n", alias.to_uppercase()), alias.clone()),
        // A blind copy: only the servers say which address it reached.
        (tagged.clone(), "To: undisclosed-recipients:;\n".to_owned(), tagged.clone()),
        (main.clone(), format!("To: x@mail.example\nCc: {alias}\n"), alias.clone()),
        (main.clone(), format!("To: {main}, {alias}\n"), main.clone()),
        (main.clone(), format!("To: {main}\n"), main.clone()),
        (main.clone(), format!("To: <{odd}>\n"), main.clone()),
    ];
    for (to, header, sender) in cases {
        let maria = customer();
        writes(&mailbox, &maria, &to, &header);
        let thread = served.thread(&maria, "a mail", |thread| mails_of(thread).len() == 1).await;
        let expected = if sender == main { json!(null) } else { json!(sender) };
        assert_eq!(mails_of(&thread)[0]["deliveredTo"], expected, "{header}");
        assert_eq!(served.send(answer(&thread, &maria), None).await.0, 200);
        let reached = servers.letters_for(&maria, "On its way.");
        assert!(reached.contains(&format!("From: \"Harbor Bicycles\" <{sender}>")), "{header}: {reached}");
        assert_eq!(served.mails(&maria, 2).await[1]["from"], json!(sender));
        // A further mail in the thread comes from the same address, and a requested one counts.
        let mut other = answer(&thread, &maria);
        other["text"] = json!("It is there.");
        assert_eq!(served.send(other.clone(), None).await.0, 200);
        other["from"] = json!(format!("Sales <{alias}>"));
        assert_eq!(served.send(other.clone(), None).await.0, 200);
        other["from"] = json!("Sales <sales@elsewhere.example>");
        assert_eq!(served.send(other, None).await.0, 200);
        let mails = served.mails(&maria, 5).await;
        let senders: Vec<&Value> = mails[2..].iter().map(|mail| &mail["from"]).collect();
        assert_eq!(senders, [&json!(sender), &json!(alias), &json!(alias)], "{header}");
    }
}

/// Changes the settings of the connected mailbox as an earlier version left them.
fn forget_identities(options: &Options) {
    let sql = "UPDATE connected_channels SET settings = replace(settings, '\"sends_tagged\":true,', '')
        WHERE settings LIKE '%\"sends_tagged\":true,%' RETURNING channel";
    assert_eq!(cluster::column(&options.database, sql).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mailbox_of_an_earlier_version_sends_from_its_addresses() {
    let Some(servers) = servers() else { return };
    let mailbox = servers.mailbox();
    let mut served = quiet(&mailbox).await;
    served.running.shutdown().await;
    forget_identities(&served.options);
    served.running = frontdesk::service::start(served.options.clone()).await.expect("it starts again");
    let settings = "SELECT settings FROM connected_channels";
    until_so("the server was asked", || {
        cluster::column(&served.options.database, settings)[0].contains("\"sends_tagged\":true")
    });
    let (maria, tag) = (customer(), tagged(&mailbox));
    writes(&mailbox, &maria, &tag, &format!("To: {tag}\n"));
    let thread = served.thread(&maria, "a mail", |thread| mails_of(thread).len() == 1).await;
    assert_eq!(served.send(answer(&thread, &maria), None).await.0, 200);
    servers.letters_for(&maria, &format!("<{tag}>"));
    // Another address is added without the password.
    let alias = alias_of(&mailbox);
    let admin = dashboard(&served.options).await;
    let change = async |add: &[String], remove: &[String]| {
        admin.change_aliases(Channel::Email, (add, remove), SystemClock.now()).await
    };
    let added = change(std::slice::from_ref(&alias), &[]).await.expect("added");
    assert_eq!(added, std::slice::from_ref(&alias));
    let refused = change(&["delegated-x@shop.example".to_owned()], &[]).await.expect_err("refused");
    assert!(refused.to_string().contains("delegated-x"), "{refused}");
    let other = customer();
    until_found("the alias", async || {
        let account = served.get("/email/account").await;
        if account["aliases"] == json!([alias]) { Ok(()) } else { Err(account) }
    })
    .await;
    writes(&mailbox, &other, &alias, &format!("To: {alias}\n"));
    let thread = served.thread(&other, "a mail", |thread| mails_of(thread).len() == 1).await;
    assert_eq!(served.send(answer(&thread, &other), None).await.0, 200);
    servers.letters_for(&other, &format!("<{alias}>"));
    assert!(change(&[], std::slice::from_ref(&alias)).await.expect("removed").is_empty());
    assert!(change(&[], &[alias]).await.is_err());
    admin.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invitation_to_an_alias_is_answered_from_it() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.aliases = vec![alias_of(&mailbox)];
    let (served, ann, alias) = (quiet(&mailbox).await, customer(), alias_of(&mailbox));
    let calendar = format!(
        "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:1\nDTSTART:20991127T090000Z\n\
         ORGANIZER:mailto:{ann}\nATTENDEE:mailto:{alias}\nEND:VEVENT\nEND:VCALENDAR\n"
    );
    let header = format!("To: {alias}\nMIME-Version: 1.0\nContent-Type: text/calendar; method=REQUEST\n");
    let mail = format!("From: <{ann}>\n{header}Subject: Ride\nMessage-ID: <1.{ann}>\n\n{calendar}");
    mailbox.receives_at(&alias, &ann, &mail);
    let thread = served.thread(&ann, "a mail", |thread| mails_of(thread).len() == 1).await;
    let body = json!({"to": ann, "subject": "Declined: Ride", "text": "No.", "threadId": thread["id"],
                      "invitationResponse": "declined"});
    let (status, told) = served.send(body, None).await;
    assert_eq!(status, 200, "{told}");
    assert!(servers.letters_for(&ann, "method=REPLY").contains(&format!("<{alias}>")));
}
