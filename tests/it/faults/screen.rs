//! The screen follows the keys during failures: each expected screen is possible only while the
//! failure lasts.

use serde_json::{Value, json};

use crate::faults::world::World;
use crate::kills::folder::Folder;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::pty::Terminal;
use crate::waiting::aside;

const FIRST: &str = "+34600115551";
const SECOND: &str = "+34600115552";

/// A service with two customers, a proxy, a desk, and its inbox on screen.
struct Scene {
    world: World,
    proxy: Proxy,
    folder: Folder,
}

impl Scene {
    async fn new() -> (Self, Terminal) {
        let world = World::start().await;
        // Who wrote last is on top.
        world.inbound("whatsapp", FIRST).await;
        world.dev("/clock", json!({"advance_seconds": 60})).await;
        world.inbound("whatsapp", SECOND).await;
        let proxy = Proxy::start(world.address(), Door::Open).await;
        let folder = Folder::new(&proxy.base_url(), world.key("whatsapp").expose());
        let inbox = folder.inbox();
        let terminal = aside(move || {
            let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), inbox, 120, 30);
            terminal.wait_for("both customers, unread, and a history", |terminal| {
                let known = terminal.contains(FIRST)
                    && terminal.contains(SECOND)
                    && terminal.matches("•").count() == 2;
                known && title(terminal).is_some()
            });
            terminal
        })
        .await;
        (Self { world, proxy, folder }, terminal)
    }

    async fn has_arrived(&self, text: &str) -> bool {
        let outbound = self.world.dev("/outbound", json!({})).await;
        let items: &Vec<Value> = outbound["data"].as_array().expect("a list");
        items.iter().any(|item| item["content"] == text)
    }
}

/// Title of the open history; other parts may be missing while the files are locked.
fn title(picture: &str) -> Option<&str> {
    let titles = picture.lines().filter_map(|line| Some(line.split_once("┬")?.1));
    titles.into_iter().find(|title| title.contains(FIRST) || title.contains(SECOND))
}

/// Customer of the open conversation, and the other one.
fn open_and_other(picture: &str) -> (&'static str, &'static str) {
    if title(picture).is_some_and(|title| title.contains(FIRST)) { (FIRST, SECOND) } else { (SECOND, FIRST) }
}

/// Moves, opens the composer, writes and leaves: each is visible.
fn use_the_keys(mut terminal: Terminal) -> Terminal {
    for _ in 0..2 {
        let (open, other) = open_and_other(&terminal.contents());
        // Not located on screen: rows of an incomplete frame can be anywhere.
        terminal.keys(if open == SECOND { "j" } else { "k" });
        terminal.wait_for("the other conversation", |terminal| {
            title(terminal).is_some_and(|title| title.contains(other))
        });
    }
    terminal.keys("r");
    terminal.wait_for_text("Enter send");
    terminal.keys("half a thought");
    terminal.wait_for_text("half a thought");
    terminal.keys("\x1b");
    terminal.wait_for("the hints of a pane", |terminal| !terminal.contains("Enter send"));
    terminal
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_another_process_holds_the_locks_of_both_files() {
    let (scene, terminal) = Scene::new().await;
    let locks = [scene.folder.to_lock("outbox.db"), scene.folder.to_lock("cache.db")];
    for lock in &locks {
        lock.execute_batch("BEGIN EXCLUSIVE").expect("locked");
    }
    let terminal = aside(move || use_the_keys(terminal)).await;
    for lock in &locks {
        lock.execute_batch("ROLLBACK").expect("unlocked");
    }
    // Text typed meanwhile is kept.
    let terminal = aside(move || {
        let mut terminal = terminal;
        terminal.keys("r");
        terminal.wait_for_text("Enter send");
        terminal.wait_for_text("half a thought");
        terminal.keys("\r");
        terminal.wait_for("the text on the server", is_sent);
        terminal
    })
    .await;
    assert!(scene.has_arrived("half a thought").await);
    aside(move || terminal.kill()).await;
}

/// True if the history shows the text as accepted by the server.
fn is_sent(picture: &str) -> bool {
    let states = ["sent", "delivered", "read"];
    let told = |line: &str| states.iter().any(|state| line.trim_end_matches([' ', '│']).ends_with(state));
    picture.lines().any(|line| line.contains("half a thought") && told(line))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_server_is_silent() {
    let (scene, terminal) = Scene::new().await;
    scene.proxy.plan(|_| Script::withhold(Give::Silence));
    scene.proxy.cut();
    let terminal = aside(move || use_the_keys(terminal)).await;
    aside(move || terminal.kill()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_connections_hang() {
    let (scene, terminal) = Scene::new().await;
    scene.proxy.door(Door::Full).await;
    scene.proxy.cut();
    let terminal = aside(move || use_the_keys(terminal)).await;
    aside(move || terminal.kill()).await;
}
