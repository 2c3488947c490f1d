//! The real binary without a channel: the first screen.

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
    for (columns, rows) in [(60, 20), (80, 24), (120, 40), (200, 50), (40, 24)] {
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
            && terminal.contains(":tutor teaches")
            && terminal.contains("Enter open")
    });
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
    let mut terminal = started(80, 24);
    terminal.keys("j\r");
    terminal.wait_for_text("Tutor 1/10 · w");
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_channel_is_added_and_the_inbox_opens() {
    let desk = Desk::new(80, 24);
    let key = desk.key_of("whatsapp");
    let mut terminal = started(120, 30);
    terminal.keys("a");
    terminal.wait_for_text("Name of the tab:");
    terminal.keys("Harbour\x7f\x7fr chat\r");
    terminal.wait_for_text("Name of the tab: Harbor chat");
    terminal.wait_for_text("Address of the service");
    terminal.keys("http://127.0.0.1:1/v1\r");
    terminal.wait_for_text("Channel key (not shown):");
    terminal.keys(&format!("{key}\r"));
    // An address that cannot be reached is asked for again; name and key are kept.
    terminal.wait_for_text("Address of the service [http://127.0.0.1:1/v1]:");
    terminal.keys(&format!("{}\r", desk.base_url));
    terminal.wait_for_text("Enter to return to the desk");
    terminal.keys("\r");
    terminal.wait_for_text("1 Harbor chat");
    assert!(!terminal.written().contains(&key[..20]), "the key was shown");
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn escape_leaves_each_question_of_adding_a_channel() {
    let sizes = [(60, 20), (80, 24), (120, 40), (200, 50)];
    let (name, address) = ("Harbor chat\r", "http://127.0.0.1:1/v1\r");
    let answers = [vec![], vec![name], vec![name, address], vec![name, address]];
    for ((columns, rows), answers) in sizes.into_iter().zip(answers) {
        let mut terminal = started(columns, rows);
        terminal.keys("a");
        let questions = ["Name of the tab:", "Address of the service", "Channel key (not shown):"];
        terminal.wait_for_text(questions[0]);
        for (answer, next) in answers.iter().zip(&questions[1..]) {
            terminal.keys(answer);
            terminal.wait_for_text(next);
        }
        terminal.keys("\x1b");
        terminal.wait_for_text("nothing was changed");
        terminal.wait_for_text("Enter to return to the desk");
        assert!(!terminal.written().contains("^["), "Esc is shown");
        terminal.keys("\x1b");
        terminal.wait_for_text("no channel was added");
        terminal.signal("TERM");
        assert_eq!(terminal.ended(), 0);
    }
}

#[test]
fn demo_starts_in_plain_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.args(["demo", "--plain"]);
    let mut terminal = Terminal::run(folder, command, 80, 24);
    terminal.wait_for_text("Harbor");
    assert!(!terminal.written().contains("\x1b[?1049h"), "{}", terminal.written());
    terminal.signal("TERM");
    terminal.wait_for_end();
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
    // On a terminal that can only print lines, plain mode starts.
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "TERM=dumb exec \"$0\"", env!("CARGO_BIN_EXE_frontdesk")]);
    let mut terminal = Terminal::run(folder, command, 160, 40);
    terminal.wait_for_text("frontdesk channel add");
    assert_eq!(terminal.wait_for_end(), 2);
    assert!(!terminal.written().contains('\x1b'), "{}", terminal.written());
}
