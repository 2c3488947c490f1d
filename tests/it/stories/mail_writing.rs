//! Writing mail: to all, forwarded, with files and as HTML, to many; and going to the chat.

use frontdesk::model::email::compose::MailStyle;
use frontdesk::model::email::quoting::QuoteStyle;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::stories::mail::{calm, letter};

fn mail(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

fn last(desk: &Desk) -> Value {
    desk.outbound().iter().rev().find(|value| value["channel"] == "email").expect("a mail").clone()
}

fn leaves(desk: &mut Desk) -> Value {
    desk.keys("y").pass(11);
    calm(desk);
    last(desk)
}

#[test]
fn all_are_answered_and_a_mail_is_passed_on() {
    let mut desk = mail(80, 24);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAna"), None);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys("R").types("It left today.").keys("<Tab>");
    // Recipients can be changed; a repeated address counts once.
    desk.keys("<Tab>").types("bob@y.example, ANA@ruiz.example, bob@y.example").keys("<Ctrl-X>");
    desk.shows("bob@y.example").shows("Re: Order 2001");
    let sent = leaves(&mut desk);
    let told = sent.to_string();
    assert_eq!(told.matches("bob@y.example").count(), 1, "{told}");
    assert_eq!(told.to_lowercase().matches("ana@ruiz.example").count(), 1, "{told}");
    desk.keys("<Esc>gg<Enter>").settle().keys("F").shows("Fwd: Re: Order 2001").types("carla@z.example");
    desk.keys("<Tab><Tab><Tab><Tab>").types("For you.");
    photographs!(desk, "a_mail_is_passed_on", Composer);
    desk.keys("<Ctrl-X>");
    let told = leaves(&mut desk).to_string();
    assert!(told.contains("carla@z.example") && told.contains("Where is it?"), "{told}");
}

#[test]
fn a_mail_is_passed_on_without_a_word_and_its_head_is_kept() {
    let mut desk = mail(80, 24);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAna"), None);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys("F").types("carla@z.example").keys("<Esc>").settle();
    desk.wait(3_000_000);
    desk.settle().keys("F").shows("carla@z.example").shows("continuing your draft").keys("<Ctrl-X>");
    desk.shows("Send this mail?");
    let told = leaves(&mut desk).to_string();
    assert!(told.contains("carla@z.example") && told.contains("Where is it?"), "{told}");
    // An untouched mail that was left is not kept.
    desk.keys("<Esc><Ctrl-N>").types("foo").keys("<Esc>").settle().run_command("go-to-drafts").shows("foo");
}

#[test]
fn markdown_leaves_as_html_too_and_a_link_goes_with_it() {
    let mut desk = mail(80, 24);
    desk.keys("<Ctrl-N>").types("ana@ruiz.example").keys("<Tab><Tab><Tab>").types("Prices").keys("<Tab>");
    desk.types("It is **free**, see the list.");
    desk.keys("<Ctrl-T>").types("https://harbor.example/prices.pdf").keys("<Enter>").shows("by its link");
    desk.keys("<Ctrl-X>m").shows("its Markdown as HTML").keys("v");
    photographs!(desk, "markdown_is_previewed", Overlay);
    desk.keys("d").shows("is no longer attached").keys("d").shows("nothing is attached");
    leaves(&mut desk);
    let listed = desk.get("email", "/email/threads");
    let mut threads = listed["data"].as_array().expect("a list").iter();
    let id = threads.find(|thread| thread["subject"] == "Prices").expect("a thread")["id"].as_str();
    let read = desk.get("email", &format!("/email/threads/{}", id.expect("an id")));
    let sent = read["messages"][0].to_string();
    assert!(sent.contains("<strong>free</strong>") && sent.contains("It is **free**"), "{sent}");
}

#[test]
fn many_recipients_are_asked_about() {
    let mut desk = mail(80, 24);
    let many: Vec<String> = (0..21).map(|number| format!("p{number}@mail.example")).collect();
    desk.keys("<Ctrl-N>").pastes(&many.join(", ")).keys("<Tab><Tab><Tab>").types("News").keys("<Tab>");
    desk.types("We have moved.").keys("<Ctrl-X>y").shows("21 addresses; all of To and Cc");
    desk.keys("n").settle();
    assert!(desk.outbound().iter().all(|value| value["channel"] != "email" || value["subject"] != "News"));
}

#[test]
fn an_address_leads_to_the_chat_of_the_same_person() {
    let mut desk = mail(80, 24);
    desk.customer("whatsapp", "+34600111222", "Ana Ruiz", "Hola, it is me again");
    let contact = json!({"phone": "+34600111222", "name": "Ana Ruiz", "email": "ana@ruiz.example"});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    calm(&mut desk);
    desk.run_command("mail-contacts").types("ana").shows("ana@ruiz.example").shows("chat +34600111222");
    desk.keys("<Right>").settle().shows("Hola, it is me again");
    desk.keys("3")
        .run_command("mail-contacts")
        .types("ferri")
        .keys("<Right>")
        .shows("no business chat number is linked");
}

/// A desk whose server lists these files in the newest mail.
fn with_files(world: &Desk, proxy: &Proxy, thread: &str, files: &Value) -> Desk {
    let mut whole = world.get("email", &format!("/email/threads/{thread}"));
    whole["messages"][0]["attachments"] = files.clone();
    let (whole, thread) = (whole.to_string(), thread.to_owned());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{whole}", whole.len()).into_bytes();
    proxy.plan(move |asked| match asked.method == "GET" && asked.target.ends_with(&thread) {
        true => Script::withhold(Give::Bytes(answer.clone())),
        false => Script::pass(),
    });
    let mut desk = Desk::with_tab("Harbor mail", &proxy.base_url(), &world.key_of("email"));
    poll_for_two_minutes(&mut desk);
    desk
}

/// Two minutes on a desk with another desk's service.
fn poll_for_two_minutes(desk: &mut Desk) {
    for _ in 0..4 {
        desk.wait(30_000_000);
        desk.settle();
    }
}

#[test]
fn a_mail_is_passed_on_with_its_files() {
    let world = Desk::demo(80, 24);
    let thread = letter(&world, "ana@ruiz.example", "Ana Ruiz", "The plans", Some("See attached."), None);
    let address = world.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
    let proxy = world.runtime.block_on(Proxy::start(address.parse().expect("an address"), Door::Open));
    let files = json!([
        {"filename": "plan.pdf", "contentType": "application/pdf", "size": 5, "content": "aGVsbG8="},
        {"filename": "film.mp4", "contentType": "video/mp4", "size": 19_000_000, "content": "aGk="},
        {"filename": "lost.bin", "contentType": "application/octet-stream", "size": 9},
    ]);
    let mut desk = with_files(&world, &proxy, &thread, &files);
    desk.keys("gg<Enter>");
    poll_for_two_minutes(&mut desk);
    desk.keys("F").shows("1 of its 3 files is not included").types("carla@z.example");
    desk.shows("plan.pdf (5 B").shows("film.mp4 (19.0 MB").hides("lost.bin (");
    photographs!(desk, "a_mail_is_passed_on_with_its_files", Composer);
    desk.keys("<Ctrl-X>").shows("the files have 19.0 MB together; a mail takes at most 18.0 MB");
    // Tab passes the files before the text.
    desk.keys("<Tab><Tab><Tab><Tab>").shows("plan.pdf (5 B, sent as 8 B) · Del takes it off");
    desk.types("x").keys("<Down><Delete>").shows("film.mp4 is no longer attached").hides("film.mp4 (");
    desk.keys("<Tab>").types("For you.").keys("<Esc>").settle().wait(3_000_000);
    // The draft keeps its files.
    desk.keys("gi").settle().keys("gg<Enter>F").shows("continuing your draft").shows("plan.pdf (5 B");
    desk.keys("<Ctrl-X>")
        .shows("Send this mail?")
        .shows("plan.pdf (5 B")
        .keys("y")
        .shows("sending in 10 s")
        .wait(11_000_000);
    poll_for_two_minutes(&mut desk);
    let read = world.get("email", &format!("/email/threads/{thread}"));
    let sent = read["messages"].as_array().and_then(|array| array.last()).expect("a mail").clone();
    assert_eq!(sent["subject"], "Fwd: The plans", "{sent}");
    assert!(sent["text"].as_str().is_some_and(|sent| sent.starts_with("For you.")), "{sent}");
    let attached = sent["attachments"].as_array().expect("a list");
    assert_eq!(attached.len(), 1, "{sent}");
    assert_eq!((&attached[0]["filename"], &attached[0]["size"]), (&json!("plan.pdf"), &json!(5)), "{sent}");
}

#[test]
fn files_are_attached_by_paths_that_are_completed() {
    let mut desk = mail(80, 24);
    let folder = desk.replies().parent().expect("a folder").to_owned();
    for name in ["price list.txt", "offer.txt"] {
        std::fs::write(folder.join(name), "9 credits").expect("written");
    }
    let begun = |start: &str| folder.join(start).display().to_string();
    desk.keys("<Ctrl-N>").types("ana@ruiz.example").keys("<Tab><Tab><Tab>").types("Prices").keys("<Tab>");
    desk.types("Here they are.").keys("<Ctrl-T>").shows("the price stays the same").pastes(&begun("pri"));
    desk.keys("<Tab>")
        .shows("price list.txt · text/plain")
        .keys("<Enter>")
        .shows("price list.txt is attached");
    desk.keys("<Ctrl-T>")
        .pastes(&begun("none"))
        .shows("there is no file")
        .keys("<Enter>")
        .shows("not attached");
    desk.keys("<Esc>");
    // A file dropped on the text becomes an attachment after a question.
    desk.pastes(&begun("offer.txt")).shows("offer.txt · text/plain").keys("<Enter>").settle();
    desk.shows("price list.txt (9 B").shows("offer.txt (9 B").keys("<Ctrl-X>");
    leaves(&mut desk);
    let listed = desk.get("email", "/email/threads");
    let mut threads = listed["data"].as_array().expect("a list").iter();
    let id = threads.find(|thread| thread["subject"] == "Prices").expect("a thread")["id"].as_str();
    let sent = desk.get("email", &format!("/email/threads/{}", id.expect("an id")))["messages"][0].clone();
    let names: Vec<&str> = sent["attachments"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|value| value["filename"].as_str())
        .collect();
    assert_eq!(
        (names.as_slice(), &sent["text"]),
        (&["price list.txt", "offer.txt"][..], &json!("Here they are."))
    );
}

#[test]
fn a_mail_begins_with_the_signature_and_the_sender_of_its_tab() {
    let mut desk = mail(80, 24);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAna"), None);
    calm(&mut desk);
    desk.mails_begin(MailStyle {
        from: Some("Tom at Harbor <hello@harborbicycles.example>".to_owned()),
        signature: Some("Tom Baker\nHarbor Bicycles".to_owned()),
        quoting: QuoteStyle::Above,
        attribution: None,
    });
    desk.keys("gg<Enter>").settle().keys("r").shows("From     Tom at Harbor").shows("quoted lines above");
    // A signature alone is no mail and not kept.
    desk.keys("<Ctrl-X>").shows("the mail is empty").keys("<Esc>").settle().keys("r").hides("goes on");
    desk.types("It left today.");
    photographs!(desk, "a_mail_is_signed", Composer);
    desk.keys("<Ctrl-X>v").shows("Where is it?").shows("Tom Baker").shows("From     Tom at Harbor");
    let sent = leaves(&mut desk);
    assert!(sent.to_string().contains("It left today."), "{sent}");
    let listed = desk.get("email", "/email/threads");
    let mut threads = listed["data"].as_array().expect("a list").iter();
    let id = threads.find(|thread| thread["subject"] == "Order 2001").expect("a thread")["id"].as_str();
    let read = desk.get("email", &format!("/email/threads/{}", id.expect("an id")));
    let mail = read["messages"].as_array().and_then(|array| array.last()).expect("a mail");
    let text = mail["text"].as_str().expect("a text");
    assert!(
        text.starts_with("On ") && text.ends_with("It left today.\n\n-- \nTom Baker\nHarbor Bicycles"),
        "{text}"
    );
    assert_eq!(mail["fromName"], "Tom at Harbor", "{mail}");
}

#[test]
fn an_answer_says_where_it_goes_if_not_to_the_author() {
    let mut desk = mail(100, 30);
    let form = json!({"channel": "email", "from": "www@forms.example", "name": "Web form", "subject": "Fork 12",
                      "text": "Do you mend forks?", "replyTo": ["ann@a.example"]});
    desk.dev("inbound", form);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().shows("www@forms.example");
    desk.shows("Reply-To    ann@a.example · replies go here");
    desk.keys("r").settle().shows("Replies go to: ann@a.example").types("We do.").keys("<Ctrl-X>");
    let told = leaves(&mut desk).to_string();
    assert!(told.contains("ann@a.example") && !told.contains("www@forms.example"), "{told}");
}
