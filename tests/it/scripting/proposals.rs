//! `proposals`: listed, sent and dropped by scripts.

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::desk::Desk;
use crate::mcp;
use crate::scripting::failing::last_error;

const ANA: &str = "+34600111222";

struct Scene {
    desk: Desk,
    binary: Binary,
    conversation: String,
}

impl Scene {
    fn new() -> Self {
        let desk = Desk::new(80, 24);
        let conversation = desk.customer("whatsapp", ANA, "Ana", "Is it ready?");
        let mut binary = Binary::new();
        binary.configure_channels(&desk, &[("whatsapp", "Harbor chat")]);
        binary.ok(&["show", &conversation], "");
        Self { desk, binary, conversation }
    }

    fn propose(&self, tool: &str, more: &Value) -> String {
        let mut arguments =
            json!({"channel": "Harbor chat", "conversation": self.conversation, "reason": "asked"});
        let fields = more.as_object().expect("fields").clone();
        arguments.as_object_mut().expect("fields").extend(fields);
        let call = mcp::request(2, "tools/call", json!({"name": tool, "arguments": arguments}));
        self.binary.ok(&["mcp"], &format!("{}\n{call}\n", mcp::hello()));
        let listed = self.listed();
        listed.last().expect("a proposal")["id"].as_str().expect("an id").to_owned()
    }

    fn listed(&self) -> Vec<Value> {
        let listed = self.binary.ok(&["proposals", "list", "--json"], "");
        serde_json::from_str(&listed).expect("a list")
    }

    fn json_output(&self, arguments: &[&str]) -> Value {
        let out = self.binary.ok(&[arguments, &["--json"]].concat(), "");
        serde_json::from_str(&out).expect("JSON")
    }
}

#[test]
fn a_reply_is_listed_and_sent_once() {
    let scene = Scene::new();
    let id = scene.propose("propose_reply", &json!({"text": "At five."}));
    let listed = scene.listed();
    assert_eq!(
        (listed.len(), &listed[0]["change"], &listed[0]["text"]),
        (1, &json!("reply"), &json!("At five."))
    );
    assert_eq!((&listed[0]["channel"], &listed[0]["wroteSince"]), (&json!("Harbor chat"), &json!(false)));
    // As with `send`, a mode for the AI is required.
    let words = scene.binary.fails(2, &["proposals", "send", &id], "");
    assert!(words.contains("--pause"), "{words}");
    let send = ["proposals", "send", &id, "--pause", "--idempotency-key", "proposal-1"];
    let sent = scene.json_output(&send);
    assert_eq!(
        (&sent["done"], &sent["status"], &sent["proposal"]),
        (&json!("sent"), &json!("sent"), &json!(id))
    );
    let again = scene.json_output(&send);
    assert_eq!((&again["repeated"], &again["row"]), (&json!(true), &sent["row"]));
    let outbound = scene.desk.outbound();
    assert_eq!((outbound.len(), &outbound[0]["content"]), (1, &json!("At five.")));
    assert!(scene.listed().is_empty());
}

#[test]
fn proposal_stays_open_after_a_newer_message_or_a_refusal() {
    let scene = Scene::new();
    let id = scene.propose("propose_reply", &json!({"text": "At five."}));
    scene.desk.clock.advance(1_000_000);
    scene.desk.customer("whatsapp", ANA, "Ana", "Never mind.");
    scene.binary.ok(&["show", &scene.conversation], "");
    assert_eq!(scene.listed()[0]["wroteSince"], true);
    let words = scene.binary.fails(2, &["proposals", "send", &id, "--beside-ai"], "");
    assert!(words.contains("--anyway"), "{words}");
    scene.desk.dev("credits", json!({"balance": 0}));
    let ended = scene.binary.run(&["proposals", "send", &id, "--beside-ai", "--anyway", "--json"], "");
    assert_eq!(
        (ended.code, &last_error(&ended)["error"]["state"]),
        (Some(1), &json!("not done")),
        "{}",
        ended.err
    );
    assert_eq!(scene.listed()[0]["id"], json!(id), "it waits again");
    scene.desk.dev("credits", json!({"balance": 10}));
    let sent =
        scene.json_output(&["proposals", "send", &id, "--beside-ai", "--anyway", "--text", "Then tomorrow."]);
    assert_eq!(sent["done"], "sent");
    assert_eq!(scene.desk.outbound()[0]["content"], "Then tomorrow.");
}

#[test]
fn actions_are_done_and_dropped() {
    let scene = Scene::new();
    let automation = || {
        scene.desk.get("whatsapp", &format!("/conversations/{}", scene.conversation))["automationEnabled"]
            .clone()
    };
    for (action, more, done) in [
        ("pause", json!({}), "paused"),
        ("hand-back", json!({}), "handed back"),
        ("snooze", json!({"minutes": 30}), "snoozed"),
        ("tag", json!({"tag": "vip"}), "tagged"),
        ("close", json!({}), "closed"),
    ] {
        let mut arguments = json!({ "action": action });
        arguments.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let id = scene.propose("propose_action", &arguments);
        let told = scene.json_output(&["proposals", "send", &id]);
        assert_eq!((&told["ok"], &told["done"]), (&json!(true), &json!(done)), "{told}");
        if action == "pause" {
            assert_eq!(automation(), false);
        }
    }
    assert_eq!(automation(), true);
    let tags = scene.json_output(&["contacts", "show", ANA])["tags"].clone();
    assert_eq!(tags, json!(["vip"]));
    let id = scene.propose("propose_reply", &json!({"text": "No."}));
    assert_eq!(scene.json_output(&["proposals", "drop", &id])["done"], "dropped");
    let ended = scene.binary.run(&["proposals", "drop", &id, "--json"], "");
    assert_eq!(
        (ended.code, &last_error(&ended)["error"]["code"]),
        (Some(1), &json!("NOT_FOUND")),
        "{}",
        ended.err
    );
    assert!(scene.desk.outbound().is_empty());
}
