//! `mail respond`: invitations answered by script.

use serde_json::{Value, json};

use crate::scripting::mail_filing::scene;
use crate::stories::mail_invitations::{calendar, invites, people};

#[test]
fn invitation_is_answered_by_script() {
    let (desk, binary) = scene();
    let own = desk.get("email", "/email/account")["emailAddress"].as_str().expect("an address").to_owned();
    let future = calendar("REQUEST", &people(&own)).replace("20261127", "20991127");
    let thread = invites(&desk, "ana@ruiz.example", &future);
    let mails = || -> Vec<Value> {
        let read = desk.get("email", &format!("/email/threads/{thread}"));
        read["messages"].as_array().expect("mails").clone()
    };
    let told: Value =
        serde_json::from_str(&binary.ok(&["mail", "show", &thread, "--json"], "")).expect("JSON");
    let invitation = &told["mails"][0]["invitation"];
    assert_eq!((&invitation["summary"], &invitation["guest"]), (&json!("Test ride"), &json!(own)));
    assert_eq!((&invitation["cancelled"], &invitation["response"]), (&json!(false), &json!(null)));
    let key = "respond-1";
    for _ in 0..2 {
        binary.ok(&["mail", "respond", &thread, "maybe", "-", "--idempotency-key", key], "We may be late.\n");
    }
    let all = mails();
    assert_eq!((all.len(), &all[1]["invitationResponse"]), (2, &json!("tentative")));
    assert!(
        all[1]["text"].as_str().is_some_and(|text| text.starts_with("We may be late.\n\n")),
        "{}",
        all[1]
    );
    assert!(binary.ok(&["mail", "show", &thread], "").contains("Invitation: Tentative"));
    let past = calendar("REQUEST", &people(&own)).replace("20261127", "20011127").replace("ride-1", "ride-0");
    let past = invites(&desk, "bo@b.example", &past.replace("ana@ruiz.example", "bo@b.example"));
    let ended = binary.run(&["mail", "respond", &past, "accept"], "");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("the event is over; the answer is sent anyway"), "{}", ended.err);
    let none = invites(&desk, "cy@c.example", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n");
    let cancelled = invites(&desk, "di@d.example", &calendar("CANCEL", &people(&own)));
    for (thread, words) in [(none, "this thread has no invitation"), (cancelled, "the event was cancelled")] {
        let said = binary.fails(2, &["mail", "respond", &thread, "accept"], "");
        assert!(said.contains(words), "{said}");
    }
}
