//! Channels connected to platforms, played by test doubles over real sockets.

mod blocking;
mod bot_events;
pub(crate) mod bot_server;
pub(crate) mod bots;
mod buttons;
mod campaign;
mod changing;
mod chats;
mod connecting;
mod consent;
mod earlier_messages;
mod first_answers;
mod hook_flood;
mod mail_campaign;
mod mail_dates;
mod mail_earlier;
mod mail_filing;
mod mail_folders;
mod mail_gate;
mod mail_identities;
mod mail_invitations;
mod mail_large;
mod mail_line;
mod mail_people;
mod mail_read_back;
pub(crate) mod mail_server;
mod mail_story;
mod mail_tls;
mod mail_trouble;
mod mails;
mod manners;
mod missing_files;
mod number_aliases;
mod number_campaign;
mod number_events;
pub(crate) mod number_server;
mod numbers;
mod numbers_stopping;
mod pages;
mod people;
mod phone_campaign;
mod phone_server;
mod phones;
mod soak;
mod stand_in;
mod story;
mod taking_over;
mod templates;
mod times;
mod workspaces;

use std::collections::HashMap;
use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use frontdesk::model::secret::Secret;
use frontdesk::model::time::Clock;
use frontdesk::service::admin::Admin;
use frontdesk::service::carriers::dashboard::{MailboxAccess, NumberAccess, PhoneAccess};
use frontdesk::service::{AssistantChoice, Options, PublicUrl, RunningService, start};
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use crate::postgres::cluster;
use bot_server::{BotServer, TOKEN};
use frontdesk::api::carriers::{MailboxSettings, OauthSettings};
use mail_server::TestMailbox;
use number_server::NumberServer;
use phone_server::PhoneServer;

use crate::binary::free_port;
use crate::waiting::{PATIENCE, until_found};

/// Test double of a platform a service is connected to.
enum StandIn<'a> {
    Bot(&'a BotServer),
    /// A bot with a webhook instead of polling.
    CallingBot(&'a BotServer),
    Number(&'a NumberServer),
    Mailbox(&'a TestMailbox),
    Phone(&'a PhoneServer),
}

impl StandIn<'_> {
    async fn connect(&self, options: &Options) {
        match self {
            Self::Bot(bot) => connect(options, bot, false).await,
            Self::CallingBot(bot) => connect(options, bot, true).await,
            Self::Number(number) => connect_number(options, number).await,
            Self::Mailbox(mailbox) => connect_mailbox(options, mailbox).await,
            Self::Phone(phone) => connect_phone(options, phone).await,
        }
    }
}

struct Served {
    running: RunningService,
    keys: HashMap<String, String>,
    http: reqwest::Client,
    options: Options,
    running_options: Options,
    channel: &'static str,
    _folder: tempfile::TempDir,
}

impl Served {
    async fn with(bot: &BotServer, webhook: bool, assistant: AssistantChoice) -> Self {
        let stand_in = if webhook { StandIn::CallingBot(bot) } else { StandIn::Bot(bot) };
        Self::start(stand_in, assistant, Some(PATIENCE)).await
    }

    async fn quiet(bot: &BotServer) -> Self {
        Self::with(bot, false, AssistantChoice::Off).await
    }

    async fn number(number: &NumberServer, assistant: AssistantChoice) -> Self {
        Self::start(StandIn::Number(number), assistant, Some(PATIENCE)).await
    }

    async fn mailbox(mailbox: &TestMailbox, assistant: AssistantChoice) -> Self {
        Self::start(StandIn::Mailbox(mailbox), assistant, Some(PATIENCE)).await
    }

    async fn phone(phone: &PhoneServer, assistant: AssistantChoice) -> Self {
        Self::start(StandIn::Phone(phone), assistant, Some(PATIENCE)).await
    }

    /// Without an assistant, and with the default time before a send is answered `queued`.
    async fn bounded(stand_in: StandIn<'_>) -> Self {
        Self::start(stand_in, AssistantChoice::Off, None).await
    }

    async fn start(stand_in: StandIn<'_>, assistant: AssistantChoice, answering: Option<Duration>) -> Self {
        frontdesk::client::install_tls();
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("service.db");
        // The first run creates the database and its key.
        let mut kept = options(&database);
        kept.answering = answering.unwrap_or(kept.answering);
        cluster::settle(&mut kept).await;
        let first = start(kept.clone()).await.expect("it starts");
        let of = |issued_key: &frontdesk::service::IssuedKey| {
            (
                format!("{} {}", issued_key.channel, issued_key.environment.word()),
                issued_key.key.expose().to_owned(),
            )
        };
        let keys = first.keys.iter().map(of).collect();
        first.shutdown().await;
        stand_in.connect(&kept).await;
        let mut options = Options { assistant, ..kept.clone() };
        if !matches!(stand_in, StandIn::Bot(_) | StandIn::Mailbox(_)) {
            // The platform gets the port before the start.
            options.listen = (Ipv4Addr::LOCALHOST, free_port()).into();
            let public: PublicUrl = format!("http://{}", options.listen).parse().expect("an address");
            options.public_url = Some(public);
        }
        let running = start(options.clone()).await.expect("it starts again");
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let channel = match stand_in {
            StandIn::Bot(_) | StandIn::CallingBot(_) => "telegram",
            StandIn::Number(_) => "whatsapp",
            StandIn::Mailbox(_) => "email",
            StandIn::Phone(_) => "voip",
        };
        match stand_in {
            StandIn::Number(number) => number.calls(running.base_url.trim_end_matches("/v1")),
            StandIn::Phone(phone) => phone.waits_until_followed(),
            StandIn::Bot(_) | StandIn::CallingBot(_) | StandIn::Mailbox(_) => (),
        }
        Self { running, keys, http, options: kept, running_options: options, channel, _folder: folder }
    }

    async fn call(
        &self,
        key: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
        idem: Option<&str>,
    ) -> (u16, Value) {
        let method: reqwest::Method = method.parse().expect("a method");
        let url = format!("{}{path}", self.running.base_url);
        let mut request = self.http.request(method, url).bearer_auth(&self.keys[key]);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        if let Some(idem) = idem {
            request = request.header("idempotency-key", idem);
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let text = answer.text().await.expect("a body");
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Adds a person whose keys are named by channel and person; returns their session.
    async fn sign_in(&mut self, name: &str) -> String {
        let admin = dashboard(&self.options).await;
        let token = admin.add_person(name, None, SystemClock.now()).await.expect("added").token;
        admin.close();
        let url = format!("{}/desk/v1/sign-in", self.running.base_url.trim_end_matches("/v1"));
        let body = json!({"token": token.expose(), "device": "laptop"}).to_string();
        let request = self.http.post(url).header("content-type", "application/json").body(body);
        let text = request.send().await.expect("an answer").text().await.expect("a body");
        let signed_in: Value = serde_json::from_str(&text).expect("JSON");
        let word = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{signed_in}")).to_owned();
        for channel in signed_in["channels"].as_array().expect("channels") {
            self.keys.insert(format!("{} {name}", word(&channel["channel"])), word(&channel["key"]));
        }
        word(&signed_in["session"])
    }

    fn live_key(&self) -> String {
        format!("{} live", self.channel)
    }

    async fn send(&self, body: Value, idem: Option<&str>) -> (u16, Value) {
        let path = match self.channel {
            "telegram" => "/telegram/send",
            "email" => "/email/send",
            "voip" => "/voip/sms",
            _ => "/messages/send",
        };
        self.call(&self.live_key(), "POST", path, Some(body), idem).await
    }

    /// Stores events for an unreachable webhook: a connected service delivers nothing to this
    /// machine.
    fn keep_events(&self) {
        let sql = format!(
            "INSERT INTO webhooks (id, channel, url, events, created_at)
             SELECT 'wh_kept', id, 'https://127.0.0.1:9/', '[\"message.sent\", \"message.failed\"]', 0
             FROM channels WHERE kind = '{}' RETURNING id",
            self.channel
        );
        assert_eq!(cluster::column(&self.options.database, &sql), ["wh_kept"]);
    }

    fn events(&self) -> Vec<String> {
        cluster::column(&self.options.database, "SELECT name FROM events ORDER BY at, id")
    }

    async fn get(&self, path: &str) -> Value {
        let (status, told) = self.call(&self.live_key(), "GET", path, None, None).await;
        assert_eq!(status, 200, "{told}");
        told
    }

    fn conversations_path(&self) -> &'static str {
        match self.channel {
            "telegram" => "/telegram/conversations",
            "voip" => "/voip/conversations",
            _ => "/conversations",
        }
    }

    async fn conversations(&self) -> Vec<Value> {
        let told = self.get(self.conversations_path()).await;
        told["data"].as_array().expect("a list").clone()
    }

    async fn history(&self, chat: impl Display) -> Vec<Value> {
        if self.channel == "voip" {
            return self.texts_and_calls(&chat.to_string());
        }
        let all = self.conversations().await;
        let wanted = chat.to_string();
        let peer = if self.channel == "telegram" { "telegramChatId" } else { "customerPhone" };
        let Some(found) = all.iter().find(|value| value[peer].as_str() == Some(&wanted)) else {
            return Vec::new();
        };
        let id = found["id"].as_str().expect("an id");
        let path = format!("{}/{id}/messages?limit=100", self.conversations_path());
        let (mut all, mut next) = (Vec::new(), path.clone());
        loop {
            let told = self.get(&next).await;
            all.extend(told["data"].as_array().expect("a list").iter().cloned());
            let Some(cursor) = told["nextCursor"].as_str() else { break };
            next = format!("{path}&cursor={cursor}");
        }
        all.reverse();
        all
    }

    /// Messages of a phone number, read from the database because the API does not list them.
    fn texts_and_calls(&self, number: &str) -> Vec<Value> {
        let sql = format!(
            "SELECT messages.id || '|' || direction || '|' || messages.status || '|' || sender || '|' || kind || '|'
                 || cost || '|' || coalesce(media_url, '') || '|' || coalesce(details, '') || '|' || content
             FROM messages JOIN conversations ON conversations.id = messages.conversation
             WHERE peer = '{number}' ORDER BY messages.created_at, messages.id"
        );
        let row = |text: String| {
            let mut parts = text.splitn(9, '|').map(str::to_owned);
            let mut part = || parts.next().expect("nine of them");
            json!({"id": part(), "direction": part(), "status": part(), "senderType": part(),
                "contentType": part(), "cost": part(), "mediaUrl": part(), "details": part(), "content": part()})
        };
        cluster::column(&self.options.database, &sql).into_iter().map(row).collect()
    }

    async fn waits(
        &self,
        chat: impl Display + Copy,
        what: &str,
        wanted: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        until_found(what, async || {
            let history = self.history(chat).await;
            if wanted(&history) { Ok(history) } else { Err(format!("{history:?}")) }
        })
        .await
    }

    async fn balance(&self) -> i64 {
        let told = self.get("/account").await;
        told["creditsBalance"].as_f64().map(|f64| f64 as i64).expect("a balance")
    }
}

fn options(database: &Path) -> Options {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let clock = Arc::new(SystemClock);
    Options {
        unlimited: true,
        assistant: AssistantChoice::Off,
        ..Options::new(listen, database.to_owned(), clock)
    }
}

async fn dashboard(options: &Options) -> Admin {
    let Options { database, key_file, .. } = options.clone();
    let opening = move || Admin::open(&database, key_file.as_deref());
    tokio::task::spawn_blocking(opening).await.expect("no panic").expect("the database")
}

async fn connect(options: &Options, bot: &BotServer, webhook: bool) {
    let admin = dashboard(options).await;
    let token = Secret::new(TOKEN);
    admin.connect_bot(&bot.url(), webhook, &token, SystemClock.now()).await.expect("connected");
    admin.close();
}

async fn connect_number(options: &Options, number: &NumberServer) {
    let admin = dashboard(options).await;
    let access = NumberAccess {
        api: number.url(),
        number: number_server::NUMBER.to_owned(),
        account: number_server::ACCOUNT.to_owned(),
        token: Secret::new(number_server::TOKEN),
        app_secret: Secret::new(number_server::APP_SECRET),
        verify: Secret::new(number_server::VERIFY),
    };
    admin.connect_number(&access, SystemClock.now()).await.expect("connected");
    admin.close();
}

async fn connect_mailbox(options: &Options, mailbox: &TestMailbox) {
    let admin = dashboard(options).await;
    let token_url = format!("http://127.0.0.1:{}/token", mailbox.token_port());
    let oauth = mailbox.tokens.then(|| OauthSettings { token_url, client_id: "frontdesk".to_owned() });
    let reading = if mailbox.tokens { "good-refresh".to_owned() } else { mail_server::password() };
    let access = MailboxAccess {
        settings: MailboxSettings {
            address: mailbox.address.clone(),
            aliases: mailbox.aliases.clone(),
            sends_tagged: None,
            name: Some("Harbor Bicycles".to_owned()),
            imap: mailbox.imap_url(),
            smtp: mailbox.smtp_url(),
            oauth,
            auto_reply: mailbox.auto_reply,
            folders: mailbox.folders.clone(),
        },
        reading: Secret::new(&reading),
        sending: Secret::new(""),
        since: Some(mailbox.since),
    };
    admin.connect_mailbox(&access, SystemClock.now()).await.expect("connected");
    admin.close();
}

fn text_to(chat: i64, text: &str) -> Value {
    json!({"chatId": chat, "type": "text", "text": text})
}

fn texts(history: &[Value]) -> Vec<&str> {
    history.iter().map(|value| value["content"].as_str().expect("text")).collect()
}

async fn connect_phone(options: &Options, phone: &PhoneServer) {
    let admin = dashboard(options).await;
    let access = PhoneAccess {
        api: phone.url(),
        account: phone_server::ACCOUNT.to_owned(),
        number: phone_server::NUMBER.to_owned(),
        messaging_service: None,
        token: Secret::new(phone_server::TOKEN),
    };
    admin.connect_phone(&access, SystemClock.now()).await.expect("connected");
    admin.close();
}
