//! Invitations answered by the mail that calendars of other programs understand, on real mail servers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Served;
use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, mails_of, quiet};

/// An invitation as Outlook sends it: a time zone by a name of Windows, a folded and quoted guest, an
/// organizer for whom somebody else sends, and one event of a series.
pub(super) fn outlook(method: &str, organizer: &str, guest: &str, sequence: u32) -> String {
    format!(
        "BEGIN:VCALENDAR\nMETHOD:{method}\nPRODID:Microsoft Exchange Server 2010\nVERSION:2.0\n\
         BEGIN:VTIMEZONE\nTZID:Romance Standard Time\nBEGIN:STANDARD\nDTSTART:16010101T030000\n\
         TZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\n\
         ORGANIZER;CN=\"Berg, Ann\";SENT-BY=\"mailto:bo@mail.example\":mailto:{organizer}\n\
         ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=\"Harbor; Bicy\n cles: Desk\":\
         mailto:{guest}\n\
         ATTENDEE;PARTSTAT=ACCEPTED:mailto:cy@mail.example\n\
         SUMMARY;LANGUAGE=en-GB:Test ride\\, and a talk about the winter stock of the shop\n\
         DTSTART;TZID=Romance Standard Time:20991127T090000\nDTEND;TZID=Romance Standard Time:20991127T100000\n\
         UID:040000008200E00074C5B7101A82E00800000000E0778E624D33D5010000000000000000\n 10000000{}\n\
         RECURRENCE-ID;TZID=Romance Standard Time:20991127T080000\nSEQUENCE:{sequence}\n\
         DTSTAMP:20261120T100000Z\nEND:VEVENT\nEND:VCALENDAR\n",
        &organizer[..12]
    )
}

pub(super) fn invites(
    mailbox: &TestMailbox,
    from: &str,
    subject: &str,
    method: &str,
    calendar: &str,
) -> String {
    let id = format!("<{}@mail.example>", uuid::Uuid::new_v4().simple());
    let mail = format!(
        "From: Ann Berg <{from}>\nTo: {}\nSubject: {subject}\nMessage-ID: {id}\nMIME-Version: 1.0\n\
         Content-Type: multipart/alternative; boundary=a\n\n--a\nContent-Type: text/plain; charset=utf-8\n\n\
         Do come!\n--a\nContent-Type: text/calendar; charset=utf-8; method={method}\n\n{calendar}\n--a--\n",
        mailbox.address
    );
    mailbox.receives(from, &mail);
    id
}

/// Calendar of a mail as another program finds it.
fn calendar_of(mail: &str) -> String {
    let mail = mail.replace("\r\n", "\n");
    let (_, part) =
        mail.split_once("Content-Type: text/calendar; charset=utf-8; method=REPLY\n").expect("a calendar");
    let (head, body) = part.split_once("\n\n").expect("a body");
    assert!(head.contains("Content-Transfer-Encoding: base64"), "{head}");
    let body = body.split("\n--").next().unwrap_or_default().replace('\n', "");
    String::from_utf8(STANDARD.decode(body).expect("base64")).expect("text")
}

pub(super) fn answer(thread: &Value, to: &str, response: &str) -> Value {
    json!({"to": to, "subject": "Accepted: Test ride", "text": "The invitation is accepted.",
           "threadId": thread["id"], "invitationResponse": response})
}

impl Served {
    async fn refuses(&self, body: Value, words: &str) {
        let (status, told) = self.send(body, None).await;
        assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{told}");
        assert!(told["message"].as_str().is_some_and(|message| message.contains(words)), "{words}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_to_an_invitation_is_one_that_calendars_read() {
    let Some(servers) = servers() else { return };
    let (mailbox, ann) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    let id = invites(&mailbox, &ann, "Test ride", "REQUEST", &outlook("REQUEST", &ann, &mailbox.address, 2));
    let thread = served.thread(&ann, "the invitation", |thread| mails_of(thread).len() == 1).await;
    let invitation = &mails_of(&thread)[0]["invitation"];
    assert_eq!((&invitation["organizer"], &invitation["guest"]), (&json!(ann), &json!(mailbox.address)));
    assert_eq!(invitation["summary"], "Test ride, and a talk about the winter stock of the shop");
    assert_eq!((&invitation["cancelled"], &invitation["response"]), (&json!(false), &json!(null)));
    served
        .refuses(answer(&thread, "bo@mail.example", "accepted"), &format!("to must be the organizer, {ann}"))
        .await;
    let mut unknown = answer(&thread, &ann, "accepted");
    unknown["inReplyTo"] = json!("<unknown@mail.example>");
    served.refuses(unknown, "the mail of inReplyTo has no invitation").await;
    let accepted = answer(&thread, &ann, "accepted");
    let (status, sent) = served.send(accepted.clone(), Some("answer-1")).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
    let again = served.send(accepted, Some("answer-1")).await;
    assert_eq!((again.0, &again.1), (200, &sent), "the same answer to the same request");
    let reached = mailbox.waits_for(&ann, "The invitation is accepted.");
    assert!(
        reached.contains("multipart/alternative") && reached.contains(&format!("In-Reply-To: {id}")),
        "{reached}"
    );
    let calendar = calendar_of(&reached);
    assert!(calendar.split("\r\n").all(|line| line.len() <= 75 && !line.contains('\n')), "{calendar}");
    let unfolded = calendar.replace("\r\n ", "");
    let stamp = unfolded.lines().find(|line| line.starts_with("DTSTAMP:")).expect("a stamp").to_owned();
    let expected = format!(
        "BEGIN:VCALENDAR\nPRODID:-//frontdesk//EN\nVERSION:2.0\nCALSCALE:GREGORIAN\nMETHOD:REPLY\n\
         BEGIN:VTIMEZONE\nTZID:Romance Standard Time\nBEGIN:STANDARD\nDTSTART:16010101T030000\n\
         TZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\n\
         UID:040000008200E00074C5B7101A82E00800000000E0778E624D33D501000000000000000010000000{}\n\
         RECURRENCE-ID;TZID=Romance Standard Time:20991127T080000\nSEQUENCE:2\n{stamp}\n\
         ORGANIZER;CN=\"Berg, Ann\";SENT-BY=\"mailto:bo@mail.example\":mailto:{ann}\n\
         ATTENDEE;PARTSTAT=ACCEPTED;ROLE=REQ-PARTICIPANT;CN=\"Harbor; Bicycles: Desk\":mailto:{}\n\
         DTSTART;TZID=Romance Standard Time:20991127T090000\nDTEND;TZID=Romance Standard Time:20991127T100000\n\
         SUMMARY;LANGUAGE=en-GB:Test ride\\, and a talk about the winter stock of the shop\n\
         END:VEVENT\nEND:VCALENDAR\n",
        &ann[..12],
        mailbox.address
    );
    assert_eq!(unfolded.replace("\r\n", "\n"), expected);
    let mails = served.mails(&ann, 2).await;
    assert_eq!(mails[1]["invitationResponse"], json!("accepted"));
    assert_eq!(mails[0]["invitation"]["response"], json!("accepted"));
    assert_eq!(mailbox.reached(&ann).len(), 1);
    // The newest version is answered, also if the mail of an older one is named.
    invites(&mailbox, &ann, "Re: Test ride", "REQUEST", &outlook("REQUEST", &ann, &mailbox.address, 3));
    served.mails(&ann, 3).await;
    let mut declined = answer(&thread, &ann, "declined");
    declined["inReplyTo"] = json!(id);
    assert_eq!(served.send(declined, None).await.0, 200);
    let declined = served.mails(&ann, 4).await;
    assert_eq!(declined[2]["invitation"]["response"], json!("declined"));
    assert_eq!(declined[3]["inReplyTo"], declined[2]["messageId"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_answered_is_refused_in_words() {
    let Some(servers) = servers() else { return };
    let (mailbox, ann, bo, cy) = (servers.mailbox(), customer(), customer(), customer());
    let served = quiet(&mailbox).await;
    mailbox.hears(&bo, "Order 1042", "Where is it?", "");
    let plain = served.thread(&bo, "a mail", |thread| mails_of(thread).len() == 1).await;
    served.refuses(answer(&plain, &bo, "accepted"), "this thread has no invitation").await;
    invites(&mailbox, &cy, "Test ride", "REQUEST", &outlook("REQUEST", &cy, "elsewhere@shop.example", 0));
    let foreign = served.thread(&cy, "a mail", |thread| mails_of(thread).len() == 1).await;
    let words =
        format!("the invitation is for elsewhere@shop.example, cy@mail.example, not for {}", mailbox.address);
    served.refuses(answer(&foreign, &cy, "accepted"), &words).await;
    // The cancellation has another subject and is another thread.
    invites(&mailbox, &ann, "Test ride", "REQUEST", &outlook("REQUEST", &ann, &mailbox.address, 0));
    let thread = served.thread(&ann, "a mail", |thread| mails_of(thread).len() == 1).await;
    invites(&mailbox, &ann, "Cancelled event", "CANCEL", &outlook("CANCEL", &ann, &mailbox.address, 1));
    served.thread(&ann, "the cancellation", |thread| thread["subject"] == "Cancelled event").await;
    served.refuses(answer(&thread, &ann, "accepted"), "the event was cancelled").await;
    let read = served.get(&format!("/email/threads/{}", thread["id"].as_str().expect("an id"))).await;
    assert_eq!(mails_of(&read)[0]["invitation"]["cancelled"], json!(true));
    // A later version of the event counts.
    invites(&mailbox, &ann, "Re: Test ride", "REQUEST", &outlook("REQUEST", &ann, &mailbox.address, 2));
    served.thread(&ann, "a newer version", |thread| mails_of(thread).len() == 2).await;
    assert_eq!(served.send(answer(&thread, &ann, "tentative"), None).await.0, 200);
    assert!(calendar_of(&mailbox.waits_for(&ann, "method=REPLY")).contains("PARTSTAT=TENTATIVE"));
}
