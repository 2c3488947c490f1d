//! Invitations answered with the inbox: by keys and by name, undone, refused in words.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::stories::mail::calm;

/// Mailbox of the sample workspace.
const OWN: &str = "hello@harborbicycles.example";

pub fn calendar(method: &str, more: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:ride-1\r\nSEQUENCE:0\r\n\
         SUMMARY:Test ride\r\nDTSTART:20261127T090000Z\r\nDTEND:20261127T100000Z\r\n{more}\r\n\
         END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

pub fn people(guest: &str) -> String {
    format!("ORGANIZER;CN=Ana Ruiz:mailto:ana@ruiz.example\r\nATTENDEE;CN=Desk;RSVP=TRUE:mailto:{guest}")
}

/// A mail with a calendar; returns its thread.
pub fn invites(desk: &Desk, from: &str, calendar: &str) -> String {
    let mail = json!({"channel": "email", "from": from, "name": "Ana Ruiz", "subject": "Test ride on Friday",
                      "text": "Do come!", "calendar": calendar});
    desk.dev("inbound", mail)["threadId"].as_str().expect("a thread").to_owned()
}

fn mail(from: &str, calendar: &str) -> (Desk, String) {
    let mut desk = Desk::demo(120, 40);
    calm(&mut desk);
    desk.keys("3").settle();
    let thread = invites(&desk, from, calendar);
    calm(&mut desk);
    desk.keys("gg").settle();
    (desk, thread)
}

fn mails(desk: &Desk, thread: &str) -> Vec<Value> {
    let read = desk.get("email", &format!("/email/threads/{thread}"));
    read["messages"].as_array().expect("mails").clone()
}

#[test]
fn invitation_is_accepted_by_a_key_and_the_history_says_so() {
    let (mut desk, thread) = mail("ana@ruiz.example", &calendar("REQUEST", &people(OWN)));
    desk.keys("@y").shows("open the mail first");
    desk.keys("<Enter>").settle().shows("[an invitation]").shows("Invitation  Not answered");
    desk.keys("?").shows("@ …").shows("invitation").keys("<Esc>");
    desk.keys("@y").shows("Accepted · sending in 10 s");
    // Undone, nothing is sent, and no text comes back: it is more than a text.
    desk.keys("z").settle().hides("Send this mail?");
    desk.wait(12_000_000);
    calm(&mut desk);
    assert_eq!(mails(&desk, &thread).len(), 1);
    desk.keys("@y").wait(12_000_000);
    calm(&mut desk);
    let all = mails(&desk, &thread);
    let sent = all.last().expect("a mail");
    assert_eq!(
        (&sent["to"], &sent["subject"]),
        (&json!(["ana@ruiz.example"]), &json!("Accepted: Test ride"))
    );
    assert_eq!((all.len(), &sent["invitationResponse"]), (2, &json!("accepted")));
    assert_eq!(
        (&sent["inReplyTo"], &all[0]["invitation"]["response"]),
        (&all[0]["messageId"], &json!("accepted"))
    );
    desk.settle()
        .shows("Invitation  Accepted")
        .shows("The invitation is accepted.")
        .shows("Invitation: Accepted");
}

#[test]
fn invitation_is_answered_by_name_and_another_organizer_is_asked_about() {
    let (mut desk, thread) = mail("secretary@ruiz.example", &calendar("REQUEST", &people(OWN)));
    desk.keys("<Enter>").settle().keys("<Ctrl-P>").types("rsvp");
    desk.shows("accept").shows("decline").shows("maybe").keys("<Esc>");
    desk.run_command("maybe")
        .shows("Answer this invitation?")
        .shows("The answer goes to the organizer, ana@ruiz.example");
    desk.keys("n").settle().hides("sending in");
    desk.run_command("decline").keys("y").shows("Declined · sending in 10 s").wait(12_000_000);
    calm(&mut desk);
    let all = mails(&desk, &thread);
    assert_eq!((all.len(), &all[1]["invitationResponse"]), (2, &json!("declined")));
    assert_eq!(all[1]["to"], json!(["ana@ruiz.example"]));
}

#[test]
fn refusals_are_said_in_words_and_a_past_event_only_warns() {
    let past = people(OWN) + "\r\nDURATION:PT1H";
    let past = calendar("REQUEST", &past).replace("20261127", "20261102");
    let cases = [
        (calendar("PUBLISH", &people(OWN)), "this thread has no invitation"),
        (calendar("CANCEL", &people(OWN)), "the event was cancelled"),
        (calendar("REQUEST", &people("bo@b.example")), "not for an address of this mailbox"),
        (calendar("REQUEST", &format!("ATTENDEE:mailto:{OWN}")), "no address of its organizer"),
        (past, "Accepted, but the event is over · sending in"),
    ];
    for (calendar, words) in cases {
        let (mut desk, _) = mail("ana@ruiz.example", &calendar);
        desk.keys("<Enter>").settle().keys("@y").shows(words);
    }
}
