//! A desk that has joined a team, and a service that has no teams any more.

use super::*;

const WORDS: &str = "Claims and notes are kept on this desk only";

impl TeamDesk {
    /// Waits for the words about a service without teams; returns how often they were said.
    async fn until_told(&self) -> usize {
        self.until("the words", |desk| desk.notices().iter().any(|words| words == WORDS)).await;
        self.notices().iter().filter(|words| *words == WORDS).count()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_without_teams_is_said_once_and_the_desk_polls_until_there_are_teams_again() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ana.until_events().await;
    let without_teams =
        |count: u32| json!({"path_prefix": "/desk", "count": count, "status": 404, "code": "NOT_FOUND"});
    team.dev("/fault", without_teams(1_000_000)).await;
    // Its stream is open still: a change is the first request that fails.
    ana.add_note(&id, "rope is 12 mm");
    assert_eq!(ana.until_told().await, 1);
    ana.until("polling", |desk| !desk.engine.as_ref().expect("it runs").has_live_events(&chats())).await;
    ana.add_note(&id, "and red");
    ana.claim(&id);
    assert_eq!(ana.notices(), [WORDS], "nothing else is said");
    assert_eq!(ana.store().count_team_changes().expect("read"), 3, "changes wait");

    // A desk that starts meanwhile.
    ana.close().await;
    ana.news.lock().expect("no panic").clear();
    ana.polling = Duration::from_secs(1);
    ana.connect().await;
    assert_eq!(ana.until_told().await, 1);
    assert_eq!(team.inbound("whatsapp", CUSTOMER, "Are you there?").await, id);
    ana.until("the message", |desk| desk.texts(&id).0.iter().any(|text| text == "Are you there?")).await;
    assert_eq!(ana.texts(&id).1, ["rope is 12 mm", "and red"]);
    assert_eq!(ana.notices(), [WORDS]);

    team.dev("/fault", without_teams(0)).await;
    ana.close().await;
    ana.connect().await;
    ana.until_events().await;
    ana.until_shared().await;
    let state = shared(&team, &ana, &id).await;
    assert_eq!(state["claim"]["person"]["name"], "Ana", "{state}");
    assert_eq!(state["notes"].as_array().map(Vec::len), Some(2), "{state}");
    assert_eq!(ana.notices(), [WORDS]);
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}
