//! `frontdesk wall`: the real binary in a terminal, with the real service.

use portable_pty::CommandBuilder;

use crate::binary::Binary;
use crate::desk::Desk;
use crate::pty::Terminal;

#[test]
fn the_wall_shows_every_channel_and_changes_nothing() {
    let desk = Desk::new(80, 24);
    let binary = Binary::new();
    let channel = |name: &str, key: &str| {
        let url = &desk.base_url;
        format!("[[channel]]\nname = \"{name}\"\nbase_url = \"{url}\"\nkey_env = \"{key}\"\n")
    };
    binary.configure(
        &(channel("Harbor chat", "CHAT_KEY") + &channel("Harbor mail of the workshop", "MAIL_KEY")),
    );
    desk.customer("whatsapp", "+34600111222", "Ana Wells", "Is anybody there?");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.arg("wall");
    command.env("FRONTDESK_CONFIG_DIR", binary.folder());
    command.env("FRONTDESK_DATA_DIR", binary.data());
    command.env("CHAT_KEY", desk.key_of("whatsapp"));
    command.env("MAIL_KEY", desk.key_of("email"));
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 100, 30);
    for words in ["Wall", "Harbor chat", "Harbor mail", "rate limit", "Read-only"] {
        terminal.wait_for_text(words);
    }
    terminal.wait_for("a whole name", |terminal| {
        terminal.lines().any(|line| line.contains("Harbor mail of the workshop") && line.contains('%'))
    });
    terminal.wait_for("who waits", |terminal| {
        terminal
            .lines()
            .any(|line| line.contains("Harbor chat") && line.split_whitespace().any(|word| word == "1"))
    });
    terminal.keys("gi");
    terminal.wait_for_text("Read-only · nothing can be sent");
    assert!(!terminal.contents().contains("p pause AI"), "no hint for what never acts here");
    terminal.keys("r");
    terminal.wait_for_text("Harbor chat is read-only: nothing can be changed here");
    assert!(desk.outbound().is_empty());
    terminal.kill();
}
