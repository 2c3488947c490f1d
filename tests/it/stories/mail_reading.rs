//! Reading mail of strangers: nothing is executed or fetched, files are saved under safe names.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

use frontdesk::model::account::Environment;
use frontdesk::model::time::SECOND;
use ratatui::style::Modifier;
use serde_json::json;

use crate::binary::free_port;
use crate::desk::{Desk, utc};
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::stories::mail::{calm, letter};

fn mail() -> Desk {
    let mut desk = Desk::demo(120, 40);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

/// Two minutes on a desk with another desk's service.
fn poll_for_two_minutes(desk: &mut Desk) {
    for _ in 0..4 {
        desk.wait(30 * SECOND);
        desk.settle();
    }
}

#[test]
fn hostile_html_is_only_text_and_nobody_is_asked_for_anything() {
    let mut desk = mail();
    // Not a port another test's client may still use.
    let trap = TcpListener::bind((Ipv4Addr::LOCALHOST, free_port())).expect("a port");
    trap.set_nonblocking(true).expect("it no longer needs a decision");
    let at = trap.local_addr().expect("an address");
    let bodies = [
        format!("<img src=http://{at}/x.gif?u=1>"),
        format!("<style>@import url(http://{at}/)</style><link rel=stylesheet href=//{at}/>"),
        format!("<svg><image href=http://{at}/></svg><object data=http://{at}/></object>"),
        format!("<video src=http://{at}/v autoplay></video><iframe src=http://{at}/></iframe>"),
        format!("<script src=http://{at}/s.js></script><script>alert(1)</script>"),
        format!("<base href=http://{at}/><form action=/a><input name=card></form>"),
        format!("<meta http-equiv=refresh content='0;url=http://{at}/'>"),
        "\u{1b}[2J\u{9b}31m\u{202e}<a href='https://x.example/&#x1b;]0;t&#7;'>link</a>".to_owned(),
    ];
    for (number, body) in bodies.iter().enumerate() {
        let html = format!("<p>{body}</p><p>Seen {number}</p>");
        letter(
            &desk,
            &format!("p{number}@mail.example"),
            "Person",
            &format!("Mail {number}"),
            None,
            Some(&html),
        );
    }
    for _ in 0..3 {
        calm(&mut desk);
    }
    desk.keys("f").types("subject Mail").keys("<Enter>f<Ctrl-U>").types("Person").keys("<Enter>gg<Enter>");
    for number in (0..bodies.len()).rev() {
        desk.settle().shows(&format!("Seen {number}")).hides("alert").hides("@import");
        assert!(
            desk.picture().chars().all(|character| !character.is_control() || character == '\n'),
            "mail {number}"
        );
        if number == 0 {
            desk.shows("(1 picture not loaded)");
        }
        if number == 5 {
            desk.shows("[form, cannot be sent from here]");
            photographs!(desk, "a_form_is_only_text", History);
        }
        desk.keys("J");
    }
    assert_eq!(trap.accept().expect_err("nobody comes").kind(), ErrorKind::WouldBlock);
    assert!(desk.opened.is_empty());
}

#[test]
fn files_say_what_they_are_and_are_saved_beside_what_is_there() {
    let mut desk = mail();
    desk.dev(
        "inbound",
        json!({
            "channel": "email", "from": "ana@ruiz.example", "name": "Ana Ruiz", "subject": "The report",
            "text": "See attached.", "attachments": [
                {"filename": "report.pdf                 .exe", "contentType": "application/pdf", "content": "aGk="},
                {"filename": "plan.pdf", "contentType": "application/pdf", "content": "aGVsbG8="},
            ]
        }),
    );
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().shows("report.pdf .exe").shows("PROGRAM: opening it runs");
    photographs!(desk, "files_say_what_they_are", History);
    desk.keys("S");
    photographs!(desk, "a_file_is_chosen", Overlay);
    desk.keys("<Esc>");
}

#[test]
fn all_files_of_a_mail_are_saved_after_one_question_about_their_hosts() {
    let mut desk = mail();
    desk.keys("f").types("Brakes failed").keys("<Enter>gg<Enter>").settle().keys("kkk");
    // The mail has files and no link.
    desk.keys("gg<Enter>").settle().keys("o").shows("Save file").shows("all 2 that came with this mail");
    desk.types("all 2").keys("<Enter>");
    desk.shows("Save the files?").shows("2 of them are downloaded from").shows("127.0.0.1").keys("n");
    assert!(!desk.folder().join("saved").exists(), "nothing is fetched unasked");
    desk.keys("S").types("all 2").keys("<Enter>s").settle().shows("saved as");
    for name in ["lever.jpg", "cable-anchor.jpg"] {
        assert!(desk.folder().join("saved").join(name).exists(), "{name}");
    }
}

#[test]
fn a_file_behind_an_address_is_saved_or_opened() {
    let mut desk = mail();
    desk.keys("f").types("Brakes failed").keys("<Enter>gg<Enter>").settle();
    desk.keys("S").shows("[file 1] lever.jpg").hides("cannot be saved");
    desk.keys("<Enter>").shows("Save the file?").shows("Download from 127.0.0.1");
    desk.keys("n").settle().hides("Save the file?");
    assert!(!desk.folder().join("saved").exists(), "nothing is fetched unasked");
    desk.keys("S<Enter>").keys("s").settle().shows("saved as").shows("lever.jpg");
    let saved = std::fs::read(desk.folder().join("saved/lever.jpg")).expect("it is there");
    assert!(saved.starts_with(&[0xff, 0xd8, 0xff]), "a picture");
    desk.keys("S<Enter>").keys("y").settle();
    let opened = desk.opened.pop().expect("it is opened");
    assert!(opened.starts_with(&desk.base_url) && opened.ends_with("/lever.jpg"), "{opened}");
}

#[test]
fn an_account_that_lags_says_that_mail_may_be_late() {
    let world = Desk::demo(80, 24);
    let address = world.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
    let proxy = world.runtime.block_on(Proxy::start(address.parse().expect("an address"), Door::Open));
    let told = |status: &str, synced: &str| {
        let body = json!({"emailAddress": "hello@harbor.example", "syncStatus": status, "lastSyncAt": synced,
            "aiAutoReply": true});
        let body = body.to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
    };
    let answers = |answer: Vec<u8>| {
        proxy.plan(move |asked| match asked.target.ends_with("/email/account") {
            true => Script::withhold(Give::Bytes(answer.clone())),
            false => Script::pass(),
        });
    };
    answers(told("active", &utc("2026-11-20T09:20:00")));
    let mut desk = Desk::with_tab("Harbor mail", &proxy.base_url(), &world.key_of("email"));
    poll_for_two_minutes(&mut desk);
    desk.shows("synced 42m ago · mail may be late").shows("AI auto-reply ON");
    let style = |desk: &Desk, text: &str| desk.buffer()[desk.place_of(text)].style();
    assert_ne!(style(&desk, "mail may be late"), style(&desk, "AI auto-reply ON"), "not as all else");
    answers(told("paused", &utc("2026-11-20T10:00:00")));
    poll_for_two_minutes(&mut desk);
    desk.shows("the account is paused: mail may be late");
    answers(told("active", &utc("2026-11-20T10:04:00")));
    poll_for_two_minutes(&mut desk);
    desk.hides("may be late").hides("synced");
}

#[test]
fn what_a_server_does_not_take_holds_here_and_says_so() {
    let world = Desk::demo(80, 24);
    let key =
        world.keys.iter().find(|key| key.0 == "email" && key.1 == Environment::Test).expect("a test key");
    let mut desk = Desk::with_tab("Harbor mail", &world.base_url, &key.2);
    poll_for_two_minutes(&mut desk);
    desk.keys("gg*").settle().settle().shows("here only").shows("on this desk only");
    desk.keys("<Enter>").shows("star on this desk only");
    photographs!(desk, "it_holds_here_only", History, Status);
}

#[test]
fn the_newest_mail_has_its_header_and_marks_where_the_answer_goes() {
    let mut desk = mail();
    let long =
        "We would like to hire twelve city bikes for the whole week, with panniers and two child seats. ";
    let first = json!({"channel": "email", "from": "ann@a.example", "name": "Ann", "subject": "Twelve bikes",
        "text": "Do you hire out bikes?"});
    desk.dev("inbound", first);
    calm(&mut desk);
    let text = format!("{}\n\nOn 20 Nov 2026 Harbor wrote:\n> Yes, we do.\n> Harbor", long.repeat(3));
    let second = json!({"channel": "email", "from": "ann@a.example", "name": "Ann", "subject": "Twelve bikes",
        "text": text, "replyTo": ["office@a.example"]});
    desk.dev("inbound", second);
    calm(&mut desk);
    desk.keys("f").types("\"Twelve bikes\"").keys("<Enter>gg<Enter>").settle();
    desk.shows("To          hello@harborbicycles.example");
    desk.shows("Reply-To    office@a.example · replies go here").shows("▸ 3 quoted lines");
    let (x, y) = desk.place_of("Reply-To");
    assert!(desk.buffer()[(x, y)].modifier.contains(Modifier::BOLD), "it stands out");
    photographs!(desk, "the_header_of_the_newest_mail", History);
    // From 120 columns a mail takes the pane, and no line is longer than 100 columns.
    desk.keys("Z").shows("Reply-To");
    let lines: Vec<String> = desk.picture().lines().map(str::to_owned).collect();
    let text =
        lines.iter().filter(|line| line.contains("hire twelve")).map(|line| line.trim_matches(['│', ' ']));
    let widest = text.map(str::len).max().unwrap_or_default();
    assert!((90..=100).contains(&widest), "{widest}:\n{}", lines.join("\n"));
    photograph!(desk, "a_zoomed_mail", History);
}
