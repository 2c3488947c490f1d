//! A desk with all four channels and the service, so that each command with JSON has output.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};

use frontdesk::service::{self, Options, RunningService};
use serde_json::{Value, json};

use crate::binary::{ALL_CHANNELS, Binary};
use crate::carriers::bot_server::{BotServer, TOKEN};
use crate::connections::{KEY, definition, shop};
use crate::desk::{Desk, HandClock};
use crate::mcp;
use crate::service::receiver::Receiver;

const ANA: &str = "+34600111222";
const CARL: &str = "+34600111444";

pub(super) struct Office {
    desk: Desk,
    binary: Binary,
    /// Values of the words in capitals.
    named: HashMap<&'static str, String>,
    database: String,
    running: RunningService,
    _bot: BotServer,
    _shop: wiremock::MockServer,
    _receiver: Receiver,
}

impl Office {
    pub(super) fn open() -> Self {
        let desk = Desk::new(80, 24);
        let binary = configured(&desk);
        let mut named = HashMap::new();
        named.insert("CONVERSATION", desk.customer("whatsapp", ANA, "Ana", "Is the wheel ready?"));
        named.insert("OTHER", desk.customer("whatsapp", CARL, "Carl", "And mine?"));
        let mail = json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": "A wheel", "text": "See."});
        let thread = desk.dev("inbound", mail)["threadId"].as_str().expect("a thread").to_owned();
        named.insert("THREAD", thread);
        desk.dev("event", json!({"name": "order.created", "data": {"id": "o1"}}));
        let shop = desk.runtime.block_on(shop());
        let mut file = |name, file: &str, text: &str| {
            let path = binary.folder().join(file);
            std::fs::write(&path, text).expect("written");
            named.insert(name, path.display().to_string());
        };
        file("PEOPLE", "people.txt", &format!("{ANA}\n"));
        file("BOTH", "both.txt", &format!("{ANA}\n{CARL}\n"));
        file("TABLE", "people.csv", "phone,name\n+447700900124,Ann\n");
        file("OFFER", "offer.txt", "An offer.");
        file("COMPONENTS", "components.json", r#"[{"type": "BODY", "text": "See you."}]"#);
        file("CONNECTION", "shop.toml", &definition(&shop));
        named.insert("COPY", binary.folder().join("copy.db").display().to_string());
        named.insert("ADDRESS", desk.base_url.clone());
        named.insert("SHOP-HOST", shop.address().to_string());
        named.insert("SHOP-URL", shop.uri());
        let (receiver, bot) = (desk.runtime.block_on(Receiver::start()), BotServer::start());
        named.insert("ENDPOINT", receiver.url.clone());
        named.insert("PLATFORM", bot.url());
        let database = binary.folder().join("service.db");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = Options::new(address, database.clone(), HandClock::new());
        let running = desk.runtime.block_on(service::start(options)).expect("the service starts");
        let database = database.display().to_string();
        Self { desk, binary, named, database, running, _bot: bot, _shop: shop, _receiver: receiver }
    }

    pub(super) fn run_example(&mut self, shown: &[&str]) -> Value {
        self.prepare(shown);
        let filled = shown.iter().map(|text| self.named.get(text).map_or(*text, String::as_str));
        let mut arguments: Vec<&str> = filled.collect();
        if shown[0] == "admin" && !shown.contains(&"backup") {
            arguments.splice(1..1, ["--db", &self.database]);
        } else if shown[0] == "admin" {
            arguments.extend(["--db", &self.database]);
        }
        arguments.push("--json");
        let input = match shown {
            ["admin", "channel", "connect", ..] => format!("{TOKEN}\n"),
            ["admin", "connection", "add", ..] | ["connection", "add" | "credential", ..] => {
                format!("{KEY}\n")
            }
            _ => String::new(),
        };
        let ended = self.binary.run(&arguments, &input);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}{}", ended.out, ended.err);
        let last = ended.out.lines().last().unwrap_or("");
        let told: Value =
            serde_json::from_str(last).unwrap_or_else(|_| panic!("{arguments:?}: {}", ended.out));
        self.remember(shown, &told);
        told
    }

    pub(super) fn close(self) {
        self.desk.runtime.block_on(self.running.shutdown());
    }

    fn prepare(&mut self, shown: &[&str]) {
        match shown {
            ["broadcast", "watch", ..] => {
                for _ in 0..20 {
                    self.desk.dev("clock", json!({"advance_seconds": 60}));
                }
            }
            // The first wave waits, as the service's clock does not move.
            ["broadcast", "pause", ..] => {
                // Enough time to read the people and send the first wave.
                let waves = ["--waves", "1,1", "--wait", "0", "--confirm", "2", "--timeout", "40"];
                let send =
                    [&["broadcast", "send", "We move.", "--to", &self.named["BOTH"]], &waves[..]].concat();
                assert_eq!(self.binary.run(&send, "").code, Some(3));
                let listed = self.binary.ok(&["broadcast", "list", "--json"], "");
                let listed: Value = serde_json::from_str(&listed).expect("JSON");
                let waves = listed.as_array().expect("a list").iter().find(|value| value["people"] == 2);
                self.name("WAVES", &waves.expect("that in waves")["id"]);
            }
            // Unknown outcome.
            ["outbox", "list"] => {
                for to in ["OTHER", "CONVERSATION"] {
                    let fault = json!({"path_prefix": "/messages/send", "count": 4, "status": 503});
                    self.desk.dev("fault", fault);
                    let send = ["send", &self.named[to], "Come in.", "--beside-ai"];
                    assert_eq!(self.binary.run(&send, "").code, Some(3));
                }
            }
            ["proposals", "list"] => {
                let carl = self.named["OTHER"].clone();
                self.binary.ok(&["show", &carl], "");
                let propose = |number: i64, text: &str| {
                    let arguments = json!({"channel": "Harbor chat", "conversation": carl, "text": text,
                        "reason": "The wheel is ready."});
                    let call = json!({"name": "propose_reply", "arguments": arguments});
                    mcp::request(number, "tools/call", call)
                };
                let lines = [mcp::hello(), propose(2, "It is ready."), propose(3, "At five.")];
                self.binary.ok(&["mcp"], &(lines.join("\n") + "\n"));
            }
            _ => {}
        }
    }

    fn remember(&mut self, shown: &[&str], told: &Value) {
        match shown {
            ["send", ..] => self.name("MESSAGE", &told["messageId"]),
            ["broadcast", "send", ..] => self.name("BROADCAST", &told["broadcastId"]),
            ["webhooks", "list", ..] => self.name("WEBHOOK", &told[0]["id"]),
            ["admin", "key", "create", ..] => self.name("KEY", &told["id"]),
            ["proposals", "list"] => {
                self.name("PROPOSAL", &told[0]["id"]);
                self.name("OTHER-PROPOSAL", &told[1]["id"]);
            }
            ["outbox", "list"] => {
                self.name("ROW", &told[0]["id"]);
                self.name("OTHER-ROW", &told[1]["id"]);
            }
            _ => {}
        }
    }

    fn name(&mut self, name: &'static str, id: &Value) {
        self.named.insert(name, id.as_str().expect("an id").to_owned());
    }
}

fn configured(desk: &Desk) -> Binary {
    let mut binary = Binary::new();
    binary.configure_channels(desk, &ALL_CHANNELS);
    binary
}
