//! The binary in folders of its own, without a terminal and without the user's keyring.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU16, Ordering};

use crate::desk::Desk;

/// Range of the ports of [`free_port`].
const LOWEST_PORT: u16 = 10_000;
const PORTS: u16 = 20_000;

/// All channels of a shop: kind and name.
pub const ALL_CHANNELS: [(&str, &str); 4] = [
    ("whatsapp", "Harbor chat"),
    ("email", "Harbor mail"),
    ("voip", "Harbor phone"),
    ("telegram", "Harbor bot"),
];

/// A port nobody listens on, returned once and outside the ephemeral range.
pub fn free_port() -> u16 {
    static COUNT: AtomicU16 = AtomicU16::new(0);
    static FIRST: LazyLock<u16> = LazyLock::new(|| rand::random_range(0..PORTS));
    let is_free =
        |port: &u16| (1..=3).all(|host| TcpListener::bind((Ipv4Addr::new(127, 0, 0, host), *port)).is_ok());
    let next = || LOWEST_PORT + (*FIRST + COUNT.fetch_add(1, Ordering::Relaxed)) % PORTS;
    std::iter::repeat_with(next).take(usize::from(PORTS)).find(is_free).expect("a free port")
}

pub fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "{name}");
}

/// A process that is killed when dropped, also if its test fails.
pub struct RunningProcess(pub Child);

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // The process may be dead already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub struct Binary {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Binary {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), variables: Vec::new() }
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn configure(&self, text: &str) {
        std::fs::write(self.config(), text).expect("written");
    }

    pub fn configure_channels(&mut self, desk: &Desk, channels: &[(&str, &str)]) {
        let mut text = String::new();
        for (channel, name) in channels {
            let variable = format!("KEY_{}", channel.to_uppercase());
            self.set(&variable, &desk.key_of(channel));
            let url = &desk.base_url;
            text.push_str(&format!(
                "[[channel]]\nname = \"{name}\"\nbase_url = \"{url}\"\nkey_env = \"{variable}\"\n"
            ));
        }
        self.configure(&text);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("FRONTDESK_CONFIG_DIR", self.folder.path()).env("FRONTDESK_DATA_DIR", self.data());
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent").env_remove("HTTP_PROXY");
        command.env("TZ", "UTC");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn variables(&self, mut tell: impl FnMut(&str, &str)) {
        tell("FRONTDESK_CONFIG_DIR", &self.folder.path().to_string_lossy());
        tell("FRONTDESK_DATA_DIR", &self.data().to_string_lossy());
        self.variables.iter().for_each(|(name, value)| tell(name, value));
    }

    pub fn run(&self, arguments: &[&str], input: &str) -> Ended {
        let mut child = self.command(arguments).spawn().expect("it runs");
        let mut stdin = child.stdin.take().expect("its input");
        // The process may end without reading.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Ended::of(&child.wait_with_output().expect("it ends"))
    }

    #[track_caller]
    pub fn ok(&self, arguments: &[&str], input: &str) -> String {
        let ended = self.run(arguments, input);
        // An empty list is said on standard error.
        let is_quiet = ended.err.lines().all(|line| line.starts_with("no "));
        assert!(ended.code == Some(0) && is_quiet, "{arguments:?}: {}{}", ended.out, ended.err);
        ended.out
    }

    /// Runs a command whose stdout is closed: it must end silently.
    #[track_caller]
    pub fn unread(&self, arguments: &[&str]) {
        let mut child = self.command(arguments).spawn().expect("it runs");
        drop((child.stdin.take(), child.stdout.take()));
        let ended = Ended::of(&child.wait_with_output().expect("it ends"));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{arguments:?}");
    }

    #[track_caller]
    pub fn fails(&self, code: i32, arguments: &[&str], input: &str) -> String {
        let ended = self.run(arguments, input);
        assert_eq!(ended.code, Some(code), "{arguments:?}: {}{}", ended.out, ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        ended.err
    }
}

pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}
