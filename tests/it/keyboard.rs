//! Terminal bytes for the real binary: split sequences, unmarked pastes, unsolicited answers.

use std::time::Duration;

use portable_pty::CommandBuilder;

use crate::pty::{Terminal, open_customer};

/// A pause the decoder bridges; a slow machine may extend it up to [`BRIDGED`].
const PAUSE: Duration = Duration::from_millis(10);
const BRIDGED: Duration = Duration::from_millis(45);

/// The demo with the composer open on one of its customers.
fn writing(columns: u16, rows: u16) -> Terminal {
    let mut terminal = Terminal::start(&["demo"], columns, rows);
    terminal.wait_for_text("Maria Lopez");
    open_customer(&mut terminal);
    terminal.keys("i");
    terminal.wait_for_text("Enter send");
    terminal
}

fn nothing_left(terminal: &Terminal) {
    let contents = terminal.contents();
    for words in ["Sending in", "[y] pause the AI", "AI: pausing"] {
        assert!(!contents.contains(words), "{contents}");
    }
}

#[test]
fn a_paste_that_a_slow_line_cuts_is_a_paste() {
    for (columns, rows) in [(120, 40), (80, 24)] {
        let mut terminal = writing(columns, rows);
        let rest = b"[200~refund for Anna\rand q\x1b[201~";
        let paused = terminal.bytes_with_pauses(&[b"\x1b", rest], PAUSE);
        let is_pasted = |screen: &str| screen.contains("refund for Anna") && screen.contains("and q");
        let is_ignored = |screen: &str| screen.contains("pasted text was ignored");
        terminal.wait_for("the text", |screen| is_pasted(screen) || is_ignored(screen));
        // A busy program reads both parts together, however long the pause was.
        if is_pasted(&terminal.contents()) {
            terminal.keys(" more");
            terminal.wait_for_text("and q more");
        } else {
            assert!(paused > BRIDGED, "{paused:?}");
        }
        nothing_left(&terminal);
        terminal.kill();
    }
}

#[test]
fn option_and_arrow_is_no_escape() {
    let mut terminal = writing(120, 40);
    terminal.keys("\x1b\x1b[A");
    terminal.keys("\x1b[112;9u\x1b[13;9u\x1b[1;9A");
    terminal.keys("still here");
    terminal.wait_for_text("still here");
    nothing_left(&terminal);
    terminal.kill();
}

#[test]
fn a_paste_without_marks_is_not_sent_and_no_commands() {
    let mut terminal = writing(120, 40);
    terminal.keys("It is on its way,\rsays the workshop\r");
    terminal.wait_for_text("pasted, not sent");
    let contents = terminal.contents();
    assert!(contents.contains("It is on its way,") && contents.contains("says the workshop"), "{contents}");
    nothing_left(&terminal);
    // In the list of conversations it does nothing.
    terminal.keys("\x1b");
    terminal.wait_for_text("r reply");
    terminal.keys("please call back\re\r");
    terminal.wait_for_text("pasted text was ignored");
    nothing_left(&terminal);
    // One line after a colon is a command, as scripts type it.
    terminal.keys(":open +34600111222\r");
    terminal.wait_for("the command to act", |terminal| !terminal.contains("pasted text was ignored"));
    terminal.kill();
}

#[test]
fn a_paste_whose_end_is_lost_leaves_the_keyboard_alive() {
    let mut terminal = writing(80, 24);
    terminal.keys("\x1b[200~half of it");
    terminal.wait_for_text("half of it");
    terminal.press_until("!", "keys again", |terminal| terminal.contains("half of it!"));
    terminal.keys("\x08\x08");
    terminal.wait_for("a word less", |terminal| !terminal.contains("it!"));
    nothing_left(&terminal);
    terminal.kill();
}

#[test]
fn the_terminal_is_asked_nothing_and_answers_are_no_keys() {
    let mut terminal = writing(120, 40);
    let answers = [
        "\x1bP>|tmux 3.4\x1b\\",
        "\x1b]11;rgb:0000/2b2b/3636\x07",
        "\x1b[?62;4;6c",
        "\x1b[>0;276;0c",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b[12;40R",
    ];
    terminal.keys(&answers.concat());
    for answer in answers {
        let bytes = answer.as_bytes();
        let parts: Vec<&[u8]> = bytes.chunks(3).collect();
        terminal.bytes_with_pauses(&parts, Duration::from_millis(1));
    }
    terminal.keys("plain words");
    terminal.wait_for_text("plain words");
    let contents = terminal.contents();
    assert!(!contents.contains("rgb:") && !contents.contains("tmux"), "{contents}");
    let written = terminal.written();
    for question in
        ["\x1b]4;", "\x1b]10;?", "\x1b]11;?", "\x1b[c", "\x1b[>c", "\x1b[6n", "\x1b[>q", "\x1b[?u"]
    {
        assert!(!written.contains(question), "{question:?} was asked");
    }
    terminal.kill();
}

#[test]
fn what_the_editor_leaves_and_cannot_be_read_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.args(["demo"]);
    command.env("TMPDIR", folder.path());
    command.env("VISUAL", "f() { printf 'sch\\366n' > \"$1\"; }; f");
    let mut terminal = Terminal::run(folder, command, 120, 40);
    terminal.wait_for_text("Maria Lopez");
    open_customer(&mut terminal);
    terminal.keys("i");
    terminal.wait_for_text("Enter send");
    terminal.keys("half a thought");
    terminal.wait_for_text("half a thought");
    terminal.keys("\x07");
    terminal.wait_for_text("saved in ");
    terminal.wait_for_text("half a thought");
    let kept = std::fs::read_dir(terminal.folder())
        .expect("a folder")
        .filter_map(Result::ok)
        .find(|entry| entry.file_name().to_string_lossy().ends_with(".txt"))
        .expect("the file");
    assert_eq!(std::fs::read(kept.path()).expect("its text"), b"sch\xf6n");
    terminal.kill();
}
