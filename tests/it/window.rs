//! The real binary's terminal output besides cells: window title, links, and the saved footer.

use portable_pty::CommandBuilder;

use crate::desk::Desk;
use crate::pty::Terminal;

const ADDRESS: &str = "https://files.example/orders/1041";

fn started(more: &str, variables: &[(&str, &str)]) -> (Desk, Terminal) {
    let desk = Desk::new(80, 24);
    let hostile = "\u{1b}]8;;https://evil.example/\u{1b}\\bank\u{1b}]8;;\u{1b}\\";
    desk.customer(
        "whatsapp",
        "+34600111222",
        "Maria Lopez",
        &format!("A human, please: is it {ADDRESS}? {hostile} ok"),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let channel = format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"HARBOR_KEY\"\n\n{more}",
        desk.base_url
    );
    std::fs::write(folder.path().join("config.toml"), channel).expect("written");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.env("HARBOR_KEY", desk.key_of("whatsapp"));
    for name in ["TMUX", "VTE_VERSION", "TERM_PROGRAM", "INSIDE_EMACS"] {
        command.env_remove(name);
    }
    variables.iter().for_each(|(name, value)| command.env(name, value));
    let mut terminal = Terminal::run(folder, command, 120, 40);
    terminal.wait_for_text("Maria Lopez");
    (desk, terminal)
}

fn titles(terminal: &Terminal) -> Vec<String> {
    let written = terminal.written();
    let titles = written.split("\x1b]2;").skip(1).filter_map(|part| part.split_once('\x07'));
    titles.map(|title| title.0.to_owned()).collect()
}

#[test]
fn the_title_counts_who_needs_a_person_and_is_given_back() {
    let (desk, mut terminal) = started("", &[]);
    terminal.wait_until("one who needs a person", |terminal| {
        titles(terminal).last().is_some_and(|title| title == "(1) frontdesk")
    });
    desk.customer("whatsapp", "+34600333444", "Ana Silva", "I want to talk to a human");
    terminal.wait_until("two who need a person", |terminal| {
        titles(terminal).last().is_some_and(|title| title == "(2) frontdesk")
    });
    // An unchanged title is not written again.
    terminal.keys("jkjk");
    terminal.keys("q");
    terminal.wait_until("its end", |terminal| terminal.written().contains("\x1b[23;2t"));
    let all = titles(&terminal);
    let changes: Vec<&str> = all.iter().map(String::as_str).collect();
    assert!(changes.windows(2).all(|window| window[0] != window[1]), "{changes:?}");
    assert_eq!(changes.last(), Some(&""), "{changes:?}");
    let written = terminal.written();
    assert!(written.find("\x1b[22;2t") < written.find("\x1b]2;"), "the old title is not kept");
    assert_eq!(written.matches("\x1b[22;2t").count(), written.matches("\x1b[23;2t").count());
    assert_eq!(terminal.ended(), 0);
    let (_desk, terminal) = started("[ui]\ntitle = false\n", &[]);
    let written = terminal.written();
    assert!(!written.contains("\x1b]2;") && !written.contains("\x1b[22;2t"), "a title was set");
}

#[test]
fn an_address_is_a_link_where_the_terminal_takes_it() {
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, Variables<'_>, bool); 4] = [
        ("", &[], true),
        ("[ui]\nlinks = \"off\"\n", &[], false),
        ("", &[("VTE_VERSION", "4800")], false),
        ("[ui]\nlinks = \"on\"\n", &[("VTE_VERSION", "4800")], true),
    ];
    for (more, variables, linked) in cases {
        let (_desk, mut terminal) = started(more, variables);
        terminal.keys("\r");
        terminal
            .wait_for("the message", |terminal| terminal.contains(ADDRESS) && terminal.contains("r reply"));
        let written = terminal.written();
        let opened: Vec<&str> = written
            .split("\x1b]8;")
            .skip(1)
            .filter_map(|part| part.split_once("\x1b\\"))
            .map(|pair| pair.0)
            .collect();
        assert_eq!(!opened.is_empty(), linked, "{more:?} {variables:?}");
        // Every link is closed and has the target shown in its cells.
        for (open, close) in opened.iter().zip(opened.iter().skip(1)).step_by(2) {
            assert!(open.ends_with(&format!(";{ADDRESS}")) && *close == ";", "{opened:?}");
        }
        terminal.keys("q");
        assert_eq!(terminal.ended(), 0);
    }
}

#[test]
fn the_last_line_stays_as_it_was_chosen() {
    let (_desk, mut terminal) = started("[ui] # mine\nfooter = \"keys\" # all\n", &[]);
    terminal.wait_for_text("s later");
    terminal.keys("\x1bOS");
    terminal.wait_for("three keys", |terminal| terminal.contains("t take") && !terminal.contains("s later"));
    let config = terminal.folder().join("config.toml");
    let kept = |word: &str| {
        let text = std::fs::read_to_string(&config).expect("readable");
        text.contains(&format!("[ui] # mine\nfooter = \"{word}\" # all\n"))
    };
    terminal.wait_until("the setting on disk", |_| kept("three"));
    terminal.keys("\x1bOS");
    terminal.wait_for("no keys", |terminal| !terminal.contains("t take"));
    terminal.wait_until("the setting on disk", |_| kept("off"));
    terminal.keys("\x1bOS");
    terminal.wait_for_text("s later");
    terminal.wait_until("the setting on disk", |_| kept("keys"));
}
