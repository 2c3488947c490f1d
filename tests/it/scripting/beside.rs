//! A command beside an inbox: local files are used only while the inbox reports that it is live.

use std::time::Duration;

use frontdesk::model::news::Health;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{Clock, Timestamp};
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::Store;
use frontdesk::store::leases::{LeaseHealth, LeaseRequest, ProcessRank};
use frontdesk::sync::ChannelSpec;
use frontdesk::sync::process_names::lease_name;

use crate::faults::world::World;
use crate::kills::folder::Folder;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};

/// An owner without a process, which therefore never counts as ended.
const INBOX: &str = "somebody's inbox";

/// Takes the lease as an inbox with this health does.
async fn lead((store, spec): (&Store, &ChannelSpec), health: &dyn Fn(Timestamp) -> Health) {
    let now = SystemClock.now();
    let wanted = LeaseRequest {
        name: lease_name(spec),
        channel: spec.id.clone(),
        sends: false,
        rank: ProcessRank::Inbox,
        kind: "inbox",
        health: LeaseHealth { health: Some(health(now)), budget: None },
    };
    store.acquire_leases(INBOX, vec![wanted], now).await.expect("held");
}

/// Result of `list` beside such an inbox, and the number of requests.
async fn listed(
    folder: &Folder,
    proxy: &Proxy,
    health: &dyn Fn(Timestamp) -> Health,
) -> (Option<i32>, usize) {
    proxy.seen();
    let (store, spec) = (folder.store(), folder.spec());
    lead((&store, &spec), health).await;
    let mut child = folder.start(&["list", "--timeout", "10"]);
    let mut ended = tokio::task::spawn_blocking(move || child.wait());
    let mut renewal = tokio::time::interval(Duration::from_secs(1));
    let code = loop {
        tokio::select! {
            status = &mut ended => break status.expect("no panic").expect("it ends").code(),
            _ = renewal.tick() => lead((&store, &spec), health).await,
        }
    };
    (code, proxy.seen().len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inbox_whose_server_does_not_answer_keeps_no_list_fresh() {
    let world = World::start().await;
    world.inbound("whatsapp", "+34600111222").await;
    let proxy = Proxy::start(world.address(), Door::Open).await;
    let folder = Folder::new(&proxy.base_url(), world.key("whatsapp").expose());
    let mut first = folder.start(&["list"]);
    let first = tokio::task::spawn_blocking(move || first.wait()).await.expect("no panic");
    assert!(first.expect("it ends").success());
    proxy.plan(|_| Script::withhold(Give::Silence));
    let why = || SafeText::line("gone");
    let (code, asked) = listed(&folder, &proxy, &|now| Health::Live { at: now }).await;
    assert_eq!((code, asked), (Some(0), 0), "what is kept fresh is taken from the files");
    let silent: [(&str, &dyn Fn(Timestamp) -> Health); 4] = [
        ("offline", &|now| Health::Offline { since: now, why: why() }),
        ("trouble", &|now| Health::Trouble { since: now, why: why() }),
        ("refused", &|_| Health::Refused { code: why(), why: why() }),
        ("live long ago", &|now| Health::Live { at: now.plus(-3_600_000_000) }),
    ];
    for (name, health) in silent {
        let (code, asked) = listed(&folder, &proxy, health).await;
        assert_eq!(code, Some(1), "{name}");
        assert!(asked > 0, "{name}");
    }
    proxy.plan(|_| Script::pass());
    let (code, asked) = listed(&folder, &proxy, silent[0].1).await;
    assert!(code == Some(0) && asked > 0, "{code:?} {asked}");
}
