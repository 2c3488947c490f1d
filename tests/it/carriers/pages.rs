//! The pages of the book about platforms: their commands are run in order with the real binary against
//! stand-ins, until the first customer is answered.

use serde_json::Value;

use super::bot_server::{self, BotServer};
use super::campaign::{Killed, serve};
use super::connecting::Dashboard;
use super::consent::Scene;
use super::first_answers::Side;
use super::mail_server::{self, TestMailbox, TokenServer};
use super::number_server::{self, NumberServer};
use super::phone_server::{self, PhoneServer};
use super::stand_in::Names;
use crate::book::{page, sources, split_words, typed};

const PAGES: [&str; 8] = [
    "docs/telegram.md",
    "docs/whatsapp.md",
    "docs/sms.md",
    "docs/email.md",
    "docs/gmail.md",
    "docs/microsoft-365.md",
    "docs/fastmail.md",
    "docs/dovecot.md",
];
/// The second number of the page about numbers.
const SECOND_NUMBER: Names =
    Names(&[(number_server::NUMBER, "106540352242933"), ("555-078-3881", "555-078-3882")]);

/// Runs the commands of a page in order, with the values that replace those of the examples. Returns each command
/// as the page has it, with what it printed.
fn follow(
    path: &str,
    values: &[(&str, String)],
    mut run: impl FnMut(&str) -> String,
) -> Vec<(String, String)> {
    let text = page(path).replace("\\\n", " ");
    let mut said = Vec::new();
    for line in typed(&text).map(str::trim_start).filter_map(|line| line.strip_prefix("frontdesk ")) {
        let filled =
            values.iter().fold(line.to_owned(), |line, (example, value)| line.replace(example, value));
        said.push((line.to_owned(), run(&filled)));
    }
    said
}

/// Output of a page's only command that contains these words.
#[track_caller]
fn printed<'a>(said: &'a [(String, String)], words: &str) -> &'a str {
    let found: Vec<&str> =
        said.iter().filter(|(command, _)| command.contains(words)).map(|(_, out)| out.as_str()).collect();
    match found[..] {
        [out] => out,
        _ => panic!("{} commands with {words:?}: {said:?}", found.len()),
    }
}

/// A service that a page starts, with its commands.
struct Machine<'a> {
    dashboard: &'a Dashboard,
    side: &'a Side<'a>,
    running: Option<Killed>,
}

impl<'a> Machine<'a> {
    fn new(dashboard: &'a Dashboard, side: &'a Side<'a>) -> Self {
        Self { dashboard, side, running: None }
    }

    fn serve(&mut self, more: &[&str]) {
        let ready = self.dashboard.binary.folder().join("ready.json").display().to_string();
        let running = serve(&self.dashboard.binary, &self.dashboard.database, &ready, more);
        self.side.find(&running.address);
        self.running = Some(running);
    }

    /// Runs a command; `serve` goes on.
    fn run(&mut self, command: &str, input: &str) -> String {
        let words = split_words(command);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let ["serve", "--db", _, more @ ..] = &words[..] {
            self.serve(more);
            return String::new();
        }
        if words[0] == "admin" && !words.contains(&"--db") {
            words.splice(1..1, ["--db", self.dashboard.database.as_str()]);
        }
        self.dashboard.binary.ok(&words, input)
    }

    /// Runs a command that a page names within its text.
    #[track_caller]
    fn run_named(&mut self, path: &str, command: &str) -> String {
        assert!(page(path).contains(&format!("`frontdesk {command}`")), "{path}: {command}");
        self.run(command, "")
    }

    /// The live channel's key is added to the inbox, and its first customer is answered.
    fn answer_first_customer(&mut self, channel: &str) {
        let create =
            ["admin", "--db", &self.dashboard.database, "key", "create", "--channel", channel, "--json"];
        let made: Value = serde_json::from_str(&self.dashboard.binary.ok(&create, "")).expect("JSON");
        let key = made["key"].as_str().expect("a key");
        let base_url = format!("http://{}/v1", self.running.as_ref().expect("a service").address);
        let add = ["channel", "add", "--name", "Shop", "--base-url", &base_url];
        self.dashboard.binary.ok(&add, &format!("{key}\n"));
        self.side.is_answered("Shop", &base_url, key);
    }

    /// A test of the channel fails with words that the page explains.
    #[track_caller]
    fn fails_as_explained(&self, path: &str, channel: &str, words: &str) {
        assert!(page(path).contains(&format!("\n| {words} |")), "{path}: {words}");
        let test = ["admin", "--db", &self.dashboard.database, "channel", "test", channel];
        let said = self.dashboard.binary.fails(1, &test, "");
        assert!(said.contains(words), "{said}");
    }
}

/// A connecting command with the address of the stand-in.
fn at(command: &str, url: &str) -> String {
    if command.contains(" channel connect ") {
        format!("{command} --api-url {url}")
    } else {
        command.to_owned()
    }
}

/// All of these pages add the key of a new channel to the inbox in the same way.
#[track_caller]
fn adds_the_key(path: &str) {
    let add = "`frontdesk channel add --base-url http://127.0.0.1:8787/v1` adds the key to the inbox.";
    assert!(page(path).contains(add), "{path}");
}

#[test]
fn page_about_bots_leads_to_an_answered_customer() {
    let path = "docs/telegram.md";
    adds_the_key(path);
    let (dashboard, bot) = (Dashboard::new(), BotServer::start());
    let side = Side::Bot(&bot);
    let mut machine = Machine::new(&dashboard, &side);
    let values = [("service.db", dashboard.database.clone())];
    let token = format!("{}\n", bot_server::TOKEN);
    let said = follow(path, &values, |command| machine.run(&at(command, &bot.url()), &token));
    assert_eq!(printed(&said, "channel connect"), "telegram is connected to @harbor_bot\n");
    machine.answer_first_customer("telegram");
    let listed = machine.run_named(path, "admin channel list");
    assert!(listed.contains("telegram · @harbor_bot · it is read · well"), "{listed}");
    let tested = machine.run_named(path, "admin channel test telegram");
    assert!(tested.contains("the platform accepts the token"), "{tested}");
    bot.revoke();
    machine.fails_as_explained(path, "telegram", "the platform does not know this token");
    let removed = machine.run_named(path, "admin channel disconnect telegram");
    assert!(removed.contains("its secrets are removed"), "{removed}");
}

#[test]
fn page_about_numbers_leads_to_an_answered_customer() {
    let path = "docs/whatsapp.md";
    adds_the_key(path);
    let (dashboard, number) = (Dashboard::new(), NumberServer::start());
    let second = NumberServer::start_as(SECOND_NUMBER);
    let side = Side::Number(&number);
    let mut machine = Machine::new(&dashboard, &side);
    let text = page(path);
    let (_, rest) = text.split_once("```json\n").expect("components of a template");
    let (components, _) = rest.split_once("```").expect("their end");
    let file = dashboard.binary.folder().join("late.json");
    std::fs::write(&file, components).expect("written");
    let values = [("service.db", dashboard.database.clone()), ("late.json", file.display().to_string())];
    let secrets =
        format!("{}\n{}\n{}\n", number_server::TOKEN, number_server::APP_SECRET, number_server::VERIFY);
    let said = follow(path, &values, |command| {
        let of_second = command.contains("--channel Sales");
        let url = if of_second { second.url() } else { number.url() };
        machine.run(&at(command, &url), &secrets)
    });
    assert_eq!(
        printed(&said, "channel connect whatsapp --phone"),
        format!("whatsapp is connected to {}\n", number_server::PHONE)
    );
    let connected = printed(&said, "channel connect whatsapp --channel Sales");
    assert!(connected.starts_with("Sales is connected to +15550783882\n"), "{connected}");
    assert!(printed(&said, "key create --channel Sales").contains("svc_live_"), "a key");
    assert_eq!(printed(&said, "template submit"), "order_late\ten_US\tUTILITY\tPENDING\n");
    let listed = printed(&said, "template list");
    assert!(listed.contains("order_late\ten_US\tUTILITY\tPENDING"), "{listed}");
    assert_eq!(printed(&said, "template remove"), "order_late\ten_US\tremoved, also at the platform\n");
    assert!(number.templates().is_empty() && second.templates().is_empty());
    machine.answer_first_customer("whatsapp");
    let listed = machine.run_named(path, "admin channel list");
    for words in ["the platform calls · well", "quality GREEN", "limit TIER_1K", "Sales (whatsapp)"] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    let tested = machine.run_named(path, "admin channel test whatsapp");
    assert!(tested.contains("the platform sends incoming messages of this account"), "{tested}");
    number.revoke();
    machine.fails_as_explained(path, "whatsapp", "the platform does not accept the access token");
    let removed = machine.run_named(path, "admin channel disconnect whatsapp");
    assert!(removed.contains("its secrets are removed"), "{removed}");
}

#[test]
fn page_about_texts_and_calls_leads_to_an_answered_customer() {
    let path = "docs/sms.md";
    adds_the_key(path);
    let (dashboard, phone) = (Dashboard::new(), PhoneServer::start());
    let side = Side::Phone(&phone);
    let mut machine = Machine::new(&dashboard, &side);
    let values = [("service.db", dashboard.database.clone())];
    let token = format!("{}\n", phone_server::TOKEN);
    let said = follow(path, &values, |command| machine.run(&at(command, &phone.url()), &token));
    assert_eq!(printed(&said, "channel connect"), "voip is connected to +15550100200\n");
    assert_eq!(printed(&said, "call list"), "", "no call is running");
    machine.answer_first_customer("voip");
    assert_eq!(phone.hook().as_deref(), Some("https://desk.example.com/hooks/voip"));
    let tested = machine.run_named(path, "admin channel test voip");
    assert!(tested.contains("the platform sends incoming messages to https://desk.example.com"), "{tested}");
    phone.revoke();
    let words = "the platform does not accept the auth token for this account";
    machine.fails_as_explained(path, "voip", words);
}

/// Values that replace those of a page about mail at a provider with these servers.
fn mail_values(
    dashboard: &Dashboard,
    mailbox: &TestMailbox,
    [imap, smtp]: [&'static str; 2],
) -> [(&'static str, String); 4] {
    [
        (imap, mailbox.imap_url()),
        (smtp, mailbox.smtp_url()),
        ("desk@shop.example", mailbox.address.clone()),
        ("service.db", dashboard.database.clone()),
    ]
}

/// A password for reading, and an empty line: the one for sending is the same.
fn passwords() -> String {
    format!("{}\n\n", mail_server::password())
}

const SHOP_SERVERS: [&str; 2] =
    ["imaps://desk@shop.example@mail.shop.example", "smtps://desk@shop.example@mail.shop.example"];

#[test]
fn page_about_mailboxes_leads_to_an_answered_customer() {
    let path = "docs/email.md";
    adds_the_key(path);
    let Some(servers) = mail_server::servers() else { return };
    let (dashboard, mailbox) = (Dashboard::new(), servers.mailbox());
    mailbox.elsewhere(&["a CREATE Newsletter", "a CREATE \"Vertr&AOQ-ge\""]);
    let side = Side::mailbox(&mailbox);
    let mut machine = Machine::new(&dashboard, &side);
    let said = follow(path, &mail_values(&dashboard, &mailbox, SHOP_SERVERS), |command| {
        // The page removes an alias, which it does not add.
        let more = if command.contains(" connect email ") { " --alias old@shop.example" } else { "" };
        machine.run(&format!("{command}{more}"), &passwords())
    });
    let connected = printed(&said, "channel connect");
    assert_eq!(connected, format!("email is connected to {}\n", mailbox.address));
    let (listed, chosen): (Vec<_>, Vec<_>) = said
        .iter()
        .filter(|(command, _)| command.contains("channel folders"))
        .partition(|(command, _)| !command.contains("--read"));
    let [(_, listed)] = &listed[..] else { panic!("one list: {said:?}") };
    let [(_, chosen)] = &chosen[..] else { panic!("one choice: {said:?}") };
    for (words, out) in [
        ("INBOX · inbox · read\n", listed),
        ("Verträge · not read\n", listed),
        ("Verträge · read\n", chosen),
        ("Newsletter · not read\n", chosen),
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    assert_eq!(printed(&said, "channel aliases"), "sales@shop.example\n");
    machine.answer_first_customer("email");
    let tested = machine.run_named(path, "admin channel test email");
    assert!(tested.contains("the inbox can be read") && tested.contains("sales@shop.example"), "{tested}");
    let listed = machine.run_named(path, "admin channel list");
    assert!(listed.contains(&format!("email · {} · it is read · well", mailbox.address)), "{listed}");
}

#[test]
fn pages_about_servers_with_a_password_lead_to_an_answered_customer() {
    let Some(servers) = mail_server::servers() else { return };
    let of_fastmail =
        ["imaps://desk@shop.example@imap.fastmail.com", "smtps://desk@shop.example@smtp.fastmail.com"];
    for (path, examples) in [("docs/fastmail.md", of_fastmail), ("docs/dovecot.md", SHOP_SERVERS)] {
        let (dashboard, mailbox) = (Dashboard::new(), servers.mailbox());
        let side = Side::mailbox(&mailbox);
        let mut machine = Machine::new(&dashboard, &side);
        machine.serve(&[]);
        let values = mail_values(&dashboard, &mailbox, examples);
        let said = follow(path, &values, |command| machine.run(command, &passwords()));
        let connected = printed(&said, "channel connect");
        assert_eq!(connected, format!("email is connected to {}\n", mailbox.address), "{path}");
        if path == "docs/fastmail.md" {
            let tested = printed(&said, "channel test email");
            let tagged = mailbox.address.replace('@', "+TAG@");
            for words in ["the inbox can be read", "accepts the login and mail from this address", &tagged] {
                assert!(tested.contains(words), "{words}: {tested}");
            }
        }
        machine.answer_first_customer("email");
    }
}

/// Follows a page in a scene with a provider; `consent` runs the commands at which the owner agrees and gets the
/// arguments of the mailbox.
fn follow_with_consent(
    path: &str,
    scene: &Scene,
    examples: [&'static str; 2],
    consent: impl Fn(&[&str]) -> String,
) -> Vec<(String, String)> {
    let side = Side::mailbox(&scene.mailbox);
    let mut machine = Machine::new(&scene.dashboard, &side);
    machine.serve(&[]);
    let mut values = mail_values(&scene.dashboard, &scene.mailbox, examples).to_vec();
    // A shared mailbox, which the same person reads.
    values.push(("help@shop.example", scene.mailbox.address.clone()));
    let said = follow(path, &values, |command| match command.split_once(" channel connect email ") {
        Some((_, mailbox)) if mailbox.contains("--provider") => {
            let words = split_words(mailbox);
            consent(&words.iter().map(String::as_str).collect::<Vec<_>>())
        }
        _ => machine.run(command, &passwords()),
    });
    machine.answer_first_customer("email");
    said
}

#[test]
fn page_about_gmail_leads_to_an_answered_customer() {
    let Some(scene) = Scene::new() else { return };
    let examples = ["imaps://desk@shop.example@imap.gmail.com", "smtps://desk@shop.example@smtp.gmail.com"];
    let said = follow_with_consent("docs/gmail.md", &scene, examples, |arguments| {
        let mut connecting = scene.start_with(arguments, "client-secret");
        let shown = connecting.agree_in_browser();
        assert!(shown.contains("Consent was given"), "{shown}");
        let (is_done, said) = connecting.ends();
        assert!(is_done, "{said}");
        said
    });
    let connected = printed(&said, "--imap");
    assert_eq!(connected, format!("email is connected to {}\n", scene.mailbox.address));
    let said = printed(&said, "--provider google").split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["an address that begins with http://127.0.0.1:", "Copy that address"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn page_about_microsoft_365_leads_to_an_answered_customer() {
    let Some(scene) = Scene::new() else { return };
    let said = follow_with_consent("docs/microsoft-365.md", &scene, SHOP_SERVERS, |arguments| {
        let (is_done, said) = scene.start_with(arguments, "").ends();
        assert!(is_done, "{said}");
        said
    });
    assert_eq!(said.len(), 2, "a mailbox, and a shared one: {said:?}");
    for (command, said) in said {
        for words in ["Open this page in any browser", TokenServer::TYPED_CODE, TokenServer::PAGE] {
            assert!(said.contains(words), "{command}: {words}: {said}");
        }
    }
}

/// True if the program says these words; a placeholder in its texts stands for one or more of them.
fn is_said(program: &str, words: &str) -> bool {
    let is_filled_in = |at: usize| {
        let (before, rest) = (&words[..at], &words[at + 1..]);
        before.contains(' ') && program.contains(&format!("{before} {{")) && is_said(program, rest)
    };
    program.contains(words) || words.match_indices(' ').any(|(at, _)| is_filled_in(at))
}

/// The tables of problems name what the program says.
#[test]
fn problems_that_the_pages_explain_have_the_program_s_words() {
    let program: String = sources(&["src"]).split("\\\n").map(str::trim_start).collect();
    let (mut unknown, mut checked) = (Vec::new(), 0);
    for path in PAGES {
        let text = page(path);
        let mut is_about_problems = false;
        for line in text.lines().filter(|line| !line.starts_with("|---")) {
            let Some(row) = line.strip_prefix("| ") else {
                is_about_problems = false;
                continue;
            };
            let cell = row.split(" | ").next().unwrap_or(row);
            if cell.ends_with(" says") {
                is_about_problems = true;
            } else if is_about_problems {
                checked += 1;
                // Codes of a platform, and what differs, are left out.
                let pieces = cell.split('`').step_by(2).flat_map(|part| part.split('…')).map(str::trim);
                let is_unknown = |piece: &&str| piece.len() > 2 && !is_said(&program, piece);
                unknown.extend(pieces.filter(is_unknown).map(|piece| format!("{path}: {piece}")));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(checked >= 45, "the pages have lost their problems: {checked}");
}
