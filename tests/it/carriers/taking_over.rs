//! The assistant never talks over a person: once a person's message was accepted or a pause
//! confirmed, no text of the assistant reaches the platform in that conversation, at whichever
//! moment of an answer.
//!
//! `FRONTDESK_TAKEOVERS` sets the number of trials per channel.

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::{Arc, Condvar, Mutex};

use frontdesk::service::{AfterPersonAnswers, AssistantChoice, Endpoint};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::campaign::{many_credits, setting};
use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, mails_of};
use super::number_server::NumberServer;
use super::phone_server::PhoneServer;
use super::{Served, numbers, phones, text_to};
use crate::assistant::standin::StandIn;
use crate::postgres::cluster;
use crate::waiting::until_found;

const TRIALS: usize = 8;
const TOGETHER: usize = 4;
/// Maximum yields between the model's answer and the takeover.
const TURNS: u32 = 200_000;

/// A model that answers a question only when allowed to; each question is identified by its text.
struct Model {
    stand_in: StandIn,
    questions: Arc<(Mutex<Questions>, Condvar)>,
}

#[derive(Default)]
struct Questions {
    asked: HashSet<String>,
    /// Questions that may be answered.
    free: HashSet<String>,
}

impl Model {
    fn start() -> Self {
        let questions: Arc<(Mutex<Questions>, Condvar)> = Arc::default();
        let gate = Arc::clone(&questions);
        let stand_in = StandIn::start(move |request| {
            let question = question_in(&request.json());
            let mut open = gate.0.lock().expect("no one failed");
            open.asked.insert(question.clone());
            let is_closed = |open: &mut Questions| !open.free.contains(&question);
            drop(gate.1.wait_while(open, is_closed).expect("no one failed"));
            let said = json!({"role": "assistant", "content": format!("answer to {question}")});
            (200, json!({"choices": [{"message": said}]}).to_string())
        });
        Self { stand_in, questions }
    }

    fn choice(&self) -> AssistantChoice {
        AssistantChoice::Remote(Endpoint { url: self.stand_in.url(), model: "small".to_owned(), key: None })
    }

    async fn is_asked(&self, question: &str) {
        until_found("the model is asked", async || {
            // Requests are not inspected.
            self.stand_in.take_requests();
            let is_asked = self.questions.0.lock().expect("no one failed").asked.contains(question);
            is_asked.then_some(()).ok_or("not yet")
        })
        .await;
    }

    fn may_answer(&self, question: &str) {
        self.questions.0.lock().expect("no one failed").free.insert(question.to_owned());
        self.questions.1.notify_all();
    }
}

fn question_in(request: &Value) -> String {
    let said = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let last = said.iter().rev().find(|value| value["role"] == "user");
    let text = last.and_then(|value| value["content"].as_str()).unwrap_or("");
    text.split_whitespace().find(|word| word.starts_with("question-")).unwrap_or("").to_owned()
}

enum Line<'a> {
    Number(&'a NumberServer),
    Bot(&'a BotServer),
    Phone(&'a PhoneServer),
    Mailbox(&'a TestMailbox),
}

#[derive(Debug, Clone)]
struct Customer {
    peer: String,
    id: String,
}

impl Line<'_> {
    async fn serve(&self, model: &Model, after: AfterPersonAnswers) -> Served {
        let served = match self {
            Self::Number(number) => Served::number(number, model.choice()).await,
            Self::Bot(bot) => Served::with(bot, false, model.choice()).await,
            Self::Phone(phone) => Served::phone(phone, model.choice()).await,
            Self::Mailbox(mailbox) => Served::mailbox(mailbox, model.choice()).await,
        };
        many_credits(&served).await;
        match after {
            AfterPersonAnswers::Pause => served,
            AfterPersonAnswers::NextCustomerMessage => {
                served.again(|options| options.after_person_answers = after).await
            }
        }
    }

    fn peer(&self, number: usize) -> String {
        match self {
            Self::Number(_) | Self::Phone(_) => format!("+3460012{number:04}"),
            Self::Bot(_) => (1_000 + number).to_string(),
            Self::Mailbox(_) => customer(),
        }
    }

    fn says(&self, peer: &str, text: &str) {
        match self {
            Self::Number(number) => drop(number.says(peer, text)),
            Self::Bot(bot) => drop(bot.says(peer.parse().expect("a chat"), text)),
            Self::Phone(phone) => drop(phone.says(peer, text)),
            Self::Mailbox(mailbox) => drop(mailbox.hears(peer, "A question", text, "")),
        }
    }

    async fn customer(&self, served: &Served, peer: &str) -> Customer {
        let sql = match self {
            Self::Mailbox(_) => format!("SELECT id FROM threads WHERE lower(contact_email) = '{peer}'"),
            _ => format!("SELECT id FROM conversations WHERE peer = '{peer}'"),
        };
        let id = until_found("the conversation", async || {
            cluster::column(&served.options.database, &sql).pop().ok_or("none")
        })
        .await;
        Customer { peer: peer.to_owned(), id }
    }

    fn text(&self, customer: &Customer, text: &str) -> Value {
        match self {
            Self::Number(_) => numbers::text_to(&customer.peer, text),
            Self::Bot(_) => text_to(customer.peer.parse().expect("a chat"), text),
            Self::Phone(_) => phones::text_to(&customer.peer, text),
            Self::Mailbox(_) => {
                json!({"to": customer.peer, "subject": "Re: A question", "text": text, "threadId": customer.id})
            }
        }
    }

    /// Number of the assistant's texts the platform accepted for a customer.
    fn answers_to(&self, served: &Served, customer: &Customer) -> usize {
        let peer = &customer.peer;
        let is_answer = |text: &str| text.starts_with("answer to");
        match self {
            Self::Number(number) => {
                let known = peer.trim_start_matches('+');
                number
                    .reached()
                    .iter()
                    .filter(|reached| reached.to.trim_start_matches('+') == known && is_answer(&reached.text))
                    .count()
            }
            Self::Bot(bot) => bot
                .reached()
                .iter()
                .filter(|reached| reached.chat == *peer && is_answer(&reached.text))
                .count(),
            Self::Phone(phone) => {
                phone.texts().iter().filter(|text| text.to == *peer && is_answer(&text.text)).count()
            }
            Self::Mailbox(_) => {
                let sql = format!(
                    "SELECT count(*) FROM emails WHERE thread = '{}' AND direction = 'outbound'
                     AND headers LIKE '%Auto-Submitted%' AND status <> 'queued'",
                    customer.id
                );
                cluster::column(&served.options.database, &sql)[0].parse().expect("a number")
            }
        }
    }
}

/// Pauses in the audit log, as actor and subject.
fn recorded_pauses(served: &Served) -> Vec<String> {
    let sql = "SELECT person || ' ' || subject FROM team_actions WHERE action = 'pause' ORDER BY at, id";
    cluster::column(&served.options.database, sql)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takeover {
    Writes,
    Pauses,
}

impl Served {
    async fn again(self, change: impl FnOnce(&mut frontdesk::service::Options)) -> Self {
        let Self { running, mut running_options, .. } = self;
        change(&mut running_options);
        running.shutdown().await;
        let running = frontdesk::service::start(running_options.clone()).await.expect("it starts again");
        Self { running, running_options, ..self }
    }

    pub(super) async fn automation(&self, id: &str, wanted: Option<bool>) -> (u16, Value) {
        let url = format!(
            "{}/desk/v1/conversations/{id}/automation",
            self.running.base_url.trim_end_matches("/v1")
        );
        let request = match wanted {
            None => self.http.get(url),
            Some(enabled) => {
                let body = json!({ "enabled": enabled }).to_string();
                self.http.put(url).header("content-type", "application/json").body(body)
            }
        };
        let answer = request.bearer_auth(&self.keys[&self.live_key()]).send().await.expect("an answer");
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.expect("a body")).unwrap_or_default())
    }

    async fn takes_over(&self, line: &Line<'_>, customer: &Customer, how: Takeover) {
        let (status, told) = match (how, line) {
            (Takeover::Writes, _) => self.send(line.text(customer, "A person here."), None).await,
            (Takeover::Pauses, Line::Number(_)) => {
                let path = format!("/conversations/{}", customer.id);
                let body = json!({"automationEnabled": false});
                self.call(&self.live_key(), "PATCH", &path, Some(body), None).await
            }
            (Takeover::Pauses, _) => self.automation(&customer.id, Some(false)).await,
        };
        assert_eq!(status, 200, "{told}");
    }
}

/// One customer asks, and a person takes over at a random moment; returns the earlier answers.
async fn trial(
    line: &Line<'_>,
    served: &Served,
    model: &Model,
    number: usize,
    seed: u64,
) -> (Customer, usize) {
    let mut random = StdRng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
    let question = format!("question-{number}");
    let peer = line.peer(number);
    line.says(&peer, &question);
    model.is_asked(&question).await;
    let customer = line.customer(served, &peer).await;
    let how = if random.random_bool(0.5) { Takeover::Writes } else { Takeover::Pauses };
    let is_thinking = random.random_ratio(1, 4);
    if !is_thinking {
        model.may_answer(&question);
        for _ in 0..random.random_range(0..TURNS) {
            tokio::task::yield_now().await;
        }
    }
    served.takes_over(line, &customer, how).await;
    let before = line.answers_to(served, &customer);
    model.may_answer(&question);
    (customer, before)
}

async fn nobody_is_talked_over(line: Line<'_>) {
    let trials = setting("FRONTDESK_TAKEOVERS", TRIALS);
    let seed = setting("FRONTDESK_SEED", 20_261_126) as u64;
    let model = Model::start();
    let served = line.serve(&model, AfterPersonAnswers::Pause).await;
    let mut met = Vec::new();
    let numbers: Vec<usize> = (0..trials).collect();
    for some in numbers.chunks(TOGETHER) {
        met.extend(join_all(some.iter().map(|number| trial(&line, &served, &model, *number, seed))).await);
    }
    // Answered after all earlier questions, so each of those had its time.
    for number in trials..trials + TOGETHER {
        let question = format!("question-{number}");
        let peer = line.peer(number);
        model.may_answer(&question);
        line.says(&peer, &question);
        let customer = line.customer(&served, &peer).await;
        until_found("an answer where nobody has taken over", async || {
            (line.answers_to(&served, &customer) == 1).then_some(()).ok_or("none")
        })
        .await;
    }
    let early = met.iter().filter(|(_, before)| *before > 0).count();
    writeln!(std::io::stderr(), "{}: {trials} trials, {early} answered before", served.channel)
        .expect("told");
    for (customer, before) in &met {
        assert_eq!(line.answers_to(&served, customer), *before, "{customer:?} is talked over");
        assert_eq!(
            served.automation(&customer.id, None).await,
            (200, json!({"id": customer.id, "enabled": false}))
        );
    }
    // After handing back, the assistant answers the next question.
    let (customer, before) = &met[0];
    assert_eq!(served.automation(&customer.id, Some(true)).await.0, 200);
    let question = format!("question-{}", trials + TOGETHER);
    model.may_answer(&question);
    line.says(&customer.peer, &question);
    until_found("an answer after it was handed back", async || {
        (line.answers_to(&served, customer) == before + 1).then_some(()).ok_or("none")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_talked_over_on_a_number() {
    nobody_is_talked_over(Line::Number(&NumberServer::start())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_talked_over_by_a_bot() {
    nobody_is_talked_over(Line::Bot(&BotServer::start())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_talked_over_on_a_phone() {
    nobody_is_talked_over(Line::Phone(&PhoneServer::start())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_talked_over_by_mail() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.auto_reply = true;
    nobody_is_talked_over(Line::Mailbox(&mailbox)).await;
}

/// With this setting the assistant answers the customer's next message after a person's.
async fn the_next_message_is_the_assistants_again(line: Line<'_>) {
    let model = Model::start();
    let served = line.serve(&model, AfterPersonAnswers::NextCustomerMessage).await;
    let peer = line.peer(0);
    line.says(&peer, "question-0");
    model.is_asked("question-0").await;
    let customer = line.customer(&served, &peer).await;
    served.takes_over(&line, &customer, Takeover::Writes).await;
    model.may_answer("question-0");
    let still_on = json!({"id": customer.id, "enabled": true});
    assert_eq!(served.automation(&customer.id, None).await, (200, still_on));
    line.says(&peer, "question-1");
    model.may_answer("question-1");
    until_found("the next answer", async || {
        (line.answers_to(&served, &customer) > 0).then_some(()).ok_or("none")
    })
    .await;
    // A pause holds with this setting, too.
    served.takes_over(&line, &customer, Takeover::Pauses).await;
    assert_eq!(line.answers_to(&served, &customer), 1, "what was thought of before is not said");
    let off = json!({"id": customer.id, "enabled": false});
    assert_eq!(served.automation(&customer.id, None).await, (200, off));
    served.takes_over(&line, &customer, Takeover::Writes).await;
    assert_eq!(served.automation(&customer.id, None).await.1["enabled"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_is_the_assistants_again_with_the_next_message() {
    the_next_message_is_the_assistants_again(Line::Number(&NumberServer::start())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_is_the_assistants_again_with_the_next_mail() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.auto_reply = true;
    the_next_message_is_the_assistants_again(Line::Mailbox(&mailbox)).await;
}

/// A mail sent from the mailbox by another program counts as a person's answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_sent_from_the_mailbox_takes_over() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.auto_reply = true;
    let (line, model) = (Line::Mailbox(&mailbox), Model::start());
    let served = line.serve(&model, AfterPersonAnswers::Pause).await;
    let peer = line.peer(0);
    let id = mailbox.hears(&peer, "A question", "question-0", "");
    model.is_asked("question-0").await;
    let customer = line.customer(&served, &peer).await;
    let own = format!(
        "From: {}\r\nTo: {peer}\r\nSubject: Re: A question\r\nMessage-ID: <phone.{peer}>\r\nIn-Reply-To: {id}\r\n\r\nfrom my phone\r\n",
        mailbox.address
    );
    mailbox.elsewhere(&[&format!("a APPEND Sent (\\Seen) {{{}}}", own.len()), &own, "a NOOP"]);
    let thread = served.thread(&peer, "the mail from elsewhere", |value| mails_of(value).len() == 2).await;
    let places: Vec<&Value> = mails_of(&thread).iter().map(|mail| &mail["sentFrom"]).collect();
    assert!(places.contains(&&json!("mail program")) && places.contains(&&Value::Null), "{thread}");
    assert_eq!(recorded_pauses(&served), [format!("service {}", customer.id)]);
    let origin = |thread: &Value| (thread["pausedBy"].clone(), thread["pausedFrom"].clone());
    let elsewhere = (Value::Null, json!("mail program"));
    assert_eq!(origin(&thread), elsewhere, "{thread}");
    assert_eq!(origin(&served.threads().await[0]), elsewhere, "as listed");
    let path = format!("/email/threads/{}", customer.id);
    let star = Some(json!({"isStarred": true}));
    let (_, changed) = served.call(&served.live_key(), "PATCH", &path, star, None).await;
    assert_eq!(origin(&changed), elsewhere, "{changed}");
    model.may_answer("question-0");
    let other = line.peer(1);
    model.may_answer("question-1");
    line.says(&other, "question-1");
    let other = line.customer(&served, &other).await;
    until_found("an answer to somebody else", async || {
        (line.answers_to(&served, &other) == 1).then_some(()).ok_or("none")
    })
    .await;
    assert_eq!(line.answers_to(&served, &customer), 0);
    assert_eq!(served.automation(&customer.id, None).await.1["enabled"], false);
    assert_eq!(served.automation(&customer.id, Some(true)).await.0, 200);
    assert_eq!(origin(&served.get(&path).await), (Value::Null, Value::Null), "handed back");
}

/// A message sent with the platform's own app counts as a person's answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_sent_with_the_platforms_app_takes_over() {
    let (number, model) = (NumberServer::start(), Model::start());
    let line = Line::Number(&number);
    let served = line.serve(&model, AfterPersonAnswers::Pause).await;
    let peer = line.peer(0);
    line.says(&peer, "question-0");
    model.is_asked("question-0").await;
    let customer = line.customer(&served, &peer).await;
    number.echoes(&peer, "from my phone");
    let history = served.waits(&peer, "the message from the phone", |entry| entry.len() == 2).await;
    assert_eq!(
        (&history[1]["content"], &history[1]["senderType"], &history[1]["sentFrom"]),
        (&json!("from my phone"), &json!("agent"), &json!("phone"))
    );
    assert_eq!(history[0]["sentFrom"], Value::Null, "the customer's");
    let whole = served.get(&format!("/conversations/{}", customer.id)).await;
    assert_eq!((&whole["pausedFrom"], &whole["pausedBy"]), (&json!("phone"), &Value::Null));
    assert_eq!(recorded_pauses(&served), [format!("service {}", customer.id)]);
    model.may_answer("question-0");
    let other = line.peer(1);
    model.may_answer("question-1");
    line.says(&other, "question-1");
    let other = line.customer(&served, &other).await;
    until_found("an answer to somebody else", async || {
        (line.answers_to(&served, &other) == 1).then_some(()).ok_or("none")
    })
    .await;
    assert_eq!(line.answers_to(&served, &customer), 0);
    assert_eq!(served.automation(&customer.id, None).await.1["enabled"], false);
}

/// The business writes first with the platform's own app.
async fn first_message_from_a_phone(after: AfterPersonAnswers) -> (NumberServer, Model, Served, Customer) {
    let (number, model) = (NumberServer::start(), Model::start());
    let line = Line::Number(&number);
    let served = line.serve(&model, after).await;
    let balance = served.balance().await;
    let peer = line.peer(0);
    number.echoes(&peer, "from my phone");
    let history = served.waits(&peer, "the message from the phone", |entry| entry.len() == 1).await;
    assert_eq!(
        (&history[0]["content"], &history[0]["senderType"], &history[0]["status"]),
        (&json!("from my phone"), &json!("agent"), &json!("sent"))
    );
    let listed = served.conversations().await;
    assert_eq!((listed.len(), &listed[0]["serviceWindowOpen"]), (1, &json!(false)), "{listed:?}");
    assert_eq!(served.balance().await, balance, "the app's messages cost nothing");
    let customer = line.customer(&served, &peer).await;
    let enabled = after == AfterPersonAnswers::NextCustomerMessage;
    assert_eq!(served.automation(&customer.id, None).await.1["enabled"], enabled);
    // The customer's answer belongs to the same conversation and opens the window.
    model.may_answer("question-0");
    line.says(&peer, "question-0");
    served.waits(&peer, "the customer's answer", |entry| entry.len() >= 2).await;
    let listed = served.conversations().await;
    assert_eq!((listed.len(), &listed[0]["serviceWindowOpen"]), (1, &json!(true)), "{listed:?}");
    let other = line.peer(1);
    model.may_answer("question-1");
    line.says(&other, "question-1");
    let other = line.customer(&served, &other).await;
    until_found("an answer to somebody else", async || {
        (line.answers_to(&served, &other) == 1).then_some(()).ok_or("none")
    })
    .await;
    (number, model, served, customer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_message_from_a_phone_begins_a_conversation_of_a_person() {
    let (number, _model, served, customer) = first_message_from_a_phone(AfterPersonAnswers::Pause).await;
    assert_eq!(Line::Number(&number).answers_to(&served, &customer), 0);
    assert_eq!(served.automation(&customer.id, None).await.1["enabled"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_message_from_a_phone_leaves_the_next_to_the_assistant() {
    let (number, _model, served, customer) =
        first_message_from_a_phone(AfterPersonAnswers::NextCustomerMessage).await;
    until_found("the assistant's answer", async || {
        (Line::Number(&number).answers_to(&served, &customer) == 1).then_some(()).ok_or("none")
    })
    .await;
}
