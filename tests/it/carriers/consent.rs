//! A mailbox whose provider takes no password: its owner agrees in a browser or types a code.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use super::connecting::Dashboard;
use super::mail_server::{self, TestMailbox, TokenServer};
use super::stand_in;
use crate::binary::{Binary, RunningProcess};

const GOOD_CODE: &str = "good-code";

pub(super) struct Scene {
    pub(super) dashboard: Dashboard,
    pub(super) mailbox: TestMailbox,
    tokens: TokenServer,
}

impl Scene {
    /// `None` if no mail servers are installed.
    pub(super) fn new() -> Option<Self> {
        let mut mailbox = mail_server::servers()?.mailbox();
        mailbox.tokens = true;
        let tokens = TokenServer::start(mailbox.token_port(), &mailbox.address);
        Some(Self { dashboard: Dashboard::new(), mailbox, tokens })
    }

    fn start(&self, provider: &str) -> Connecting {
        let asked = ["--address", &self.mailbox.address, "--provider", provider, "--client-id", "desk"];
        self.start_with(&asked, "client-secret")
    }

    /// Connects a mailbox with these arguments, on the servers and the provider of the scene.
    pub(super) fn start_with(&self, arguments: &[&str], client_secret: &str) -> Connecting {
        let (imap, smtp) = (self.mailbox.imap_url(), self.mailbox.smtp_url());
        let authority = format!("http://127.0.0.1:{}", self.mailbox.token_port());
        let admin = ["admin", "--db", &self.dashboard.database, "channel", "connect", "email"];
        let places = ["--imap", &imap, "--smtp", &smtp, "--authority", &authority];
        let mut command = self.dashboard.binary.command(&[&admin[..], arguments, &places].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = RunningProcess(command.spawn().expect("it runs"));
        child
            .0
            .stdin
            .as_mut()
            .expect("piped")
            .write_all(format!("{client_secret}\n").as_bytes())
            .expect("written");
        let said = BufReader::new(child.0.stderr.take().expect("piped"));
        Connecting { child, said }
    }

    fn is_connected(&self) -> bool {
        self.dashboard.listed_as("email")["address"] == self.mailbox.address
    }
}

pub(super) struct Connecting {
    child: RunningProcess,
    said: BufReader<std::process::ChildStderr>,
}

impl Connecting {
    /// Reads to the line that is an address.
    fn page(&mut self) -> String {
        let mut line = String::new();
        while !line.starts_with("http") {
            line.clear();
            assert!(self.said.read_line(&mut line).expect("words") > 0, "it ended without an address");
        }
        line.trim().to_owned()
    }

    /// Agrees in a browser of this machine; returns the page that the browser shows then.
    pub(super) fn agree_in_browser(&mut self) -> String {
        let wanted = redirect(&self.page(), &format!("code={GOOD_CODE}"));
        stand_in::call("GET", &wanted, ("accept", "*/*"), "").expect("an answer").1
    }

    pub(super) fn ends(mut self) -> (bool, String) {
        drop(self.child.0.stdin.take());
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("words");
        (self.child.0.wait().expect("it ends").success(), said)
    }
}

/// Address to which the provider leads the browser.
fn redirect(page: &str, answer: &str) -> String {
    let page = url::Url::parse(page).expect("an address");
    let value = |wanted: &str| {
        page.query_pairs()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.into_owned())
            .expect(wanted)
    };
    assert_eq!(value("code_challenge_method"), "S256");
    format!("{}/?state={}&{answer}", value("redirect_uri"), value("state"))
}

#[test]
fn typed_code_connects_a_mailbox_without_a_password() {
    let Some(scene) = Scene::new() else { return };
    let connecting = scene.start("microsoft");
    let (is_done, said) = connecting.ends();
    assert!(is_done, "{said}");
    assert!(said.contains(TokenServer::TYPED_CODE) && said.contains(TokenServer::PAGE), "{said}");
    assert!(scene.is_connected());
    assert!(scene.tokens.was_asked("client_secret=client-secret"), "{:?}", scene.tokens.asked());
}

#[test]
fn refused_code_connects_nothing_and_says_why() {
    let Some(scene) = Scene::new() else { return };
    scene.tokens.denies();
    let (is_done, said) = scene.start("microsoft").ends();
    assert!(!is_done && said.contains("did not give consent"), "{said}");
    assert!(!scene.is_connected());
}

#[test]
fn browser_of_this_machine_connects_a_mailbox() {
    let Some(scene) = Scene::new() else { return };
    let mut connecting = scene.start("google");
    let page = connecting.page();
    let wanted = redirect(&page, &format!("code={GOOD_CODE}"));
    let forged = wanted.replace("state=", "state=x");
    let answer = stand_in::call("GET", &forged, ("accept", "*/*"), "").expect("an answer");
    assert!(answer.1.contains("Nothing to do here"), "{answer:?}");
    let answer = stand_in::call("GET", &wanted, ("accept", "*/*"), "").expect("an answer");
    assert!(answer.1.contains("Consent was given"), "{answer:?}");
    let (is_done, said) = connecting.ends();
    assert!(is_done, "{said}");
    assert!(scene.is_connected());
    assert!(scene.tokens.was_asked("code_verifier="));
}

#[test]
fn address_pasted_from_another_machine_connects_a_mailbox() {
    let Some(scene) = Scene::new() else { return };
    let mut connecting = scene.start("google");
    let pasted = redirect(&connecting.page(), &format!("code={GOOD_CODE}"));
    let lines = format!("http://127.0.0.1/elsewhere\n{pasted}\n");
    connecting.child.0.stdin.as_mut().expect("piped").write_all(lines.as_bytes()).expect("written");
    let (is_done, said) = connecting.ends();
    assert!(is_done && said.contains("paste it whole"), "{said}");
    assert!(scene.is_connected());
}

#[test]
fn provider_needs_a_client_id_and_no_servers() {
    let binary = Binary::new();
    let connect = ["admin", "channel", "connect", "email", "--address", "desk@shop.example"];
    let said = binary.run(&[&connect[..], &["--provider", "google"]].concat(), "").err;
    assert!(said.contains("required") && said.contains("--client-id"), "{said}");
    let said = binary.run(&connect, "").err;
    assert!(said.contains("required") && said.contains("--imap"), "{said}");
}
