//! Kills of a process that runs a broadcast in waves: every recipient is reached once.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::config::Config;
use frontdesk::model::account::Platform;
use frontdesk::model::ids::{CampaignId, ContactId};
use frontdesk::model::news::News;
use frontdesk::model::outbox::RowState;
use frontdesk::model::outbox::content::{BroadcastContent, FilledTemplate};
use frontdesk::model::time::{Clock, SECOND, Timestamp};
use frontdesk::model::waves::{
    Campaign, CampaignAudience, CampaignPhase, FrozenContacts, NewCampaign, PauseCause, RecipientCounts,
    WavePlan, WaveRowState,
};
use frontdesk::shell::clock::{SystemClock, instant};
use frontdesk::store::Store;
use frontdesk::sync::{ChannelSync, PushStep};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use crate::faults::world::World;
use crate::hands::Steps;
use crate::kills::folder::Folder;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::waiting::PATIENCE;

const KILLS: usize = 20;
/// Folder of the child process.
const FOLDER: &str = "FRONTDESK_WAVES_FOLDER";
/// Seconds by which both clocks advance between two checks.
const TICK: i64 = 2;

/// The system's clock plus an offset in a file, shared by successive processes.
struct Ahead(PathBuf);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        SystemClock.now().plus(text.trim().parse().unwrap_or(0))
    }
}

/// A service with some contacts, a proxy that delays, and a desk's folder.
struct Scene {
    world: World,
    _proxy: Proxy,
    folder: Folder,
    ahead: i64,
    doomed: Arc<Mutex<Doomed>>,
}

/// The process that runs a campaign, and the number of its requests before the kill; 0 for none.
#[derive(Default)]
struct Doomed {
    child: Option<Child>,
    left: usize,
}

impl Doomed {
    fn asks(&mut self) {
        if self.left == 1
            && let Some(child) = &mut self.child
        {
            child.kill().expect("killed");
        }
        self.left = self.left.saturating_sub(1);
    }
}

impl Scene {
    async fn new() -> Self {
        let world = World::start().await;
        let proxy = Proxy::start(world.address(), Door::Open).await;
        let folder = Folder::new(&proxy.base_url(), world.key("whatsapp").expose());
        let doomed: Arc<Mutex<Doomed>> = Arc::default();
        let asked = doomed.clone();
        proxy.plan(move |_| {
            asked.lock().expect("no one failed").asks();
            // Latency, so that kills hit requests in flight.
            Script::done(Give::Answer(Vec::new(), Duration::from_millis(3)))
        });
        Self { world, _proxy: proxy, folder, ahead: 0, doomed }
    }

    fn data(&self) -> PathBuf {
        self.folder.dir.path().join("data")
    }

    async fn contacts(&self, numbers: impl Iterator<Item = String>) -> Vec<ContactId> {
        let mut ids = Vec::new();
        for phone in numbers {
            let made = self.world.post("whatsapp", "/contacts", json!({"phone": phone})).await;
            ids.push(ContactId::new(made["id"].as_str().expect("an id")));
        }
        ids
    }

    fn begin(&self, ids: Vec<ContactId>) -> CampaignId {
        let template =
            FilledTemplate { name: "hello_again".to_owned(), language: "en".to_owned(), components: None };
        let plan = WavePlan { canary: 10, wave: 110, wait: 0, ..WavePlan::suggest(1_000) };
        let new = NewCampaign {
            channel: self.folder.spec().id,
            content: BroadcastContent::Template(template),
            audience: CampaignAudience::Contacts(FrozenContacts::from_ids(ids).expect("some").0),
            plan,
            hold: 0,
        };
        let store = self.folder.store();
        store.start_campaign(new, None, SystemClock.now()).expect("begun")
    }

    /// Advances the clocks of service and desk.
    async fn tick(&mut self) {
        self.ahead += TICK * SECOND;
        let file = self.data().join("ahead");
        std::fs::write(file.with_extension("new"), self.ahead.to_string()).expect("written");
        std::fs::rename(file.with_extension("new"), file).expect("in its place");
        self.world.dev("/clock", json!({"advance_seconds": TICK})).await;
    }

    fn life(&self) -> Child {
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "kills::waves::a_life_of_a_desk", "--ignored", "--nocapture"])
            .env(FOLDER, self.folder.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts")
    }

    /// Runs the campaign in processes and kills so many of them; the last one completes.
    async fn carry(&mut self, kills: usize, seed: u64) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut killed = 0;
        let first = if kills > 0 { random.random_range(1..12) } else { 0 };
        *self.doomed.lock().expect("no one failed") = Doomed { child: None, left: first };
        // A whole campaign takes longer than other waits.
        let until = instant() + 4 * PATIENCE;
        while instant() < until {
            let status = {
                let mut doomed = self.doomed.lock().expect("no one failed");
                let child = doomed.child.get_or_insert_with(|| self.life());
                child.try_wait().expect("the child can be asked")
            };
            match status {
                Some(status) if status.success() => {
                    assert!(killed > 0 || kills == 0, "it was not tried");
                    return;
                }
                Some(status) if status.signal() == Some(9) => {
                    killed += 1;
                    let left = if killed < kills { random.random_range(1..12) } else { 0 };
                    let mut doomed = self.doomed.lock().expect("no one failed");
                    (doomed.child, doomed.left) = (None, left);
                }
                Some(status) => panic!("a life of a desk failed: {status}"),
                None => {}
            }
            self.tick().await;
            tokio::time::sleep(Duration::from_millis(random.random_range(1..25))).await;
        }
        panic!("the campaign does not end");
    }

    fn stored_campaign(&self, id: &CampaignId) -> Campaign {
        let store = Store::open(&self.data()).expect("the files open");
        store.campaign(id).expect("read").expect("it is there")
    }

    /// Number of recipients reached, and of those reached twice.
    async fn reached(&self) -> (usize, usize) {
        let outbound = self.world.dev("/outbound", json!({})).await;
        let all: Vec<&str> = outbound["data"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|value| value["to"].as_str())
            .collect();
        let each: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        (each.len(), all.len() - each.len())
    }

    /// The service's counts over all broadcasts of a campaign.
    async fn counted(&self, campaign: &Campaign) -> RecipientCounts {
        let mut sum = RecipientCounts::default();
        for wave in &campaign.waves {
            let WaveRowState::Sent(Some(id)) = &wave.row_state else { continue };
            let told = self.world.get("whatsapp", &format!("/broadcast/{id}")).await;
            let number = |name: &str| told[name].as_i64().expect("a number");
            sum.add(RecipientCounts {
                recipients: number("totalRecipients"),
                delivered: number("delivered"),
                failed: number("failed"),
                pending: number("pending"),
            });
        }
        sum
    }
}

/// One run of a desk in its own process, which may be killed at any moment.
#[tokio::test]
#[ignore = "run by the tests beside it, in a process of its own"]
async fn a_life_of_a_desk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    frontdesk::client::install_tls();
    let config = Config::read(&folder.join("config.toml")).expect("a configuration");
    let spec = frontdesk::cli::desk::specs(&config).expect("a key").remove(0);
    let store = Store::open(&folder.join("data")).expect("the files open");
    let clock = Arc::new(Ahead(folder.join("data").join("ahead")));
    let channel =
        ChannelSync::new(spec, store.clone(), clock.clone(), Arc::new(|_: News| ())).expect("a channel");
    let mut steps = Steps::new(clock.now());
    channel.pull_account().await;
    assert_eq!(channel.known_platform(), Some(Platform::Whatsapp));
    loop {
        channel.step_campaigns(&mut steps.waves, clock.now()).await;
        while channel.push_once(&mut steps.push, clock.now()).await == PushStep::Moved {}
        let reader = store.reader().expect("a reader");
        let campaign = reader.campaigns(None).expect("read").pop().expect("it is there");
        match (campaign.phase, campaign.pause_cause) {
            (CampaignPhase::Paused, Some(PauseCause::Row)) => {
                for row in store.lane_rows(&channel.spec().id).await.expect("rows") {
                    if let RowState::Stopped(..) = row.row.state {
                        store.retry_stopped(&row.row.id, None, clock.now()).expect("written");
                    }
                }
                store.continue_campaign(&campaign.id, None, None).expect("written");
            }
            (CampaignPhase::Finished | CampaignPhase::Paused, _) => break,
            _ => tokio::time::sleep(Duration::from_millis(2)).await,
        }
    }
    // Later reports count, too: the clocks advance until they have arrived.
    loop {
        channel.pull_broadcasts(&mut steps.broadcasts).await;
        let reader = store.reader().expect("a reader");
        let campaign = reader.campaigns(None).expect("read").pop().expect("it is there");
        let mut sent = campaign.waves.iter().filter(|wave| wave.broadcast().is_some());
        if sent.all(|sent| sent.reading.is_some_and(|reading| reading.pending <= 0)) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_in_ten_waves_through_twenty_kills() {
    let mut scene = Scene::new().await;
    let people = (0..1_000)
        .map(|number| format!("+34{:05}{}", number, if number % 50 == 37 { "0009" } else { "2222" }));
    let ids = scene.contacts(people).await;
    let id = scene.begin(ids);
    scene.carry(KILLS, 7).await;
    let campaign = scene.stored_campaign(&id);
    assert_eq!((campaign.phase, campaign.started_waves()), (CampaignPhase::Finished, 10), "{}", campaign.why);
    assert_eq!(scene.reached().await, (1_000, 0), "everybody once");
    assert_eq!(scene.world.number("SELECT count(*) FROM broadcasts", []), 10);
    scene.world.check_ledger();
    let service = scene.counted(&campaign).await;
    assert_eq!((service.recipients, service.failed, service.pending), (1_000, 20, 0));
    assert_eq!(campaign.counts(), service, "the deck says what the service does");
    let rows = scene.folder.number("SELECT count(DISTINCT row) FROM audit WHERE event = 'queued'");
    assert_eq!(rows, 10, "each wave was queued once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_canary_is_all_that_is_exposed() {
    let mut scene = Scene::new().await;
    // One in ten fails; the plan allows one in twenty.
    let people =
        (0..200).map(|number| format!("+34{:05}{}", number, if number % 10 == 4 { "0009" } else { "2222" }));
    let ids = scene.contacts(people).await;
    let id = scene.begin(ids);
    scene.carry(5, 11).await;
    let campaign = scene.stored_campaign(&id);
    assert_eq!(
        (campaign.phase, campaign.pause_cause, campaign.started_waves()),
        (CampaignPhase::Paused, Some(PauseCause::Failures), 1)
    );
    assert_eq!(campaign.why.as_str(), "wave 1: 1 of 10 failed (10 %, the limit is 5 %)");
    let (reached, twice) = scene.reached().await;
    assert!(reached <= 10 && twice == 0, "{reached} were exposed");
    // With a higher limit the campaign completes.
    let store = Store::open(&scene.data()).expect("the files open");
    assert!(store.continue_campaign(&id, Some(15), None).expect("written"));
    drop(store);
    scene.carry(0, 3).await;
    assert_eq!(
        (scene.stored_campaign(&id).phase, scene.reached().await),
        (CampaignPhase::Finished, (200, 0))
    );
}
