//! `frontdesk engine`: sends queued rows without a screen, once; an inbox takes over and hands
//! back.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use frontdesk::model::time::{Clock, SECOND};
use frontdesk::shell::clock::SystemClock;
use portable_pty::CommandBuilder;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use crate::binary::{Binary, signal};
use crate::desk::Desk;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::pty::Terminal;
use crate::waiting::until_so;

const ANA: &str = "+34600111222";

/// Starts the engine; returns its first line.
pub fn start(binary: &Binary) -> (Child, String) {
    let mut child = binary.command(&["engine"]).spawn().expect("it runs");
    drop(child.stdin.take());
    let mut said = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    output.read_line(&mut said).expect("a line");
    (child, said)
}

fn query_value<T: rusqlite::types::FromSql + Default>(binary: &Binary, file: &str, sql: &str) -> T {
    let open = Connection::open_with_flags(binary.data().join(file), OpenFlags::SQLITE_OPEN_READ_ONLY);
    open.and_then(|connection| connection.query_row(sql, [], |row| row.get(0))).unwrap_or_default()
}

fn sender(binary: &Binary) -> String {
    query_value(binary, "cache.db", "SELECT kind FROM lease WHERE sends = 1 AND until > 0")
}

/// Ends the engine if the test fails.
struct EndsWhatGoesOn<'a>(&'a Binary);

impl Drop for EndsWhatGoesOn<'_> {
    fn drop(&mut self) {
        let owner: String = query_value(
            self.0,
            "cache.db",
            "SELECT owner FROM lease WHERE sends = 1 AND until > 0 AND kind = 'engine'",
        );
        if let Some(id) = owner.split('-').next().filter(|part| !part.is_empty()) {
            // The engine may have ended.
            let _ = Command::new("kill").arg(id).status();
        }
    }
}

fn arrived(desk: &Desk, text: &str) -> usize {
    desk.outbound().iter().filter(|value| value["content"] == text).count()
}

/// Answers sends with 429 and passes other requests on.
fn refuse_sends(proxy: &Proxy, retry_after_seconds: u32) {
    let refusal = format!(
        "HTTP/1.1 429 Too Many Requests\r\nretry-after: {retry_after_seconds}\r\nconnection: close\r\n\
         content-length: 0\r\n\r\n"
    );
    proxy.plan(move |asked| match asked.target.ends_with("/messages/send") {
        true => Script::withhold(Give::Bytes(refusal.clone().into_bytes())),
        false => Script::pass(),
    });
}

/// Opens the inbox and waits until the screen shows this text.
fn open_inbox(binary: &Binary, text: &str) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    binary.variables(|name, value| command.env(name, value));
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 120, 40);
    terminal.wait_for_text(text);
    terminal
}

/// Asks to quit and cancels; returns true if the question names the engine.
fn quitting_names_the_engine(terminal: &mut Terminal) -> bool {
    terminal.keys("q");
    terminal.wait_for_text("1 not yet sent; ");
    let known = terminal.contents().contains("not yet sent; engine, process");
    if !known {
        // Keys are ignored while the question has only just appeared.
        terminal
            .press_until("\u{1b}", "the question is gone", |terminal| !terminal.contains("Quit frontdesk?"));
    }
    known
}

#[test]
fn what_was_queued_leaves_once_without_a_screen() {
    let desk = Desk::new(80, 24);
    let behind = SystemClock.now().since(desk.clock.now()) / SECOND;
    desk.dev("clock", json!({"advance_seconds": behind}));
    desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let address = desk.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
    let proxy = desk.runtime.block_on(Proxy::start(address.parse().expect("an address"), Door::Open));
    let mut binary = Binary::new();
    binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
    let said = binary.fails(2, &["engine"], "");
    assert!(said.contains("no channel is configured"), "{said}");
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        proxy.base_url()
    ));
    binary.ok(&["list"], "");
    // The server is overloaded, then gone: a reply stays in the outbox, and quitting mentions it.
    refuse_sends(&proxy, 1);
    // The time includes a lookup on the server.
    let queued = binary.run(&["send", ANA, "I am on it.", "--beside-ai", "--timeout", "30"], "");
    assert_eq!(queued.code, Some(3), "{}{}", queued.out, queued.err);
    desk.runtime.block_on(proxy.door(Door::Refused));
    proxy.cut();
    proxy.pass();
    let mut terminal = open_inbox(&binary, "Ana");
    let _ends = EndsWhatGoesOn(&binary);
    terminal.keys("q");
    terminal.wait_for_text("1 not yet sent; kept on disk, sent when frontdesk runs again");
    terminal.wait_for_text("quit, send it in the background");
    terminal.answer('b', "Quit frontdesk?");
    terminal.wait_for_end();
    drop(terminal);
    until_so("it goes on in the background", || sender(&binary) == "engine");
    assert_eq!(arrived(&desk, "I am on it."), 0);
    desk.runtime.block_on(proxy.door(Door::Open));
    until_so("the reply arrives", || arrived(&desk, "I am on it.") > 0);
    until_so("it is confirmed", || {
        query_value::<i64>(&binary, "outbox.db", "SELECT count(*) FROM audit WHERE event = 'done'") == 1
    });
    until_so("it ends once all was sent", || sender(&binary).is_empty());
    let (mut engine, said) = start(&binary);
    assert!(said.contains("for Harbor chat"), "{said}");
    until_so("the engine leads", || sender(&binary) == "engine");
    // An inbox takes over at once; the engine continues after it.
    let mut terminal = open_inbox(&binary, "WITH THE AI 1");
    until_so("the inbox leads", || sender(&binary) == "inbox");
    // Quitting says that the engine continues with the rest. The recipient can still be looked up on the server.
    refuse_sends(&proxy, 1);
    let queued = binary.run(&["send", ANA, "Still here.", "--beside-ai", "--timeout", "30"], "");
    assert_eq!(queued.code, Some(3), "{}{}", queued.out, queued.err);
    desk.runtime.block_on(proxy.door(Door::Refused));
    proxy.cut();
    proxy.pass();
    terminal.wait_for_text("1 waiting to send");
    until_so("it is known who carries on", || quitting_names_the_engine(&mut terminal));
    assert!(!terminal.contents().contains("in the background"), "the engine does it anyway");
    terminal.answer('y', "Quit frontdesk?");
    terminal.wait_for_end();
    until_so("the engine leads again", || sender(&binary) == "engine");
    desk.runtime.block_on(proxy.door(Door::Open));
    until_so("the reply arrives", || arrived(&desk, "Still here.") > 0);
    binary.ok(&["send", ANA, "And now?", "--beside-ai"], "");
    signal(engine.id(), "TERM");
    assert_eq!(engine.wait().expect("it ends").code(), Some(0));
    for text in ["I am on it.", "Still here.", "And now?"] {
        assert_eq!(arrived(&desk, text), 1, "{text}");
    }
}

#[test]
fn what_was_queued_for_one_business_waits_under_the_key_of_another() {
    let (first, other) = (Desk::new(80, 24), Desk::new(80, 24));
    for desk in [&first, &other] {
        let behind = SystemClock.now().since(desk.clock.now()) / SECOND;
        desk.dev("clock", json!({"advance_seconds": behind}));
        desk.customer("whatsapp", ANA, "Ana", "Hello?");
    }
    let address = first.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
    let proxy = first.runtime.block_on(Proxy::start(address.parse().expect("an address"), Door::Open));
    let mut binary = Binary::new();
    let at = |binary: &Binary, base_url: &str| {
        binary.configure(&format!(
            "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{base_url}\"\nkey_env = \"CHAT_KEY\"\n"
        ));
    };
    binary.set("CHAT_KEY", &first.key_of("whatsapp"));
    at(&binary, &proxy.base_url());
    binary.ok(&["list"], "");
    // The server reads, but accepts no sends, and the next attempt is after the deadline.
    refuse_sends(&proxy, 25);
    for text in ["For the first.", "And this."] {
        let queued = binary.run(&["send", ANA, text, "--beside-ai", "--timeout", "20"], "");
        assert_eq!(queued.code, Some(3), "{}{}", queued.out, queued.err);
    }
    // The key of another business: one row is stopped, the other waits behind it.
    binary.set("CHAT_KEY", &other.key_of("whatsapp"));
    at(&binary, &other.base_url);
    let said = binary.fails(3, &["engine", "--until-sent"], "");
    assert!(said.contains("written for ") && said.contains("; this tab now belongs to "), "{said}");
    assert!(said.contains("2 rows of the outbox were not sent"), "{said}");
    let listed = binary.ok(&["outbox", "list"], "");
    assert!(listed.contains("frontdesk outbox send-from-here"), "{listed}");
    assert_eq!(arrived(&other, "For the first.") + arrived(&other, "And this."), 0);
    proxy.pass();
    binary.set("CHAT_KEY", &first.key_of("whatsapp"));
    at(&binary, &proxy.base_url());
    binary.ok(&["engine", "--until-sent"], "");
    assert_eq!((arrived(&first, "For the first."), arrived(&first, "And this.")), (1, 1));
    assert_eq!(arrived(&other, "For the first.") + arrived(&other, "And this."), 0);
}
