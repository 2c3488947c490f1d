//! The event stream: what it tells, resuming, limits and its end, on both engines.

use std::time::Duration;

use frontdesk::shell::clock::instant;

use super::*;
use crate::waiting::{TryError, until_found, with_more_time, within};

const CUSTOMER: &str = "+34600111222";
/// Time for running requests at the end of a service; longer than any test waits.
const DRAIN: Duration = Duration::from_secs(3600);

/// An open stream with what it told so far.
struct Stream {
    response: reqwest::Response,
    text: String,
    /// Blocks without an event: heartbeats, and the beginning of a resumed stream.
    silent_blocks: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Event {
    name: String,
    id: Option<i64>,
    data: Value,
}

impl Stream {
    async fn open(team: &Team, colleague: &Colleague, query: &str) -> Self {
        let response = Self::request(team, colleague, query).await;
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Self { response, text: String::new(), silent_blocks: 0 }
    }

    /// Opens the stream again with the header of a browser or a library.
    async fn resume(team: &Team, colleague: &Colleague, query: &str, last_event_id: &str) -> Self {
        let url = format!("{}/desk/v1/events{query}", team.base_url);
        let request = team.http.get(url).bearer_auth(&colleague.session);
        let response = request.header("last-event-id", last_event_id).send().await.expect("an answer");
        assert_eq!(response.status().as_u16(), 200);
        Self { response, text: String::new(), silent_blocks: 0 }
    }

    async fn request(team: &Team, colleague: &Colleague, query: &str) -> reqwest::Response {
        let url = format!("{}/desk/v1/events{query}", team.base_url);
        team.http.get(url).bearer_auth(&colleague.session).send().await.expect("an answer")
    }

    /// Returns the next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                let field =
                    |name: &str| block.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
                let Some(name) = field("event: ") else {
                    self.silent_blocks += 1;
                    continue;
                };
                let data = serde_json::from_str(&field("data: ").expect("data")).expect("JSON");
                return Some(Event { name, id: field("id: ").and_then(|id| id.parse().ok()), data });
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }

    async fn until_end(&mut self) {
        within("the end of the stream", async { while self.next().await.is_some() {} }).await;
    }

    async fn until(&mut self, name: &str) -> Event {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if event.name == name {
                return event;
            }
        }
    }
}

/// Runs a test on a file, and on a server with and without notifications.
async fn on_each_engine<F: AsyncFn(Team)>(test: F) {
    test(Team::start().await).await;
    let Some(server) = cluster::server() else { return };
    for suffix in ["", "&listen=off"] {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("{}{suffix}", cluster::database(server).await);
        test(Team::at(&url, folder.path()).await).await;
    }
}

fn path(conversation: &str, part: &str) -> String {
    format!("/desk/v1/conversations/{conversation}/{part}")
}

#[tokio::test]
async fn stream_tells_what_happens_with_the_newest_state() {
    on_each_engine(async |team: Team| {
        let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
        let mut stream = Stream::open(&team, &ben, "").await;
        assert_eq!(stream.next().await.expect("an event").name, "reset");
        let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
        let event = stream.until("message").await;
        assert_eq!((&event.data["conversation"], &event.data["channel"]), (&json!(id), &json!("whatsapp")));
        team.call(&ana.session, "PUT", &path(&id, "claim"), json!({})).await.ok();
        assert_eq!(stream.until("claim").await.data["claim"]["person"]["name"], "Ana");
        team.call(&ana.session, "POST", &path(&id, "notes"), json!({"id": "n", "text": "@Ben?"})).await.ok();
        let note = stream.until("note").await.data;
        assert_eq!(
            (&note["note"]["text"], &note["note"]["mentions"][0]["name"]),
            (&json!("@Ben?"), &json!("Ben"))
        );
        team.call(&ana.session, "PUT", &path(&id, "tags"), json!({"tags": ["vip"]})).await.ok();
        assert_eq!(stream.until("tag").await.data["tags"], json!(["vip"]));
        let until = "2026-12-24T09:00:00.000Z";
        team.call(&ana.session, "PUT", &path(&id, "snooze"), json!({"until": until})).await.ok();
        assert_eq!(stream.until("snooze").await.data["snooze"]["until"], until);
        team.call(&ana.session, "PUT", &path(&id, "automation"), json!({"enabled": false})).await.ok();
        assert_eq!(stream.until("conversation").await.data["id"], json!(id));
        team.call(&ana.session, "PUT", "/desk/v1/replies/thanks", json!({"text": "Thanks"})).await.ok();
        assert_eq!(stream.until("reply").await.data["reply"]["text"], "Thanks");
        let presence = json!({"conversation": id, "doing": "typing"});
        team.call(&ana.session, "POST", "/desk/v1/presence", presence).await.ok();
        let event = stream.until("presence").await;
        let expected =
            json!({"person": {"id": ana.id(), "name": "Ana"}, "conversation": id, "doing": "typing"});
        assert_eq!(event.data, expected);
        team.advance(16).await;
        assert_eq!(stream.until("presence").await.data["doing"], Value::Null, "gone after 15 s");
        team.sign_in("Cleo", Role::Lead).await;
        assert_eq!(stream.until("person").await.data["person"]["name"], "Cleo");
        drop(stream);
        team.shutdown().await;
    })
    .await;
}

#[tokio::test]
async fn stream_goes_on_without_a_gap_for_a_day() {
    on_each_engine(async |team: Team| {
        let ana = team.sign_in("Ana", Role::Agent).await;
        let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
        let mut stream = Stream::open(&team, &ana, "").await;
        let begin = stream.next().await.expect("an event").id.expect("a number");
        drop(stream);
        for number in 0..120 {
            if number % 4 == 0 {
                team.advance(2).await;
            }
            let note = json!({"id": format!("n-{number}"), "text": "x"});
            team.call(&ana.session, "POST", &path(&id, "notes"), note).await.ok();
        }
        team.advance(24 * 3600 - 300).await;
        let mut stream = Stream::open(&team, &ana, &format!("?after={begin}")).await;
        let (mut notes, mut last) = (Vec::new(), begin);
        while notes.len() < 120 {
            let event = stream.next().await.expect("the stream goes on");
            assert_ne!(event.name, "reset");
            let number = event.id.expect("a number");
            assert!(number > last, "{number} after {last}");
            last = number;
            if event.name == "note" {
                notes.push(text(&event.data["id"]));
            }
        }
        let all: Vec<String> = (0..120).map(|number| format!("n-{number}")).collect();
        assert_eq!(notes, all);
        for unknown in [last + 1000, -5] {
            let mut stream = Stream::open(&team, &ana, &format!("?after={unknown}")).await;
            assert_eq!(stream.next().await.expect("an event").name, "reset", "{unknown}");
        }
        drop(stream);
        team.shutdown().await;
    })
    .await;
}

#[tokio::test]
async fn last_event_id_resumes_the_stream_and_counts_more_than_the_query() {
    on_each_engine(async |team: Team| {
        let ana = team.sign_in("Ana", Role::Agent).await;
        let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
        let mut stream = Stream::open(&team, &ana, "").await;
        let begin = stream.next().await.expect("an event").id.expect("a number");
        for number in 0..3 {
            let note = json!({"id": format!("n-{number}"), "text": "x"});
            team.call(&ana.session, "POST", &path(&id, "notes"), note).await.ok();
        }
        let first = stream.until("note").await;
        assert_eq!(first.data["id"], "n-0");
        drop(stream);
        let last = first.id.expect("a number").to_string();
        for query in [String::new(), format!("?after={begin}"), "?after=-5".to_owned()] {
            let mut stream = Stream::resume(&team, &ana, &query, &last).await;
            for number in [1, 2] {
                let event = stream.next().await.expect("the stream goes on");
                assert_eq!((event.name.as_str(), &event.data["id"]), ("note", &json!(format!("n-{number}"))));
            }
        }
        for unknown in [i64::MAX.to_string().as_str(), "-5", "none"] {
            let mut stream = Stream::resume(&team, &ana, &format!("?after={begin}"), unknown).await;
            assert_eq!(stream.next().await.expect("an event").name, "reset", "{unknown}");
        }
        team.shutdown().await;
    })
    .await;
}

/// Removes Ana, then signs Ben out: both streams end before their next heartbeat.
async fn end_streams(team: &Team) -> Result<(), TryError> {
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let (mut of_ana, mut of_ben) = (Stream::open(team, &ana, "").await, Stream::open(team, &ben, "").await);
    assert_eq!(of_ana.next().await.expect("an event").name, "reset");
    team.admin.remove_person("Ana", team.clock.now()).await.expect("removed");
    of_ana.until_end().await;
    let event = of_ben.until("person").await;
    assert_eq!(event.data, json!({"id": ana.id(), "person": null}));
    // Signing out ends the stream as well.
    team.call(&ben.session, "DELETE", "/desk/v1/sign-in", Value::Null).await.ok();
    of_ben.until_end().await;
    // A session is also checked after each heartbeat, five seconds after the last event.
    match of_ana.silent_blocks + of_ben.silent_blocks {
        0 => Ok(()),
        count => Err(TryError::TooLittleTime(format!("{count} heartbeats before the streams ended"))),
    }
}

#[tokio::test]
async fn stream_of_a_removed_person_ends_before_its_next_heartbeat() {
    on_each_engine(async |team: Team| {
        with_more_time(|_| end_streams(&team)).await.expect("no heartbeat");
        team.shutdown().await;
    })
    .await;
}

#[tokio::test]
async fn fifth_stream_of_a_desk_is_refused() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(Stream::open(&team, &ana, "").await);
    }
    refuse_stream(&team, &ana).await;
    // Another desk of the same person has its own.
    let other = team.sign_in("Ana", Role::Agent).await;
    drop(Stream::open(&team, &other, "").await);
    open.pop();
    until_found("a place is free again", async || {
        let response = Stream::request(&team, &ana, "").await;
        if response.status().as_u16() == 200 { Ok(()) } else { Err("not yet") }
    })
    .await;
    drop(open);
    team.shutdown().await;
}

/// Asserts that a stream is refused with a code, a sentence and the time of the next try.
async fn refuse_stream(team: &Team, colleague: &Colleague) {
    let refused = Stream::request(team, colleague, "").await;
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["retry-after"]),
        (429, &"5".parse().expect("text"))
    );
    let body: Value = serde_json::from_slice(&refused.bytes().await.expect("a body")).expect("JSON");
    assert_eq!(body["code"], "RATE_LIMIT_EXCEEDED");
    assert!(text(&body["message"]).contains("at most 4 event streams and a person 64"), "{body}");
}

#[tokio::test]
async fn sixty_fifth_stream_of_a_person_is_refused() {
    let team = Team::start().await;
    let mut open = Vec::new();
    for _ in 0..16 {
        let desk = team.sign_in("Ana", Role::Agent).await;
        for _ in 0..4 {
            open.push(Stream::open(&team, &desk, "").await);
        }
    }
    let last = team.sign_in("Ana", Role::Agent).await;
    refuse_stream(&team, &last).await;
    let ben = team.sign_in("Ben", Role::Agent).await;
    drop(Stream::open(&team, &ben, "").await);
    drop(open);
    until_found("a place is free again", async || {
        let response = Stream::request(&team, &last, "").await;
        if response.status().as_u16() == 200 { Ok(()) } else { Err("not yet") }
    })
    .await;
    team.shutdown().await;
}

#[tokio::test]
async fn events_of_a_second_are_bounded() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let mut stream = Stream::open(&team, &ana, "").await;
    let begin = stream.next().await.expect("an event").id.expect("a number");
    drop(stream);
    for number in 0..150 {
        team.inbound("whatsapp", CUSTOMER, &format!("message {number}")).await;
    }
    let began = instant();
    let mut stream = Stream::open(&team, &ana, &format!("?after={begin}")).await;
    let mut changes = 0;
    let mut messages = 0;
    while messages < 150 {
        let event = stream.next().await.expect("the stream goes on");
        messages += usize::from(event.name == "message");
        changes = event.id.map_or(changes, |id| id - begin);
    }
    // The pauses behind all batches but the last one. A slow machine only takes longer.
    let least = Duration::from_micros(2_500) * u32::try_from((changes - 1) / 100 * 100).expect("few");
    assert!(began.elapsed() >= least, "{changes} changes in {:?}", began.elapsed());
    assert!(changes >= 150, "{changes}");
    drop(stream);
    team.shutdown().await;
}

#[tokio::test]
async fn service_ends_while_streams_are_open() {
    let team = Team::with(|options| (options.unlimited, options.drain) = (true, DRAIN)).await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let mut stream = Stream::open(&team, &ana, "").await;
    assert_eq!(stream.next().await.expect("an event").name, "reset");
    within("the end of the service beside an open stream", team.shutdown()).await;
    stream.until_end().await;
}

#[tokio::test]
async fn two_processes_tell_each_other() {
    let Some(server) = cluster::server() else { return };
    for suffix in ["", "&listen=off"] {
        let url = format!("{}{suffix}", cluster::database(server).await);
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (Team::at(&url, folder.path()).await, Team::at(&url, folder.path()).await);
        let (ana, ben) = (one.sign_in("Ana", Role::Agent).await, two.sign_in("Ben", Role::Agent).await);
        let mut stream = Stream::open(&two, &ben, "").await;
        assert_eq!(stream.next().await.expect("an event").name, "reset");
        let id = one.inbound("telegram", "4711", "Hi").await;
        one.call(&ana.session, "PUT", &path(&id, "claim"), json!({})).await.ok();
        assert_eq!(stream.until("claim").await.data["claim"]["person"]["name"], "Ana");
        let presence = json!({"conversation": id, "doing": "looking"});
        one.call(&ana.session, "POST", "/desk/v1/presence", presence).await.ok();
        assert_eq!(stream.until("presence").await.data["person"]["name"], "Ana");
        drop(stream);
        one.shutdown().await;
        two.shutdown().await;
    }
}

#[tokio::test]
async fn presence_is_checked_and_nothing_else() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    for wrong in
        [json!({}), json!({"doing": "sleeping"}), json!({"doing": "typing", "conversation": "x".repeat(201)})]
    {
        team.call(&ana.session, "POST", "/desk/v1/presence", wrong).await.refused(400, "VALIDATION_ERROR");
    }
    team.call(&ana.session, "POST", "/desk/v1/presence", json!({"doing": "looking"})).await.ok();
    team.call(ana.key("voip"), "GET", "/desk/v1/events", Value::Null).await.refused(403, "FORBIDDEN");
    team.shutdown().await;
}
