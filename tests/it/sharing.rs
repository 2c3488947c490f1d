//! A running engine and scripts on one data folder: each text is sent once, in its writer's order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use frontdesk::model::ids::ChannelId;
use frontdesk::model::secret::Secret;
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::Store;
use frontdesk::sync::{ChannelSpec, Engine, Polling};
use serde_json::json;

use crate::binary::Binary;
use crate::desk::Desk;

/// Concurrent writers, and texts of each; `FRONTDESK_SHARING` multiplies the texts.
const WRITERS: usize = 4;
const TEXTS: usize = 3;

fn texts() -> usize {
    let times = std::env::var("FRONTDESK_SHARING").ok().and_then(|var| var.parse().ok()).unwrap_or(1);
    TEXTS * times
}

/// The desk's engine as the inbox runs it, in this process.
fn engine(desk: &Desk, binary: &Binary) -> Engine {
    let store = Store::open(&binary.data()).expect("the files open");
    let spec = ChannelSpec {
        id: ChannelId::from("harbor chat"),
        name: "Harbor chat".into(),
        base_url: desk.base_url.clone(),
        key: Secret::new(&desk.key_of("whatsapp")),
        read_only: false,
        draft_only: false,
    };
    let handle = desk.runtime.handle().clone();
    let clock = Arc::new(SystemClock);
    Engine::start(handle, store, vec![spec], clock, Arc::new(|_| ()), Polling::default())
}

#[test]
fn scripts_beside_an_engine_send_each_text_once_and_in_order() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        desk.base_url
    ));
    let addresses = ["+34600111222", "+34600111333"];
    for address in addresses {
        desk.customer("whatsapp", address, "Maria", "Hello?");
    }
    let engine = engine(&desk, &binary);
    // Some answers are lost, so rows change hands with unknown outcome.
    desk.dev("fault", json!({"path_prefix": "/messages/send", "count": 3, "drop": "after"}));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (binary, failures) = (&binary, &failures);
            scope.spawn(move || {
                for number in 0..texts() {
                    let text = format!("{writer} {number}");
                    let to = addresses[writer % addresses.len()];
                    let ended = binary.run(&["send", to, &text, "--beside-ai"], "");
                    if ended.code != Some(0) {
                        failures.lock().expect("no one failed").push(format!("{text}: {}", ended.err));
                    }
                }
            });
        }
    });
    assert!(failures.lock().expect("no one failed").is_empty(), "{failures:?}");
    desk.runtime.block_on(engine.shutdown());
    let mut by_writer: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for sent in desk.outbound() {
        let text = sent["content"].as_str().expect("a text");
        let (writer, number) = text.split_once(' ').expect("two words");
        by_writer.entry(writer.to_owned()).or_default().push(number.to_owned());
    }
    let expected: Vec<String> = (0..texts()).map(|number| number.to_string()).collect();
    assert_eq!(by_writer.len(), WRITERS);
    for (writer, numbers) in by_writer {
        assert_eq!(numbers, expected, "writer {writer}");
    }
}
