//! A model on a real platform: typing indicator, instructions, no endless talk with machines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frontdesk::service::{AssistantChoice, Endpoint};
use serde_json::{Value, json};

use super::bot_server::{BotServer, TOKEN};
use super::connecting::Dashboard;
use super::number_server::NumberServer;
use super::stand_in::Wrong;
use super::{Served, campaign, text_to, texts};
use crate::assistant::standin::StandIn;
use crate::binary::Binary;
use crate::waiting::{until, until_found};

const ANA: i64 = 77;

fn says(text: &str) -> (u16, String) {
    (200, json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string())
}

fn answered_by(model: &StandIn) -> AssistantChoice {
    AssistantChoice::Remote(Endpoint { url: model.url(), model: "small".to_owned(), key: None })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typing_sign_is_shown_while_the_assistant_thinks() {
    let bot = Arc::new(BotServer::start());
    let seen = Arc::clone(&bot);
    let model = StandIn::start(move |_| {
        seen.waits_for_typing(ANA);
        says("On its way")
    });
    let served = Served::with(&bot, false, answered_by(&model)).await;
    bot.says(ANA, "Where is my order?");
    served.waits(ANA, "an answer", |entry| texts(entry).last() == Some(&"On its way")).await;

    let number = Arc::new(NumberServer::start());
    let seen = Arc::clone(&number);
    let model = StandIn::start(move |_| {
        seen.waits_for_typing("wamid.IN1");
        says("On its way")
    });
    let served = Served::number(&number, answered_by(&model)).await;
    assert_eq!(number.says("+34600111222", "Where is my order?"), "wamid.IN1");
    served.waits("+34600111222", "an answer", |entry| texts(entry).last() == Some(&"On its way")).await;
}

/// Reports what a person does in the only conversation, as a desk does.
async fn report(served: &Served, session: &str, doing: &str) {
    let conversation = served.conversations().await[0]["id"].clone();
    let body = json!({"conversation": conversation, "doing": doing}).to_string();
    let url = format!("{}/desk/v1/presence", served.running.base_url.trim_end_matches("/v1"));
    let request = served.http.post(url).bearer_auth(session).header("content-type", "application/json");
    let status = request.body(body).send().await.expect("an answer").status();
    assert_eq!(status.as_u16(), 200, "{doing}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typing_sign_is_shown_while_a_person_types() {
    let bot = BotServer::start();
    let mut served = Served::quiet(&bot).await;
    let session = served.sign_in("Bea").await;
    bot.says(ANA, "Where is my order?");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    report(&served, &session, "looking").await;
    report(&served, &session, "typing").await;
    bot.waits_for_typing(ANA);

    let number = NumberServer::start();
    let mut served = Served::number(&number, AssistantChoice::Off).await;
    let session = served.sign_in("Bea").await;
    let first = number.says("+34600111222", "Where is my order?");
    served.waits("+34600111222", "a message", |entry| entry.len() == 1).await;
    report(&served, &session, "typing").await;
    number.waits_for_typing(&first);
}

/// Asks a service; returns the body of its answer.
async fn ask(address: &str, bearer: &str, path: &str, body: Option<Value>) -> Value {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let url = format!("http://{address}{path}");
    let request = match body {
        Some(body) => http.post(url).header("content-type", "application/json").body(body.to_string()),
        None => http.get(url),
    };
    let answer = request.bearer_auth(bearer).send().await.expect("an answer");
    let status = answer.status();
    let text = answer.text().await.expect("a body");
    assert!(status.is_success(), "{path}: {status}: {text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

#[test]
fn typing_sign_that_is_switched_off_is_shown_to_nobody() {
    frontdesk::client::install_tls();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (dashboard, bot) = (Dashboard::new(), BotServer::start());
    let (binary, database) = (&dashboard.binary, dashboard.database.as_str());
    let url = bot.url();
    let connect = ["admin", "--db", database, "channel", "connect", "telegram", "--api-url", &url];
    binary.ok(&connect, &format!("{TOKEN}\n"));
    let path = |name: &str| binary.folder().join(name).display().to_string();
    let (ready, config) = (path("ready.json"), path("service.toml"));
    let serve = |switch: &str| {
        std::fs::write(&config, format!("[team]\ntyping_sign = {switch}\n")).expect("written");
        campaign::serve(binary, database, &ready, &["--config", &config])
    };
    let running = serve("false");
    let added = binary.ok(&["admin", "--db", database, "person", "add", "Bea"], "");
    let body = json!({"token": added.split_whitespace().last().expect("a token"), "device": "laptop"});
    let signed_in = runtime.block_on(ask(&running.address, "none", "/desk/v1/sign-in", Some(body)));
    let session = signed_in["session"].as_str().expect("a session").to_owned();
    let channels = signed_in["channels"].as_array().expect("channels");
    let of_bot = channels.iter().find(|channel| channel["channel"] == "telegram").expect("the bot");
    let key = of_bot["key"].as_str().expect("a key").to_owned();
    let wait_for = |address: &str, text: &str| {
        bot.says(ANA, text);
        until(text, || {
            let listed = runtime.block_on(ask(address, &key, "/v1/telegram/conversations", None));
            let listed = listed["data"][0].clone();
            if listed["lastMessagePreview"] == text { Ok(listed) } else { Err(listed.to_string()) }
        })
    };
    let conversation = wait_for(&running.address, "Where is my order?")["id"].clone();
    let report_typing = |address: &str| {
        let body = json!({"conversation": conversation, "doing": "typing"});
        runtime.block_on(ask(address, &session, "/desk/v1/presence", Some(body)));
    };
    report_typing(&running.address);
    let text = text_to(ANA, "On its way");
    runtime.block_on(ask(&running.address, &key, "/v1/telegram/send", Some(text)));
    bot.waits_for("On its way");
    assert_eq!(bot.typing_signs(), 0);
    drop(running);
    // A report shows the sign in a service where it is switched on.
    let running = serve("true");
    wait_for(&running.address, "Is it ready?");
    report_typing(&running.address);
    bot.waits_for_typing(ANA);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_is_sent_although_the_platform_refuses_a_typing_sign() {
    let bot = BotServer::start();
    let mut served = Served::quiet(&bot).await;
    let session = served.sign_in("Bea").await;
    bot.says(ANA, "Where is my order?");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let is_refused = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_refused);
    bot.plan(move |method| {
        let is_sign = method == "sendChatAction";
        if is_sign {
            noted.store(true, Ordering::SeqCst);
        }
        is_sign.then_some(Wrong::CutBefore)
    });
    report(&served, &session, "typing").await;
    until_found("a refused sign", async || is_refused.load(Ordering::SeqCst).then_some(()).ok_or("none yet"))
        .await;
    let (status, sent) = served.send(text_to(ANA, "On its way"), None).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_answers_alone_are_enough_and_a_person_begins_anew() {
    let bot = BotServer::start();
    let model = StandIn::start(|_| says("Hello, how can I help?"));
    let served = Served::with(&bot, false, answered_by(&model)).await;
    for round in 1..=3 {
        bot.says(ANA, "Thank you for your message, we are away.");
        served.waits(ANA, "an answer", |entry| entry.len() == 2 * round).await;
    }
    bot.says(ANA, "Thank you for your message, we are away.");
    served.waits(ANA, "the last of it", |entry| entry.len() == 7).await;
    let escalation = async || served.conversations().await[0]["escalation"].clone();
    let why = until_found("a call for a person", async || match escalation().await {
        Value::Null => Err("nobody is asked for"),
        told => Ok(told.to_string()),
    })
    .await;
    assert!(why.contains("three times in ten minutes"), "{why}");
    assert_eq!((model.requests().len(), bot.reached().len()), (3, 3), "it is not even asked");
    // A person answers and hands back: the assistant answers again.
    assert_eq!(served.send(text_to(ANA, "Ana here"), None).await.1["status"], "sent");
    let id = served.conversations().await[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(served.automation(&id, Some(true)).await.0, 200, "handed back");
    bot.says(ANA, "Ah, good.");
    served.waits(ANA, "an answer again", |entry| entry.len() == 10).await;
}

#[test]
fn configured_knowledge_reaches_the_model() {
    let (binary, model) = (Binary::new(), StandIn::start(|_| says("At the pier.")));
    let path = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).expect("written");
    write("questions.md", "## Where are you?\nAt gate 4.\n\n## Do you sell tyres?\nAll sizes.\n");
    let url = model.url();
    write(
        "service.toml",
        &format!(
            "[assistant]\nurl = \"{url}\"\nmodel = \"small\"\nbusiness = \"Harbor Bikes\"\ntone = \"dry\"\n\
             facts = [\"The first look is free.\"]\nquestions = \"questions.md\"\n"
        ),
    );
    let (database, ready, file) = (path("service.db"), path("ready.json"), path("service.toml"));
    let running = campaign::serve(&binary, &database, &ready, &["--dev", "--config", &file]);
    let inbound = json!({"channel": "whatsapp", "from": "+34600111222", "text": "hi, where is your shop?"});
    let told = campaign::ask(&running.address, "none", "/dev/inbound", "one", &inbound.to_string());
    assert!(told.as_ref().is_some_and(|pair| pair.0 == 200), "{told:?}");
    let asked = until("a question", || model.requests().pop().ok_or("nothing was asked"));
    let rules = asked.json()["messages"][0]["content"].as_str().expect("rules").to_owned();
    for part in ["customers of Harbor Bikes", "dry", "- The first look is free.", "A: At gate 4."] {
        assert!(rules.contains(part), "{part}: {rules}");
    }
    assert!(!rules.contains("tyres"), "what was not asked for: {rules}");
}

#[test]
fn a_file_with_a_mistake_is_refused_with_its_line() {
    let binary = Binary::new();
    let file = |name: &str, text: &str| {
        let path = binary.folder().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("words").to_owned()
    };
    let database = binary.folder().join("service.db").to_str().expect("words").to_owned();
    file("questions.md", "## When are you open?\n\n## Where?\nAt the pier.\n");
    let path = file("service.toml", "[assistant]\ntome = \"warm\"\nquestions = \"questions.md\"\n");
    let serve = |path: &str| {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--db", &database, "--config", path];
        binary.fails(1, &arguments, "")
    };
    let said = serve(&path);
    assert!(
        said.contains("service.toml, line 2: tome is not a key in [assistant]; did you mean tone?"),
        "{said}"
    );
    assert!(said.contains("questions.md, line 1: this question has no answer; write it below"), "{said}");
    let said = serve(&file("silent.toml", "[assistant]\ntone = \"warm\"\n"));
    assert!(said.contains("[assistant]") && said.contains("--assistant-model"), "{said}");
    let said = serve("/nowhere/service.toml");
    assert!(said.contains("/nowhere/service.toml"), "{said}");
    assert!(!std::path::Path::new(&database).exists(), "nothing was made before");
}
