//! Reads of desks at which nothing happens, while their event streams are open; channels that are added meanwhile.
//!
//! `FRONTDESK_IDLE_DESKS` and `FRONTDESK_IDLE_SECONDS` set the number of desks and the time.

use std::sync::Mutex;
use std::time::Duration;

use frontdesk::model::ids::ChannelId;
use frontdesk::model::news::News;
use frontdesk::model::secret::Secret;
use frontdesk::model::text::SafeText;
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::{Store, StoreOptions};
use frontdesk::sync::{ChannelSpec, Engine, NewChannel, NewChannels, Polling, TeamSpec};

use super::*;
use crate::waiting::until_found;

const DESKS: u32 = 2;
const SECONDS: u32 = 20;
/// Bound of the reads of a desk in a minute, all its tabs together.
const MAX_READS_PER_DESK: f64 = 3.0;
/// Time without a read after which desks have read everything.
const SETTLING_TIME: Duration = Duration::from_secs(5);

fn setting(name: &str, default: u32) -> u32 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// Starts a desk with a tab for each of the person's keys.
async fn start(team: &Team, name: &str) -> (Engine, tempfile::TempDir, usize) {
    let colleague = team.sign_in(name, Role::Agent).await;
    let base_url = format!("{}/v1", team.base_url);
    let channel = |(word, key): &(String, String)| ChannelSpec {
        id: ChannelId::from(word.as_str()),
        name: word.clone(),
        base_url: base_url.clone(),
        key: Secret::new(key),
        read_only: false,
        draft_only: false,
    };
    let channels: Vec<ChannelSpec> = colleague.keys.iter().map(channel).collect();
    let spec = TeamSpec {
        base_url: base_url.clone(),
        session: Secret::new(&colleague.session),
        person: SafeText::line(name),
        channels: channels.iter().map(|channel| channel.id.clone()).collect(),
        new_channels: None,
    };
    let (folder, tabs) = (tempfile::tempdir().expect("a folder"), channels.len());
    let store = Store::open_with(folder.path(), StoreOptions::default()).expect("the files open");
    let engine = Engine::start(
        tokio::runtime::Handle::current(),
        store,
        channels,
        Arc::new(SystemClock),
        Arc::new(|_| ()),
        Polling::default(),
    );
    engine.join_team(Some(spec)).expect("joined");
    engine.focus(Some((ChannelId::from("whatsapp"), None)));
    (engine, folder, tabs)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn channel_that_is_connected_later_is_read_without_a_restart() {
    let team = Team::start().await;
    let colleague = team.sign_in("Ana", Role::Agent).await;
    let base_url = format!("{}/v1", team.base_url);
    let mut channels: Vec<ChannelSpec> = colleague
        .keys
        .iter()
        .map(|(word, key)| ChannelSpec {
            id: ChannelId::from(word.as_str()),
            name: word.clone(),
            base_url: base_url.clone(),
            key: Secret::new(key),
            read_only: false,
            draft_only: false,
        })
        .collect();
    let later = channels.pop().expect("a channel");
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_with(folder.path(), StoreOptions::default()).expect("the files open");
    let news: Arc<Mutex<Vec<News>>> = Arc::default();
    let log = news.clone();
    let spec = TeamSpec {
        base_url,
        session: Secret::new(&colleague.session),
        person: SafeText::line("Ana"),
        channels: channels.iter().map(|channel| channel.id.clone()).collect(),
        new_channels: None,
    };
    let engine = Arc::new(Engine::start(
        tokio::runtime::Handle::current(),
        store.clone(),
        channels,
        Arc::new(SystemClock),
        Arc::new(move |entry| log.lock().expect("no panic").push(entry)),
        Polling::default(),
    ));
    let told: Arc<Mutex<Vec<ChannelSpec>>> = Arc::default();
    let (heard, found) = (told.clone(), later.clone());
    let new_channels =
        NewChannels(Arc::new(move || Ok(vec![NewChannel::Connected(Box::new(found.clone()))])));
    let new_channels = new_channels.started_in(&engine, move |channel| {
        heard.lock().expect("no panic").push(channel.clone());
    });
    engine.join_team(Some(TeamSpec { new_channels: Some(new_channels), ..spec })).expect("joined");
    until_found("the account of the channel", async || match store.account(&later.id).await {
        Ok(Some(_)) => Ok(()),
        other => Err(format!("{other:?}")),
    })
    .await;
    // The notice may come after the account.
    let words = SafeText::line(&format!("The channel {} was connected", later.name));
    let is_said = |entry: &News| matches!(entry, News::Notice(_, None, told) if *told == words);
    until_found("the notice", async || {
        news.lock().expect("no panic").iter().any(is_said).then_some(()).ok_or("none")
    })
    .await;
    assert_eq!(told.lock().expect("no panic").as_slice(), std::slice::from_ref(&later));
    // A channel that has a tab is left as it is.
    engine.add_channel(later);
    engine.shutdown().await;
    team.shutdown().await;
}

/// Reads of all desks so far, by path. A stream is one long read.
async fn reads(team: &Team) -> Vec<(String, f64)> {
    let page = team.http.get(format!("{}/metrics", team.base_url)).send().await.expect("an answer");
    let page = page.text().await.expect("a page");
    let lines = page.lines().filter_map(|line| {
        let (labels, count) = line.strip_prefix("frontdesk_requests_total{")?.split_once("} ")?;
        let path = labels.split("path=\"").nth(1)?.split('"').next()?;
        let is_read = labels.contains("method=\"GET\"") && !path.ends_with("/events") && path != "/metrics";
        is_read.then(|| (path.to_owned(), count.parse().expect("a number")))
    });
    lines.collect()
}

fn sum(reads: &[(String, f64)]) -> f64 {
    reads.iter().map(|(_, count)| count).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_desks_read_once_a_minute() {
    let (count, seconds) =
        (setting("FRONTDESK_IDLE_DESKS", DESKS), setting("FRONTDESK_IDLE_SECONDS", SECONDS));
    let team = Team::start().await;
    for channel in ["whatsapp", "telegram", "voip"] {
        team.inbound(channel, "+34600111222", "Hola").await;
    }
    let (mut desks, mut tabs) = (Vec::new(), 0);
    for number in 0..count {
        let (engine, folder, own) = start(&team, &format!("Person {number}")).await;
        desks.push((engine, folder));
        tabs += own;
    }
    until_found("desks that have read everything", async || {
        let before = sum(&reads(&team).await);
        tokio::time::sleep(SETTLING_TIME).await;
        let now = sum(&reads(&team).await);
        if before == now && now > 0.0 { Ok(()) } else { Err(format!("{before} and then {now}")) }
    })
    .await;
    let before = reads(&team).await;
    tokio::time::sleep(Duration::from_secs(u64::from(seconds))).await;
    let after = reads(&team).await;
    let minutes = (f64::from(seconds) / 60.0).max(1.0);
    let read = sum(&after) - sum(&before);
    println!("{count} desks with {tabs} tabs: {} reads a desk a minute", read / f64::from(count) / minutes);
    for (path, count) in &after {
        let earlier = before.iter().filter(|(other, _)| other == path).map(|(_, count)| count).sum::<f64>();
        println!("{path}: {}", count - earlier);
    }
    let bound = MAX_READS_PER_DESK * f64::from(count) * minutes;
    assert!(read < bound, "{read} reads of {count} desks in {minutes} minutes");
    for (engine, _) in desks {
        engine.shutdown().await;
    }
    team.shutdown().await;
}
