//! Attaching a file by path or link: prices before sending, progress, and nothing lost on failure.

use serde_json::json;

use crate::carriers::bots::webp;
use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";
const BELL: &str = "tests/it/stories/files/bell.png";
const SECOND: i64 = 1_000_000;

fn writing() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Which bell is it?");
    desk.settle().keys("<Enter>i");
    desk
}

#[test]
fn a_file_is_uploaded_and_sent_with_its_caption() {
    let mut desk = Desk::with(80, 24, |settings| {
        direct(settings);
        settings.hold = 5 * SECOND;
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Which bell is it?");
    desk.settle().keys("<Enter>i").keys("<Ctrl-T>").shows("a path, such as").shows("your own link, any type");
    desk.types("tests/it/stories/files/be").keys("<Tab>").shows(BELL).shows("bell.png · image/png ·");
    desk.shows("Sent as image").shows("2 credits, 998 left").shows("1 credit, 999 left");
    photographs!(desk, "form", Overlay);
    desk.keys("<Ctrl-T>").shows("Sent as document").keys("<Ctrl-T>").shows("Sent as image").keys("<Enter>");
    desk.types("This one, in brass").shows("[image] bell.png").shows("18/1024");
    desk.shows("uploaded 2 credits │ own link 1").shows("Reply · 2 credits");
    desk.keys("<Enter>").shows("Uploading and sending in 5 s · Alt-z undo").hides("18/1024");
    desk.wait(5 * SECOND);
    desk.uploads_in_part("whatsapp", 40).shows("uploading ▰▰▰▰▱▱▱▱▱▱ 40 % · Alt-z undo");
    photographs!(desk, "uploading", History);
    // The uploading process has ended: the file is uploaded again, and sent once.
    desk.wait(120 * SECOND);
    desk.settle().hides("uploading").shows("sent");
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1);
    assert!(sent[0]["content"].to_string().contains("This one, in brass"), "{}", sent[0]);
    assert!(desk.app.desk.tab().account.as_ref().is_some_and(|account| account.credits == 998.0));
}

#[test]
fn a_file_is_taken_back_on_its_way() {
    let mut desk = writing();
    desk.keys("<Ctrl-T>").types(BELL).keys("<Enter>").types("this one").keys("<Enter><Esc>");
    desk.uploads_in_part("whatsapp", 73).keys("z").shows("undone: back in the composer");
    desk.shows("[image] bell.png").shows("this one").hides("uploading").settle();
    assert!(desk.outbound().is_empty());
    desk.keys("<Enter>").settle().shows("sent");
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn an_own_link_costs_less_and_leaves_at_once() {
    let mut desk = writing();
    desk.keys("<Ctrl-T>").types("http://shop.example/a.pdf").shows("the link must begin with https://");
    desk.keys("<Enter>").shows("not attached: the link must begin").keys("<Ctrl-U>");
    desk.types("https://10.0.0.1/a.pdf").shows("10.0.0.1 is not public").keys("<Ctrl-U>");
    desk.pastes(" https://shop.example/files/bill-1041.pdf\n").shows("bill-1041.pdf · shop.example");
    photographs!(desk, "link", Overlay);
    desk.keys("<Enter>").shows("own link 1 │ uploaded 2 credits").shows("Reply · 1 credit");
    // The test's service cannot fetch it: its refusal refunds everything.
    desk.keys("<Enter><Esc>").settle().shows("[document] bill-1041.pdf").shows("NOT SENT · a decide");
    photographs!(desk, "unfetched", History);
    desk.keys("ae").shows("[document] bill-1041.pdf · shop.example");
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_dropped_file_is_recognised_and_a_text_that_looks_like_one_stays() {
    let mut desk = writing();
    let path = desk.file("invoice 7.pdf", b"%PDF-1.7 ...");
    desk.types("Here it is ").pastes(&format!("'{path}'")).shows("Attach a file or a link");
    desk.shows("invoice 7.pdf · application/pdf · 12 bytes").keys("<Esc>");
    desk.shows("Here it is '/").keys("<Ctrl-U>").pastes(&format!("'{path}'")).keys("<Enter>");
    desk.shows("[document] invoice 7.pdf").keys("<Backspace>").hides("[document]");
    desk.pastes("/no/such/file at all").shows("/no/such/file at all").hides("Attach a file");
}

#[test]
fn several_files_are_sent_in_order_with_one_caption_and_undone_at_once() {
    let mut desk = Desk::with(80, 24, |settings| {
        direct(settings);
        settings.hold = 5 * SECOND;
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Which bell is it?");
    desk.settle().keys("<Enter>i");
    let list = desk.file("my list.txt", b"A list.");
    desk.file("b1.txt", b"One.");
    let pattern = desk.file("b2.txt", b"Two.").replace("b2.txt", "b*.txt");
    desk.keys("<Ctrl-T>").pastes(&format!("'{list}'")).shows("my list.txt · text/plain").types(" ");
    desk.types(&pattern).shows("my list.txt, b1.txt, b2.txt").shows("3 messages, sent as document");
    desk.shows("Together 6 credits, 994 left").shows("Caption of the first").keys("<Enter>");
    desk.types("The bells").shows("3 files: my list.txt, b1.txt, b2.txt").shows("3 messages · 6 credits");
    desk.wait(150_000);
    let mut desk = desk.crash_and_reopen();
    desk.keys("<Enter>i").shows("3 files: my list.txt, b1.txt, b2.txt").shows("The bells");
    desk.keys("<Enter>").hides("3 files").keys("<Esc>z").shows("undone: back in the composer");
    desk.shows("3 files: my list.txt, b1.txt, b2.txt").shows("The bells").settle();
    assert!(desk.outbound().is_empty());
    // The last goes first when they are taken off.
    desk.keys("i<Ctrl-T><Enter>")
        .shows("3 files are attached")
        .keys("<Ctrl-U><Backspace>")
        .shows("2 files: my list.txt, b1.txt");
    desk.types("The bells").keys("<Enter>").wait(6 * SECOND);
    desk.settle().hides("2 files").shows("sent");
    let sent = desk.outbound();
    assert_eq!(sent.len(), 2, "{sent:?}");
    let told: Vec<String> = sent.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("The bells"), "{told:?}");
    assert!(told[1].contains("b1.txt") && !told[1].contains("The bells"), "{told:?}");
    assert!(desk.app.desk.tab().account.as_ref().is_some_and(|account| account.credits == 996.0));
}

#[test]
fn several_dropped_files_are_attached_and_refused_together() {
    let mut desk = writing();
    let (one, two) = (desk.file("one two.txt", b"One."), desk.file("three.txt", b"Three."));
    desk.pastes(&format!("'{one}' {two} "))
        .shows("Attach a file or a link")
        .shows("2 messages, sent as document");
    let film = desk.file("film.mp4", b"....ftypisom");
    desk.pastes(&film)
        .shows("3 messages, sent as document, video")
        .keys("<Ctrl-T>")
        .shows("sent as document ·");
    let empty = desk.file("empty.txt", b"");
    desk.pastes(&empty)
        .shows("empty.txt: the file is empty")
        .keys("<Enter>")
        .shows("not attached: empty.txt");
    desk.keys("<Esc>").shows("'/").settle();
    let none: Vec<String> = (0..11).map(|at| desk.file(&format!("{at}.txt"), b"x")).collect();
    desk.keys("<Ctrl-U>").pastes(&none.join(" ")).shows("11 files; one reply takes at most 10");
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_voice_note_is_recorded_or_attached_and_sent_as_one() {
    let mut desk = Desk::with(80, 24, |settings| {
        direct(settings);
        settings.record_command = vec!["record".to_owned()];
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Which bell is it?");
    desk.settle().keys("<Enter>i<Ctrl-T>").shows("[Ctrl-R] record").keys("<Ctrl-R>");
    desk.shows("recorded.ogg · audio/ogg").shows("Sent as voice note").shows("2 credits, 998 left");
    // Turned to audio by way of a document.
    desk.keys("<Ctrl-T>")
        .shows("Sent as document")
        .keys("<Ctrl-T>")
        .shows("Sent as audio")
        .keys("<Ctrl-T><Enter>");
    desk.shows("[voice note] recorded.ogg").keys("<Enter>").settle().shows("sent");
    let heard = |desk: &Desk| {
        let sent = desk.get("whatsapp", "/messages?direction=outbound")["data"][0]["id"].clone();
        let whole = desk.get("whatsapp", &format!("/messages/{}", sent.as_str().expect("an id")));
        (whole["contentType"].clone(), whole["media"]["voice"].clone())
    };
    assert_eq!(heard(&desk), (json!("audio"), json!(true)));
    let note = desk.file("note.ogg", b"OggS....OpusHead again");
    desk.keys("<Ctrl-T>")
        .pastes(&note)
        .shows("Sent as voice note")
        .keys("<Ctrl-T><Ctrl-T>")
        .shows("Sent as audio");
    desk.keys("<Enter><Enter>").settle();
    assert_eq!(heard(&desk), (json!("audio"), json!(null)));
    assert_eq!(desk.outbound().len(), 2);
}

#[test]
fn a_sticker_is_known_by_its_format_and_sent_as_one() {
    let mut desk = writing();
    let sticker = desk.file("bell.webp", &webp(512));
    desk.keys("<Ctrl-T>").pastes(&sticker).shows("bell.webp · image/webp").shows("Sent as sticker");
    desk.shows("A sticker has no caption: the text is sent as a second message.");
    // Turned to an image by way of a document.
    desk.keys("<Ctrl-T>").shows("Sent as document").keys("<Ctrl-T>").shows("Sent as image");
    desk.keys("<Ctrl-T><Enter>").shows("[sticker] bell.webp").keys("<Enter>").settle().shows("sent");
    assert_eq!(desk.sent_details("whatsapp")[0]["sticker"], true);
    let wide = desk.file("wide.webp", &webp(900));
    desk.keys("<Ctrl-T>").pastes(&wide).shows("Sent as image · Ctrl-T changes: document");
    desk.keys("<Esc><Esc>2");
    desk.customer("telegram", "8812", "Nadia Rahimi", "hi");
    let moving = desk.file("bell.tgs", b"\x1F\x8B....");
    desk.settle().keys("<Enter>i<Ctrl-T>").pastes(&moving).shows("Sent as sticker").keys("<Enter>");
    desk.types("Ring!").shows("Reply as plain text").keys("<Enter>").settle().shows("Ring!");
    let details = desk.sent_details("telegram");
    assert_eq!((details.len(), &details[0]["sticker"]), (2, &json!(true)));
    assert_eq!(desk.outbound().len(), 3);
}

#[test]
fn what_cannot_be_sent_is_said_before() {
    let mut desk = writing();
    let sound = desk.file("voice.amr", b"#!AMR\n....");
    let huge = desk.file("film.mp4", b"....ftypisom");
    let file = std::fs::OpenOptions::new().write(true).open(&huge).expect("a file");
    file.set_len(26_214_401).expect("made large");
    desk.keys("<Ctrl-T><Ctrl-R>").shows("nothing is recorded: set record in [voice]");
    desk.pastes("/no/such/bell.png").shows("there is no file /no/such/bell.png");
    desk.keys("<Enter>").shows("not attached: there is no file");
    photographs!(desk, "refused", Overlay, Status);
    desk.keys("<Ctrl-U>").pastes(&huge).shows("too large: 26.2 MB; upload at most 25 MB");
    desk.keys("<Ctrl-U>").pastes(&sound).shows("No captions for sound here").keys("<Enter>");
    desk.types("Listen").shows("Reply · 3 credits").keys("<Ctrl-T><Ctrl-U><Enter>");
    desk.shows("nothing is attached").hides("voice.amr").keys("<Ctrl-U>");
    desk.keys("<Ctrl-T>").types(BELL).keys("<Enter>").pastes(&"x".repeat(1025)).keys("<Enter>");
    desk.shows("nothing was sent: a caption has at most 1024 characters, this has 1025");
    desk.dev("credits", json!({"balance": 1}));
    desk.wait(2 * SECOND);
    desk.settle().keys("<Backspace><Enter>").shows("nothing was sent: balance 1, this needs 2 credits");
    assert!(desk.outbound().is_empty());
    desk.customer("telegram", "8812", "Nadia Rahimi", "hi");
    desk.keys("<Esc>2").settle().keys("<Enter>i<Ctrl-T>").pastes(&sound);
    desk.shows("only MP3, M4A and OGG");
}

#[test]
fn a_refused_upload_keeps_everything_and_is_tried_again() {
    let mut desk = writing();
    let fault = json!({"path_prefix": "/media", "method": "POST", "count": 1, "status": 413, "code": "FILE_TOO_LARGE"});
    desk.dev("fault", fault);
    desk.keys("<Ctrl-T>").types(BELL).keys("<Enter>").types("this one").keys("<Enter><Esc>").settle();
    desk.shows("NOT SENT · a decide · the upload:");
    photographs!(desk, "failed", History);
    desk.keys("a").shows("try again").shows("back into the composer").keys("y").settle().shows("sent");
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn an_attached_file_survives_a_crash_and_says_when_it_is_gone() {
    let mut desk = writing();
    let path = desk.file("bell.jpg", b"\xFF\xD8\xFF\xE0....");
    desk.keys("<Ctrl-T>").pastes(&path).keys("<Enter>").types("this one");
    desk.wait(150_000);
    let mut desk = desk.crash_and_reopen();
    desk.keys("<Enter>i").shows("[image] bell.jpg · image/jpeg · 8 bytes").shows("this one");
    std::fs::remove_file(&path).expect("removed");
    desk.keys("<Enter>")
        .shows("sending failed: there is no file")
        .shows("[image] bell.jpg")
        .shows("this one");
    desk.file("bell.jpg", b"\xFF\xD8\xFF\xE0another");
    desk.keys("<Enter>").shows("has changed since it was attached").settle();
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_file_that_was_uploaded_before_is_sent_again_without_another_upload() {
    let mut desk = writing();
    desk.keys("<Ctrl-T>")
        .hides("uploaded before")
        .types(BELL)
        .keys("<Enter>")
        .keys("<Enter>")
        .settle()
        .shows("sent");
    desk.keys("<Ctrl-T>").shows("[Up] [Down] uploaded before: ").keys("<Down>").shows("Sent as image");
    desk.shows("2 credits, 996 left").keys("<Enter>").types("Once more").keys("<Enter>").settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 2, "{sent:?}");
    desk.keys("<Esc>").run_command("show-calls").settle();
    assert_eq!(desk.picture().matches("POST   /media").count(), 1, "one upload:\n{}", desk.picture());
}
