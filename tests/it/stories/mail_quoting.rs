//! Position of quotes in answers, and templates of mails.

use frontdesk::model::email::compose::MailStyle;
use frontdesk::model::email::quoting::QuoteStyle;

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

fn open_question(desk: &mut Desk) -> String {
    let thread =
        letter(desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAnd when?"), None);
    calm(desk);
    thread
}

fn newest(desk: &mut Desk, thread: &str) -> String {
    desk.keys("y").pass(11);
    calm(desk);
    let read = desk.get("email", &format!("/email/threads/{thread}"));
    let mails = read["messages"].as_array().expect("mails");
    mails.last().and_then(|mail| mail["text"].as_str()).expect("a text").to_owned()
}

fn mail() -> Desk {
    let mut desk = Desk::demo(80, 24);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

#[test]
fn the_quote_is_turned_while_the_answer_is_written() {
    let mut desk = mail();
    let thread = open_question(&mut desk);
    desk.keys("gg<Enter>").settle().keys("r").types("Today.").shows("quoted lines below · Ctrl-F above");
    // Moved into the text and undone, the quote is separate again.
    desk.keys("<Ctrl-N>").shows("the quote is in the text now").hides("quoted lines below");
    desk.keys("<Ctrl-_>").shows("quoted lines below").keys("<Ctrl-Y>").hides("quoted lines below");
    desk.keys("<Ctrl-_>").shows("quoted lines below").shows("Today.");
    desk.keys("<Ctrl-F>").shows("quoted lines above").keys("<Ctrl-F>").shows("quoted lines left out");
    desk.shows("the mail is not quoted");
    photographs!(desk, "a_quote_stays_out", Composer);
    desk.keys("<Esc>").settle().wait(3_000_000);
    desk.settle().keys("r").shows("quoted lines left out").keys("<Ctrl-X>");
    assert_eq!(newest(&mut desk, &thread), "Today.");
    let thread = open_question(&mut desk);
    desk.keys("<Esc>gg<Enter>").settle().keys("r").types("Soon.").keys("<Ctrl-F><Ctrl-X>");
    assert!(newest(&mut desk, &thread).ends_with("\n\nSoon."));
}

#[test]
fn a_tab_quotes_between_the_lines_under_a_line_of_its_own() {
    let mut desk = mail();
    let thread = open_question(&mut desk);
    desk.mails_begin(MailStyle {
        quoting: QuoteStyle::Between,
        attribution: Some("{name} <{address}> about {subject}:".to_owned()),
        ..MailStyle::default()
    });
    desk.keys("gg<Enter>").settle().keys("r").shows("Ana Ruiz <ana@ruiz.example> about Order 2001:");
    desk.keys("<Ctrl-X>").shows("the mail is empty").types("With the carrier.");
    photographs!(desk, "an_answer_between_the_lines", Composer);
    desk.keys("<Ctrl-X>");
    let text = newest(&mut desk, &thread);
    assert!(text.contains("> Where is it?\nWith the carrier.\n\n> And when?"), "{text}");
}

#[test]
fn a_canned_reply_is_a_template_of_a_mail() {
    let mut desk = mail();
    let thread = open_question(&mut desk);
    let template = "+++\ntitle = \"Shipping delay\"\nsubject = \"Late: {mail.subject}\"\nquote = \"none\"\n+++\n\
                    Hi {contact.first_name},\nyour mail of {mail.date} reached us. It is late by {days?} days.";
    std::fs::create_dir_all(desk.replies()).expect("a folder");
    std::fs::write(desk.replies().join("shipping.md"), template).expect("written");
    desk.keys("gg<Enter>").settle().keys("c").types("shipping").shows("Shipping delay").keys("<Enter>");
    desk.shows("Late: Order 2001").shows("Hi Ana,").shows("quoted lines left out");
    // A mail with an open placeholder is not sent.
    desk.keys("<Ctrl-X>").shows("{days?} is not filled in").types("2");
    photographs!(desk, "a_mail_by_its_template", Composer);
    desk.keys("<Ctrl-X>").shows("Late: Order 2001");
    let text = newest(&mut desk, &thread);
    assert_eq!(text, "Hi Ana,\nyour mail of Fri 20 Nov reached us. It is late by 2 days.");
}
