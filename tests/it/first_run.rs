//! The real binary without a channel: one screen from which everything begins.

use portable_pty::CommandBuilder;

use crate::binary::Binary;
use crate::desk::Desk;
use crate::pty::Terminal;

fn started(columns: u16, rows: u16) -> Terminal {
    let mut terminal = Terminal::start(&[], columns, rows);
    terminal.wait_for("the first screen", |terminal| {
        terminal.contains("Look around") && terminal.contains("Quit")
    });
    terminal
}

#[test]
fn it_offers_the_demo_the_tutor_and_a_channel_at_any_size() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 50), (40, 24)] {
        let mut terminal = started(columns, rows);
        let screen = terminal.contents();
        for words in ["config.toml", "d  Look around", "t  Learn the keys", "a  Add a channel", "q  Quit"] {
            assert!(screen.contains(words), "{words} at {columns}x{rows}:\n{screen}");
        }
        terminal.keys("x");
        terminal.wait_for_text("x is not a key here");
        terminal.keys("q");
        assert_eq!(terminal.ended(), 0);
    }
}

#[test]
fn the_demo_and_the_tutor_start_in_its_terminal() {
    let mut terminal = started(80, 24);
    terminal.keys("d");
    terminal.wait_for("the demo, with its tutor named", |terminal| {
        terminal.contains("Harbor chat")
            && terminal.contains(":tutor teaches the keys")
            && terminal.contains("Enter open")
    });
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
    let mut terminal = started(80, 24);
    terminal.keys("j\r");
    terminal.wait_for_text("Tutor 1/8 · g w");
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_channel_is_added_and_the_inbox_opens() {
    let desk = Desk::new(80, 24);
    let key = desk.key_of("whatsapp");
    for (url, goes_on) in
        [("http://127.0.0.1:1/v1", "no channel was added"), (&desk.base_url, "Harbor chat LIVE")]
    {
        let mut terminal = started(120, 30);
        terminal.keys("a");
        terminal.wait_for_text("Name of the tab:");
        terminal.keys("Harbor chat\r");
        terminal.wait_for_text("Address of the service");
        terminal.keys(&format!("{url}\r"));
        terminal.wait_for_text("Channel key (not shown):");
        terminal.keys(&format!("{key}\r"));
        terminal.wait_for_text("Enter goes back to the desk");
        terminal.keys("\r");
        terminal.wait_for_text(goes_on);
        assert!(!terminal.written().contains(&key[..20]), "the key was shown");
        terminal.signal("TERM");
        assert_eq!(terminal.ended(), 0);
    }
}

#[test]
fn a_signal_and_ctrl_c_give_the_terminal_back() {
    for signal in ["TERM", "HUP"] {
        let terminal = started(80, 24);
        terminal.signal(signal);
        assert_eq!(terminal.ended(), 0, "{signal}");
    }
    let mut terminal = started(80, 24);
    terminal.keys("\x03");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn where_nobody_can_choose_words_say_how_to_begin() {
    let binary = Binary::new();
    let said = binary.fails(2, &["--plain"], "");
    assert!(said.contains("`frontdesk demo`") && said.contains("`frontdesk channel add`"), "{said}");
    let said = binary.fails(2, &[], "");
    assert!(said.contains("needs a terminal") && said.lines().count() == 1, "{said}");
    // On a terminal that can only print lines it is plain mode.
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "TERM=dumb exec \"$0\"", env!("CARGO_BIN_EXE_frontdesk")]);
    let mut terminal = Terminal::run(folder, command, 160, 40);
    terminal.wait_for_text("frontdesk channel add");
    assert_eq!(terminal.wait_for_end(), 2);
    assert!(!terminal.written().contains('\x1b'), "{}", terminal.written());
}
