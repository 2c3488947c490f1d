//! From connecting a channel to the first answered customer, on each platform: the service and its commands
//! are the real binary, and the answer is written at the desk.

use serde_json::Value;

use super::bot_server::{self, BotServer};
use super::campaign::serve;
use super::connecting::Dashboard;
use super::consent::Scene;
use super::mail_server::{self, TestMailbox};
use super::number_server::{self, NumberServer};
use super::phone_server::{self, PhoneServer};
use super::story::shows;
use crate::desk::Desk;
use crate::waiting::until;

/// Name of the channel, which is a further one of its kind.
const NAME: &str = "Sales";
const MARIA: &str = "+34600111222";
const QUESTION: &str = "Is my bicycle ready?";
const ANSWER: &str = "Ana here, a person.";
const PUBLIC_URL: &str = "https://desk.example.com";

/// A platform, as its customer and its owner see it.
pub(super) enum Side<'a> {
    Bot(&'a BotServer),
    Number(&'a NumberServer),
    Phone(&'a PhoneServer),
    /// Phone platform whose customer is answered with a call.
    Called(&'a PhoneServer),
    /// A mailbox and the address of its customer.
    Mailbox(&'a TestMailbox, String),
}

impl<'a> Side<'a> {
    pub(super) fn mailbox(mailbox: &'a TestMailbox) -> Self {
        Self::Mailbox(mailbox, super::mails::customer())
    }

    /// Tells the platform where the service with the public address runs.
    pub(super) fn find(&self, address: &str) {
        let base = format!("http://{address}");
        match self {
            Self::Number(number) => number.calls(&base),
            Self::Phone(phone) | Self::Called(phone) => phone.is_proxied_to(&base),
            Self::Bot(_) | Self::Mailbox(..) => (),
        }
    }

    /// The customer writes, once the service has the channel; returns what the desk lists them by.
    fn write(&self) -> String {
        match self {
            Self::Bot(bot) => {
                bot.says(77, QUESTION);
                "Ana 77".to_owned()
            }
            Self::Number(number) => {
                number.waits_until_followed();
                number.says(MARIA, QUESTION);
                format!("Ana {}", &MARIA[1..])
            }
            Self::Phone(phone) | Self::Called(phone) => {
                phone.waits_until_followed();
                phone.says(MARIA, QUESTION);
                MARIA.to_owned()
            }
            Self::Mailbox(mailbox, customer) => {
                mailbox.hears(customer, "My bicycle", QUESTION, "");
                "Maria Lopez".to_owned()
            }
        }
    }

    /// Number of answers that reached the customer.
    fn answers(&self) -> usize {
        match self {
            Self::Bot(bot) => bot.reached().iter().filter(|reached| reached.text == ANSWER).count(),
            Self::Number(number) => number.reached().iter().filter(|reached| reached.text == ANSWER).count(),
            Self::Phone(phone) => phone.texts().iter().filter(|text| text.text == ANSWER).count(),
            Self::Called(phone) => phone.calls().iter().filter(|call| call.to == MARIA).count(),
            Self::Mailbox(mailbox, customer) => {
                mailbox.reached(customer).iter().filter(|mail| mail.contains(ANSWER)).count()
            }
        }
    }

    /// Types the answer and sends it at once.
    fn type_answer(&self, desk: &mut Desk) {
        match self {
            Self::Called(_) => {
                desk.keys("<Esc>C").types(ANSWER).keys("<Enter>").shows("will CALL").keys("y");
                desk.wait(11_000_000);
            }
            Self::Mailbox(..) => {
                desk.types(ANSWER).keys("<Ctrl-X>").shows("Send this mail?").keys("y");
                desk.wait(11_000_000);
            }
            Self::Bot(_) | Self::Number(_) | Self::Phone(_) => {
                desk.types(ANSWER).keys("<Enter><Ctrl-X>");
            }
        }
    }

    /// The customer writes, a person takes the conversation at a desk with this key, and answers it.
    pub(super) fn is_answered(&self, name: &str, base_url: &str, key: &str) {
        let mut desk = Desk::with_tab(name, base_url, key);
        desk.resize((120, 40));
        let customer = self.write();
        shows(&mut desk, &customer);
        desk.keys("<Enter>");
        shows(&mut desk, QUESTION);
        desk.keys("t");
        until("a taken conversation", || {
            desk.settle().wait(1_000_000);
            let is_taken = desk.app.desk.current_conversation().is_some_and(|row| row.local.claim.is_some());
            if is_taken { Ok(()) } else { Err(desk.picture()) }
        });
        self.type_answer(&mut desk);
        until("the answer", || {
            desk.settle().wait(1_000_000);
            if self.answers() > 0 { Ok(()) } else { Err(desk.picture()) }
        });
        if !matches!(self, Self::Called(_)) {
            shows(&mut desk, ANSWER);
        }
        desk.settle();
        assert_eq!(self.answers(), 1, "{}", desk.picture());
    }
}

/// Starts a service, connects a further channel with `connect` while it runs, adds its key to the inbox, and
/// answers the first customer.
fn answer_first_customer(dashboard: &Dashboard, side: &Side<'_>, connect: impl FnOnce()) {
    let ready = dashboard.binary.folder().join("ready.json").display().to_string();
    let running = serve(&dashboard.binary, &dashboard.database, &ready, &["--public-url", PUBLIC_URL]);
    side.find(&running.address);
    connect();
    let create = ["admin", "--db", &dashboard.database, "key", "create", "--channel", NAME, "--json"];
    let made: Value = serde_json::from_str(&dashboard.binary.ok(&create, "")).expect("JSON");
    let key = made["key"].as_str().expect("a key");
    let base_url = format!("http://{}/v1", running.address);
    let add = ["channel", "add", "--name", NAME, "--base-url", &base_url];
    let added = dashboard.binary.ok(&add, &format!("{key}\n"));
    assert!(added.contains("open the inbox with `frontdesk`"), "{added}");
    side.is_answered(NAME, &base_url, key);
}

/// Connects a channel whose command asks for these secrets.
fn connect(dashboard: &Dashboard, arguments: &[&str], secrets: &[&str]) {
    let command = [&["admin", "--db", &dashboard.database, "channel", "connect"], arguments].concat();
    let input: String = secrets.iter().map(|secret| format!("{secret}\n")).collect();
    let said = dashboard.binary.ok(&command, &input);
    assert!(said.starts_with(&format!("{NAME} is connected to ")), "{said}");
    assert!(said.contains("create a key for it: frontdesk admin key create --channel"), "{said}");
}

#[test]
fn bot_is_connected_and_answers_its_first_customer() {
    let (dashboard, bot) = (Dashboard::new(), BotServer::start());
    answer_first_customer(&dashboard, &Side::Bot(&bot), || {
        let url = bot.url();
        connect(&dashboard, &["telegram", "--name", NAME, "--api-url", &url], &[bot_server::TOKEN]);
    });
}

#[test]
fn number_is_connected_and_answers_its_first_customer() {
    let (dashboard, number) = (Dashboard::new(), NumberServer::start());
    answer_first_customer(&dashboard, &Side::Number(&number), || {
        let ids =
            ["--phone-number-id", number_server::NUMBER, "--business-account-id", number_server::ACCOUNT];
        let url = number.url();
        let arguments = [&["whatsapp", "--name", NAME, "--api-url", &url], &ids[..]].concat();
        let secrets = [number_server::TOKEN, number_server::APP_SECRET, number_server::VERIFY];
        connect(&dashboard, &arguments, &secrets);
    });
}

fn connect_phone(dashboard: &Dashboard, phone: &PhoneServer) {
    let url = phone.url();
    let account = ["--account-sid", phone_server::ACCOUNT, "--number", phone_server::NUMBER];
    let arguments = [&["voip", "--name", NAME, "--api-url", &url], &account[..]].concat();
    connect(dashboard, &arguments, &[phone_server::TOKEN]);
}

#[test]
fn phone_number_is_connected_and_texts_its_first_customer() {
    let (dashboard, phone) = (Dashboard::new(), PhoneServer::start());
    answer_first_customer(&dashboard, &Side::Phone(&phone), || connect_phone(&dashboard, &phone));
}

#[test]
fn phone_number_is_connected_and_calls_its_first_customer() {
    let (dashboard, phone) = (Dashboard::new(), PhoneServer::start());
    answer_first_customer(&dashboard, &Side::Called(&phone), || connect_phone(&dashboard, &phone));
}

#[test]
fn mailbox_with_a_password_is_connected_and_answers_its_first_customer() {
    let Some(servers) = mail_server::servers() else { return };
    let (dashboard, mailbox) = (Dashboard::new(), servers.mailbox());
    answer_first_customer(&dashboard, &Side::mailbox(&mailbox), || {
        let (imap, smtp) = (mailbox.imap_url(), mailbox.smtp_url());
        let arguments =
            ["email", "--channel", NAME, "--address", &mailbox.address, "--imap", &imap, "--smtp", &smtp];
        connect(&dashboard, &arguments, &[&mail_server::password()]);
    });
}

/// Connects a mailbox at a provider, and agrees as `agree` does.
fn answer_by_consent(provider: &str, is_in_browser: bool) {
    let Some(scene) = Scene::new() else { return };
    answer_first_customer(&scene.dashboard, &Side::mailbox(&scene.mailbox), || {
        let address = scene.mailbox.address.as_str();
        let arguments =
            ["--channel", NAME, "--address", address, "--provider", provider, "--client-id", "desk"];
        let mut connecting = scene.start_with(&arguments, "client-secret");
        if is_in_browser {
            let page = connecting.agree_in_browser();
            assert!(page.contains("Consent was given"), "{page}");
        }
        let (is_done, said) = connecting.ends();
        assert!(is_done, "{said}");
    });
}

#[test]
fn mailbox_of_a_browser_provider_is_connected_and_answers_its_first_customer() {
    answer_by_consent("google", true);
}

#[test]
fn mailbox_of_a_code_provider_is_connected_and_answers_its_first_customer() {
    answer_by_consent("microsoft", false);
}
