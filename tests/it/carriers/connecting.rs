//! `admin channel`: nothing is stored before a live test, and secrets are sealed.

use std::process::Stdio;

use serde_json::{Value, json};

use super::bot_server::{BotServer, TOKEN};
use super::campaign::inbound;
use super::mail_server;
use super::number_server::{self, NumberServer};
use super::phone_server::{self, PhoneServer};
use crate::binary::{Binary, RunningProcess};
use crate::waiting::until_so;

fn channel(arguments: &[&str]) -> Vec<String> {
    [&["admin", "--db", "service.db", "channel"], arguments]
        .concat()
        .iter()
        .map(|text| (*text).to_owned())
        .collect()
}

pub(super) struct Dashboard {
    pub(super) binary: Binary,
    pub(super) database: String,
}

impl Dashboard {
    pub(super) fn new() -> Self {
        let binary = Binary::new();
        let database = binary.folder().join("service.db").to_str().expect("words").to_owned();
        let made = Self { binary, database };
        drop(made.serve());
        made
    }

    fn serve(&self) -> RunningProcess {
        use std::io::{BufRead, BufReader};
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--db", &self.database];
        let mut child = self.binary.command(&arguments).stderr(Stdio::null()).spawn().expect("it runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("listening on "), "{line}");
        RunningProcess(child)
    }

    fn arguments<'a>(&'a self, all: &'a [String]) -> Vec<&'a str> {
        all.iter()
            .map(|text| if text == "service.db" { self.database.as_str() } else { text.as_str() })
            .collect()
    }

    fn ok(&self, arguments: &[&str], input: &str) -> String {
        let all = channel(arguments);
        self.binary.ok(&self.arguments(&all), input)
    }

    fn fails(&self, arguments: &[&str], input: &str) -> String {
        let all = channel(arguments);
        self.binary.fails(1, &self.arguments(&all), input)
    }

    fn listed(&self) -> Value {
        self.listed_as("telegram")
    }

    pub(super) fn listed_as(&self, channel: &str) -> Value {
        let all: Value = serde_json::from_str(&self.ok(&["list", "--json"], "")).expect("JSON");
        let found = all.as_array().expect("a list").iter().find(|value| value["channel"] == channel).cloned();
        found.expect("the channel")
    }

    /// True if the database contains a text unencrypted.
    fn has_plain_text(&self, secret: &str) -> bool {
        ["", "-wal"].iter().any(|end| {
            let bytes = std::fs::read(format!("{}{end}", self.database)).unwrap_or_default();
            bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        })
    }
}

#[test]
fn a_bot_is_connected_after_a_live_test_and_its_token_is_sealed() {
    let (dashboard, bot) = (Dashboard::new(), BotServer::start());
    let (url, good) = (bot.url(), format!("{TOKEN}\n"));
    let connect = ["connect", "telegram", "--api-url", &url];
    let said = dashboard.fails(&connect, "7:wrong\n");
    assert!(said.contains("nothing was connected") && said.contains("@BotFather"), "{said}");
    let said = dashboard.fails(&["connect", "telegram", "--api-url", "http://bots.example"], &good);
    assert!(said.contains("must begin with https://"), "{said}");
    let said = dashboard.fails(&["connect", "telegram", "--api-url", "http://127.0.0.1:9"], &good);
    assert!(said.contains("cannot be reached"), "{said}");
    let said = dashboard.fails(&connect, "\n");
    assert!(said.contains("no token was given"), "{said}");
    assert_eq!((&dashboard.listed()["connected"], bot.most_readers()), (&json!(false), 0));
    let said = dashboard.fails(&["test", "telegram"], "");
    assert!(said.contains("connect it with `admin channel connect telegram`"), "{said}");

    assert_eq!(dashboard.ok(&connect, &good), "telegram is connected to @harbor_bot\n");
    let listed = dashboard.listed();
    assert_eq!((&listed["address"], &listed["heard"]), (&json!("@harbor_bot"), &json!("it is read")));
    assert!(dashboard.ok(&["test", "telegram"], "").contains("the platform accepts the token"));
    assert!(!dashboard.has_plain_text(TOKEN), "the token is not to be read in it");
    let doctor = || dashboard.binary.run(&["doctor", "--offline", "--db", &dashboard.database], "").out;
    assert!(doctor().contains("@harbor_bot, connected"), "{}", doctor());
    bot.revoke();
    assert!(dashboard.fails(&["test", "telegram"], "").contains("does not know this token"));
    assert!(dashboard.ok(&["disconnect", "telegram"], "").contains("disconnected"));
    assert_eq!(dashboard.listed()["connected"], false);
}

#[test]
fn a_running_service_follows_what_is_connected() {
    let (dashboard, bot) = (Dashboard::new(), BotServer::start());
    let serving = dashboard.serve();
    dashboard.ok(&["connect", "telegram", "--api-url", &bot.url()], &format!("{TOKEN}\n"));
    bot.waits_for_requests(4);
    bot.taken(true);
    let trouble = |wanted: bool| {
        while dashboard.listed()["trouble"].is_null() == wanted {}
        dashboard.listed()["trouble"].as_str().unwrap_or("").to_owned()
    };
    let told = trouble(true);
    assert!(told.contains("another program reads this bot"), "{told}");
    assert!(dashboard.ok(&["list"], "").contains(": another program reads this bot"));
    bot.taken(false);
    assert_eq!(trouble(false), "", "it goes away by itself");
    assert_eq!(bot.most_readers(), 1);
    drop(serving);
}

#[test]
fn a_number_is_connected_after_a_live_test_and_its_secrets_are_sealed() {
    let (dashboard, number) = (Dashboard::new(), NumberServer::start());
    let url = number.url();
    let (token, secret, verify) = (number_server::TOKEN, number_server::APP_SECRET, number_server::VERIFY);
    let connect = |id, account| {
        let ids = ["--phone-number-id", id, "--business-account-id", account];
        [&["connect", "whatsapp"], &ids[..], &["--api-url", &url]].concat()
    };
    let good = connect(number_server::NUMBER, number_server::ACCOUNT);
    let secrets = format!("{token}\n{secret}\n{verify}\n");
    let said = dashboard.fails(&good, &format!("wrong\n{secret}\n{verify}\n"));
    assert!(said.contains("nothing was connected") && said.contains("access token"), "{said}");
    let said = dashboard.fails(&good, &format!("{token}\n{secret}\n\n"));
    assert!(said.contains("no verify token was given"), "{said}");
    let said = dashboard.fails(&good, &format!("{token}\n"));
    assert!(said.contains("app secret"), "{said}");
    let said = dashboard.fails(&connect("12", number_server::ACCOUNT), &secrets);
    assert!(said.contains("--phone-number-id"), "{said}");
    let said = dashboard.fails(&connect(number_server::NUMBER, "12"), &secrets);
    assert!(said.contains("--business-account-id"), "{said}");
    let said = dashboard.fails(&connect("../me", number_server::ACCOUNT), &secrets);
    assert!(said.contains("is not an id"), "{said}");
    assert_eq!(dashboard.listed_as("whatsapp")["connected"], json!(false));

    let phone = number_server::PHONE;
    assert_eq!(dashboard.ok(&good, &secrets), format!("whatsapp is connected to {phone}\n"));
    let listed = dashboard.listed_as("whatsapp");
    assert_eq!((&listed["address"], &listed["heard"]), (&json!(phone), &json!("the platform calls")));
    assert_eq!((&listed["quality"], &listed["limit"]), (&json!("GREEN"), &json!("TIER_1K")));
    assert!(dashboard.ok(&["list"], "").contains("quality GREEN"));
    let said = dashboard.ok(&["test", "whatsapp"], "");
    assert!(said.contains("Harbor Shop") && said.contains("has no address for"), "{said}");
    for secret in [token, secret, verify] {
        assert!(!dashboard.has_plain_text(secret), "{secret} is not to be read in the file");
    }
    number.revoke();
    assert!(dashboard.fails(&["test", "whatsapp"], "").contains("does not accept the access token"));
    assert!(dashboard.ok(&["disconnect", "whatsapp"], "").contains("disconnected"));
    assert_eq!(dashboard.listed_as("whatsapp")["connected"], false);
}

#[test]
fn a_mailbox_is_connected_after_a_live_test_and_its_password_is_sealed() {
    let Some(servers) = mail_server::servers() else { return };
    let (dashboard, mailbox) = (Dashboard::new(), servers.mailbox());
    let (address, imap, smtp) = (mailbox.address.as_str(), mailbox.imap_url(), mailbox.smtp_url());
    let good = format!("{}\n", mail_server::password());
    let connect = |address: &str, imap: &str, smtp: &str| -> Vec<String> {
        let all = ["connect", "email", "--address", address, "--imap", imap, "--smtp", smtp];
        all.iter().map(|text| (*text).to_owned()).collect()
    };
    let fails = |all: &[String], input: &str| {
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        dashboard.fails(&all, input)
    };
    let with_alias =
        |alias: &str| [connect(address, &imap, &smtp), vec!["--alias".to_owned(), alias.to_owned()]].concat();
    let submission = smtp.rsplit(':').next().expect("a port");
    let swapped = format!("imap://{address}@127.0.0.1:{submission}");
    let cases = [
        (connect(address, &imap, &smtp), "wrong\n", "for reading"),
        (connect(address, &imap, &smtp), "\n", "no password was given"),
        (connect(address, &imap, &smtp), &format!("{good}wrong\n"), "for sending"),
        (connect("desk", &imap, &smtp), good.as_str(), "use the mailbox's own"),
        (
            connect(address, &format!("imap://{address}@127.0.0.1:9"), &smtp),
            &good,
            "127.0.0.1:9 cannot be reached",
        ),
        (
            connect(address, &format!("imap://{address}@mail.invalid"), &smtp),
            &good,
            "mail.invalid:143 cannot be reached",
        ),
        (connect(address, &imap.replace("imap://", "imaps://"), &smtp), &good, "has no trusted certificate"),
        (connect(address, &swapped, &smtp), &good, "does not answer as an IMAP server"),
        (connect(address, "http://127.0.0.1", &smtp), &good, "is not the address of a mail server"),
        (connect(address, "imap://127.0.0.1", &smtp), &good, "has no user"),
        (
            connect("delegated-sales@shop.example", &imap, &smtp),
            &good,
            "to send as delegated-sales@shop.example",
        ),
        (with_alias("delegated-sales@shop.example"), &good, "without this --alias"),
        (with_alias("sales"), &good, "use another address of this mailbox"),
    ];
    for (all, input, words) in cases {
        let said = fails(&all, input);
        assert!(said.contains("nothing was connected") && said.contains(words), "{words}: {said}");
        assert!(!said.contains(good.trim()), "{said}");
    }
    assert_eq!(dashboard.listed_as("email")["connected"], json!(false));
    let all = connect(address, &imap, &smtp);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(dashboard.ok(&all, &good), format!("email is connected to {address}\n"));
    let listed = dashboard.listed_as("email");
    assert_eq!((&listed["address"], &listed["heard"]), (&json!(address), &json!("it is read")));
    assert!(dashboard.ok(&["test", "email"], "").contains("the inbox can be read"));
    assert!(!dashboard.has_plain_text(good.trim()), "the password is not to be read in it");
    // As the service records it after the password was changed at the mailbox.
    let connection = rusqlite::Connection::open(&dashboard.database).expect("opens");
    let sql = "UPDATE connected_channels SET trouble = 'the mailbox does not accept the password'";
    assert_eq!(connection.execute(sql, []).expect("changed"), 1);
    drop(connection);
    let doctor = dashboard.binary.run(&["doctor", "--offline", "--db", &dashboard.database], "").out;
    let line =
        doctor.lines().find(|line| line.contains("email channel")).unwrap_or_else(|| panic!("{doctor}"));
    assert!(line.starts_with("fail") && line.contains("does not accept the password"), "{line}");
    assert!(line.ends_with("run: frontdesk admin channel test email"), "{line}");
    assert!(dashboard.ok(&["disconnect", "email"], "").contains("disconnected"));
    assert_eq!(dashboard.listed_as("email")["connected"], false);
}

#[test]
fn a_service_nobody_can_reach_says_so_of_a_platform_that_calls() {
    let (dashboard, number) = (Dashboard::new(), NumberServer::start());
    let serving = dashboard.serve();
    let secrets = [number_server::TOKEN, number_server::APP_SECRET, number_server::VERIFY]
        .map(|text| format!("{text}\n"))
        .concat();
    let url = number.url();
    let ids = ["--phone-number-id", number_server::NUMBER, "--business-account-id", number_server::ACCOUNT];
    dashboard.ok(&[&["connect", "whatsapp"], &ids[..], &["--api-url", &url]].concat(), &secrets);
    let told = loop {
        if let Some(trouble) = dashboard.listed_as("whatsapp")["trouble"].as_str() {
            break trouble.to_owned();
        }
    };
    assert!(told.contains("--public-url"), "{told}");
    drop(serving);
}

#[test]
fn a_phone_is_connected_after_a_live_test_and_its_token_is_sealed() {
    let (dashboard, phone) = (Dashboard::new(), PhoneServer::start());
    let url = phone.url();
    let connect = |account, number| {
        ["connect", "voip", "--account-sid", account, "--number", number, "--api-url", &url].to_vec()
    };
    let (good, token) = (connect(phone_server::ACCOUNT, phone_server::NUMBER), phone_server::TOKEN);
    let secret = format!("{token}\n");
    let said = dashboard.fails(&good, "wrong\n");
    assert!(
        said.contains("nothing was connected") && said.contains("does not accept the auth token"),
        "{said}"
    );
    let said = dashboard.fails(&good, "\n");
    assert!(said.contains("no auth token was given"), "{said}");
    let said = dashboard.fails(&connect("SK1", phone_server::NUMBER), &secret);
    assert!(said.contains("AC and 32 hex digits"), "{said}");
    let said = dashboard.fails(&connect(phone_server::ACCOUNT, "5550100200"), &secret);
    assert!(said.contains("is not a phone number such as +15550100200"), "{said}");
    let said = dashboard.fails(&connect(phone_server::ACCOUNT, "+15550100999"), &secret);
    assert!(said.contains("+15550100999 is not a number of this account"), "{said}");
    assert_eq!(dashboard.listed_as("voip")["connected"], json!(false));

    let number = phone_server::NUMBER;
    assert_eq!(dashboard.ok(&good, &secret), format!("voip is connected to {number}\n"));
    let listed = dashboard.listed_as("voip");
    assert_eq!((&listed["address"], &listed["heard"]), (&json!(number), &json!("the platform calls")));
    phone.is_trial();
    let said = dashboard.ok(&["test", "voip"], "");
    for words in [
        "Harbor Shop",
        "send texts and place calls",
        "a trial account",
        "start the service with --public-url",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert!(!dashboard.has_plain_text(token), "the token is not to be read in the file");
    let doctor = || dashboard.binary.run(&["doctor", "--offline", "--db", &dashboard.database], "").out;
    assert!(doctor().contains("+15550100200, connected"), "{}", doctor());

    // Without a public URL the service polls the lists, and says what is missing.
    phone.says("+34600111222", "hello");
    let serving = dashboard.serve();
    let trouble = loop {
        if let Some(trouble) = dashboard.listed_as("voip")["trouble"].as_str() {
            break trouble.to_owned();
        }
    };
    assert!(trouble.contains("--public-url"), "{trouble}");
    until_so("the text is read", || !inbound(&dashboard.database).is_empty());
    assert!(
        doctor().contains("--public-url") && doctor().contains("admin channel test voip"),
        "{}",
        doctor()
    );
    drop(serving);

    phone.revoke();
    assert!(dashboard.fails(&["test", "voip"], "").contains("does not accept the auth token"));
    assert!(dashboard.ok(&["disconnect", "voip"], "").contains("disconnected"));
    assert_eq!(dashboard.listed_as("voip")["connected"], false);
    let call =
        dashboard.binary.fails(1, &["admin", "--db", &dashboard.database, "call", "hang-up", "call_1"], "");
    assert!(call.contains("not connected"), "{call}");
    assert_eq!(dashboard.binary.ok(&["admin", "--db", &dashboard.database, "call", "list"], ""), "");
}
