//! The service as the binary runs it, and the binary's inbox beside it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use portable_pty::CommandBuilder;
use serde_json::Value;

/// The running service; killed when it is dropped.
pub struct Service {
    child: Child,
    told: Value,
}

impl Service {
    /// Starts it on the file of a folder, with more switches than a
    /// development server's own.
    pub fn start(folder: &Path, switches: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_frontdesk"))
            .args(["serve", "--dev", "--listen", "127.0.0.1:0"])
            .args(switches)
            .arg("--db")
            .arg(folder.join("service.db"))
            .arg("--ready-file")
            .arg(folder.join("ready.json"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("listening on "), "{line}");
        let text = std::fs::read(folder.join("ready.json")).expect("the ready file");
        Self { child, told: serde_json::from_slice(&text).expect("JSON") }
    }

    /// The address of the interface.
    pub fn base_url(&self) -> String {
        self.told["base_url"].as_str().expect("an address").to_owned()
    }

    /// The address of the switches.
    pub fn dev_url(&self) -> String {
        self.told["dev_url"].as_str().expect("an address").to_owned()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        let url = self.dev_url();
        url.trim_start_matches("http://").trim_end_matches("/dev").parse().expect("an address")
    }

    /// The live key of a channel, told when the file was made.
    pub fn key(&self, channel: &str) -> String {
        let keys = self.told["keys"].as_array().expect("keys");
        let found = keys.iter().find(|key| key["channel"] == channel && key["environment"] == "live");
        found.expect("a live key")["key"].as_str().expect("text").to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The inbox with a configuration, everything of it in a folder, and keys in
/// variables.
pub fn inbox(folder: &Path, config: &str, keys: &[(&str, &str)]) -> CommandBuilder {
    std::fs::write(folder.join("config.toml"), config).expect("written");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    for (variable, key) in keys {
        command.env(variable, key);
    }
    command.env("FRONTDESK_CONFIG_DIR", folder);
    command.env("FRONTDESK_DATA_DIR", folder.join("data"));
    command.env("TERM", "xterm-256color");
    // The benches look for marks that are not ASCII.
    command.env("LC_ALL", "C.UTF-8");
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    command
}

/// Somebody who is not an inbox.
pub fn caller() -> reqwest::Client {
    frontdesk::client::install_tls();
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

/// A customer writes; returns when the service has taken it.
pub async fn write(caller: &reqwest::Client, dev_url: &str, told: &Value) {
    let url = format!("{dev_url}/inbound");
    let request = caller.post(url).header("content-type", "application/json").body(told.to_string());
    let answer = request.send().await.expect("an answer");
    assert!(answer.status().is_success(), "{}", answer.status());
}
