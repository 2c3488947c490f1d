//! Several processes on one folder: one leads, the others read the files, and another takes over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frontdesk::model::ids::ConversationId;
use frontdesk::model::leader::Leader;
use frontdesk::model::news::{Health, News};
use frontdesk::model::time::{Clock, Timestamp};
use frontdesk::store::Store;
use frontdesk::store::leases::{LEASE_LIFETIME, LeaseHealth, LeaseOwner, LeaseRequest, ProcessRank};
#[cfg(target_os = "linux")]
use frontdesk::store::processes::Process;
use frontdesk::sync::leases::LeaseManager;
use frontdesk::sync::process_names::{ProcessRole, lease_name, owner_name, sending_name};
use frontdesk::sync::{ChannelSpec, Loop, Polling, TabLoop, TabSync};
use serde_json::Value;

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, message, page, queue_on, quiet, send_text};

struct Desk {
    tab: Arc<TabSync>,
    loops: [TabLoop; 5],
    leading: LeaseManager,
    store: Store,
    news: Arc<std::sync::Mutex<Vec<News>>>,
}

impl Desk {
    fn on(hands: &Hands) -> Self {
        Self::of(hands, owner_name)
    }

    fn reading(hands: &Hands) -> Self {
        Self::with(hands, owner_name, true)
    }

    fn of(hands: &Hands, owner: impl FnOnce(&Store) -> String) -> Self {
        Self::with(hands, owner, false)
    }

    fn with(hands: &Hands, owner: impl FnOnce(&Store) -> String, read_only: bool) -> Self {
        let store = Store::open(hands.folder.path()).expect("the files open");
        let news = Arc::default();
        let spec = ChannelSpec { read_only, ..hands.channel.spec().clone() };
        let channel = crate::hands::open(spec, &store, &hands.clock, &news);
        let tab = Arc::new(TabSync::awaiting_lease(channel, Polling::default()));
        let leading = LeaseManager::new(store.clone(), vec![tab.clone()], owner(&store), ProcessRole::Inbox);
        let loops = tab.loops();
        Self { tab, loops, leading, store, news }
    }

    /// Takes every due step; repeats if one asks for it.
    async fn turn(&mut self, hands: &Hands) {
        let now = hands.clock.now();
        self.leading.step(now).await;
        take_steps(&mut self.loops, now).await;
        self.leading.step(now).await;
    }

    fn leads(&self, hands: &Hands) -> bool {
        self.tab.holds_read_lease(hands.clock.now())
    }

    fn sends(&self, hands: &Hands) -> bool {
        self.tab.channel().may_send(hands.clock.now())
    }

    fn sender(&self) -> Option<Leader> {
        let told = self.take_news();
        told.into_iter()
            .rev()
            .find_map(|news| if let News::Leader(_, leader) = news { Some(leader) } else { None })
    }

    fn take_news(&self) -> Vec<News> {
        std::mem::take(&mut *self.news.lock().expect("no one failed"))
    }
}

async fn take_steps(loops: &mut [TabLoop], now: Timestamp) {
    for one in loops {
        let mut steps = 0;
        while one.step(now).await == 0 {
            steps += 1;
            assert!(steps < 50, "{:?} finds no end", one.loop_kind());
        }
    }
}

fn chat(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "POST /messages/send" => Answer::ok(serde_json::json!({
            "messageId": "sent-1", "status": "sent", "creditsUsed": 1, "creditsRemaining": 7
        })),
        _ => quiet(request),
    }
}

#[tokio::test]
async fn one_asks_and_sends_and_the_other_reads_and_queues() {
    let hands = Hands::on(chat).await;
    let (mut first, mut second) = (Desk::on(&hands), Desk::on(&hands));
    first.turn(&hands).await;
    second.turn(&hands).await;
    assert!(first.leads(&hands) && !second.leads(&hands));
    let asked = hands.server.routes();
    for round in 0..20 {
        hands.pass(1);
        second.turn(&hands).await;
        assert_eq!(hands.server.routes(), Vec::<String>::new(), "{round}: it does not ask");
        first.turn(&hands).await;
        hands.server.seen();
    }
    assert!(asked.contains(&"GET /account".to_owned()), "{asked:?}");
    assert_eq!(hands.messages("c1"), ["m1"], "what the leader stored is there for all");
    let told = second.take_news();
    let live = told.iter().any(|news| matches!(news, News::Health(_, Health::Live { .. })));
    assert!(live && told.iter().any(|news| matches!(news, News::Account(..))), "{told:?}");

    // The second queues a row; the first notices and sends it, and the second gets the news.
    let queued = queue_on(&second.store, hands.clock.now(), "c1", send_text("Hello"));
    second.turn(&hands).await;
    assert_eq!(hands.server.routes(), Vec::<String>::new());
    second.tab.focus(true, Some(ConversationId::from("c1")));
    first.turn(&hands).await;
    let sent: Vec<_> = hands.server.seen().into_iter().filter(|request| request.method == "POST").collect();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].key(), queued.key.as_str());
    second.take_news();
    second.turn(&hands).await;
    assert!(second.take_news().contains(&News::History(crate::hands::id(), ConversationId::from("c1"))));
    assert_eq!(hands.messages("c1"), ["m1", "sent-1"]);
}

#[tokio::test]
async fn another_takes_over_in_time_and_nothing_is_missed_or_told_twice() {
    let late = Arc::new(AtomicBool::new(false));
    let is_late = late.clone();
    let hands = Hands::on(move |request| {
        // 130 messages while nobody led: more than a trigger returns.
        let count = if is_late.load(Ordering::SeqCst) { 131 } else { 1 };
        let all = |most: i64, from: i64| -> Vec<Value> {
            let newest = count - 1 - from;
            let oldest = (newest - most + 1).max(0);
            (oldest..=newest)
                .rev()
                .map(|number| message(&format!("m{number}"), "c1", "inbound", 700 + number))
                .chain((oldest == 0).then(|| message("old", "c1", "inbound", -9_000)))
                .collect()
        };
        match request.route().as_str() {
            "GET /triggers/new-message" => Answer::ok(page(&all(50, 0)[..], None)),
            "GET /messages" => {
                let from = request.cursor().map_or(0, |cursor| cursor.parse().expect("a cursor"));
                let next = (from + 100 < count).then(|| (from + 100).to_string());
                Answer::ok(page(&all(100, from), next.as_deref()))
            }
            "GET /conversations" => Answer::ok(page(&[conversation("c1", 2, 700)], None)),
            "GET /conversations/c1/messages" => {
                Answer::ok(page(&[message("m0", "c1", "inbound", 700)], None))
            }
            _ => quiet(request),
        }
    })
    .await;
    let (mut first, mut second) = (Desk::on(&hands), Desk::on(&hands));
    for _ in 0..3 {
        first.turn(&hands).await;
        second.turn(&hands).await;
        hands.pass(1);
    }
    // From here on the first does nothing: stopped, or dead.
    late.store(true, Ordering::SeqCst);
    let rings =
        |desk: &Desk| desk.take_news().iter().filter(|news| matches!(news, News::Inbound(..))).count();
    let before = rings(&first) + rings(&second);
    assert_eq!(before, 0, "what was there before this desk rings nothing");
    hands.server.seen();
    let mut waited = 0;
    while !second.leads(&hands) {
        assert!(waited <= LEASE_LIFETIME / 1_000_000, "it takes over within a lease");
        assert_eq!(hands.server.routes(), Vec::<String>::new(), "not before");
        hands.pass(1);
        waited += 1;
        second.turn(&hands).await;
    }
    for _ in 0..5 {
        second.turn(&hands).await;
        hands.pass(3);
    }
    let stored = hands.messages("c1");
    assert_eq!(stored.len(), 132, "each once: {stored:?}");
    // The first continues: it does not lead, sends no request and reports nothing twice.
    hands.server.seen();
    first.turn(&hands).await;
    assert!(!first.leads(&hands) && hands.server.seen().is_empty());
    assert_eq!(rings(&first), 0);
    assert!(rings(&second) > 0);
}

#[tokio::test]
async fn a_lease_given_up_is_taken_at_once_and_wishes_reach_whoever_leads() {
    let hands = Hands::on(chat).await;
    let (mut first, mut second) = (Desk::on(&hands), Desk::on(&hands));
    first.turn(&hands).await;
    second.turn(&hands).await;
    hands.server.seen();
    // A conversation opened or refreshed at the second is read by the first.
    second.tab.focus(true, Some(ConversationId::from("c1")));
    second.tab.refresh();
    second.turn(&hands).await;
    assert_eq!(hands.server.routes(), Vec::<String>::new());
    first.turn(&hands).await;
    let asked = hands.server.routes();
    for path in ["GET /account", "GET /conversations/c1/messages"] {
        assert!(asked.contains(&path.to_owned()), "{path}: {asked:?}");
    }
    first.leading.release(hands.clock.now()).await;
    second.turn(&hands).await;
    assert!(second.leads(&hands) && !first.leads(&hands));
    // After a suspension it waits for its turn.
    first.leading.resume();
    first.turn(&hands).await;
    assert!(!first.leads(&hands));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_leader_whose_process_has_ended_is_followed_at_once() {
    let hands = Hands::on(chat).await;
    let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("it starts");
    let process = Process::from_number(child.id()).expect("it runs");
    let mut first = Desk::of(&hands, |_| format!("{process}-00ff"));
    let mut second = Desk::on(&hands);
    for _ in 0..8 {
        first.turn(&hands).await;
        second.turn(&hands).await;
        hands.pass(1);
    }
    assert!(first.leads(&hands) && !second.leads(&hands), "it lives");
    // Rows left for the dead process are not lost.
    let queued = queue_on(&second.store, hands.clock.now(), "c1", send_text("Hello"));
    child.kill().expect("it ends");
    child.wait().expect("it has ended");
    hands.server.seen();
    second.turn(&hands).await;
    assert!(second.leads(&hands), "the clock stood still");
    second.turn(&hands).await;
    let sent: Vec<_> = hands.server.seen().into_iter().filter(|request| request.method == "POST").collect();
    assert_eq!((sent.len(), sent[0].key()), (1, queued.key.as_str()));
}

#[tokio::test]
async fn clocks_that_jump_never_make_two_leaders() {
    let hands = Hands::on(chat).await;
    let mut desks = [Desk::on(&hands), Desk::on(&hands), Desk::on(&hands)];
    for jump in [0, 3, -3, -20, 5, 3_600, -7_200, 31_536_000, -31_536_000, 14, 16, -1, 86_400] {
        hands.pass(jump);
        for turns in 0..3 {
            for index in 0..desks.len() {
                desks[index].leading.step(hands.clock.now()).await;
                let leaders = desks.iter().filter(|desk| desk.leads(&hands)).count();
                assert!(leaders <= 1, "{leaders} lead after a jump of {jump} s");
            }
            let leaders = desks.iter().filter(|desk| desk.leads(&hands)).count();
            assert_eq!(leaders, 1, "after a jump of {jump} s, {turns}");
            hands.pass(1);
        }
    }
}

#[tokio::test]
async fn one_that_changes_nothing_never_sends_and_gives_way_to_an_inbox() {
    let hands = Hands::on(chat).await;
    let (mut wall, mut inbox) = (Desk::reading(&hands), Desk::on(&hands));
    wall.turn(&hands).await;
    assert!(wall.leads(&hands) && !wall.sends(&hands), "it asks, as nobody else does");
    assert_eq!(wall.sender(), Some(Leader::Nobody));
    let queued = queue_on(&wall.store, hands.clock.now(), "c1", send_text("Hello"));
    wall.turn(&hands).await;
    hands.server.seen();
    // Without waiting for the lease to expire: an inbox takes over at once.
    inbox.turn(&hands).await;
    inbox.turn(&hands).await;
    assert!(inbox.leads(&hands) && inbox.sends(&hands));
    let sent: Vec<_> = hands.server.seen().into_iter().filter(|request| request.method == "POST").collect();
    assert_eq!((sent.len(), sent[0].key()), (1, queued.key.as_str()));
    wall.turn(&hands).await;
    assert!(!wall.leads(&hands) && hands.server.routes().is_empty(), "it follows");
    let Some(Leader::Elsewhere { kind, process }) = wall.sender() else { panic!("it knows who sends") };
    assert_eq!((kind.as_str(), process), ("inbox", Some(std::process::id())));
}

#[tokio::test]
async fn a_script_that_sends_gives_way_to_an_inbox_and_never_to_one_that_only_reads() {
    let hands = Hands::on(chat).await;
    let now = hands.clock.now();
    let script = |store: &Store| {
        let wanted = LeaseRequest {
            name: sending_name(hands.channel.spec()),
            channel: hands.channel.spec().id.clone(),
            sends: true,
            rank: ProcessRank::Script,
            kind: "contacts import",
            health: LeaseHealth::default(),
        };
        let store = store.clone();
        async move { store.acquire_leases("4312-script", vec![wanted], now).await.expect("answered").remove(0) }
    };
    assert!(matches!(script(&hands.store).await, LeaseOwner::This(_)));
    let mut reading = Desk::reading(&hands);
    reading.turn(&hands).await;
    assert!(reading.leads(&hands), "what a script does not do is done by the other");
    let named = reading.sender().and_then(|sender| sender.describe());
    assert_eq!(named.as_deref(), Some("contacts import, process 4312"));
    assert!(matches!(script(&hands.store).await, LeaseOwner::This(_)));
    let mut inbox = Desk::on(&hands);
    inbox.turn(&hands).await;
    assert!(inbox.sends(&hands));
    let LeaseOwner::Other(other) = script(&hands.store).await else { panic!("the inbox sends now") };
    assert_eq!(other.kind.as_str(), "inbox");
}

#[tokio::test]
async fn one_that_hangs_within_a_step_loses_the_lead() {
    let hands = Hands::on(|_| Answer::Stall(Vec::new())).await;
    let (mut first, mut second) = (Desk::on(&hands), Desk::on(&hands));
    first.leading.step(hands.clock.now()).await;
    second.leading.step(hands.clock.now()).await;
    assert!(first.leads(&hands));
    let now = hands.clock.now();
    let hanging = first.loops[Loop::Poll as usize].step(now);
    tokio::pin!(hanging);
    for seconds in 0..40 {
        // Its lease would be renewed continuously.
        tokio::select! {
            biased;
            _ = &mut hanging => panic!("it hangs"),
            _ = first.leading.step(hands.clock.now()) => {}
        }
        second.leading.step(hands.clock.now()).await;
        assert!(
            seconds > 30 || first.tab.holds_read_lease(hands.clock.now()),
            "{seconds}: a step may take a while"
        );
        hands.pass(9);
    }
    assert!(!first.tab.holds_read_lease(hands.clock.now()) && second.leads(&hands));
}

#[tokio::test]
async fn another_key_is_another_lease() {
    let hands = Hands::on(chat).await;
    let now = hands.clock.now();
    let mut other = hands.channel.spec().clone();
    other.key = frontdesk::model::secret::Secret::new("svc_live_other");
    let names = [lease_name(hands.channel.spec()), lease_name(&other)];
    assert!(!names[0].contains("svc_") && names[0] != names[1], "{names:?}");
    let wanted = |name: &String| {
        vec![LeaseRequest {
            name: name.clone(),
            channel: hands.channel.spec().id.clone(),
            sends: false,
            rank: ProcessRank::Inbox,
            kind: "inbox",
            health: LeaseHealth::default(),
        }]
    };
    let store = &hands.store;
    for (name, who, mine) in
        [(&names[0], "a", true), (&names[1], "b", true), (&names[0], "b", false), (&names[0], "a", true)]
    {
        let held = store.acquire_leases(who, wanted(name), now).await.expect("answered");
        assert_eq!(matches!(held[..], [LeaseOwner::This(_)]), mine, "{who}");
    }
}

#[tokio::test]
async fn a_server_that_answers_one_tab_again_is_asked_for_the_others_at_once() {
    let hands = Hands::on(chat).await;
    let store = Store::open(hands.folder.path()).expect("the files open");
    let news: Arc<std::sync::Mutex<Vec<News>>> = Arc::default();
    let tab = |name: &str| {
        let spec = ChannelSpec { id: name.into(), ..hands.channel.spec().clone() };
        let channel = crate::hands::open(spec, &store, &hands.clock, &news);
        Arc::new(TabSync::awaiting_lease(channel, Polling::default()))
    };
    let (first, second) = (tab("first"), tab("second"));
    let tabs = vec![first.clone(), second.clone()];
    let mut leading = LeaseManager::new(store.clone(), tabs, owner_name(&store), ProcessRole::Inbox);
    let (mut first_loops, mut second_loops) = (first.loops(), second.loops());
    let is_live = |name: &str| {
        let told = news.lock().expect("no one failed");
        let health = |news: &News| match news {
            News::Health(id, health) if *id == name.into() => Some(matches!(health, Health::Live { .. })),
            _ => None,
        };
        told.iter().rev().find_map(health)
    };
    leading.step(hands.now()).await;
    take_steps(&mut first_loops, hands.now()).await;
    take_steps(&mut second_loops, hands.now()).await;
    leading.step(hands.now()).await;
    assert_eq!((is_live("first"), is_live("second")), (Some(true), Some(true)));
    hands.server.now(|_| Answer::Cut);
    for _ in 0..40 {
        hands.pass(5);
        leading.step(hands.now()).await;
        take_steps(&mut first_loops, hands.now()).await;
        take_steps(&mut second_loops, hands.now()).await;
    }
    assert_eq!((is_live("first"), is_live("second")), (Some(false), Some(false)));
    hands.server.now(chat);
    take_steps(&mut second_loops, hands.now()).await;
    assert_eq!(is_live("second"), Some(false), "it waits before it asks again");
    first.refresh();
    take_steps(&mut first_loops, hands.now()).await;
    assert_eq!(is_live("first"), Some(true));
    leading.step(hands.now()).await;
    take_steps(&mut second_loops, hands.now()).await;
    assert_eq!(is_live("second"), Some(true), "what the first heard, the second knows");
}
