//! Mail over TLS and STARTTLS: an untrusted server gets no password.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use super::mail_server::{TestMailbox, password, servers};
use crate::binary::Binary;
use crate::postgres::cluster;
use crate::waiting::until_found;

struct Desk {
    binary: Binary,
    database: String,
    key: String,
}

/// A service process with its own trusted certificates.
struct RunningDesk {
    child: std::process::Child,
    url: String,
}

impl Drop for RunningDesk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Desk {
    fn new() -> Self {
        let binary = Binary::new();
        let database = binary.folder().join("service.db").to_str().expect("words").to_owned();
        let mut desk = Self { binary, database, key: String::new() };
        drop(desk.serve());
        let told = std::fs::read_to_string(desk.binary.folder().join("ready.json")).expect("told");
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let is_mail = |value: &&Value| value["channel"] == "email" && value["environment"] == "live";
        let key = told["keys"].as_array().expect("keys").iter().find(is_mail).expect("a key");
        desk.key = key["key"].as_str().expect("text").to_owned();
        desk
    }

    fn serve(&self) -> RunningDesk {
        let ready = self.binary.folder().join("ready.json");
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--db", &self.database, "--ready-file"];
        let mut command = self.binary.command(&arguments);
        let mut child = command.arg(ready).stderr(Stdio::null()).spawn().expect("it runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let url = line.trim().rsplit(' ').next().expect("an address").to_owned();
        RunningDesk { child, url }
    }

    fn channel<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        [&["admin", "--db", &self.database, "channel"], arguments].concat()
    }

    fn connect(&self, mailbox: &TestMailbox, (imap, smtp): &(String, String)) -> Result<String, String> {
        let wanted = ["connect", "email", "--address", &mailbox.address, "--imap", imap, "--smtp", smtp];
        let ended = self.binary.run(&self.channel(&wanted), &format!("{}\n", password()));
        if ended.code == Some(0) { Ok(ended.out) } else { Err(ended.err) }
    }

    fn is_connected(&self) -> bool {
        let all: Value =
            serde_json::from_str(&self.binary.ok(&self.channel(&["list", "--json"]), "")).expect("JSON");
        let mail = all.as_array().expect("a list").iter().find(|entry| entry["channel"] == "email").cloned();
        mail.expect("the channel")["connected"] == true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_goes_encrypted_to_servers_that_prove_who_they_are() {
    let Some(servers) = servers() else { return };
    frontdesk::client::install_tls();
    for is_implicit in [true, false] {
        let (mut desk, mailbox) = (Desk::new(), servers.mailbox());
        let urls = |right: bool| match (is_implicit, right) {
            (true, true) => mailbox.secure_urls("localhost"),
            (true, false) => mailbox.secure_urls("127.0.0.3"),
            (false, true) => mailbox.starttls_urls("127.0.0.2"),
            (false, false) => mailbox.starttls_urls("127.0.0.3"),
        };
        let unproved = desk.connect(&mailbox, &urls(true)).expect_err("nobody vouches for it");
        assert!(unproved.contains("has no trusted certificate"), "{unproved}");
        desk.binary.set("SSL_CERT_FILE", servers.certificate().to_str().expect("words"));
        let (imap, smtp) = urls(true);
        let (wrong_imap, wrong_smtp) = urls(false);
        for (imap, smtp) in [(wrong_imap, smtp.clone()), (imap.clone(), wrong_smtp)] {
            let other = desk.connect(&mailbox, &(imap, smtp)).expect_err("it is somebody else");
            assert!(other.contains("127.0.0.3") && other.contains("has no trusted certificate"), "{other}");
        }
        if is_implicit {
            // A port without TLS from the first byte.
            let plain = mailbox.starttls_urls("localhost").0.replace("imap:", "imaps:");
            let told = desk.connect(&mailbox, &(plain, smtp.clone())).expect_err("it is not encrypted");
            assert!(told.contains("does not use TLS on this port"), "{told}");
        }
        assert!(!desk.is_connected(), "nothing is kept before");
        let told = desk.connect(&mailbox, &(imap, smtp)).expect("it is connected");
        assert!(told.contains(&mailbox.address), "{told}");
        assert!(desk.binary.ok(&desk.channel(&["test", "email"]), "").contains("accepts the login"));
        answers(&desk, &mailbox).await;
    }
}

async fn answers(desk: &Desk, mailbox: &TestMailbox) {
    let (running, maria) = (desk.serve(), format!("maria-{}@mail.example", uuid::Uuid::new_v4().simple()));
    mailbox.hears(&maria, "Order 1042", "Where is my order?", "");
    let place: frontdesk::service::DatabaseLocation = desk.database.parse().expect("a path");
    until_found("the question", async || {
        match cluster::count(&place, "SELECT count(*) FROM emails WHERE direction = 'inbound'") {
            1 => Ok(()),
            other => Err(other),
        }
    })
    .await;
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let body = json!({"to": maria, "subject": "Re: Order 1042", "text": "On its way"}).to_string();
    let request = http.post(format!("{}/email/send", running.url)).bearer_auth(&desk.key);
    let told = request.header("content-type", "application/json").body(body).send().await.expect("an answer");
    assert_eq!(told.status().as_u16(), 200, "{:?}", told.text().await);
    mailbox.waits_for(&maria, "On its way");
}
