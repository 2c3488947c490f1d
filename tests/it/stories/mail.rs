//! The mail tab: threads with mail fields, reading, filing, and requests to the server.

use serde_json::{Value, json};

use crate::desk::Desk;

fn mail(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

/// Runs sync to completion, at the rate the API allows.
pub fn calm(desk: &mut Desk) {
    for _ in 0..4 {
        desk.pass(2).settle();
    }
}

/// Delivers a mail; returns its thread.
pub fn letter(
    desk: &Desk,
    from: &str,
    name: &str,
    subject: &str,
    text: Option<&str>,
    html: Option<&str>,
) -> String {
    let body = json!({"channel": "email", "from": from, "name": name, "subject": subject, "text": text, "html": html});
    desk.dev("inbound", body)["threadId"].as_str().expect("a thread").to_owned()
}

fn mails_sent(desk: &Desk) -> usize {
    desk.outbound().iter().filter(|value| value["channel"] == "email").count()
}

fn thread<'a>(listed: &'a Value, subject: &str) -> &'a Value {
    let all = listed["data"].as_array().expect("a list");
    all.iter().find(|value| value["subject"] == subject).unwrap_or_else(|| panic!("no {subject}"))
}

#[test]
fn threads_are_listed_with_what_only_mail_has() {
    let mut desk = mail(120, 40);
    desk.shows("10 unread").hides("account ok").hides("synced").hides("auto-reply");
    // The category is normal; it is shown where it orders the list.
    desk.shows("urgent").hides("rentals");
    desk.hides("Blanca Urrutia");
    photographs!(desk, "threads_are_listed");
    desk.keys("f").types("is:unread category:rentals").keys("<Enter>");
    desk.shows("Ludovica Ferri").shows("中村 陽子").hides("Callum Reid").keys("f<Esc>");
    desk.run_command("mail-folders").types("archive").keys("<Enter>").settle();
    desk.shows("Blanca Urrutia").shows("Out of office").hides("Callum Reid");
    photographs!(desk, "a_folder_is_looked_for_by_the_server", List);
    desk.keys("f<Esc>,p").shows("Brakes failed").hides("rentals");
    desk.keys(",c").shows("rentals").shows("urgent").hides("urgent repairs");
}

#[test]
fn a_thread_is_read_with_its_quotations_folded() {
    let mut desk = mail(120, 40);
    let text = "Yes please.\n\nOn 20 Nov 2026 Harbor wrote:\n> Shall we hold it?\n> Kind regards\n> Harbor";
    let html = "<p>Yes <b>please</b>.</p><p><a href='https://evil.example/x'>www.bank.example</a></p>\
                <div style='display:none'>ignore previous</div><img src='http://t.example/p.gif'>\
                <script>alert(1)</script>";
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some(text), Some(html));
    calm(&mut desk);
    desk.keys("gg<Enter>").settle();
    desk.shows("Yes please.").shows("▸ 4 quoted lines").hides("Shall we hold it?");
    photographs!(desk, "a_thread_is_read");
    desk.shows("Ana Ruiz <ana@ruiz.example>").shows("Fri 20 Nov 2026 10:00 +00:00");
    desk.shows("To          hello@harborbicycles.example").hides("Message-ID");
    desk.keys("U").shows("Shall we hold it?").shows("Message-ID").shows("To          hello@");
    photographs!(desk, "a_thread_is_unfolded", History);
    desk.keys("U").hides("Shall we hold it?").hides("Message-ID");
    desk.keys("H").shows("evil.example, NOT what it").shows("[hidden in the mail: ignore previous]");
    desk.shows("(1 picture not loaded)").hides("alert");
    photographs!(desk, "html_is_shown_as_text", History);
    desk.keys("o").shows("evil.example").keys("n");
    assert!(desk.opened.is_empty());
    // Reading marks it as read on the server, too.
    desk.settle();
    assert_eq!(thread(&desk.get("email", "/email/threads"), "Order 2001")["isRead"], true);
}

#[test]
fn filing_is_confirmed_by_the_server_and_taken_back() {
    let mut desk = mail(120, 40);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    calm(&mut desk);
    desk.keys("gg*").shows("starred · Ana Ruiz").settle().keys("u").settle();
    let told = desk.get("email", "/email/threads");
    let told = thread(&told, "Order 2001");
    assert_eq!((told["isStarred"].clone(), told["isRead"].clone()), (json!(true), json!(true)));
    desk.hides("here only");
    desk.keys("&").types("refund").keys("<Enter>").settle().shows("refund");
    desk.keys("d").settle().hides("Order 2001");
    assert_eq!(desk.get("email", "/email/threads?folder=archive")["data"][0]["subject"], "Order 2001");
    desk.keys("z").settle().keys("3").settle().settle().shows("Order 2001");
    desk.keys("z").settle().keys("z").settle().keys("z").settle();
    let told = desk.get("email", "/email/threads");
    let told = thread(&told, "Order 2001");
    assert_eq!((told["isStarred"].clone(), told["isRead"].clone()), (json!(false), json!(false)));
}

#[test]
fn correspondents_are_found_and_lead_to_their_threads() {
    let mut desk = mail(80, 24);
    desk.run_command("mail-contacts")
        .shows("mathilde.garnier@")
        .types("ferri")
        .shows("ferri")
        .hides("mathilde.garnier@");
    desk.keys("<Enter>").shows("Noleggio");
    desk.keys("p").shows("a setting of the account").keys("<Enter>+").shows("mail has no reactions");
}

#[test]
fn a_mail_is_answered_reviewed_held_and_taken_back() {
    let mut desk = mail(80, 24);
    let thread =
        letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAna"), None);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys("r").types("It is on its way, see attached.");
    desk.shows("Re: Order 2001").shows("ana@ruiz.example").shows("quoted lines below");
    photographs!(desk, "a_mail_is_written");
    desk.keys("<Enter><Enter>").types("Tom").keys("<Ctrl-X>").shows("no undo on the server");
    photographs!(desk, "a_mail_is_reviewed", Overlay);
    let before = mails_sent(&desk);
    desk.keys("y").shows("mentions an attachment").keys("y").shows("z undo");
    desk.settle();
    assert_eq!(mails_sent(&desk), before, "it is held here");
    desk.keys("z").shows("undone: back in the composer").shows("It is on its way");
    let file = desk.replies().with_file_name("form.txt");
    std::fs::write(&file, "the form").expect("a file");
    desk.keys("<Ctrl-T>").pastes(&file.display().to_string()).keys("<Enter>").shows("form.txt (8 B");
    desk.keys("<Ctrl-X>y").pass(11).settle();
    assert_eq!(mails_sent(&desk), before + 1);
    let told = desk.get("email", &format!("/email/threads/{thread}"));
    let last = told["messages"].as_array().and_then(|array| array.last()).expect("a mail").clone();
    assert_eq!(last["direction"], "outbound");
    let text = last["text"].as_str().expect("a text");
    assert!(text.starts_with("It is on its way") && text.contains("> Where is it?"), "{text}");
    assert_eq!(last["attachments"][0]["filename"], "form.txt");
    desk.settle().shows("It is on its way");
}

#[test]
fn a_new_mail_is_kept_as_a_draft_and_goes_on() {
    let mut desk = mail(120, 40);
    desk.keys("<Ctrl-N>").types("ferri").shows("Ludovica Ferri").keys("<Enter>");
    desk.shows("ferri@").keys("<Tab><Tab><Tab>").types("The wedding").keys("<Tab>").types("Dear Ludovica,");
    photographs!(desk, "a_new_mail_is_written", Composer);
    desk.pass(1).keys("<Esc>");
    let mut desk = desk.crash_and_reopen();
    calm(&mut desk);
    desk.keys("3")
        .run_command("go-to-drafts")
        .shows("New mail")
        .keys("<Enter>")
        .shows("Dear Ludovica,")
        .shows("The wedding");
    desk.types(" yes.")
        .keys("<Ctrl-X>p")
        .shows("kept as a draft")
        .run_command("go-to-drafts")
        .keys("<Enter><Ctrl-X>m");
    let before = mails_sent(&desk);
    desk.keys("y").pass(11);
    calm(&mut desk);
    assert_eq!(mails_sent(&desk), before + 1);
    desk.shows("The wedding").shows("Dear Ludovica, yes.");
}

#[test]
fn what_is_wrong_with_a_mail_is_said_in_its_field() {
    let mut desk = mail(80, 24);
    desk.keys("<Ctrl-N>").types("nobody").keys("<Ctrl-X>").shows("is not a mail address");
    desk.keys("<Ctrl-U>").types("a@b.example").keys("<Ctrl-X>").shows("Subject: empty");
    desk.types("Hi").keys("<Ctrl-X>").shows("the mail is empty").types("text").keys("<Ctrl-X>n");
    desk.shows("discarded · z undo").keys("z").shows("a@b.example").shows("text");
}

#[test]
fn marked_threads_are_filed_together_and_one_key_takes_it_back() {
    let mut desk = mail(80, 24);
    for (name, subject) in [("ana", "Order 2001"), ("bob", "Order 2002"), ("eva", "Order 2003")] {
        letter(&desk, &format!("{name}@mail.example"), name, subject, Some("Hi"), None);
    }
    calm(&mut desk);
    let told = |desk: &Desk, subject: &str, field: &str| {
        thread(&desk.get("email", "/email/threads?limit=100"), subject)[field].clone()
    };
    desk.keys("gg*").settle().keys("f").types("subject:\"order 200\"").keys("<Enter>").settle();
    desk.shows("Order 2001").shows("Order 2003").hides("Callum Reid");
    // Threads that are starred already are left out.
    desk.keys("Va").shows("3 marked").keys("*");
    desk.shows("star: 2 of 3 apply; 1 does not: already starred · z undo");
    desk.settle().shows("starred 2 of 2 · z undo").settle();
    for subject in ["Order 2001", "Order 2002", "Order 2003"] {
        assert_eq!(told(&desk, subject, "isStarred"), true, "{subject}");
    }
    desk.keys("Vr&").types("refund").keys("<Enter>").settle().settle();
    assert_eq!(told(&desk, "Order 2002", "category"), "refund");
    desk.keys("Vru").settle().settle();
    assert_eq!(told(&desk, "Order 2002", "isRead"), true);
    desk.keys("Vrd").shows("archive: 3 of 3 apply").settle().settle().hides("Order 2001");
    desk.run_command("show-results").shows("archive: 3 of 3").shows("done").hides("waiting to send");
    desk.keys("<Esc>z").settle().settle().shows("Order 2001").shows("Order 2002").shows("Order 2003");
}

#[test]
fn many_threads_are_asked_about_before_they_are_filed() {
    let mut desk = mail(80, 24);
    desk.keys("Vad").shows("ARCHIVE 15 threads?");
    photographs!(desk, "many_threads_are_asked_about", Overlay);
    desk.keys("n").settle().shows("Callum Reid");
}

#[test]
fn threads_are_found_by_subject_recipient_day_and_file() {
    let mut desk = mail(120, 40);
    let file = json!({"filename": "plan.pdf", "contentType": "application/pdf", "content": "aGVsbG8="});
    desk.dev(
        "inbound",
        json!({"channel": "email", "from": "ana@ruiz.example", "name": "Ana Ruiz", "subject": "The new plan",
               "text": "See attached.", "attachments": [file]}),
    );
    calm(&mut desk);
    let filter = |desk: &mut Desk, words: &str| {
        desk.keys("f<Ctrl-U>").types(words).keys("<Enter>").settle();
    };
    filter(&mut desk, "subject:plan");
    desk.shows("The new plan").hides("Callum Reid").keys("<Enter>").settle().keys("<Esc>");
    filter(&mut desk, "has:file from:ana");
    desk.shows("The new plan").hides("Callum Reid");
    filter(&mut desk, "to:hello@harborbicycles from:ana");
    desk.shows("The new plan").hides("Callum Reid");
    filter(&mut desk, "after:today subject:plan");
    desk.shows("The new plan");
    filter(&mut desk, "before:yesterday");
    desk.shows("Aoife Brennan").hides("The new plan").hides("Callum Reid");
    // A hit in a mail names the mail.
    desk.keys("f<Esc>/").types("attached").settle().shows("Ana Ruiz · The new plan");
}

#[test]
fn the_keys_of_the_review_are_seen_and_its_text_is_scrolled() {
    let mut desk = mail(60, 20);
    desk.keys("<Ctrl-N>").types("ana@ruiz.example").keys("<Tab><Tab><Tab>").types("Prices").keys("<Tab>");
    for number in 1..=20 {
        desk.types(&format!("Line {number} of it")).keys("<Enter>");
    }
    desk.keys("<Ctrl-X>").shows("y send").shows("p postpone").shows("n discard").shows("m Markdown");
    desk.shows("Line 1 of it").hides("Line 20 of it");
    photograph!(desk, "a_review_is_scrolled", Overlay);
    desk.keys("<Down>")
        .hides("To       ana")
        .shows("Subject")
        .keys("G")
        .shows("Line 20 of it")
        .shows("n discard");
    desk.keys("jjjj")
        .shows("Line 20 of it")
        .keys("k")
        .hides("Line 20 of it")
        .keys("gw")
        .shows("To       ana");
    desk.resize((80, 24));
    desk.shows("n discard");
}

#[test]
fn a_new_mail_that_is_left_leads_back_to_the_threads() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = mail(columns, rows);
        desk.keys("<Ctrl-N>").types("foo@bar.example").keys("<Esc>");
        desk.shows("kept as a draft; :go-to-drafts lists the drafts").shows("Inbox");
        desk.hides("New mail").hides("R reply all");
        desk.settle()
            .run_command("go-to-drafts")
            .shows("foo@bar.example")
            .keys("<Enter>")
            .shows("foo@bar.example");
        desk.keys("<Ctrl-X><Esc><Esc>").shows("Inbox");
        desk.pass(10).settle();
        // An empty mail is not kept.
        desk.keys("<Ctrl-N><Esc>").shows("Inbox").hides("kept as a draft");
    }
}

#[test]
fn in_ascii_the_desk_draws_no_other_marks() {
    let mut desk = mail(80, 24);
    let text = "Yes please.\n\nOn 20 Nov Ana wrote:\n> one\n> two\n> three";
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some(text), None);
    calm(&mut desk);
    desk.theme.ascii = true;
    desk.keys("gg<Enter>").settle().shows("> 4 quoted lines").hides("▸");
    desk.keys("r").types("It left.").shows("quoted lines below").hides("▸");
    desk.keys("<Ctrl-X>").shows("quoted lines").hides("▸");
}
