//! Data that leaves the real binary: copies, and keys that must not.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use portable_pty::CommandBuilder;

use crate::binary::Binary;
use crate::desk::Desk;
use crate::pty::Terminal;
use crate::skipping::skip;

/// A program with this name that records its input, its environment, and its core dump limit.
fn stand_in(folder: &std::path::Path, name: &str) {
    let script = "#!/bin/sh\nenv > \"$KEPT/env\"\nulimit -c > \"$KEPT/core\"\necho \"$@\" > \"$KEPT/arguments\"\n\
                  cat > \"$KEPT/part\"\nmv \"$KEPT/part\" \"$KEPT/text\"\n";
    let path = folder.join(name);
    std::fs::write(&path, script).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
}

#[test]
fn in_tmux_a_copy_is_given_to_tmux_and_no_key_with_it() {
    let desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Ana Wells", "Is my bicycle ready?");
    let (binary, kept) = (Binary::new(), tempfile::tempdir().expect("a folder"));
    stand_in(kept.path(), "tmux");
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        desk.base_url
    ));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.env("FRONTDESK_CONFIG_DIR", binary.folder());
    command.env("FRONTDESK_DATA_DIR", binary.data());
    command.env("CHAT_KEY", desk.key_of("whatsapp"));
    command.env("KEPT", kept.path());
    command.env("TMUX", "/nowhere,1,0");
    let path = std::env::var("PATH").expect("a path");
    command.env("PATH", format!("{}:{path}", kept.path().display()));
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 100, 30);
    terminal.wait_for_text("Is my bicycle ready?");
    terminal.keys("yp");
    terminal.wait_for_text("copied the address, 12 characters");
    let read = |name: &str| std::fs::read_to_string(kept.path().join(name)).expect("there");
    assert_eq!(read("text"), "+34600111222");
    assert_eq!(read("arguments"), "load-buffer -w -\n");
    assert!(read("env").contains("KEPT=") && !read("env").contains("svc_live"), "{}", read("env"));
    assert_eq!(read("core"), "0\n");
    terminal.kill();
}

#[test]
fn a_copy_says_where_it_went_and_where_none_is_taken() {
    let desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Ana Wells", "Is my bicycle ready?");
    let binary = Binary::new();
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        desk.base_url
    ));
    for (program, said, sent) in [
        ("WezTerm", "sent to the terminal's clipboard: the address, 12 characters", true),
        ("Apple_Terminal", "set copy_command in config.toml", false),
    ] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.env("FRONTDESK_CONFIG_DIR", binary.folder());
        command.env("FRONTDESK_DATA_DIR", binary.data());
        command.env("CHAT_KEY", desk.key_of("whatsapp"));
        command.env("TMUX", "");
        command.env("STY", "");
        command.env("TERM_PROGRAM", program);
        let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 80, 24);
        terminal.wait_for_text("Is my bicycle ready?");
        terminal.keys("yp");
        terminal.wait_for_text(said);
        assert_eq!(terminal.written().contains("\x1b]52;c;"), sent, "{program}");
        terminal.kill();
    }
}

#[test]
fn a_key_is_not_sent_to_another_users_port() {
    if !rustix::process::geteuid().is_root() {
        skip("only root can be two users");
        return;
    }
    // A server of another user that records the first request.
    let script = "use IO::Socket::INET; $| = 1; my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5) \
                  or die; print $s->sockport, \"\\n\"; while (my $c = $s->accept) { sysread $c, my $b, 4096; \
                  $b =~ s/[\\r\\n]+/ /g; print \"heard $b\\n\"; close $c; }";
    let perl = Command::new("perl").args(["-e", script]).uid(65_534).stdout(Stdio::piped()).spawn();
    let Ok(mut squatter) = perl else {
        skip("no perl here listens as another user");
        return;
    };
    let mut said = std::io::BufReader::new(squatter.stdout.take().expect("its output"));
    let mut port = String::new();
    std::io::BufRead::read_line(&mut said, &mut port).expect("a port");
    let mut binary = Binary::new();
    binary.set("CHAT_KEY", "svc_live_0123456789abcdef0123456789abcdef");
    let config = format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"http://127.0.0.1:{}/v1\"\nkey_env = \"CHAT_KEY\"\n",
        port.trim()
    );
    binary.configure(&config);
    let ended = binary.run(&["channel", "test"], "");
    let told = format!("{} {}", ended.out, ended.err);
    assert!(
        told.contains("belongs to another user (uid 65534)") && told.contains("service_uid = 65534"),
        "{told}"
    );
    // With that user configured, it gets the request with the key.
    binary.configure(&format!("{config}service_uid = 65534\n"));
    binary.run(&["channel", "test"], "");
    squatter.kill().expect("killed");
    squatter.wait().expect("ended");
    let mut heard = String::new();
    std::io::Read::read_to_string(&mut said, &mut heard).expect("text");
    let first = heard.lines().find(|line| line.contains("Bearer")).expect("it is asked");
    assert!(first.contains("svc_live_"), "{first}");
    let before: Vec<&str> = heard.lines().take_while(|line| !line.contains("Bearer")).collect();
    assert!(before.iter().all(|text| text.trim() == "heard"), "no byte before: {before:?}");
}
