//! Attention entries and alarms by this machine's clock.

use crate::Store;
use crate::tests::{add, at, channel, conversation, list, message};
use model::attention::{Alarms, AttentionEntry, AttentionQuery, AttentionReason};
use model::conversations::{Automation, Escalation};
use model::local::{Assignment, LocalChange};
use model::messages::Direction::{Inbound, Outbound};
use model::targets::ResponseTargets;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

fn query(seconds: i64, targets: ResponseTargets) -> AttentionQuery {
    AttentionQuery {
        channels: vec![channel()],
        now: at(seconds),
        lease: 0,
        targets: vec![(channel(), targets)],
    }
}

fn entries(store: &Store, seconds: i64, targets: ResponseTargets) -> Vec<AttentionEntry> {
    let (entries, more) = store.reader().unwrap().attention(&query(seconds, targets)).unwrap();
    assert!(!more);
    entries
}

fn alarms(store: &Store, since: i64, seconds: i64, targets: ResponseTargets) -> Alarms {
    store.reader().unwrap().alarms(&query(seconds, targets), at(since)).unwrap()
}

fn word(entry: &AttentionEntry) -> String {
    let kind = match &entry.reason {
        AttentionReason::TargetNear(_) => "target",
        AttentionReason::AiEscalated(_) => "asks",
        AttentionReason::AiSilent(_) => "silent",
        _ => "other",
    };
    format!("{kind} {}", entry.conversation().unwrap().conversation)
}

#[tokio::test]
async fn whoever_takes_over_has_all_that_others_had_or_one_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1), conversation("b", 2)]).await;
    let claim = |who: &str| Some(Assignment { agent: SafeText::line(who), at: at(1) });
    store
        .change_local(
            &channel(),
            LocalChange::Claim(vec![("a".into(), claim("Ana")), ("b".into(), claim("Bo"))]),
        )
        .unwrap();
    let who = Assignment { agent: SafeText::line("Cy"), at: at(50) };
    let reader = store.reader().unwrap();
    let claims = || reader.claims(9).unwrap();
    let take =
        |from: Option<&str>| store.take_over(vec![channel()], who.clone(), from.map(SafeText::line)).unwrap();
    assert_eq!((take(Some("Ana")), take(Some("Ana"))), (1, 0));
    assert_eq!(claims(), [(SafeText::line("Bo"), 1), (SafeText::line("Cy"), 1)]);
    assert_eq!(take(None), 1);
    assert_eq!(claims(), [(SafeText::line("Cy"), 2)]);
}

#[tokio::test]
async fn targets_come_near_are_missed_and_know_the_first_answer_from_later_ones() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let quiet = |id: &str, seconds| {
        let mut row = conversation(id, seconds);
        row.automation = Automation::Off;
        row
    };
    list(&store, vec![quiet("first", 0), quiet("later", 100), quiet("broadcast", 0)]).await;
    add(&store, vec![message("first", "m1", 0, Inbound)]).await;
    let said = [(10, Inbound), (20, Outbound), (100, Inbound)];
    let said = said.iter().map(|(at, way)| message("later", &format!("l{at}"), *at, *way));
    add(&store, said.collect()).await;
    // An outbound message before the customer's first one is not an answer: this is a first
    // response.
    add(&store, vec![message("broadcast", "b1", -50, Outbound), message("broadcast", "b2", 0, Inbound)])
        .await;
    let targets = ResponseTargets { first_response: 10 * MINUTE, waiting: 20 * MINUTE };
    let rung = |since, seconds| {
        let alarms = alarms(&store, since, seconds, targets);
        let mut rung: Vec<String> = alarms.fired.iter().map(word).collect();
        rung.sort();
        (rung, alarms.near, alarms.missed, alarms.next.map(|time| time.since(at(0)) / SECOND))
    };
    let minute = 60;
    assert_eq!(rung(0, 8 * minute - 1), (vec![], 0, 0, Some(8 * minute)));
    let both = vec!["target broadcast".to_owned(), "target first".to_owned()];
    assert_eq!(rung(8 * minute - 1, 8 * minute).0, both);
    // The alarm may be early: that is cheaper than to distinguish first responses.
    assert_eq!(rung(8 * minute, 9 * minute), (vec![], 2, 0, Some(100 + 8 * minute)));
    assert_eq!(rung(9 * minute, 10 * minute).2, 2, "missed");
    let later = 100 + 16 * minute;
    assert_eq!(rung(later - 1, later), (vec!["target later".to_owned()], 1, 2, Some(100 + 20 * minute)));
    let listed: Vec<String> = entries(&store, later, targets).iter().map(word).collect();
    assert_eq!(listed, ["target broadcast", "target first", "target later"]);
    // A conversation where the AI asks for a person is listed once, for that reason.
    let mut asks = conversation("first", 0);
    asks.escalation = Escalation::Requested(SafeText::line("asks"));
    list(&store, vec![asks]).await;
    let listed: Vec<String> = entries(&store, later, targets).iter().map(word).collect();
    assert_eq!(listed, ["asks first", "target broadcast", "target later"]);
}
