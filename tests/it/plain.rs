//! The plain mode: the real binary, words in, lines out, against the real
//! service.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};

use crate::binary::Binary;
use crate::desk::Desk;
use crate::waiting::{PATIENCE, until};

/// A conversation with the plain mode.
struct Talk {
    desk: Desk,
    binary: Binary,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Talk {
    fn new(prepare: impl FnOnce(&Desk)) -> Self {
        Self::held(0, prepare)
    }

    /// With texts held for so many seconds.
    fn held(seconds: u32, prepare: impl FnOnce(&Desk)) -> Self {
        let desk = Desk::new(80, 24);
        prepare(&desk);
        let mut binary = Binary::new();
        binary.configure(&format!(
            "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n\
             [behaviour]\nundo_seconds = {{ chat = {seconds} }}\n[polling]\nvisible_seconds = 1\n",
            desk.base_url
        ));
        binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
        Self::begin(desk, binary)
    }

    /// The same desk opened again.
    fn again(self) -> Self {
        Self::begin(self.desk, self.binary)
    }

    fn begin(desk: Desk, binary: Binary) -> Self {
        let mut child = binary.command(&["--plain"]).spawn().expect("it runs");
        let input = child.stdin.take().expect("its input");
        let out = child.stdout.take().expect("its output");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { desk, binary, child, input, lines, heard: Vec::new() }
    }

    fn says(&mut self, line: &str) -> &mut Self {
        writeln!(self.input, "{line}").expect("it reads");
        self
    }

    #[track_caller]
    fn ends(&mut self) {
        ends(&mut self.child);
    }

    /// Waits until a line holds all of these.
    #[track_caller]
    fn hears(&mut self, parts: &[&str]) -> &mut Self {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("{parts:?} was not said:\n{}", self.heard.join("\n"));
            };
            self.heard.push(line.clone());
            if parts.iter().all(|part| line.contains(part)) {
                return self;
            }
        }
    }
}

/// It ends well, and soon.
#[track_caller]
fn ends(child: &mut Child) {
    let status = until("its end", || child.try_wait().expect("a state").ok_or("it runs"));
    assert!(status.success(), "{status}");
}

#[test]
fn a_takeover_without_a_screen() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order\u{1b}[2J?");
    });
    talk.hears(&["Tab 1 of 1: Harbor chat, LIVE"]);
    talk.hears(&["Maria Lopez, waits", "where is my order"]);
    talk.says("list").hears(&["1 Maria Lopez", "waits"]);
    talk.says("1").hears(&["Maria ", "where is my order"]);
    talk.says("reply").hears(&["Write to Maria Lopez: one line is sent"]);
    talk.says("Hi Maria, a person here.").hears(&["[y] pause the AI and send"]);
    // A word does not answer by its first letter.
    talk.says("snooze").hears(&["answers nothing here"]).hears(&["[y] pause the AI and send"]);
    talk.says("Esc").hears(&["Write on to Maria Lopez after \"Hi Maria, a person here.\""]);
    talk.says("Wait.").hears(&["[y] pause the AI and send"]);
    talk.says("y").hears(&["sent", "Hi Maria"]);
    assert_eq!(talk.desk.outbound()[0]["content"], "Hi Maria, a person here.\nWait.");
    // A customer who writes is told of, wherever one is.
    talk.desk.customer("whatsapp", "+34600333444", "João", "bom dia");
    talk.says("").hears(&["NEW Harbor chat, João", "bom dia"]);
    talk.says("frobnicate").hears(&["is not a command; help says"]);
    let before = talk.heard.len();
    talk.says("help").hears(&["help reply: what one command does"]);
    assert!(talk.heard.len() - before < 12, "a short help: {:#?}", &talk.heard[before..]);
    assert!(!talk.heard[before..].iter().any(|text| text.contains("pane") || text.contains("mouse")));
    talk.says("help pause ai").hears(&["pause AI, or p: Pause the AI"]);
    talk.says("outbox").hears(&["Outbox"]);
    // Whoever leaves with the AI paused is told so, and can hand it back.
    talk.says("quit").hears(&["the AI is paused by you in 1 conversation"]).hears(&["[h] hand all back"]);
    talk.says("h").ends();
    let all = talk.heard.join("\n");
    assert!(!all.contains('\u{1b}'), "no line moves a cursor: {all:?}");
    assert!(talk.binary.data().join("outbox.db").exists());
}

#[test]
fn lines_that_come_together_act_one_after_the_other() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
        desk.clock.advance(60_000_000);
        desk.customer("whatsapp", "+14155550100", "Dana Whitlock", "Is anybody there?");
    });
    talk.hears(&["Dana Whitlock", "waits"]).says(":open maria").hears(&["Where is my order"]);
    // In one write, so that all of them are there before anything is read.
    talk.says(":open dana\nreply\nDear Dana").hears(&["Write to Dana Whitlock"]);
    talk.hears(&["[y] pause the AI and send"]).says("y").hears(&["sent", "Dear Dana"]);
    assert_eq!(talk.desk.outbound()[0]["to"], "+14155550100");
}

#[test]
fn the_end_of_the_input_is_the_end() {
    let mut talk = Talk::new(|_| ());
    talk.hears(&["Tab 1 of 1"]);
    let Talk { mut child, input, .. } = talk;
    drop(input);
    ends(&mut child);
}

#[test]
fn a_pause_and_a_hold_are_told_and_no_word_is_taken_letter_by_letter() {
    // However slow the machine is, it is told while it is held.
    let mut talk = Talk::held(3_600, |desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waits"]);
    talk.says("1").hears(&["where is my order?"]).says("p").hears(&["Maria Lopez: AI off, confirmed"]);
    // What was reported: both words, on a page and in a text.
    talk.says("credits").hears(&["redits"]).says("reply").hears(&["Write to Maria Lopez"]);
    talk.says("credits").hears(&["redits"]).says("back").says("reply").hears(&["Write to Maria Lopez"]);
    talk.says("close").hears(&["is a command", "`text close` writes it"]);
    talk.says("On its way.").hears(&["held ", "1 credit", "undo takes it back", "On its way."]);
    talk.says("quit").hears(&["Quit frontdesk?"]).says("y").ends();
    assert!(talk.desk.outbound().iter().all(|value| value["content"] == "On its way."));
}

#[test]
fn undo_said_right_after_a_text_takes_it_back() {
    let mut talk = Talk::held(3_600, |desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waits"]);
    talk.says("1").hears(&["where is my order?"]).says("p").hears(&["Maria Lopez: AI off, confirmed"]);
    talk.says("reply").hears(&["Write to Maria Lopez"]);
    talk.says("On its way.").hears(&["held ", "undo takes it back", "On its way."]);
    talk.says("undo").hears(&["taken back"]);
    // Whatever is said is answered.
    talk.says("redo").hears(&["nothing was done"]);
    talk.says("Sorry,\\").hears(&["The text is now \"On its way.⏎Sorry,"]);
    talk.says("undo edit").hears(&["The text is now \"On its way.\""]);
    talk.says("back").says("quit").hears(&["Quit frontdesk?"]).says("y").ends();
    assert_eq!(talk.desk.outbound().len(), 0);
}

#[test]
fn before_the_server_answered_nothing_is_said_of_who_waits() {
    let mut talk = Talk::new(|_| ());
    talk.hears(&["Tab 1 of 1: Harbor chat", "asking the server"]);
    talk.hears(&["0 waiting"]).hears(&["No one needs you now."]);
    talk.says("quit").ends();
    let before = talk.heard.iter().position(|text| text == "0 waiting").expect("it was said");
    assert!(!talk.heard[..before].iter().any(|text| text.contains("No one needs you")), "{:#?}", talk.heard);
}

#[test]
fn who_comes_back_hears_what_happened() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waits"]).says("since").hears(&["You were not away yet."]);
    talk.says("back").says("quit").ends();
    // Hours pass for the desk: somebody was here last before Maria wrote.
    let file = rusqlite::Connection::open(talk.binary.data().join("outbox.db")).expect("the desk's file");
    let hours = 24_i64 * 400 * 3_600_000_000;
    let moved = file.execute("UPDATE presence SET here_until = here_until - ?1", [hours]).expect("moved");
    assert_eq!(moved, 1);
    drop(file);
    let mut talk = talk.again();
    talk.hears(&["you were away", "g c shows what happened since"]);
    talk.says("since").hears(&["Since you left"]).hears(&["Maria Lopez", "waits: where is my order?"]);
    talk.says("back").says("quit").ends();
}

#[test]
fn commands_are_taken_as_they_are_written_elsewhere() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "山本 健太", "where is my order?");
    });
    talk.hears(&["山本 健太, waits"]);
    talk.says(":needs-you").hears(&["Needs you"]).says("back").says("needs you").hears(&["Needs you"]);
    talk.says("back");
    talk.says("gb").hears(&["roadcasts"]).says("stop broadcast").hears(&["roadcast"]);
    talk.says(":broadcasts").says("gi").hears(&["山本 健太, waits"]);
    talk.says(":handover").hears(&["# Handover, "]).hears(&["## What broke"]).hears(&["## Channels"]);
    assert!(!talk.heard.iter().any(|text| text.contains("not a command")), "{:#?}", talk.heard);
    talk.says("quit").ends();
}

#[test]
fn what_this_side_says_is_no_news_of_a_customer() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waits"]);
    let message = serde_json::json!({"type": "text", "text": {"body": "Open at ten."}});
    talk.desk.elsewhere("whatsapp", "POST", "/broadcast", serde_json::json!({"message": message}));
    talk.desk.pass(20);
    talk.says("1").hears(&["Open at ten."]);
    talk.desk.customer("whatsapp", "+34600333444", "João", "bom dia");
    talk.says("").hears(&["NEW Harbor chat, João", "bom dia"]);
    assert!(
        !talk.heard.iter().any(|text| text.contains("NEW") && text.contains("Maria")),
        "{:#?}",
        talk.heard
    );
}
