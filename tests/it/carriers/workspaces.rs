//! Two workspaces of one service, each with its own platforms, do not see each other's messages. Nor do two
//! channels of one kind in a workspace.

use frontdesk::model::time::Timestamp;
use std::collections::HashMap;
use std::net::Ipv4Addr;

use frontdesk::api::carriers::MailboxSettings;
use frontdesk::model::account::Environment;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::Clock;
use frontdesk::platforms::{Channel, Template};
use frontdesk::service::admin::{Admin, ChannelChoice};
use frontdesk::service::carriers::dashboard::{MailboxAccess, NumberAccess, PhoneAccess};
use frontdesk::service::{IssuedKey, Options, PublicUrl, RunningService, start};
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::bot_server::{self, BotServer};
use super::mail_server::{self, TestMailbox};
use super::number_server::{self, NumberServer};
use super::phone_server::{self, PhoneServer};
use super::stand_in::{self, Names};
use super::templates::draft;
use super::{dashboard, options};
use crate::binary::free_port;
use crate::postgres::cluster;
use crate::waiting::until_found;

const ANA: &str = "+34600111222";
const SECOND: &str = "Second shop";
const SECOND_NUMBER: Names = Names(&[
    (number_server::NUMBER, "206540352242922"),
    (number_server::ACCOUNT, "202290129340398"),
    (number_server::TOKEN, "EAA-second-token"),
    (number_server::APP_SECRET, "second-app-secret"),
    (number_server::VERIFY, "second-verify"),
    ("555-078-3881", "555-078-3999"),
]);
const SECOND_BOT: Names = Names(&[
    (bot_server::TOKEN, "7000002:second-token"),
    ("7000001", "7000002"),
    ("harbor_bot", "second_bot"),
]);
const SECOND_PHONE: Names = Names(&[
    (phone_server::ACCOUNT, "ACfedcba9876543210fedcba9876543210"),
    (phone_server::TOKEN, "second-auth-token"),
    ("15550100200", "15550100300"),
]);

struct Shop {
    /// `None` for the first workspace.
    workspace: Option<String>,
    /// True if its channels are further ones of their kinds.
    further: bool,
    names: [Names; 3],
    number: NumberServer,
    bot: BotServer,
    phone: PhoneServer,
    mailbox: Option<TestMailbox>,
    keys: HashMap<String, String>,
}

impl Shop {
    fn new(workspace: Option<&str>, names: [Names; 3], keys: &[IssuedKey]) -> Self {
        let live = keys.iter().filter(|key| key.environment.word() == "live");
        Self {
            workspace: workspace.map(str::to_owned),
            further: false,
            names,
            number: NumberServer::start_as(names[0]),
            bot: BotServer::start_as(names[1]),
            phone: PhoneServer::start_as(names[2]),
            mailbox: mail_server::servers().map(mail_server::MailServers::mailbox),
            keys: live.map(|key| (key.channel.to_owned(), key.key.expose().to_owned())).collect(),
        }
    }

    fn number_access(&self) -> NumberAccess {
        let secret = |usual: &str| Secret::new(&self.names[0].say(usual));
        NumberAccess {
            api: self.number.url(),
            number: self.names[0].say(number_server::NUMBER),
            account: self.names[0].say(number_server::ACCOUNT),
            token: secret(number_server::TOKEN),
            app_secret: secret(number_server::APP_SECRET),
            verify: secret(number_server::VERIFY),
        }
    }

    fn phone_access(&self) -> PhoneAccess {
        PhoneAccess {
            api: self.phone.url(),
            account: self.names[2].say(phone_server::ACCOUNT),
            number: self.names[2].say(phone_server::NUMBER),
            messaging_service: None,
            token: Secret::new(&self.names[2].say(phone_server::TOKEN)),
        }
    }

    fn mailbox_access(&self) -> Option<MailboxAccess> {
        let mailbox = self.mailbox.as_ref()?;
        let settings = MailboxSettings {
            address: mailbox.address.clone(),
            imap: mailbox.imap_url(),
            smtp: mailbox.smtp_url(),
            ..MailboxSettings::default()
        };
        let (reading, sending) = (Secret::new(&mail_server::password()), Secret::new(""));
        Some(MailboxAccess { settings, reading, sending, since: Some(mailbox.since) })
    }

    /// Name of the channel of a kind, if it is a further one.
    fn channel_name(&self, kind: &str) -> Option<String> {
        self.further.then(|| format!("Second {kind}"))
    }

    async fn admin(&self, options: &Options, kind: &str) -> Admin {
        let admin = dashboard(options).await.in_workspace(self.workspace.clone());
        admin.naming_channel(self.channel_name(kind).as_deref()).expect("a name")
    }

    async fn connect(&self, options: &Options, webhook: bool) {
        let now = SystemClock.now();
        let admin = self.admin(options, "whatsapp").await;
        admin.connect_number(&self.number_access(), now).await.expect("a number");
        admin.close();
        let admin = self.admin(options, "telegram").await;
        let token = Secret::new(&self.names[1].say(bot_server::TOKEN));
        admin.connect_bot(&self.bot.url(), webhook, &token, now).await.expect("a bot");
        admin.close();
        let admin = self.admin(options, "voip").await;
        admin.connect_phone(&self.phone_access(), now).await.expect("a phone number");
        admin.close();
        if let Some(access) = self.mailbox_access() {
            let admin = self.admin(options, "email").await;
            admin.connect_mailbox(&access, now).await.expect("a mailbox");
            admin.close();
        }
    }

    async fn create_keys(&mut self, options: &Options) {
        let admin = dashboard(options).await;
        for kind in self.kinds() {
            let name = self.channel_name(kind).expect("a further channel");
            let made =
                admin.create_key(ChannelChoice::Name(name), Environment::Live, SystemClock.now()).await;
            self.keys.insert(kind.to_owned(), made.expect("a key").1.expose().to_owned());
        }
        admin.close();
    }

    fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = vec!["whatsapp", "telegram", "voip"];
        kinds.extend(self.mailbox.as_ref().map(|_| "email"));
        kinds
    }

    fn is_written_to(&self, text: &str) {
        self.number.says(ANA, &format!("whatsapp {text}"));
        self.bot.says(7, &format!("telegram {text}"));
        self.phone.says(ANA, &format!("voip {text}"));
        if let Some(mailbox) = &self.mailbox {
            mailbox.hears("ana@people.example", &format!("email {text}"), "hello", "");
        }
    }
}

struct Town {
    running: RunningService,
    options: Options,
    shops: [Shop; 2],
    http: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Town {
    /// The second shop is another workspace.
    async fn start(webhook: bool) -> Self {
        Self::start_as(webhook, false).await
    }

    /// The second shop is further channels of the first workspace.
    async fn of_one_workspace() -> Self {
        Self::start_as(true, true).await
    }

    async fn start_as(webhook: bool, further: bool) -> Self {
        frontdesk::client::install_tls();
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = options(&folder.path().join("service.db"));
        cluster::settle(&mut options).await;
        let made = start(options.clone()).await.expect("it starts");
        let first = Shop::new(None, [Names::default(); 3], &made.keys);
        made.shutdown().await;
        let second_names = [SECOND_NUMBER, SECOND_BOT, SECOND_PHONE];
        let second = if further {
            Shop { further, ..Shop::new(None, second_names, &[]) }
        } else {
            let admin = dashboard(&options).await;
            let added = admin.add_workspace(Some(SECOND.to_owned()), SystemClock.now()).await;
            admin.close();
            Shop::new(Some(SECOND), second_names, &added.expect("added").1)
        };
        let mut shops = [first, second];
        for shop in &shops {
            shop.connect(&options, webhook).await;
        }
        if further {
            shops[1].create_keys(&options).await;
        }
        options.listen = (Ipv4Addr::LOCALHOST, free_port()).into();
        let public: PublicUrl = format!("http://{}", options.listen).parse().expect("an address");
        options.public_url = Some(public);
        let running = start(options.clone()).await.expect("it starts again");
        for shop in &shops {
            shop.number.calls(running.base_url.trim_end_matches("/v1"));
            shop.phone.waits_until_followed();
        }
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { running, options, shops, http, _folder: folder }
    }

    fn hook(&self, channel: &str) -> String {
        format!("{}/hooks/{channel}", self.running.base_url.trim_end_matches("/v1"))
    }

    fn came_in(&self) -> Vec<String> {
        let from = "JOIN workspaces ON workspaces.id = channels.workspace";
        let chats = format!(
            "SELECT coalesce(workspaces.name, 'first') || ' ' || coalesce(channels.name, channels.kind) || ': ' || messages.content
             FROM messages JOIN conversations ON conversations.id = messages.conversation
             JOIN channels ON channels.id = conversations.channel {from} WHERE direction = 'inbound'"
        );
        let mails = format!(
            "SELECT coalesce(workspaces.name, 'first') || ' ' || coalesce(channels.name, channels.kind) || ': ' || emails.subject
             FROM emails JOIN channels ON channels.id = emails.channel {from} WHERE direction = 'inbound'"
        );
        let mut all = cluster::column(&self.options.database, &chats);
        all.extend(cluster::column(&self.options.database, &mails));
        all.sort();
        all
    }

    async fn waits_for(&self, mut wanted: Vec<String>) {
        wanted.sort();
        until_found("what came in", async || {
            let all = self.came_in();
            if all == wanted { Ok(()) } else { Err(format!("{all:?}")) }
        })
        .await;
    }

    async fn get(&self, shop: &Shop, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.running.base_url));
        let answer = request.bearer_auth(&shop.keys["whatsapp"]).send().await.expect("an answer");
        serde_json::from_str(&answer.text().await.expect("a body")).expect("JSON")
    }

    async fn send(&self, shop: &Shop, channel: &str, path: &str, body: Value) {
        let url = format!("{}{path}", self.running.base_url);
        let request = self.http.post(url).bearer_auth(&shop.keys[channel]);
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answer = request.send().await.expect("an answer");
        let (status, told) = (answer.status(), answer.text().await.expect("a body"));
        assert_eq!(status, 200, "{told}");
    }

    /// Sends a text from a shop on every channel; only its own platforms get it.
    async fn send_everywhere(&self, at: usize, text: &str) {
        let (shop, other) = (&self.shops[at], &self.shops[1 - at]);
        self.send(
            shop,
            "whatsapp",
            "/messages/send",
            json!({"to": ANA, "type": "text", "text": {"body": text}}),
        )
        .await;
        self.send(shop, "telegram", "/telegram/send", json!({"chatId": 7, "type": "text", "text": text}))
            .await;
        self.send(shop, "voip", "/voip/sms", json!({"to": ANA, "body": text})).await;
        shop.number.waits_for(text);
        shop.bot.waits_for(text);
        shop.phone.waits_for(text);
        if let Some(mailbox) = &shop.mailbox {
            let mail = json!({"to": "ana@people.example", "subject": text, "text": text});
            self.send(shop, "email", "/email/send", mail).await;
            let left = mailbox.waits_for("ana@people.example", text);
            assert!(left.contains(&mailbox.address), "{left}");
        }
        assert!(other.number.reached().iter().all(|reached| reached.text != text));
        assert!(other.bot.reached().iter().all(|reached| reached.text != text));
        assert!(other.phone.texts().iter().all(|entry| entry.text != text));
    }
}

fn expected_texts(shop: &Shop, text: &str) -> Vec<String> {
    let name = shop.workspace.as_deref().unwrap_or("first");
    let line = |kind: &&str| {
        let channel = shop.channel_name(kind).unwrap_or_else(|| (*kind).to_owned());
        format!("{name} {channel}: {kind} {text}")
    };
    shop.kinds().iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn further_channels_of_a_workspace_have_platforms_and_keys_of_their_own() {
    let town = Town::of_one_workspace().await;
    let mut all = Vec::new();
    for (shop, text) in town.shops.iter().zip(["one", "two"]) {
        shop.is_written_to(text);
        all.extend(expected_texts(shop, text));
    }
    town.waits_for(all).await;
    for (at, text) in ["from the first", "from the second"].into_iter().enumerate() {
        town.send_everywhere(at, text).await;
    }
    // Ana's one contact, and a conversation with each number.
    let peers = format!("SELECT count(*) || '' FROM conversations WHERE peer = '{ANA}'");
    assert_eq!(cluster::column(&town.options.database, &peers), ["4"]);
    let contacts = format!("SELECT count(*) || '' FROM contacts WHERE phone = '{ANA}'");
    assert_eq!(cluster::column(&town.options.database, &contacts), ["1"]);
    town.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn templates_belong_to_the_number() {
    let town = Town::of_one_workspace().await;
    let [first, second] = &town.shops;
    let admin = dashboard(&town.options).await;
    let template = Template {
        name: "only_here".to_owned(),
        language: "en".to_owned(),
        category: "UTILITY".to_owned(),
        status: "APPROVED".to_owned(),
        components: json!([{"type": "BODY", "text": "Hello"}]).to_string(),
        reason: None,
    };
    let channel = ChannelChoice::Name("second WHATSAPP".to_owned());
    admin.put_template(channel, template, SystemClock.now()).await.expect("stored");
    admin.close();
    let mut seen = Vec::new();
    for shop in [first, second] {
        let listed = town.get(shop, "/templates").await;
        let names = listed["data"].as_array().expect("a list").iter();
        seen.push(names.filter(|template| template["name"] == "only_here").count());
    }
    assert_eq!(seen, [0, 1]);
    town.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn template_is_submitted_and_rejected_for_the_named_number() {
    let town = Town::of_one_workspace().await;
    let [first, second] = &town.shops;
    let admin = dashboard(&town.options).await;
    let named = || ChannelChoice::Name("second WHATSAPP".to_owned());
    let submitted =
        admin.submit_template(named(), draft("order_late", "It is late."), SystemClock.now()).await;
    assert_eq!(submitted.expect("submitted").template.status, "PENDING");
    assert!(first.number.templates().is_empty() && second.number.templates().len() == 1);
    second.number.reviews("order_late", "REJECTED", "ABUSIVE_CONTENT", &Value::Null);
    until_found("the rejection", async || {
        let listed = admin.templates(named()).await.expect("listed");
        let reasons: Vec<_> = listed.iter().map(|template| template.reason.as_deref()).collect();
        if reasons == [Some("ABUSIVE_CONTENT")] { Ok(()) } else { Err(format!("{listed:?}")) }
    })
    .await;
    let kind = ChannelChoice::Kind(Channel::Whatsapp);
    assert!(admin.templates(kind).await.expect("listed").is_empty(), "the first number has none");
    admin.close();
    town.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn further_channel_is_named_and_disconnected_alone() {
    let town = Town::of_one_workspace().await;
    let admin = dashboard(&town.options).await;
    let now = SystemClock.now();
    let standings = admin.channels(now).await.expect("listed");
    let numbers: Vec<_> = standings.iter().filter(|channel| channel.kind == Channel::Whatsapp).collect();
    let addresses: Vec<_> =
        numbers.iter().map(|channel| (channel.word(), channel.address.as_deref())).collect();
    let wanted = [("whatsapp", Some(number_server::PHONE)), ("Second whatsapp", Some("+15550783999"))];
    assert_eq!(addresses, wanted);

    let named = ChannelChoice::Name("Second whatsapp".to_owned());
    admin.test_channel(named.clone()).await.expect("well");
    admin.disconnect(named.clone(), now).await.expect("disconnected");
    let refused = admin.test_channel(named).await.expect_err("not connected").to_string();
    assert!(refused.contains("channel connect whatsapp --channel \"Second whatsapp\""), "{refused}");
    let unknown = admin.test_channel(ChannelChoice::Name("Third".to_owned())).await.expect_err("unknown");
    assert!(unknown.to_string().contains("Second whatsapp"), "{unknown}");

    let bot = admin.naming_channel(Some("Second whatsapp")).expect("a name");
    let token = Secret::new(&town.shops[1].names[1].say(bot_server::TOKEN));
    let taken =
        bot.connect_bot(&town.shops[1].bot.url(), false, &token, now).await.expect_err("another kind");
    assert!(taken.to_string().contains("choose another name"), "{taken}");
    assert!(bot.naming_channel(Some("WhatsApp")).is_err(), "the word of a kind");

    town.shops[0].number.says(ANA, "still here");
    town.waits_for(vec!["first whatsapp: still here".to_owned()]).await;
    town.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_stay_within_their_workspace() {
    let mut town = Town::start(false).await;
    let mut all = Vec::new();
    for (shop, text) in town.shops.iter().zip(["one", "two"]) {
        shop.is_written_to(text);
        all.extend(expected_texts(shop, text));
    }
    town.waits_for(all.clone()).await;
    for (at, text) in ["from the first", "from the second"].into_iter().enumerate() {
        town.send_everywhere(at, text).await;
    }
    town.running.shutdown().await;
    town.running = start(town.options.clone()).await.expect("it starts once more");
    for (shop, text) in town.shops.iter().zip(["three", "four"]) {
        shop.is_written_to(text);
        all.extend(expected_texts(shop, text));
    }
    town.waits_for(all).await;
    town.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_is_connected_once_and_disconnected_alone() {
    let town = Town::start(false).await;
    let [first, second] = &town.shops;
    let admin = dashboard(&town.options).await;
    let now = SystemClock.now();
    let told = |error: frontdesk::service::admin::AdminError| error.to_string();
    let refusals = [
        admin.connect_number(&second.number_access(), now).await.map(drop).map_err(told).expect_err("taken"),
        admin.connect_phone(&second.phone_access(), now).await.map(drop).map_err(told).expect_err("taken"),
        admin
            .connect_bot(&second.bot.url(), false, &Secret::new(&SECOND_BOT.say(bot_server::TOKEN)), now)
            .await
            .map(drop)
            .map_err(told)
            .expect_err("taken"),
    ];
    for refusal in refusals {
        assert!(refusal.contains("already connected") && refusal.contains(SECOND), "{refusal}");
    }
    let standings = admin.channels(now).await.expect("listed");
    assert_eq!(standings[0].address.as_deref(), Some(number_server::PHONE), "the first keeps its own");
    let admin = admin.in_workspace(Some(SECOND.to_owned()));
    let standings = admin.channels(now).await.expect("listed");
    assert_eq!(standings[0].address.as_deref(), Some("+15550783999"));
    admin.test_channel(frontdesk::platforms::Channel::Whatsapp).await.expect("well");
    admin
        .disconnect(frontdesk::platforms::Channel::Whatsapp, Timestamp::default())
        .await
        .expect("disconnected");
    admin.close();
    first.number.says(ANA, "still here");
    town.waits_for(vec!["first whatsapp: still here".to_owned()]).await;
    let body = json!({"to": ANA, "type": "text", "text": {"body": "still sent"}});
    town.send(first, "whatsapp", "/messages/send", body).await;
    first.number.waits_for("still sent");
    town.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_with_another_ones_signature_is_filed_nowhere() {
    let town = Town::start(true).await;
    let text = |id: &str| {
        let text = json!({"id": id, "from": "34600111222", "type": "text", "text": {"body": id}});
        number_server::change("messages", json!({ "messages": [text] }))
    };
    let secrets = [number_server::APP_SECRET.to_owned(), SECOND_NUMBER.say(number_server::APP_SECRET)];
    let call = |secret: &str, body: &str| {
        let signed = number_server::signature_with(secret, body);
        stand_in::call("POST", &town.hook("whatsapp"), (number_server::SIGNATURE, &signed), body)
            .expect("heard")
            .0
    };
    assert_eq!(call(&secrets[1], &text("wamid.A")), 401, "the first's number with the second's secret");
    assert_eq!(call(&secrets[0], &SECOND_NUMBER.say(&text("wamid.B"))), 401, "and the other way round");
    let entry = |body: &str| serde_json::from_str::<Value>(body).expect("JSON")["entry"][0].clone();
    let (own, other) = (entry(&text("wamid.C")), entry(&SECOND_NUMBER.say(&text("wamid.D"))));
    let both = json!({"object": "whatsapp_business_account", "entry": [own, other]}).to_string();
    assert_eq!(call(&secrets[0], &both), 200, "what is for the signer is taken");
    town.waits_for(vec!["first whatsapp: wamid.C".to_owned()]).await;
    let unknown = text("wamid.E").replace(number_server::NUMBER, "306540352242922");
    assert_eq!(call(&secrets[1], &unknown), 200, "an unknown number is not told for ever");
    assert_eq!(call("nobody's", &unknown), 401);
    for verify in [number_server::VERIFY, "second-verify"] {
        let asked = format!("hub.mode=subscribe&hub.verify_token={verify}&hub.challenge=42");
        let answer = town.http.get(format!("{}?{asked}", town.hook("whatsapp"))).send().await.expect("heard");
        assert_eq!(answer.text().await.expect("a body"), "42", "{verify}");
    }

    let url = town.hook("voip");
    let form = |number: &str| {
        let account = phone_server::ACCOUNT;
        format!(
            "AccountSid={account}&MessageSid=SMF&From=%2B34600111222&To=%2B{number}&Body=forged&NumMedia=0"
        )
    };
    let call = |token: &str, body: &str| {
        let signed = phone_server::signature_with(token, &url, body);
        stand_in::call("POST", &url, (phone_server::SIGNATURE, &signed), body).expect("heard").0
    };
    let own = form("15550100200");
    assert_eq!(call(&SECOND_PHONE.say(phone_server::TOKEN), &own), 401);
    assert_eq!(call(phone_server::TOKEN, &SECOND_PHONE.say(&own)), 401);
    assert_eq!(call(phone_server::TOKEN, &form("15550100300")), 200, "a number of another account");

    let secrets = town.shops.each_ref().map(|shop| shop.bot.waits_for_webhook().1);
    let update = |text: &str| {
        json!({"update_id": 9, "message": {"message_id": 1, "date": 1, "text": text,
            "chat": {"id": 7, "type": "private"}, "from": {"id": 7, "first_name": "Ana"}}})
    };
    for (secret, text) in secrets.iter().zip(["for the first", "for the second"]) {
        assert_eq!(bot_server::call(&town.hook("telegram"), secret, &update(text)), 200);
    }
    assert_eq!(bot_server::call(&town.hook("telegram"), "another", &update("forged")), 401);
    let all =
        ["first whatsapp: wamid.C", "first telegram: for the first", "Second shop telegram: for the second"];
    town.waits_for(all.map(str::to_owned).to_vec()).await;
    town.running.shutdown().await;
}
