//! One table of commands and outcomes, each as text and JSON, with its exit code. A command in
//! clap's definition without a row fails the test.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory;
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::binary::{Binary, Ended};
use crate::faults::world::World;
use crate::mcp;
use crate::proxy::fault::Fault;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Asked, Door, Proxy, answers};
use crate::scripting::failing::{configured, last_error};
use crate::waiting::{TryError, aside, with_more_time};

/// Concurrent commands; most of the time they wait.
const AT_ONCE: usize = 8;
pub const FIELDS: [&str; 8] = ["advice", "candidates", "cause", "channel", "code", "message", "row", "state"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtServer {
    /// Changes something, through the outbox.
    Writes,
    /// Reads before it answers.
    Reads,
    /// Answers from this desk's files.
    Nothing,
}
use AtServer::{Nothing, Reads, Writes};

/// A row of the table. Words in capitals are replaced for each cell.
struct Row {
    command: &'static str,
    kind: &'static str,
    at_server: AtServer,
    /// Arguments of a success; empty if [`NOT_DONE`] holds the reason.
    done: &'static str,
    /// Arguments that name something absent.
    absent: &'static str,
}

const fn row(
    command: &'static str,
    kind: &'static str,
    at_server: AtServer,
    done: &'static str,
    absent: &'static str,
) -> Row {
    Row { command, kind, at_server, done, absent }
}

/// Absent name of a command whose only argument is its channel.
const NOWHERE: &str = "--channel Nowhere";

const TABLE: &[Row] = &[
    row("list", "whatsapp", Reads, "--status all", NOWHERE),
    row("show", "whatsapp", Reads, "CONVERSATION", "nobody"),
    row("search", "whatsapp", Nothing, "hello", "hello --channel Nowhere"),
    row("stats", "whatsapp", Nothing, "--since 7d", NOWHERE),
    row("export", "whatsapp", Reads, "CONVERSATION --format jsonl", "nobody"),
    row("send", "whatsapp", Writes, "CONVERSATION Hello --beside-ai", "nobody Hello --beside-ai"),
    row("react", "whatsapp", Writes, "CONVERSATION MESSAGE 👍", "CONVERSATION msg_nothing 👍"),
    row("message", "whatsapp", Reads, "MESSAGE", "msg_nothing"),
    row("sms", "voip", Writes, "PHONE Hello", "PHONE Hello --channel Nowhere"),
    row("call", "voip", Writes, "PHONE --yes", "PHONE --yes --channel Nowhere"),
    row(
        "mail send",
        "email",
        Writes,
        "Hello --to MAIL --subject A",
        "Hello --to MAIL --subject A --thread nothing",
    ),
    row("mail show", "email", Reads, "THREAD", "nothing"),
    row("mail reply", "email", Writes, "THREAD Hello", "THREAD Hello --mail nothing"),
    row("mail forward", "email", Writes, "THREAD Hello --to MAIL", "nothing Hello --to MAIL"),
    row("mail save", "email", Reads, "THREAD", "nothing"),
    row("mail respond", "email", Writes, "INVITED accept", "nothing accept"),
    row("mail change", "email", Writes, "THREAD --star true", "nothing --star true"),
    row("mail move", "email", Writes, "THREAD --to Suppliers", "nothing --to Suppliers"),
    row("mail spam", "email", Writes, "THREAD", "nothing"),
    row("mail delete", "email", Writes, "THREAD", "nothing"),
    row("mail rules list", "email", Reads, "", NOWHERE),
    row("mail rules add", "email", Reads, "MAIL archive", "MAIL archive --channel Nowhere"),
    row("mail rules switch", "email", Reads, "", "MAIL archive off"),
    row("mail rules remove", "email", Reads, "", "MAIL archive"),
    row("mail contacts", "email", Reads, "--search a", NOWHERE),
    row("mail account", "email", Reads, "", NOWHERE),
    row("upload", "whatsapp", Writes, "FILE", "/nowhere/offer.pdf"),
    row("take", "whatsapp", Writes, "CONVERSATION", "nobody"),
    row("done", "whatsapp", Writes, "CONVERSATION", "nobody"),
    row("later", "whatsapp", Reads, "CONVERSATION 2h", "nobody 2h"),
    row("pause", "whatsapp", Writes, "CONVERSATION", "nobody"),
    row("resume", "whatsapp", Writes, "CONVERSATION", "nobody"),
    row("close", "whatsapp", Writes, "CONVERSATION", "nobody"),
    row("contacts list", "whatsapp", Reads, "--limit 3", NOWHERE),
    row("contacts show", "whatsapp", Reads, "PHONE", "+34699999999"),
    row("contacts create", "whatsapp", Writes, "PHONE --name Ann", "PHONE --name Ann --channel Nowhere"),
    row("contacts edit", "whatsapp", Writes, "PHONE --tag vip", "+34699999999 --tag vip"),
    row("contacts delete", "whatsapp", Writes, "PHONE --confirm DIGITS", "+34699999999 --confirm 9999"),
    row("contacts import", "whatsapp", Reads, "TABLE", "TABLE --channel Nowhere"),
    row(
        "broadcast send",
        "whatsapp",
        Writes,
        "Hello --to PEOPLE --confirm 1",
        "Hello --to /nowhere/people.txt --confirm 1",
    ),
    row("broadcast watch", "whatsapp", Reads, "", "bc_nothing"),
    row("broadcast pause", "whatsapp", Nothing, "", "nothing"),
    row("broadcast continue", "whatsapp", Nothing, "", "nothing"),
    row("broadcast stop", "whatsapp", Nothing, "", "nothing"),
    row("broadcast track", "whatsapp", Reads, "BROADCAST", "bc_nothing"),
    row("broadcast report", "whatsapp", Nothing, "", "bc_nothing"),
    row("broadcast list", "whatsapp", Nothing, "--timeout 60", NOWHERE),
    row("webhooks list", "whatsapp", Reads, "--timeout 60", NOWHERE),
    row("webhooks create", "whatsapp", Writes, "ENDPOINT", "ENDPOINT --channel Nowhere"),
    row("webhooks delete", "whatsapp", Writes, "WEBHOOK", "nothing"),
    row("events", "whatsapp", Reads, "--timeout 60", NOWHERE),
    row("templates", "whatsapp", Reads, "--timeout 60", NOWHERE),
    row(
        "submit-template",
        "whatsapp",
        Writes,
        "NEW_TEMPLATE en Late.",
        "NEW_TEMPLATE en Late. --channel Nowhere",
    ),
    row("account", "whatsapp", Reads, "--timeout 60", NOWHERE),
    row("outbox list", "whatsapp", Nothing, "--timeout 60", NOWHERE),
    row("outbox send-anyway", "whatsapp", Nothing, "", "nothing"),
    row("outbox send-from-here", "whatsapp", Nothing, "", "nothing"),
    row("outbox retry", "whatsapp", Nothing, "ROW", "nothing"),
    row("outbox drop", "whatsapp", Nothing, "ROW", "nothing"),
    row("proposals list", "whatsapp", Nothing, "--timeout 60", NOWHERE),
    row("proposals send", "whatsapp", Writes, "PROPOSAL --beside-ai", "nothing --beside-ai"),
    row("proposals drop", "whatsapp", Nothing, "PROPOSAL", "nothing"),
    row("channel test", "whatsapp", Nothing, "Harbor", "Nowhere"),
    row("channel remove", "whatsapp", Nothing, "Harbor --yes", "Nowhere --yes"),
    row("connection test", "whatsapp", Nothing, "", "nothing"),
    row("connection credential", "whatsapp", Nothing, "", "nothing"),
    row("connection remove", "whatsapp", Nothing, "", "nothing --yes"),
];

/// Commands without a cell for success, and why.
const NOT_DONE: &[(&str, &str)] = &[
    ("mail rules switch", "needs a rule; see mail_filing"),
    ("mail rules remove", "needs a rule; see mail_filing"),
    ("mail rules list", "has no arguments; see mail_filing"),
    ("mail account", "has no arguments; see rest"),
    ("broadcast watch", "ends with the broadcast; see broadcasts"),
    ("broadcast pause", "needs one in waves; see broadcasts"),
    ("broadcast continue", "needs one in waves; see broadcasts"),
    ("broadcast stop", "needs one in waves; see broadcasts"),
    ("broadcast report", "needs one that was sent from the desk; see broadcasts"),
    ("connection test", "needs a connection; see desk_connections"),
    ("connection credential", "needs a connection; see desk_connections"),
    ("connection remove", "needs a connection; see desk_connections"),
    ("outbox send-anyway", "a text that somebody crossed; see the stories"),
    ("outbox send-from-here", "a text of another account; see the stories"),
];

/// Commands without a row, and why.
const NO_ROWS: &[(&str, &str)] = &[
    ("demo", "an inbox"),
    ("wall", "an inbox"),
    ("serve", "runs until it is ended"),
    ("engine", "runs until it is ended"),
    ("mcp", "answers in its protocol"),
    ("doctor", "tells findings, and fails with them"),
    ("channel add", "asks for a key; see channel"),
    ("channel list", "names nothing and asks nobody"),
    ("join", "asks for a token; see team"),
    ("leave", "needs a team; see team"),
    ("connection add", "asks for a credential; see desk_connections"),
    ("connection list", "names nothing and asks nobody"),
    ("review export", "prints lines of a format of its own"),
    ("config schema", "prints a schema"),
    ("completions", "prints a script"),
    ("man", "prints pages"),
];

/// Collects the commands that have no subcommands.
pub fn leaves(command: &clap::Command, above: &str, found: &mut BTreeSet<String>) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        let name = format!("{above}{}", below.get_name());
        if below.has_subcommands() {
            leaves(below, &format!("{name} "), found);
        } else {
            found.insert(name);
        }
    }
}

#[test]
fn every_command_has_a_row() {
    let mut root = frontdesk::cli::Cli::command();
    root.build();
    let mut all = BTreeSet::new();
    leaves(&root, "", &mut all);
    all.retain(|name| !name.starts_with("admin "));
    let rows: BTreeSet<String> = TABLE.iter().map(|row| row.command.to_owned()).collect();
    let others: BTreeSet<String> = NO_ROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert!(rows.is_disjoint(&others));
    assert_eq!(rows.union(&others).cloned().collect::<BTreeSet<_>>(), all);
    for row in TABLE.iter().filter(|row| row.done.is_empty()) {
        assert!(NOT_DONE.iter().any(|(name, _)| *name == row.command), "{}", row.command);
    }
}

#[test]
fn every_write_takes_an_idempotency_key() {
    let mut root = frontdesk::cli::Cli::command();
    root.build();
    for row in TABLE {
        let mut command = &root;
        for word in row.command.split(' ') {
            command = command.find_subcommand(word).expect("a command");
        }
        let takes = command.get_arguments().any(|argument| argument.get_long() == Some("idempotency-key"));
        assert_eq!(takes, row.at_server == Writes, "{}", row.command);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Absent,
    Refused,
    Queued,
    Unknown,
    BadUse,
}

impl Outcome {
    fn exit(self) -> i32 {
        match self {
            Self::Done => 0,
            Self::Absent | Self::Refused => 1,
            Self::BadUse => 2,
            Self::Queued | Self::Unknown => 3,
        }
    }
}

struct Cell {
    row: &'static Row,
    outcome: Outcome,
    number: usize,
}

/// Upper bound for the number of cells.
const MOST: usize = 1_000;

fn changes(asked: &Asked) -> bool {
    asked.method != "GET"
}

impl Cell {
    async fn run(&self, world: &World) -> Result<(), String> {
        with_more_time(|before| async move {
            let number = self.number + MOST * before as usize;
            Self { number, ..*self }.run_once(world, 2 << before).await
        })
        .await
    }

    async fn run_once(&self, world: &World, seconds: u32) -> Result<(), TryError> {
        let proxy = Proxy::start(world.address(), Door::Open).await;
        let key = world.key(self.row.kind).expose().to_owned();
        let binary = std::sync::Arc::new(configured(&[("Harbor", &proxy.base_url(), &key)]));
        let names = self.make(world, &binary, &proxy).await;
        let trap = proxy.trap();
        let writes = self.row.at_server == Writes;
        match self.outcome {
            Outcome::Refused => proxy.plan(move |asked| match (writes, changes(asked)) {
                (true, true) => Script::withhold(Give::Bytes(answers::refused())),
                (false, false) => Script::withhold(Give::Bytes(answers::unauthorised())),
                _ => Script::pass(),
            }),
            // A redirect may follow a request that was carried out.
            Outcome::Unknown => {
                proxy.plan(
                    move |asked| {
                        if changes(asked) { Fault::Redirect.script(0, trap) } else { Script::pass() }
                    },
                )
            }
            Outcome::Queued => {
                proxy.plan(
                    move |asked| {
                        if changes(asked) { Fault::Limited.script(0, trap) } else { Script::pass() }
                    },
                )
            }
            Outcome::Done | Outcome::Absent | Outcome::BadUse => proxy.plan(|_| Script::pass()),
        }
        let arguments = self.arguments(&names, seconds);
        let json = run(&binary, [arguments.clone(), vec!["--json".to_owned()]].concat()).await;
        self.check_json(&json)?;
        let left = run(&binary, vec!["outbox".to_owned(), "list".to_owned()]).await.out.lines().count();
        let is_left = matches!(self.outcome, Outcome::Queued | Outcome::Unknown);
        if is_left != (left > 0) && !names.contains_key("ROW") {
            return Err(TryError::Wrong(format!("{left} rows are left")));
        }
        // A slow cell runs once; its text comes from the same error.
        if matches!(self.outcome, Outcome::Absent | Outcome::BadUse | Outcome::Refused) {
            let words = run(&binary, arguments).await;
            self.check_words(&words)?;
        }
        Ok(())
    }

    fn arguments(&self, names: &BTreeMap<&'static str, String>, seconds: u32) -> Vec<String> {
        let own = match self.outcome {
            Outcome::Absent => self.row.absent,
            Outcome::BadUse => "--no-such-switch",
            _ => self.row.done,
        };
        let words = self.row.command.split(' ').chain(own.split(' ')).filter(|word| !word.is_empty());
        let mut all: Vec<String> =
            words.map(|word| names.get(word).cloned().unwrap_or_else(|| word.to_owned())).collect();
        if matches!(self.outcome, Outcome::Queued) {
            all.extend(["--timeout".to_owned(), format!("{seconds}.5")]);
        }
        all
    }

    /// Creates the objects for the words in capitals.
    async fn make(
        &self,
        world: &World,
        binary: &std::sync::Arc<Binary>,
        proxy: &Proxy,
    ) -> BTreeMap<&'static str, String> {
        let mut names = BTreeMap::new();
        let wanted = [self.row.done, self.row.absent].join(" ");
        let needs = |word: &str| wanted.split(' ').any(|other| other == word);
        let phone = format!("+34601{:06}", self.number);
        let mail = format!("ana{}@mail.example", self.number);
        let from = if self.row.kind == "email" { &mail } else { &phone };
        if self.row.kind != "voip" {
            let told = world.inbound(self.row.kind, from).await;
            for (name, field) in
                [("CONVERSATION", "conversationId"), ("MESSAGE", "messageId"), ("THREAD", "threadId")]
            {
                names.extend(told[field].as_str().map(|id| (name, id.to_owned())));
            }
        }
        if needs("INVITED") {
            let account = world.get("email", "/email/account").await;
            let calendar = format!(
                "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:1\nORGANIZER:mailto:{mail}\n\
                 ATTENDEE:mailto:{}\nEND:VEVENT\nEND:VCALENDAR\n",
                account["emailAddress"].as_str().expect("an address")
            );
            let told = json!({"channel": "email", "from": mail, "subject": "A ride", "text": "Come!", "calendar": calendar});
            let told = world.dev("/inbound", told).await;
            names.insert("INVITED", told["threadId"].as_str().expect("an id").to_owned());
        }
        // A service without a platform refuses a template that exists.
        names.insert("NEW_TEMPLATE", format!("order_late_{}", self.number));
        names.insert("DIGITS", phone[phone.len() - 4..].to_owned());
        for (name, file, text) in [
            ("FILE", "offer.txt", "An offer.".to_owned()),
            ("TABLE", "people.csv", format!("phone,name\n{phone},Ann\n")),
            ("PEOPLE", "people.txt", format!("{phone}\n")),
        ] {
            let path = binary.folder().join(file);
            std::fs::write(&path, text).expect("written");
            names.insert(name, path.display().to_string());
        }
        if needs("BROADCAST") {
            let body = json!({"message": {"type": "text", "text": {"body": "Hello"}}});
            let made = world.post("whatsapp", "/broadcast", body).await;
            names.insert("BROADCAST", made["broadcastId"].as_str().expect("an id").to_owned());
        }
        let endpoint = format!("{}?cell={}", world.receiver.url, self.number);
        if needs("WEBHOOK") && self.outcome != Outcome::BadUse {
            let made = world.post("whatsapp", "/webhooks", json!({"url": endpoint})).await;
            names.insert("WEBHOOK", made["id"].as_str().expect("an id").to_owned());
        }
        if needs("ROW") {
            let trap = proxy.trap();
            proxy.plan(
                move |asked| {
                    if changes(asked) { Fault::Redirect.script(0, trap) } else { Script::pass() }
                },
            );
            let send = ["send", &names["CONVERSATION"], "Hello", "--beside-ai", "--json"];
            let ended = run(binary, send.map(str::to_owned).to_vec()).await;
            names.insert("ROW", last_error(&ended)["error"]["row"].as_str().expect("a row").to_owned());
        }
        if needs("PROPOSAL") {
            proxy.plan(|_| Script::pass());
            let propose = json!({"name": "propose_reply", "arguments": {"channel": "Harbor",
                "conversation": names["CONVERSATION"], "text": "Hello.", "reason": "asked"}});
            let lines = [mcp::hello(), mcp::request(2, "tools/call", propose)].join("\n") + "\n";
            let desk = binary.clone();
            let conversation = names["CONVERSATION"].clone();
            let listed = aside(move || {
                desk.ok(&["show", &conversation], "");
                desk.ok(&["mcp"], &lines);
                desk.ok(&["proposals", "list", "--json"], "")
            })
            .await;
            let listed: Value = serde_json::from_str(&listed).expect("JSON");
            names.insert("PROPOSAL", listed[0]["id"].as_str().expect("a proposal").to_owned());
        }
        names.extend([("PHONE", phone), ("MAIL", mail), ("ENDPOINT", endpoint)]);
        names
    }

    fn check_json(&self, ended: &Ended) -> Result<(), TryError> {
        let wrong =
            |why: &str| Err(TryError::Wrong(format!("{why}: {:?} {}{}", ended.code, ended.out, ended.err)));
        if self.outcome == Outcome::Done {
            let lines = ended.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok());
            return if ended.code == Some(0) && lines { Ok(()) } else { wrong("not done") };
        }
        let error = last_error(ended);
        let fields: Vec<&str> = error["error"]
            .as_object()
            .map_or_else(Vec::new, |fields| fields.keys().map(String::as_str).collect());
        if fields != FIELDS || error["ok"] != false {
            return wrong("other fields");
        }
        let detail = &error["error"];
        let fits = match self.outcome {
            Outcome::Absent => detail["code"] == "NOT_FOUND" && detail["cause"] == "not-found",
            Outcome::BadUse => detail["code"] == "USAGE" && detail["state"] == "not done",
            Outcome::Refused => detail["state"] == "not done" && detail["row"].is_null(),
            Outcome::Queued => detail["state"] == "queued" && detail["row"].is_string(),
            Outcome::Unknown => detail["state"] != "not done" && detail["row"].is_string(),
            Outcome::Done => true,
        };
        let is_exit = ended.code == Some(self.outcome.exit()) && error["exit"] == self.outcome.exit();
        match fits && is_exit {
            true => Ok(()),
            false if self.outcome == Outcome::Queued => Err(TryError::TooLittleTime(error.to_string())),
            false => wrong("another outcome"),
        }
    }

    fn check_words(&self, ended: &Ended) -> Result<(), TryError> {
        let has_words = ended.err.trim().len() > 10 && !ended.err.contains('{');
        match ended.code == Some(self.outcome.exit()) && has_words {
            true => Ok(()),
            false => Err(TryError::Wrong(format!("in words: {:?} {}", ended.code, ended.err))),
        }
    }
}

async fn run(binary: &std::sync::Arc<Binary>, arguments: Vec<String>) -> Ended {
    let binary = binary.clone();
    aside(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        binary.run(&arguments, "")
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_command_ends_as_the_table_says() {
    let world = World::start().await;
    let only = std::env::var("FRONTDESK_CELL").unwrap_or_default();
    let mut cells = Vec::new();
    for row in TABLE.iter().filter(|row| row.command.starts_with(&only)) {
        let mut outcomes = vec![Outcome::Absent, Outcome::BadUse];
        if !row.done.is_empty() {
            outcomes.push(Outcome::Done);
        }
        match row.at_server {
            Writes => outcomes.extend([Outcome::Refused, Outcome::Queued, Outcome::Unknown]),
            Reads if !row.done.is_empty() => outcomes.push(Outcome::Refused),
            Reads | Nothing => {}
        }
        for outcome in outcomes {
            cells.push(Cell { row, outcome, number: cells.len() });
        }
    }
    let world = &world;
    let outcomes = futures_util::stream::iter(cells.iter().map(|cell| async move {
        let outcome = cell.run(world).await;
        outcome.err().map(|why| format!("{} x {:?}: {why}", cell.row.command, cell.outcome))
    }));
    let failures: Vec<String> =
        outcomes.buffer_unordered(AT_ONCE).filter_map(|failure| async { failure }).collect().await;
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cells.len(), failures.join("\n"));
}
