//! Campaigns: a wave has at most one row, whichever process queues it, and decisions on the row are
//! reflected in the campaign.

use crate::Store;
use crate::lane::AttemptResult;
use crate::outbox::NewRow;
use crate::tests::{at, channel};
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::ids::{CampaignId, ContactId};
use model::outbox::content::{Audience, BroadcastContent};
use model::outbox::{Lane, Operation, PreparedRequest, StopVerdict, WriteMethod};
use model::text::SafeText;
use model::time::SECOND;
use model::waves::{
    Campaign, CampaignAudience, CampaignPhase, FrozenContacts, NewCampaign, PauseCause, WavePlan,
    WaveReading, WaveRowState,
};

fn ids(count: usize) -> Vec<ContactId> {
    (0..count).map(|number| ContactId::new(format!("ct_{number}"))).collect()
}

fn begin(store: &Store, people: usize) -> CampaignId {
    let aim = CampaignAudience::Contacts(FrozenContacts::from_ids(ids(people)).expect("some").0);
    let plan = WavePlan { canary: 2, wave: 3, ..WavePlan::suggest(people) };
    let content = BroadcastContent::Text("We open at 9.".to_owned());
    let new = NewCampaign { channel: channel(), content, audience: aim, plan, hold: 0 };
    store.start_campaign(new, Some(SafeText::line("GREEN")), at(0)).unwrap()
}

fn row(people: Vec<ContactId>) -> NewRow {
    let content = BroadcastContent::Text("We open at 9.".to_owned());
    NewRow {
        channel: channel(),
        lane: Lane::Broadcasts,
        operation: Operation::Broadcast { to: Audience::Contacts(people), content },
        request: PreparedRequest::json(WriteMethod::Post, "/broadcast", b"{}".to_vec()),
        hold_micros: 0,
        seen: None,
        planned_at: None,
    }
}

fn stands(store: &Store, id: &CampaignId) -> Campaign {
    let found = store.campaign(id).unwrap().expect("it is there");
    assert_eq!(
        store.reader().unwrap().campaigns(None).unwrap(),
        std::slice::from_ref(&found),
        "both readings"
    );
    found
}

#[tokio::test]
async fn a_wave_has_one_row_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = begin(&store, 7);
    let campaign = stands(&store, &id);
    assert_eq!(campaign.waves.iter().map(|wave| wave.size).collect::<Vec<_>>(), [2, 3, 2]);
    let mut all = Vec::new();
    for wave in 0..4 {
        all.extend(store.wave_contacts(&id, wave).await.unwrap());
    }
    assert_eq!(all, ids(7), "everybody is in one wave");
    let queue = async |wave: usize| {
        let people = store.wave_contacts(&id, wave).await.unwrap();
        store.queue_wave(&id, wave, row(people), at(1)).await.unwrap()
    };
    assert_eq!(queue(1).await, None, "not before the canary");
    let canary = queue(0).await.expect("a row");
    assert_eq!(queue(0).await, None, "not twice");
    assert_eq!(store.lane_rows(&channel()).await.unwrap().len(), 1);
    assert!(!store.recall_campaign(&id).unwrap(), "too late");
    assert_eq!(stands(&store, &id).waves[0].row_state, WaveRowState::Sending);
    // The wave is executed, which is found without an explicit record.
    let claimed = store.claim(&canary.id, 0, at(2), "key").await.unwrap().expect("claimed");
    let done = AttemptResult::Done { created_id: Some("bc_1".into()), automation: None, replayed: false };
    assert!(store.settle(&claimed, done).await.unwrap());
    let wave = stands(&store, &id).waves[0].clone();
    assert_eq!((wave.row_state, wave.sent_at), (WaveRowState::Sent(Some("bc_1".into())), None));
    store.record_wave_sent(&id, 0, Some("bc_1".into()), at(3)).await.unwrap();
    store.record_wave_sent(&id, 0, Some("bc_other".into()), at(9)).await.unwrap();
    let reading = WaveReading { at: at(4), recipients: 2, delivered: 1, failed: 1, ..WaveReading::default() };
    store.record_wave_counts(&id, 0, reading).await.unwrap();
    let wave = stands(&store, &id).waves[0].clone();
    assert_eq!(
        (wave.row_state, wave.sent_at, wave.reading),
        (WaveRowState::Sent(Some("bc_1".into())), Some(at(3)), Some(reading))
    );
    // The broadcast is read for another reason.
    let newer = Broadcast { failed: 0, delivered: 2, ..broadcast("bc_1", 2) };
    assert!(store.record_wave_broadcast(&newer, at(5)).await.unwrap());
    let counted = WaveReading { delivered: 2, failed: 0, ..reading };
    assert_eq!(stands(&store, &id).waves[0].reading, Some(counted));
    assert!(store.halt_campaign(&id, CampaignPhase::Stopped).unwrap());
    assert_eq!(queue(1).await, None, "it was stopped");
}

fn broadcast(id: &str, recipients: i64) -> Broadcast {
    Broadcast {
        id: id.into(),
        status: BroadcastStatus::Sending,
        text: None,
        recipients,
        delivered: 0,
        failed: 0,
        pending: 0,
        created_at: None,
        completed_at: None,
        failures: Vec::new(),
    }
}

#[tokio::test]
async fn what_a_person_makes_of_a_row_is_the_fate_of_its_wave() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = begin(&store, 2);
    let queued = store.queue_wave(&id, 0, row(ids(2)), at(1)).await.unwrap().expect("a row");
    let claimed = store.claim(&queued.id, 0, at(2), "key").await.unwrap().expect("claimed");
    let why = SafeText::line("402: required 2, available 0");
    let stop = AttemptResult::Stop(model::outbox::StopReason::Refused, why.clone());
    assert!(store.settle(&claimed, stop).await.unwrap());
    assert_eq!(stands(&store, &id).waves[0].row_state, WaveRowState::NeedsDecision(why));
    let heir = store.decide(&queued.id, StopVerdict::NewKey, None, at(3)).unwrap().expect("decided").after;
    assert_eq!(
        stands(&store, &id).waves[0].row_state,
        WaveRowState::Sending,
        "the row made anew stands for it"
    );
    let heir = heir.expect("a row");
    let fence = store.lane_rows(&channel()).await.unwrap()[0].fencing_token;
    let claimed = store.claim(&heir.id, fence, at(4), "key").await.unwrap().expect("claimed");
    let done = AttemptResult::Done { created_id: Some("bc_9".into()), automation: None, replayed: false };
    assert!(store.settle(&claimed, done).await.unwrap());
    assert_eq!(stands(&store, &id).waves[0].row_state, WaveRowState::Sent(Some("bc_9".into())));
}

#[tokio::test]
async fn only_a_pause_by_a_person_is_undone_and_the_rules_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = begin(&store, 7);
    let before = stands(&store, &id);
    assert!(!store.undo_campaign_pause(&id, before.created_at).unwrap(), "it is not paused");
    assert!(store.halt_campaign(&id, CampaignPhase::Paused).unwrap());
    assert!(store.undo_campaign_pause(&id, before.created_at).unwrap());
    let held = before.created_at.plus(10 * SECOND);
    assert_eq!(stands(&store, &id), Campaign { starts_at: held, ..before.clone() }, "it can be taken back");
    let why = Some((PauseCause::Failures, SafeText::line("wave 1: 1 of 2 failed")));
    assert!(store.end_campaign(&id, CampaignPhase::Paused, why).await.unwrap());
    assert!(!store.halt_campaign(&id, CampaignPhase::Paused).unwrap(), "it is paused already");
    assert!(!store.undo_campaign_pause(&id, before.created_at).unwrap(), "a stop rule has paused it");
    assert_eq!(stands(&store, &id).phase, CampaignPhase::Paused);
}

#[tokio::test]
async fn a_pause_a_word_and_a_recall() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = begin(&store, 7);
    let why = SafeText::line("wave 1: 1 of 2 failed");
    assert!(
        store
            .end_campaign(&id, CampaignPhase::Paused, Some((PauseCause::Credits, why.clone())))
            .await
            .unwrap()
    );
    assert!(
        !store.end_campaign(&id, CampaignPhase::Paused, None).await.unwrap(),
        "a person is not overruled"
    );
    let paused = stands(&store, &id);
    assert_eq!(
        (paused.phase, paused.pause_cause, paused.why),
        (CampaignPhase::Paused, Some(PauseCause::Credits), why)
    );
    assert!(store.running_campaigns(&channel()).await.unwrap().is_empty());
    let red = Some(SafeText::line("RED"));
    assert!(store.continue_campaign(&id, Some(15), red.clone()).unwrap());
    assert!(!store.continue_campaign(&id, Some(90), red).unwrap(), "it goes on already");
    let went = stands(&store, &id);
    assert_eq!(
        (went.phase, went.pause_cause, went.plan.rules.failed_percent),
        (CampaignPhase::Running, None, 15)
    );
    assert_eq!(went.quality_before, Some(SafeText::line("RED")));
    assert_eq!(store.running_campaigns(&channel()).await.unwrap(), [went]);
    assert!(store.recall_campaign(&id).unwrap() && !store.recall_campaign(&id).unwrap());
    assert!(store.queue_wave(&id, 0, row(ids(2)), at(1)).await.unwrap().is_none());
    assert_eq!(stands(&store, &id).phase, CampaignPhase::Recalled);
    store.track_broadcast(&channel(), &"bc_7".into(), at(0)).unwrap();
    let (unfinished, _) = store.unfinished_broadcasts(&channel(), 99, at(0)).await.unwrap();
    assert_eq!(unfinished, ["bc_7".into()]);
}
