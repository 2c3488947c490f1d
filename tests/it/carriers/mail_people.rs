//! Sender and recipient of mail: web forms, known and reused message ids, copies of one's own mail.

use serde_json::{Value, json};

use super::Served;
use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, mail_to, mails_of, quiet};
use crate::waiting::until_found;

fn form(mailbox: &TestMailbox, from: &str, visitor: &str, text: &str) {
    let mail = format!(
        "From: Shop form <{from}>\nReply-To: Ann Berg <{visitor}>\nTo: {}\nSubject: Website contact\n\
         Message-ID: <{}@forms.example>\n\n{text}\n",
        mailbox.address,
        uuid::Uuid::new_v4().simple()
    );
    mailbox.receives(from, &mail);
}

fn text(mail: &Value) -> &str {
    mail["text"].as_str().unwrap_or("").trim()
}

impl Served {
    async fn thread_with(&self, wanted: &str) -> Value {
        until_found("a mail", async || {
            let mut seen = Vec::new();
            for listed in self.threads().await {
                let path = format!("/email/threads/{}", listed["id"].as_str().expect("an id"));
                let whole = self.get(&path).await;
                if mails_of(&whole).iter().any(|mail| text(mail) == wanted) {
                    return Ok(whole);
                }
                seen.push(whole);
            }
            Err(format!("{seen:?}"))
        })
        .await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_web_form_is_answered_to_its_visitor() {
    let Some(servers) = servers() else { return };
    let (mailbox, ann, bo) = (servers.mailbox(), customer(), customer());
    let served = quiet(&mailbox).await;
    form(&mailbox, "noreply@forms.example", &ann, "Do you mend forks?");
    form(&mailbox, "noreply@forms.example", &bo, "Do you sell forks?");
    // A form on the shop's own site sends as the shop.
    form(&mailbox, &mailbox.address, &ann, "One more question.");
    let first = served.thread_with("Do you mend forks?").await;
    let other = served.thread_with("Do you sell forks?").await;
    let own = served.thread_with("One more question.").await;
    assert_eq!((&first["contactEmail"], &first["contactName"]), (&json!(ann), &json!("Ann Berg")));
    assert_eq!(other["contactEmail"], json!(bo));
    assert_ne!(first["id"], other["id"], "two customers are two threads");
    let mail = &mails_of(&first)[0];
    assert_eq!((&mail["from"], &mail["replyTo"]), (&json!("noreply@forms.example"), &json!([ann])));
    assert_eq!((&own["contactEmail"], &mails_of(&own)[0]["direction"]), (&json!(ann), &json!("inbound")));
    let answer = json!({"to": mail["replyTo"], "subject": "Re: Website contact", "text": "We do.",
                        "threadId": first["id"]});
    assert_eq!(served.send(answer, None).await.1["status"], "sent");
    mailbox.waits_for(&ann, "We do.");
    // The visitor answers by mail, in the same thread.
    let sent = served.thread_with("We do.").await;
    let id = mails_of(&sent)[1]["messageId"].as_str().expect("an id").to_owned();
    mailbox.hears(&ann, "Re: Website contact", "Thank you!", &format!("In-Reply-To: {id}\n"));
    assert_eq!(served.thread_with("Thank you!").await["id"], first["id"]);
    let contacts = served.get("/email/contacts").await.to_string();
    assert!(contacts.contains(&ann) && !contacts.contains("noreply@"), "{contacts}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_alone_brings_nobody_into_a_thread() {
    let Some(servers) = servers() else { return };
    let (mailbox, ann, bo, copied) = (servers.mailbox(), customer(), customer(), customer());
    let served = quiet(&mailbox).await;
    let id = mailbox.hears(&ann, "Order 1042", "Where is it?", &format!("Cc: {copied}\n"));
    let thread = served.thread_with("Where is it?").await;
    let answer =
        json!({"to": ann, "subject": "Re: Order 1042", "text": "On its way.", "threadId": thread["id"]});
    assert_eq!(served.send(answer, None).await.1["status"], "sent");
    // Forwarded to another person who answers the shop.
    mailbox.hears(&bo, "Re: Order 1042", "I am her brother.", &format!("References: {id}\n"));
    let foreign = served.thread_with("I am her brother.").await;
    assert_eq!((&foreign["contactEmail"], mails_of(&foreign).len()), (&json!(bo), 1));
    assert_ne!(foreign["id"], thread["id"]);
    // A person in copy belongs to the thread.
    mailbox.hears(&copied, "Re: Order 1042", "I know the way.", &format!("In-Reply-To: {id}\n"));
    assert_eq!(served.thread_with("I know the way.").await["id"], thread["id"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reused_id_loses_no_mail_and_a_copy_is_no_mail() {
    let Some(servers) = servers() else { return };
    let (mailbox, ann) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    let mail = |more: &str, text: &str| {
        format!(
            "{more}From: Parcels <{ann}>\nTo: {}\nSubject: Your parcel\nMessage-ID: <same.{ann}>\n\n{text}\n",
            mailbox.address
        )
    };
    mailbox.receives(&ann, &mail("", "Parcel 1 has left."));
    mailbox.receives(&ann, &mail("X-Filter: clean\n", "Parcel 1 has left."));
    mailbox.receives(&ann, &mail("", "Parcel 2 has left."));
    // A copy of one's own mail in the inbox is no customer.
    let sent = served.send(mail_to(&ann, "Thanks", "They came."), None).await.1;
    let copy = served.thread_with("They came.").await;
    let id = mails_of(&copy)[0]["messageId"].as_str().expect("an id");
    let echo =
        format!("From: <{}>\nTo: {ann}\nSubject: Thanks\nMessage-ID: {id}\n\nThey came.\n", mailbox.address);
    mailbox.receives(&mailbox.address, &echo);
    let listed = format!(
        "From: Shop via Riders <riders@lists.example>\nReply-To: {}\nTo: riders@lists.example\nSubject: [riders] Thanks\n\
         List-Id: <riders.lists.example>\nMessage-ID: {id}\n\nThey came.\n\n_____\nLeave the list\n",
        mailbox.address
    );
    mailbox.receives("riders@lists.example", &listed);
    mailbox.hears(&ann, "Last", "The end.", "");
    served.thread_with("The end.").await;
    let mut texts = Vec::new();
    for thread in served.threads().await {
        let whole = served.get(&format!("/email/threads/{}", thread["id"].as_str().expect("an id"))).await;
        texts.extend(mails_of(&whole).iter().map(|mail| text(mail).to_owned()));
    }
    texts.sort();
    assert_eq!(texts, ["Parcel 1 has left.", "Parcel 2 has left.", "The end.", "They came."], "{sent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_who_cannot_be_read_is_shown_and_not_answered() {
    let Some(servers) = servers() else { return };
    let mailbox = servers.mailbox();
    let served = quiet(&mailbox).await;
    let mail = |from: &str, text: &str| {
        format!(
            "{from}To: {}\nSubject: A question\nMessage-ID: <{}@x.example>\n\n{text}\n",
            mailbox.address,
            uuid::Uuid::new_v4().simple()
        )
    };
    mailbox.receives("x@x.example", &mail("From: bob@extern bobby@extern\n", "glued"));
    mailbox.receives("x@x.example", &mail("From: Doe, John <john@d.example>\n", "comma"));
    mailbox.receives(
        "x@x.example",
        &mail("From: Forms <www@f.example>\nReply-To: ann berg@a.example\n", "typo"),
    );
    let glued = served.thread_with("glued").await;
    let shown = json!("bob@extern bobby@extern");
    assert_eq!((&glued["contactEmail"], &mails_of(&glued)[0]["from"]), (&shown, &shown));
    assert_eq!(mails_of(&glued)[0]["canBeAnswered"], json!(false));
    let (status, told) = served
        .send(
            json!({"to": shown, "subject": "Re: A question", "text": "Hi",
        "threadId": glued["id"]}),
            None,
        )
        .await;
    assert_eq!(status, 400, "{told}");
    assert!(told["message"].as_str().is_some_and(|one| one.contains("must be a mail address")), "{told}");
    let comma = served.thread_with("comma").await;
    assert_eq!(
        (&comma["contactEmail"], &comma["contactName"]),
        (&json!("john@d.example"), &json!("Doe, John"))
    );
    let typo = served.thread_with("typo").await;
    let mail = &mails_of(&typo)[0];
    assert_eq!(
        (&mail["from"], &mail["replyTo"], &mail["canBeAnswered"]),
        (&json!("www@f.example"), &json!(["ann berg@a.example"]), &json!(false))
    );
    assert_eq!(typo["contactEmail"], json!("ann berg@a.example"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_to_a_report_goes_to_the_customer_and_never_to_the_server() {
    let Some(servers) = servers() else { return };
    let mailbox = servers.mailbox();
    let served = quiet(&mailbox).await;
    let returned = format!("bounced-{}", customer());
    assert_eq!(served.send(mail_to(&returned, "Order 1042", "It is ready."), None).await.1["status"], "sent");
    let mails = served.mails(&returned, 2).await;
    let report = &mails[1];
    let daemon = report["from"].as_str().expect("an address");
    assert!(daemon.to_lowercase().starts_with("mailer-daemon@"), "{daemon}");
    assert!(text(report).contains("could not be delivered"), "people can read why: {report}");
    assert_eq!((&report["replyTo"], report.get("canBeAnswered")), (&json!([returned]), None));
    let thread = served.thread(&returned, "the thread", |thread| mails_of(thread).len() == 2).await;
    assert_eq!(thread["contactEmail"], json!(returned), "the customer stays the customer");
    let answer =
        json!({"to": daemon, "subject": "Re: Order 1042", "text": "Hello?", "threadId": thread["id"]});
    let (status, refused) = served.send(answer, None).await;
    assert_eq!((status, &refused["code"]), (400, &json!("VALIDATION_ERROR")), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|words| words.contains(&returned)), "{refused}");
    // A bounce of a mail not sent from here.
    let unknown = customer();
    let mail = format!(
        "From: <MAILER-DAEMON@mx.example>\nTo: {}\nSubject: Mail delivery failed\nMessage-ID: <{}@mx.example>\n\n\
         Your mail could not be delivered.\n",
        mailbox.address,
        uuid::Uuid::new_v4().simple()
    );
    mailbox.receives(&unknown, &mail);
    let thread = served.thread_with("Your mail could not be delivered.").await;
    assert_eq!(mails_of(&thread)[0]["canBeAnswered"], json!(false));
}
