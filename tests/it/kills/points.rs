//! Kills at chosen points of one send, from before the commit to before the answer is stored.

use std::process::Child;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::faults::world::World;
use crate::kills::folder::Folder;
use crate::proxy::script::{End, Forward, Gate, Give, Read, Script};
use crate::proxy::{Asked, Door, Proxy};
use crate::pty::Terminal;
use crate::waiting::{aside, until_found};

const CUSTOMER: &str = "+34600113333";
const TEXT: &str = "Only once.";

struct Scene {
    world: World,
    proxy: Proxy,
    folder: Folder,
}

fn is_send(asked: &Asked) -> bool {
    asked.method == "POST" && asked.target.ends_with("/messages/send")
}

impl Scene {
    async fn new() -> Self {
        let world = World::start().await;
        world.inbound("whatsapp", CUSTOMER).await;
        let proxy = Proxy::start(world.address(), Door::Open).await;
        let folder = Folder::new(&proxy.base_url(), world.key("whatsapp").expose());
        Self { world, proxy, folder }
    }

    fn first_send(&self, script: Script) {
        let first = Arc::new(Mutex::new(Some(script)));
        self.proxy.plan(move |asked| {
            let script = if is_send(asked) { first.lock().expect("no one failed").take() } else { None };
            script.unwrap_or_else(Script::pass)
        });
    }

    fn send(&self) -> Child {
        self.folder.start(&["send", CUSTOMER, TEXT, "--beside-ai"])
    }

    /// Number of times the text has reached the platform.
    async fn arrived(&self) -> usize {
        let outbound = self.world.dev("/outbound", json!({})).await;
        let items = outbound["data"].as_array().expect("a list");
        items.iter().filter(|item| item["content"] == TEXT).count()
    }

    /// After a restart the text arrives and is paid once; true if the second answer was a stored
    /// one.
    async fn check(&self) -> bool {
        assert_eq!(self.folder.committed(), 1);
        self.folder.drain().await;
        assert_eq!(self.arrived().await, 1);
        let sends = self.proxy.seen().into_iter().filter(|seen| is_send(&seen.asked));
        let mut keys: Vec<_> = sends.map(|send| send.asked.key).collect();
        keys.dedup();
        assert_eq!(keys.len(), 1, "one key");
        assert_eq!(self.world.number("SELECT count(*) FROM ledger WHERE amount < 0", []), 1);
        self.world.check_ledger();
        self.folder.number("SELECT count(*) FROM audit WHERE event = 'done' AND detail = 'replayed'") == 1
    }
}

fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("gone");
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    until_found(what, async || holds().then_some(()).ok_or("it is not so")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_commit_the_draft_still_has_the_text() {
    let scene = Scene::new().await;
    let inbox = scene.folder.inbox();
    let mut terminal = aside(move || {
        let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), inbox, 100, 30);
        terminal.wait_for_text(CUSTOMER);
        terminal.keys("i");
        terminal.wait_for_text("Enter send");
        terminal.keys(TEXT);
        terminal.wait_for_text(TEXT);
        terminal
    })
    .await;
    let drafted = || scene.folder.number("SELECT count(*) FROM draft WHERE text = 'Only once.'") == 1;
    until("the draft", drafted).await;
    // From here on nothing can be committed.
    let lock = scene.folder.to_lock("outbox.db");
    lock.execute_batch("BEGIN IMMEDIATE").expect("locked");
    terminal = aside(move || {
        terminal.keys("\r");
        // The composer closes or empties once the key was handled.
        terminal.wait_for("the key's effect", |terminal| {
            !terminal.contains("Enter send") || !terminal.contains(TEXT)
        });
        terminal
    })
    .await;
    aside(move || terminal.kill()).await;
    lock.execute_batch("ROLLBACK").expect("unlocked");
    assert!(drafted(), "the draft is there");
    assert_eq!(scene.folder.committed(), 0);
    scene.folder.drain().await;
    assert_eq!(scene.arrived().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_commit_and_before_the_first_byte() {
    let scene = Scene::new().await;
    scene.folder.queue_text(CUSTOMER, TEXT);
    // The first read ends its connection and the next hangs: the row is `sending`, no byte has
    // left.
    let gate = Gate::shut();
    let mine = gate.clone();
    scene.proxy.plan(move |_| Script { after: Some(mine.clone()), ..Script::done(Give::Last) });
    let inbox = scene.folder.inbox();
    let terminal = aside(move || Terminal::run(tempfile::tempdir().expect("a folder"), inbox, 100, 30)).await;
    gate.reached().await;
    scene.proxy.door(Door::Full).await;
    gate.open();
    until("the claim", || scene.folder.number("SELECT count(*) FROM outbox WHERE state = 'sending'") == 1)
        .await;
    aside(move || terminal.kill()).await;
    assert!(!scene.proxy.seen().iter().any(|seen| is_send(&seen.asked)), "nothing has left");
    assert_eq!(scene.arrived().await, 0);
    scene.proxy.pass();
    scene.proxy.door(Door::Open).await;
    assert!(!scene.check().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_request_half_written() {
    for body_too in [false, true] {
        let scene = Scene::new().await;
        let gate = Gate::shut();
        let read = if body_too { Read::Half } else { Read::Head };
        let kept = Script::withhold(Give::Nothing(End::Reset));
        scene.first_send(Script { read, before: Some(gate.clone()), forward: Forward::Part, ..kept });
        let child = scene.send();
        gate.reached().await;
        kill(child);
        gate.open();
        assert!(scene.arrived().await <= 1);
        scene.check().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_work_is_done_and_before_the_answer() {
    let scene = Scene::new().await;
    let gate = Gate::shut();
    scene.first_send(Script { after: Some(gate.clone()), ..Script::pass() });
    let child = scene.send();
    gate.reached().await;
    assert_eq!(scene.arrived().await, 1);
    kill(child);
    gate.open();
    assert!(scene.check().await, "the kept answer was given again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_answer_read_and_not_written_down() {
    let scene = Scene::new().await;
    let gate = Gate::shut();
    scene.first_send(Script { after: Some(gate.clone()), ..Script::pass() });
    let child = scene.send();
    gate.reached().await;
    let lock = scene.folder.to_lock("outbox.db");
    lock.execute_batch("BEGIN IMMEDIATE").expect("locked");
    gate.open();
    let answered = || {
        scene.folder.log().lines().any(|line| line.contains("answered") && line.contains("/messages/send"))
    };
    until("the answer", answered).await;
    kill(child);
    lock.execute_batch("ROLLBACK").expect("unlocked");
    assert_eq!(scene.folder.number("SELECT count(*) FROM outbox WHERE state = 'sending'"), 1);
    assert!(scene.check().await, "the kept answer was given again");
}
