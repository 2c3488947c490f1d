//! Plain mode: the real binary reads and prints lines, against the real service.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};

use crate::binary::Binary;
use crate::desk::Desk;
use crate::waiting::{PATIENCE, until};

struct Talk {
    /// `None` in the demo, which has a service of its own.
    desk: Option<Desk>,
    binary: Binary,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    heard: Vec<String>,
    /// Number of lines said.
    said: usize,
}

impl Talk {
    fn new(prepare: impl FnOnce(&Desk)) -> Self {
        Self::held(0, prepare)
    }

    /// With a hold of this many seconds.
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
        Self::begin(Some(desk), binary, &["--plain"])
    }

    fn again(self) -> Self {
        Self::begin(self.desk, self.binary, &["--plain"])
    }

    fn begin(desk: Option<Desk>, binary: Binary, arguments: &[&str]) -> Self {
        let mut child = binary.command(arguments).spawn().expect("it runs");
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
        Self { desk, binary, child, input, lines, heard: Vec::new(), said: 0 }
    }

    fn desk(&self) -> &Desk {
        self.desk.as_ref().expect("a service of the test")
    }

    fn says(&mut self, line: &str) -> &mut Self {
        self.said += 1;
        writeln!(self.input, "{line}").expect("it reads");
        self
    }

    #[track_caller]
    fn ends(&mut self) {
        let Self { child, lines, heard, .. } = self;
        let status = until("its end", || {
            heard.extend(lines.try_iter());
            child.try_wait().expect("a state").ok_or_else(|| format!("it runs:\n{}", heard.join("\n")))
        });
        heard.extend(lines.try_iter());
        assert!(status.success(), "{status}:\n{}", heard.join("\n"));
    }

    #[track_caller]
    fn hears(&mut self, parts: &[&str]) -> &mut Self {
        self.wait_for_line(&format!("{parts:?}"), |line| parts.iter().all(|part| line.contains(part)));
        self
    }

    /// Returns the first line that is wanted.
    #[track_caller]
    fn wait_for_line(&mut self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("{what} was not said:\n{}", self.heard.join("\n"));
            };
            self.heard.push(line.clone());
            if is_wanted(&line) {
                return line;
            }
        }
    }
}

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
    talk.hears(&["Tab 1 of 1: Harbor chat,"]);
    talk.hears(&["Maria Lopez, waiting", "where is my order"]);
    let row = talk.says("list").wait_for_line("a row", |line| line.contains("1 Maria Lopez, waiting"));
    assert!(!row.contains("AI") && !row.contains("Reply window"), "nothing normal is said: {row}");
    talk.says("1").hears(&["Maria ", "where is my order"]);
    talk.says("reply").hears(&["Write to Maria Lopez: a line is sent"]);
    talk.says("Hi Maria, a person here.").hears(&["[y] pause the AI and send"]);
    // A whole word does not answer by its first letter.
    talk.says("snooze").hears(&["is not an answer here"]).hears(&["[y] pause the AI and send"]);
    talk.says("Esc").hears(&["Continue writing to Maria Lopez after \"Hi Maria, a person here.\""]);
    talk.says("Wait.").hears(&["[y] pause the AI and send"]);
    talk.says("y").hears(&["sent", "Hi Maria"]);
    assert_eq!(talk.desk().outbound()[0]["content"], "Hi Maria, a person here.\nWait.");
    // New messages are announced on any page.
    talk.desk().customer("whatsapp", "+34600333444", "João", "bom dia");
    talk.says("").hears(&["NEW Harbor chat, João", "bom dia"]);
    talk.says("frobnicate").hears(&["is not a command; help lists"]);
    let before = talk.heard.len();
    talk.says("help").hears(&["help reply: what one command does"]);
    assert!(talk.heard.len() - before < 12, "a short help: {:#?}", &talk.heard[before..]);
    assert!(!talk.heard[before..].iter().any(|text| text.contains("pane") || text.contains("mouse")));
    talk.says("help pause ai").hears(&["pause AI, or p: Pause the AI"]);
    talk.says("outbox").hears(&["Outbox"]);
    // Leaving with the AI paused offers to hand back.
    talk.says("quit").hears(&["AI paused here in 1 conversation"]).hears(&["[h] hand all back"]);
    talk.says("h").ends();
    let all = talk.heard.join("\n");
    assert!(!all.contains('\u{1b}'), "no line moves a cursor: {all:?}");
    assert!(talk.binary.data().join("outbox.db").exists());
}

#[test]
fn a_conversation_is_taken_answered_and_closed_by_ear() {
    // A hold longer than any machine takes.
    let mut talk = Talk::held(3_600, |desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
        desk.clock.advance(60_000_000);
        desk.customer("whatsapp", "+14155550100", "Dana Whitlock", "Is anybody there?");
    });
    talk.hears(&["Dana Whitlock, waiting"]);
    talk.says("list")
        .hears(&["With the AI, 2"])
        .hears(&["1 Dana Whitlock, waiting"])
        .hears(&["2 Maria Lopez"]);
    talk.says("2").hears(&["Where is my order?"]);
    talk.says("take").hears(&["Write to Maria Lopez"]).hears(&["Maria Lopez: AI off, confirmed"]);
    talk.says("It left yesterday.").hears(&["held ", "1 credit", "undo", "It left yesterday."]);
    talk.says("undo").hears(&["undone"]);
    talk.says("Ctrl-U").hears(&["The text is empty now"]);
    talk.says("It left this morning.").hears(&["held ", "undo", "It left this morning."]);
    talk.says("outbox")
        .hears(&["Outbox, Harbor chat"])
        .hears(&["> Maria Lopez, held, It left this morning."]);
    talk.says("send now").hears(&["sent: It left this morning."]);
    talk.says("inbox").says("list").hears(&["Mine, 1"]).hears(&["> 1 Maria Lopez"]);
    talk.says("hand back").hears(&["Maria Lopez: AI on, confirmed"]);
    talk.says("later").hears(&["Later: Maria Lopez"]).hears(&["[t] until tomorrow"]);
    talk.says("back").says("done").hears(&["Maria Lopez closes in"]);
    talk.says("outbox").hears(&["> Maria Lopez, held, Close"]);
    talk.says("send now").hears(&["Nothing is waiting to send."]);
    talk.says("quit").ends();
    let sent: Vec<_> = talk.desk().outbound().iter().map(|value| value["content"].clone()).collect();
    assert_eq!(sent, ["It left this morning."]);
    let closed = talk.desk().get("whatsapp", "/conversations?status=closed");
    assert_eq!(closed["data"].as_array().map(Vec::len), Some(1), "{closed}");
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    Binary::new().unread(&["demo", "--plain"]);
}

/// The customers of the demo write by themselves: the script depends on nobody's name and on no time.
#[test]
fn a_script_of_twenty_lines_goes_from_the_welcome_to_a_search() {
    let binary = Binary::new();
    let welcome = binary.fails(2, &["--plain"], "");
    assert!(welcome.contains("run `frontdesk demo`"), "{welcome}");
    let mut talk = Talk::begin(None, binary, &["demo", "--plain"]);
    // A colleague of the demo has taken somebody: the histories are read.
    talk.hears(&["AI off, confirmed"]);
    talk.says("help").hears(&["help reply: what one command does"]);
    talk.says("list").hears(&["Needs a person, "]).hears(&["With the AI, "]);
    talk.says("next urgent").hears(&["waits "]);
    talk.says("take");
    let writing = talk.wait_for_line("the place of the text", |line| line.starts_with("Write to "));
    let name = writing["Write to ".len()..].split(": ").next().unwrap_or_default().to_owned();
    talk.hears(&[&format!("{name}: AI off, confirmed")]);
    let answer = "Hello, a person here.";
    talk.says(answer).hears(&["held ", "1 credit", "undo", answer]).hears(&["sent: ", answer]);
    talk.says("back").says("done");
    let told =
        talk.wait_for_line("the end", |line| line.contains("closes in") || line.starts_with("No answer to"));
    // The customer may have written again by now.
    if told.starts_with("No answer to") {
        talk.says("d").hears(&[&format!("{name} closes in")]);
    }
    talk.says("later").hears(&["[t] until tomorrow"]).says("t").hears(&["later: until tomorrow"]);
    talk.says("search order").hears(&["Search, all channels, "]).hears(&["> ", "order"]).says("back");
    talk.says("tab 3").hears(&["Tab 3 of 4: Harbor mail"]).says("needs you").hears(&["Needs you"]);
    talk.says("back").says("quit");
    assert!(talk.said <= 20, "{} lines", talk.said);
    let Talk { mut child, input, .. } = talk;
    drop(input);
    ends(&mut child);
}

#[test]
fn lines_that_come_together_act_one_after_the_other() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
        desk.clock.advance(60_000_000);
        desk.customer("whatsapp", "+14155550100", "Dana Whitlock", "Is anybody there?");
    });
    talk.hears(&["Dana Whitlock", "waiting"]).says(":open maria").hears(&["Where is my order"]);
    // In one write, so that all lines arrive before any is read.
    talk.says(":open dana\nreply\nDear Dana").hears(&["Write to Dana Whitlock"]);
    talk.hears(&["[y] pause the AI and send"]).says("y").hears(&["sent", "Dear Dana"]);
    assert_eq!(talk.desk().outbound()[0]["to"], "+14155550100");
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
    // A hold longer than any machine takes.
    let mut talk = Talk::held(3_600, |desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waiting"]);
    talk.says("1").hears(&["where is my order?"]).says("p").hears(&["Maria Lopez: AI off, confirmed"]);
    // Regression: both words, on a page and in a text.
    talk.says("credits").hears(&["redits"]).says("reply").hears(&["Write to Maria Lopez"]);
    talk.says("credits").hears(&["redits"]).says("back").says("reply").hears(&["Write to Maria Lopez"]);
    talk.says("done").hears(&["does not work in a text", "`text done`"]);
    talk.says("On its way.").hears(&["held ", "1 credit", "undo", "On its way."]);
    talk.says("quit").hears(&["Quit frontdesk?"]).says("y").ends();
    assert!(talk.desk().outbound().iter().all(|value| value["content"] == "On its way."));
}

#[test]
fn undo_said_right_after_a_text_takes_it_back() {
    let mut talk = Talk::held(3_600, |desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waiting"]);
    talk.says("1").hears(&["where is my order?"]).says("p").hears(&["Maria Lopez: AI off, confirmed"]);
    talk.says("reply").hears(&["Write to Maria Lopez"]);
    talk.says("On its way.").hears(&["held ", "undo", "On its way."]);
    talk.says("undo").hears(&["undone"]);
    // Every line gets an answer.
    talk.says("redo").hears(&["nothing was done"]);
    talk.says("Sorry,\\").hears(&["The text is now \"On its way.⏎Sorry,"]);
    talk.says("undo edit").hears(&["The text is now \"On its way.\""]);
    talk.says("back").says("quit").hears(&["Quit frontdesk?"]).says("y").ends();
    assert_eq!(talk.desk().outbound().len(), 0);
}

#[test]
fn before_the_server_answered_nothing_is_said_of_who_waits() {
    let mut talk = Talk::new(|_| ());
    talk.hears(&["Tab 1 of 1: Harbor chat", "asking the server"]);
    talk.hears(&["0 waiting"]).hears(&["No open conversations."]);
    talk.says("quit").ends();
    let before = talk.heard.iter().position(|text| text == "0 waiting").expect("it was said");
    assert!(
        !talk.heard[..before].iter().any(|text| text.contains("No open conversations")),
        "{:#?}",
        talk.heard
    );
}

#[test]
fn who_comes_back_hears_what_happened() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waiting"]).says("needs you").hears(&["Nothing needs you"]);
    talk.says("back").says("quit").ends();
    // Moves the person's last presence to hours before Maria's message.
    let file = rusqlite::Connection::open(talk.binary.data().join("outbox.db")).expect("the desk's file");
    let hours = 24_i64 * 400 * 3_600_000_000;
    let moved = file.execute("UPDATE presence SET here_until = here_until - ?1", [hours]).expect("moved");
    assert_eq!(moved, 1);
    drop(file);
    let mut talk = talk.again();
    talk.hears(&["you were away", "g n shows what happened"]);
    talk.says("needs you").hears(&["since you left"]).hears(&["Maria Lopez", "waiting: where is my order?"]);
    talk.says("back").says("quit").ends();
}

#[test]
fn commands_are_taken_as_they_are_written_elsewhere() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "山本 健太", "where is my order?");
    });
    talk.hears(&["山本 健太, waiting"]);
    talk.says(":needs-you").hears(&["Needs you"]).says("back").says("needs you").hears(&["Needs you"]);
    talk.says("back");
    talk.says("gb").hears(&["roadcasts"]).says("stop broadcast").hears(&["roadcast"]);
    talk.says(":broadcasts").says("gi").hears(&["山本 健太, waiting"]);
    talk.says(":handover").hears(&["# Handover, "]).hears(&["## Problems"]).hears(&["## Channels"]);
    assert!(!talk.heard.iter().any(|text| text.contains("not a command")), "{:#?}", talk.heard);
    talk.says("quit").ends();
}

#[test]
fn what_this_side_says_is_no_news_of_a_customer() {
    let mut talk = Talk::new(|desk| {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    });
    talk.hears(&["Maria Lopez, waiting"]);
    let message = serde_json::json!({"type": "text", "text": {"body": "Open at ten."}});
    talk.desk().elsewhere("whatsapp", "POST", "/broadcast", serde_json::json!({"message": message}));
    talk.desk.as_mut().expect("a service of the test").pass(20);
    talk.says("1").hears(&["Open at ten."]);
    talk.desk().customer("whatsapp", "+34600333444", "João", "bom dia");
    talk.says("").hears(&["NEW Harbor chat, João", "bom dia"]);
    assert!(
        !talk.heard.iter().any(|text| text.contains("NEW") && text.contains("Maria")),
        "{:#?}",
        talk.heard
    );
}
