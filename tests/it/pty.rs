//! The real binary in a real pseudo-terminal: it starts, works, and restores the terminal.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use frontdesk::shell::clock::instant;
use frontdesk::shell::event_queue::EventQueue;
use frontdesk::shell::failures::PANIC_MESSAGE;
use frontdesk::shell::terminal::{Screen, ScreenOptions};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::waiting::PATIENCE;

/// Marker after all output of a binary.
const END: &str = "<the end>";
/// Marks of a frame: the screen between them is incomplete.
const FRAME_BEGIN: &[u8] = b"\x1b[?2026h";
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// Time after which a new question accepts an answer, with a reserve.
const QUESTION_DELAY: Duration = Duration::from_millis(200);
/// Time after which a key without an effect is pressed again; longer than a busy machine takes to act on it.
const KEY_RETRY_DELAY: Duration = Duration::from_secs(30);

pub(crate) struct Terminal {
    screen: vt100::Parser,
    bytes: Receiver<Vec<u8>>,
    /// Bytes received after the newest frame on the screen.
    pending: Vec<u8>,
    seen: Vec<u8>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    folder: tempfile::TempDir,
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

fn side(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).expect("a terminal has cells")
}

impl Terminal {
    pub(crate) fn start(arguments: &[&str], columns: u16, rows: u16) -> Self {
        Self::start_in(tempfile::tempdir().expect("a folder"), arguments, columns, rows)
    }

    fn process(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.seen.extend_from_slice(bytes);
    }

    /// Processes the output up to the end of the next frame, so that no frame is skipped. Waits at most this long.
    fn process_next(&mut self, wait: Duration) -> Result<(), RecvTimeoutError> {
        if self.pending.is_empty() {
            self.pending = self.bytes.recv_timeout(wait)?;
        }
        let end = find(&self.pending, FRAME_END).map_or(self.pending.len(), |at| at + FRAME_END.len());
        let rest = self.pending.split_off(end);
        let bytes = std::mem::replace(&mut self.pending, rest);
        self.process(&bytes);
        Ok(())
    }

    /// True unless a part of a frame is missing.
    fn shows_whole_frame(&self) -> bool {
        let last = |mark: &[u8]| self.seen.windows(mark.len()).rposition(|bytes| bytes == mark);
        last(FRAME_BEGIN) <= last(FRAME_END)
    }

    pub(crate) fn start_in(folder: tempfile::TempDir, arguments: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.args(arguments);
        Self::run(folder, command, columns, rows)
    }

    /// Starts a command in a terminal; the folder lives as long as the terminal.
    pub(crate) fn run(
        folder: tempfile::TempDir,
        mut command: CommandBuilder,
        columns: u16,
        rows: u16,
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        command.env("TERM", "xterm-256color");
        // Borders are the same under every locale of the machine.
        command.env("LC_ALL", "C.UTF-8");
        if command.get_env("TZ").is_none_or(|name| std::env::var_os("TZ").is_some_and(|mine| mine == name)) {
            command.env("TZ", "UTC");
        }
        for name in ["FRONTDESK_DATA_DIR", "FRONTDESK_CONFIG_DIR"] {
            if command.get_env(name).is_none() {
                command.env(name, folder.path());
            }
        }
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        let child = pair.slave.spawn_command(command).expect("the binary starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        // The slave stays open, so that its mode can be read after the end.
        std::mem::forget(pair.slave);
        Self {
            screen: vt100::Parser::new(side(rows), side(columns), 0),
            bytes,
            pending: Vec::new(),
            seen: Vec::new(),
            writer,
            child,
            master: pair.master,
            folder,
        }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("the terminal takes keys");
    }

    /// Writes parts with a pause between them; returns the longest time from before a part to after the next.
    pub(crate) fn bytes_with_pauses(&mut self, parts: &[&[u8]], pause: Duration) -> Duration {
        let (mut longest, mut began) = (Duration::ZERO, instant());
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                std::thread::sleep(pause);
            }
            let before = instant();
            self.writer.write_all(part).expect("the terminal takes bytes");
            self.writer.flush().expect("the terminal takes bytes");
            if at > 0 {
                longest = longest.max(began.elapsed());
            }
            began = before;
        }
        longest
    }

    pub(crate) fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    pub(crate) fn wait_for(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        let until = instant() + PATIENCE;
        while !(self.shows_whole_frame() && holds(&self.contents())) {
            let left = until.saturating_duration_since(instant());
            match self.process_next(left) {
                Ok(()) => (),
                Err(RecvTimeoutError::Timeout) => panic!("no {what} on screen:\n{}", self.contents()),
                Err(RecvTimeoutError::Disconnected) => panic!("ended before {what}:\n{}", self.contents()),
            }
        }
    }

    pub(crate) fn say_yes(&mut self, question: &str) {
        self.answer('y', question);
    }

    /// Answers a question, repeating the key, which a new question ignores.
    pub(crate) fn answer(&mut self, key: char, question: &str) {
        let mut typed = String::new();
        while self.contents().contains(question) {
            std::thread::sleep(QUESTION_DELAY);
            self.keys(&key.to_string());
            typed.push(key);
            let refused = format!("\"{typed}\" was typed too early");
            self.wait_for("an answer", |screen| !screen.contains(question) || screen.contains(&refused));
        }
    }

    /// Presses keys repeatedly until the screen changes as wanted. Waits first, because a new question ignores keys.
    pub(crate) fn press_until(&mut self, keys: &str, what: &str, holds: impl Fn(&str) -> bool) {
        let until = instant() + PATIENCE;
        while !holds(&self.contents()) {
            assert!(instant() < until, "{what} never comes:\n{}", self.contents());
            std::thread::sleep(QUESTION_DELAY);
            self.keys(keys);
            self.comes_until(instant() + KEY_RETRY_DELAY, |terminal| {
                terminal.shows_whole_frame() && holds(&terminal.contents())
            });
        }
    }

    /// Reads until `holds` is true; returns false if `end` comes first.
    fn comes_until(&mut self, end: Instant, holds: impl Fn(&Self) -> bool) -> bool {
        while !holds(self) {
            if instant() >= end {
                return false;
            }
            // Without output, the condition may come true outside the screen.
            let _ = self.process_next(Duration::from_millis(20));
        }
        true
    }

    pub(crate) fn wait_for_text(&mut self, text: &str) {
        self.wait_for(&format!("{text:?}"), |entry| entry.contains(text));
    }

    /// Reads what is available without waiting.
    pub(crate) fn read(&mut self) {
        while self.process_next(Duration::ZERO).is_ok() {}
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Ends the binary as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.signal("KILL");
        self.child.wait().expect("it ends");
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.process_id().expect("an id")
    }

    pub(crate) fn signal(&self, signal: &str) {
        crate::binary::signal(self.id(), signal);
    }

    /// Reads until a condition outside the screen holds.
    pub(crate) fn wait_until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let came = self.comes_until(instant() + PATIENCE, holds);
        assert!(came, "{what} never comes:\n{}", self.contents());
    }

    pub(crate) fn wait_for_end(&mut self) -> u32 {
        let until = instant() + PATIENCE;
        let rest = std::mem::take(&mut self.pending);
        self.seen.extend_from_slice(&rest);
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                break status;
            }
            // Reads on, so that the binary never blocks on its output.
            if let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(20)) {
                self.seen.extend_from_slice(&bytes);
            }
            assert!(instant() < until, "it does not end");
        };
        // Everything the binary wrote comes before the marker.
        let name = self.master.tty_name().expect("a name");
        std::fs::write(name, END).expect("the terminal takes it");
        while !String::from_utf8_lossy(&self.seen).contains(END) {
            let left = until.saturating_duration_since(instant());
            self.seen.extend_from_slice(&self.bytes.recv_timeout(left).expect("its last words"));
        }
        status.exit_code()
    }

    /// Waits for the end and checks that the terminal was restored.
    pub(crate) fn ended(mut self) -> u32 {
        let code = self.wait_for_end();
        let seen = String::from_utf8_lossy(&self.seen).into_owned();
        for (on, off) in
            [("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?2004h", "\x1b[?2004l"), ("\x1b[?1004h", "\x1b[?1004l")]
        {
            let (on, off) = (seen.rfind(on).expect("switched on"), seen.rfind(off).expect("switched off"));
            assert!(on < off, "a mode is left on");
        }
        assert!(seen.rfind("\x1b[?25l") < seen.rfind("\x1b[?25h"), "the cursor is left hidden");
        let (pushed, popped) = self.keyboard_flags();
        assert!(pushed > 0 && pushed == popped, "keyboard flags: {pushed} pushed, {popped} popped");
        self.assert_cooked();
        code
    }

    #[cfg(unix)]
    fn assert_cooked(&self) {
        assert!(self.is_cooked(), "the terminal is left raw");
    }

    /// True if the terminal edits lines, echoes and makes signals.
    fn is_cooked(&self) -> bool {
        let name = self.master.tty_name().expect("a name");
        let stty =
            std::process::Command::new("stty").arg("-a").arg("-F").arg(name).output().expect("stty runs");
        let modes = String::from_utf8_lossy(&stty.stdout).into_owned();
        ["icanon", "echo", "isig"].iter().all(|mode| modes.split([' ', ';', '\n']).any(|part| part == *mode))
    }

    /// True if the binary is stopped. SIGCONT sent before that would be lost.
    fn is_stopped(&self) -> bool {
        let id = self.child.process_id().expect("an id").to_string();
        let state =
            std::process::Command::new("ps").args(["-o", "state=", "-p", &id]).output().expect("ps runs");
        String::from_utf8_lossy(&state.stdout).trim_start().starts_with('T')
    }

    /// Number of times the keyboard's flags were pushed and popped.
    fn keyboard_flags(&self) -> (usize, usize) {
        let seen = String::from_utf8_lossy(&self.seen);
        (seen.matches("\x1b[>1u").count(), seen.matches("\x1b[<1u").count())
    }

    /// True if the last switch of screens left the alternate one.
    fn has_left(&self) -> bool {
        let seen = String::from_utf8_lossy(&self.seen);
        seen.rfind("\x1b[?1049l") > seen.rfind("\x1b[?1049h")
    }
}

/// Opens a customer of the demo on whom neither colleagues nor the sample assistant act.
pub(crate) fn open_customer(terminal: &mut Terminal) {
    open(terminal, "Rui Tavares", "+351912345826");
}

/// Opens a customer by number: the order of rows changes while histories load.
fn open(terminal: &mut Terminal, name: &str, phone: &str) {
    terminal.keys(&format!(":open {phone}\r"));
    let title = format!("{name} · {}", &phone[..4]);
    terminal.wait_for("the keys of the messages", |terminal| {
        // The list offers to open.
        let is_open = terminal.contains("t take") && !terminal.contains("Enter open");
        terminal.contains(&title) && is_open
    });
}

#[test]
fn who_is_taken_in_the_demo_is_in_the_first_section() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Maria Lopez");
    open(&mut terminal, "Maria Lopez", "+34600111222");
    terminal.keys("t");
    terminal.wait_for("her row", |terminal| {
        let mut lines = terminal.lines().skip_while(|line| !line.contains("MINE 1"));
        lines.next();
        lines.next().is_some_and(|line| line.contains("Maria Lopez"))
    });
    terminal.kill();
}

#[test]
fn colleagues_of_the_demo_are_on_the_team() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Maria Lopez");
    let until = instant() + PATIENCE;
    loop {
        terminal.keys(":team\r");
        terminal.wait_for_text("Ana · this desk");
        let screen = terminal.contents();
        if screen.contains("Ben · ") || screen.contains("Nuria · ") {
            break;
        }
        assert!(instant() < until, "no colleague is at work:\n{screen}");
        terminal.keys("\x1b");
        terminal.wait_for("the list", |screen| !screen.contains("Ana · this desk"));
        terminal.comes_until(instant() + Duration::from_secs(1), |_| false);
    }
    terminal.kill();
}

#[test]
fn the_demo_shows_a_proposal_a_ready_draft_and_answers_to_look_over() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Maria Lopez");
    terminal.keys(":show-proposals\r");
    terminal.wait_for_text("Sample assistant: ");
    terminal.keys("\x1b");
    terminal.wait_for_text("draft ready");
    terminal.keys(":show-reviews\r");
    // Rows are drawn after the frame.
    terminal.wait_for_text("Customer");
    terminal.keys("a");
    terminal.wait_for_text("100 % of 1 answer");
    terminal.keys("gn");
    terminal.wait_for_text("paused for drafts");
    terminal.keys("\x1b");
    terminal.wait_for("the page below", |terminal| !terminal.contains("paused for drafts"));
    terminal.keys("q");
    terminal.wait_for_text("Quit frontdesk?");
    terminal.wait_for_text("AI paused here in 1 conversation");
    terminal.say_yes("Quit frontdesk?");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn demo_replies_pauses_closes_and_quits() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Harbor chat");
    terminal.wait_for_text("Maria Lopez");
    terminal.wait_for_text("NEEDS A PERSON");
    // Answers, pausing the AI on the way, without waiting for the hold.
    open_customer(&mut terminal);
    terminal.keys("i");
    terminal.wait_for_text("Enter send");
    terminal.keys("Hola, soy Ana, una persona.");
    terminal.wait_for_text("una persona.");
    terminal.keys("\r");
    terminal.wait_for_text("[y] pause the AI and send");
    terminal.say_yes("[y] pause the AI and send");
    let is_sent = |screen: &str| {
        screen.lines().any(|line| {
            line.contains("una persona.")
                && (line.contains("sent") || line.contains("delivered") || line.contains("read"))
        })
    };
    terminal.wait_for("the hold", |screen| screen.contains("Sending in") || is_sent(screen));
    terminal.keys("\x18");
    terminal.wait_for("the message on the server", is_sent);
    terminal.wait_for_text("you have it");
    terminal.keys("\x1b");
    terminal.wait_for_text("r reply");
    terminal.keys("d");
    // He may have written again by now.
    let is_next = |screen: &str| !screen.contains("Rui Tavares · ");
    terminal.wait_for("the next customer", |screen| is_next(screen) || screen.contains("close anyway"));
    terminal.answer('d', "close anyway");
    terminal.wait_for("the next customer", is_next);
    // The close is in his history once its hold is over.
    terminal.press_until(":open +351912345826\r", "the close", |screen| screen.contains("you closed"));
    terminal.keys("q");
    terminal.wait_for("a question or the end", |screen| {
        screen.contains("Quit frontdesk?") || !screen.contains("Harbor chat")
    });
    terminal.say_yes("Quit frontdesk?");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in ["TERM", "INT", "HUP", "QUIT"] {
        let mut terminal = Terminal::start(&["demo"], 80, 24);
        terminal.wait_for_text("Maria Lopez");
        terminal.signal(signal);
        assert_eq!(terminal.ended(), 0, "{signal}");
    }
}

#[test]
fn a_panic_gives_the_terminal_back_without_its_words() {
    let mut command = CommandBuilder::new(std::env::current_exe().expect("this binary"));
    command.args([
        "--exact",
        "pty::panics_inside_the_screen",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 80, 24);
    terminal.wait_until("the sentence", |terminal| {
        String::from_utf8_lossy(&terminal.seen).contains(PANIC_MESSAGE)
    });
    assert!(!String::from_utf8_lossy(&terminal.seen).contains("clipboard"), "the panic's own words are told");
    assert_ne!(terminal.ended(), 0);
}

#[test]
#[ignore = "run by the test above, in a terminal of its own"]
fn panics_inside_the_screen() {
    frontdesk::shell::failures::install(EventQueue::default());
    let _screen =
        Screen::acquire(ScreenOptions { mouse: true, title: true, links: true }).expect("a terminal");
    panic!("\u{1b}]52;c;clipboard\u{7}");
}

#[test]
fn suspended_it_gives_the_terminal_back_and_takes_it_again() {
    let mut terminal = Terminal::start(&["demo"], 80, 24);
    terminal.wait_for_text("Maria Lopez");
    terminal.signal("TSTP");
    terminal.wait_until("the terminal as it was", |terminal| {
        terminal.is_stopped() && terminal.is_cooked() && terminal.has_left()
    });
    assert_eq!(terminal.keyboard_flags(), (1, 1), "the shell gets its keys as it knows them");
    terminal.seen.clear();
    terminal.signal("CONT");
    terminal.wait_until("the screen again", |terminal| {
        !terminal.is_cooked()
            && terminal.contents().contains("Maria Lopez")
            && terminal.screen.screen().alternate_screen()
    });
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn stopped_from_outside_it_takes_the_terminal_from_the_shell_again() {
    let mut terminal = Terminal::start(&["demo"], 80, 24);
    terminal.wait_for_text("Maria Lopez");
    terminal.signal("STOP");
    terminal.wait_until("that it stands still", Terminal::is_stopped);
    let name = terminal.master.tty_name().expect("a name");
    let sane = std::process::Command::new("stty").arg("sane").arg("-F").arg(name).status();
    assert!(sane.expect("stty runs").success() && terminal.is_cooked(), "as a shell leaves it");
    terminal.signal("CONT");
    terminal.wait_until("the keys as they come", |terminal| !terminal.is_cooked());
    terminal.keys("?");
    terminal.wait_for_text("Keys");
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_draft_survives_kill_9() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Maria Lopez");
    open_customer(&mut terminal);
    terminal.keys("i");
    terminal.wait_for_text("Enter send");
    terminal.keys("half a thought 自転車");
    terminal.wait_for_text("half a thought");
    terminal.wait_until("the draft on disk", |terminal| {
        drafts(terminal.folder.path()).contains("half a thought 自転車")
    });
    terminal.signal("KILL");
    let Terminal { folder, mut child, .. } = terminal;
    child.wait().expect("it ends");
    let mut again = Terminal::start_in(folder, &["demo"], 120, 40);
    again.wait_for_text("Maria Lopez");
    open_customer(&mut again);
    again.keys("\x0c");
    again.wait_for_text("half a thought");
    again.signal("TERM");
    assert_eq!(again.ended(), 0);
}

fn drafts(folder: &std::path::Path) -> String {
    let path = folder.join("demo/desk/outbox.db");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let Ok(connection) = rusqlite::Connection::open_with_flags(path, flags) else { return String::new() };
    connection
        .query_row("SELECT coalesce(group_concat(text), '') FROM draft", [], |row| row.get(0))
        .unwrap_or_default()
}

#[test]
fn without_a_terminal_it_says_so() {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_frontdesk")).arg("demo").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("needs a terminal") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_channel_key_is_asked_for_and_not_shown() {
    let desk = crate::desk::Desk::new(80, 24);
    let key = desk.key_of("whatsapp");
    let mut terminal = Terminal::start(&["channel", "add"], 120, 40);
    terminal.wait_for_text("Name of the tab:");
    terminal.keys("Harbor chat\r");
    terminal.wait_for_text("Address of the service");
    // An invalid address is asked for again, the name is not.
    terminal.keys("api.example.com/v1\r");
    terminal
        .wait_for("a second question", |terminal| terminal.matches("Address of the service (").count() == 2);
    let told = terminal.contents();
    assert!(
        told.contains("Address of the service \"api.example.com/v1\" cannot be used: it must begin with"),
        "{told}"
    );
    assert!(told.contains("it should look like") && !told.contains("base_url"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    terminal.keys("\r");
    terminal.wait_for_text("Address of the service must not be empty.");
    terminal.keys(&format!("{}\r", desk.base_url));
    terminal.wait_for_text("Channel key (not shown):");
    // A rejected key is asked for again; name and address are not.
    terminal.keys("svc_live_wrong\r");
    terminal
        .wait_for("a second question", |terminal| terminal.matches("Channel key (not shown):").count() == 2);
    let told = terminal.contents();
    let words: Vec<&str> = told.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("Harbor chat") && words.contains("are kept."), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    // Corrects a wrong beginning.
    terminal.keys(&format!("wrong\x15x\x7f{key}\r"));
    terminal.wait_for_text("open the inbox with `frontdesk`");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_cooked();
    assert!(!String::from_utf8_lossy(&terminal.seen).contains(&key[..20]), "{}", terminal.contents());
    let mut again = Terminal::start_in(terminal.folder, &["channel", "remove", "harbor chat"], 160, 40);
    again.wait_for_text("and its key? y/n");
    again.keys("n\r");
    assert_eq!(again.wait_for_end(), 1);
}

#[test]
fn the_editor_gets_the_terminal_and_gives_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.args(["demo"]);
    // The editor reads the keyboard itself, and runs longer than a notice is shown.
    let editor = "f() { echo go on; read -r line; sleep 9; printf 'typed %s, was %s' \"$line\" \"$(cat \"$1\")\" > \"$1\"; stat -c %a \"$1\" >> \"$1\"; }; f";
    command.env("VISUAL", editor);
    let mut terminal = Terminal::run(folder, command, 100, 30);
    terminal.wait_for_text("1 Harbor chat");
    terminal.wait_for_text("Maria Lopez");
    open_customer(&mut terminal);
    terminal.keys("i");
    terminal.wait_for_text("Enter send");
    terminal.keys("half a thought");
    terminal.wait_for_text("half a thought");
    terminal.keys("\x07");
    terminal.wait_for("a terminal of its own", |terminal| {
        !terminal.contains("1 Harbor chat") && terminal.contains("go on")
    });
    assert_eq!(terminal.keyboard_flags(), (1, 1), "the editor asks for its keys itself");
    terminal.keys("qqq\r");
    // Another notice may replace that of the editor's end at once.
    terminal.wait_for_text("typed qqq, was half a thought600");
    terminal.keys(" and more");
    terminal.wait_for_text("and more");
}

#[test]
fn a_channel_is_added_from_within_the_desk() {
    let desk = crate::desk::Desk::new(80, 24);
    let key = desk.key_of("whatsapp");
    for (url, ends, is_added) in
        [("http://127.0.0.1:1/v1", "nothing was changed", false), (&desk.base_url, "config.toml", true)]
    {
        let mut terminal = Terminal::start(&["demo"], 120, 30);
        terminal.wait_for_text("1 Harbor chat");
        terminal.keys(":setup\r");
        terminal.wait_for_text("Name of the tab:");
        terminal.keys("Harbor chat\r");
        terminal.wait_for_text("Address of the service");
        terminal.keys(&format!("{url}\r"));
        terminal.wait_for_text("Channel key (not shown):");
        terminal.keys(&format!("{key}\r"));
        if ends == "nothing was changed" {
            terminal.wait_for_text("Esc leaves.");
            terminal.keys("\x1b");
        }
        terminal.wait_for_text("Enter to return to the desk");
        assert!(terminal.contents().contains(ends), "{}", terminal.contents());
        terminal.keys("\r");
        terminal.wait_for_text("1 Harbor chat");
        let written = std::fs::read_to_string(terminal.folder().join("config.toml")).unwrap_or_default();
        assert_eq!(written.contains(url), is_added, "{written}");
        assert!(!String::from_utf8_lossy(&terminal.seen).contains(&key[..20]), "{}", terminal.contents());
    }
}

#[test]
fn a_second_demo_in_a_folder_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let shared = folder.path().join("shared").display().to_string();
    let mut first = Terminal::start(&["demo", "--data-dir", &shared], 120, 30);
    first.wait_for_text("1 Harbor chat");
    let mut second = Terminal::start(&["demo", "--data-dir", &shared], 120, 30);
    second.wait_for_text("--data-dir");
    assert!(second.contents().contains(&format!("(process {})", first.id())), "{}", second.contents());
    assert_eq!(second.wait_for_end(), 1);
}

#[test]
fn a_demo_that_goes_on_is_reached_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = folder.path().display().to_string();
    let kept = folder.path().join("demo-port");
    let port = || std::fs::read_to_string(&kept).expect("a port");
    // An ephemeral port may be reused once the first process has ended.
    std::fs::write(&kept, crate::binary::free_port().to_string()).expect("written");
    let mut first = Terminal::start(&["demo", "--data-dir", &words], 120, 30);
    first.wait_for_text("1 Harbor chat");
    let signed_in = || std::fs::read_to_string(folder.path().join("demo-keys")).expect("keys");
    let (before, session) = (port(), signed_in());
    assert!(session.lines().any(|line| line.starts_with("session ")), "the person at the desk is signed in");
    first.signal("HUP");
    first.wait_for_end();
    let mut second = Terminal::start(&["demo", "--data-dir", &words], 120, 30);
    second.wait_for_text("1 Harbor chat");
    assert_eq!((port(), signed_in()), (before, session), "nobody signs in again");
    let address = format!("127.0.0.1:{}", port());
    std::net::TcpStream::connect(&address).expect("it listens there");
}

#[test]
fn a_terminal_that_goes_away_ends_the_program_that_has_it() {
    let mut terminal = Terminal::start(&["demo"], 120, 30);
    terminal.wait_for_text("1 Harbor chat");
    terminal.keys(":setup\r");
    terminal.wait_for_text("Name of the tab:");
    // Only the first process of a session gets the signal.
    terminal.signal("HUP");
    terminal.wait_for_end();
}

#[test]
fn shift_enter_is_a_new_line_and_fast_typing_answers_no_question() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Maria Lopez");
    open_customer(&mut terminal);
    terminal.keys("i");
    terminal.wait_for_text("Enter send");
    // Shift-Enter of a terminal with the extended keyboard protocol.
    terminal.keys("one line\x1b[13;2usecond line");
    terminal.wait_for_text("second line");
    assert!(!terminal.contents().contains("[y] pause the AI"), "{}", terminal.contents());
    // All at once, as by somebody who types without looking up.
    terminal.keys("\rplease say yes");
    terminal.wait_for_text("was typed too early");
    assert!(terminal.contents().contains("[y] pause the AI and send"), "{}", terminal.contents());
    // Keys are ignored while a question has only just appeared; Esc works later.
    terminal.press_until("\x1b", "the text as it was written", |terminal| {
        !terminal.contains("[y] pause") && terminal.contains("lineplease say yes")
    });
    terminal.signal("TERM");
    assert_eq!(terminal.ended(), 0);
}
