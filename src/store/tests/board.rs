//! Board entries, their details, and audiences.

use crate::outbox::NewRow;
use crate::tests::{at, channel, message};
use crate::{Store, board};
use model::account::Platform;
use model::board::{BoardEntry, BoardId, BoardSample, RecipientOutcome};
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::contacts::ReceivedContact;
use model::conversations::Conversation;
use model::failures::{FailedRecipient, FailureReason};
use model::ids::ContactId;
use model::messages::{DeliveryStatus, Direction, Sender};
use model::outbox::content::{Audience, BroadcastContent};
use model::outbox::{Lane, Operation, PreparedRequest, WriteMethod};
use model::queries::ConversationKey;
use model::text::SafeText;
use model::waves::audience::{AudienceLine, parse_lines};
use model::waves::{CampaignAudience, FrozenContacts, NewCampaign, RecipientCounts, WavePlan, WaveReading};

const MARIA: &str = "+34600111222";

fn broadcast(id: &str, seconds: i64) -> Broadcast {
    Broadcast {
        id: id.into(),
        status: BroadcastStatus::Sending,
        text: None,
        recipients: 3,
        delivered: 1,
        failed: 0,
        pending: 2,
        created_at: Some(at(seconds)),
        completed_at: None,
        failures: Vec::new(),
    }
}

#[tokio::test]
async fn campaigns_and_broadcasts_stand_in_one_list_each_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (frozen, _) = FrozenContacts::from_ids(["ct_1", "ct_2"].map(ContactId::from)).unwrap();
    let content = BroadcastContent::Text("Hi".to_owned());
    let plan = WavePlan::suggest(2);
    let new = NewCampaign {
        channel: channel(),
        content: content.clone(),
        audience: CampaignAudience::Contacts(frozen),
        plan,
        hold: 0,
    };
    let id = store.start_campaign(new, None, at(5)).unwrap();
    let row = NewRow {
        channel: channel(),
        lane: Lane::Broadcasts,
        operation: Operation::Broadcast { to: Audience::Contacts(vec!["ct_1".into()]), content },
        request: PreparedRequest::json(WriteMethod::Post, "/broadcast", b"{}".to_vec()),
        hold_micros: 0,
        seen: None,
        planned_at: None,
    };
    store.queue_wave(&id, 0, row, at(5)).await.unwrap().expect("a row");
    store.record_wave_sent(&id, 0, Some("bc_wave".into()), at(6)).await.unwrap();
    store.apply_broadcast(&channel(), broadcast("bc_wave", 6)).await.unwrap();
    store.apply_broadcast(&channel(), broadcast("bc_alone", 1)).await.unwrap();
    store.track_broadcast(&channel(), &"bc_alone".into(), at(2)).unwrap();
    store.track_broadcast(&channel(), &"bc_unread".into(), at(2)).unwrap();
    let reader = store.reader().unwrap();
    for scope in [Some(channel()), None] {
        let ids: Vec<BoardId> = reader.board(scope.as_ref()).unwrap().iter().map(BoardEntry::id).collect();
        let alone = |id: &str| BoardId::Broadcast(channel(), id.into());
        assert_eq!(ids, [BoardId::Campaign(id.clone()), alone("bc_unread"), alone("bc_alone")]);
    }
    // Equal samples are stored once.
    for (second, delivered) in [(7, 0), (8, 1), (9, 1), (10, 2)] {
        let reading = WaveReading { at: at(second), recipients: 2, delivered, ..WaveReading::default() };
        store.record_wave_counts(&id, 0, reading).await.unwrap();
    }
    let detail = reader.board_detail(&BoardId::Campaign(id)).unwrap();
    let told: Vec<i64> = detail.samples.iter().map(|sample: &BoardSample| sample.counts.delivered).collect();
    assert_eq!(told, [0, 1, 2]);
    let outcomes: Vec<&RecipientOutcome> =
        detail.recipients.iter().map(|recipient| &recipient.outcome).collect();
    assert_eq!(outcomes, [&RecipientOutcome::Unknown, &RecipientOutcome::Unknown], "no message shows them");
}

fn not_reached(contact: Option<&str>, phone: Option<&str>, code: &str) -> FailedRecipient {
    let reason = FailureReason { code: SafeText::line(code), text: SafeText::default() };
    FailedRecipient { contact: contact.map(str::to_owned), phone: phone.map(str::to_owned), reason }
}

fn recipient_line(recipient: &model::board::RecipientStatus) -> String {
    let why = recipient.outcome.failure_reason().map(FailureReason::describe).unwrap_or_default();
    let phone = recipient.phone.as_deref().unwrap_or("-");
    format!("{} {phone} {} {why}", recipient.contact, recipient.outcome.label())
}

#[tokio::test]
async fn why_a_recipient_was_not_reached_is_what_the_service_or_the_message_says() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let people = ["+34600000001", "+34600000002", "+34600000003", "+34600000004"];
    let contact = |number: usize| format!("ct_{number}");
    let contacts = people.iter().enumerate().map(|(number, phone)| {
        let told =
            ReceivedContact { id: Some(contact(number).as_str().into()), ..ReceivedContact::default() };
        ((*phone).to_owned(), told)
    });
    store.apply_people(&channel(), contacts.collect(), at(0)).await.unwrap();
    let (frozen, _) =
        FrozenContacts::from_ids((0..4).map(|number| ContactId::from(contact(number).as_str()))).unwrap();
    let content = BroadcastContent::Text("Hi".to_owned());
    let plan = WavePlan { canary: 0, wave: 4, ..WavePlan::suggest(4) };
    let new = NewCampaign {
        channel: channel(),
        content: content.clone(),
        audience: CampaignAudience::Contacts(frozen),
        plan,
        hold: 0,
    };
    let id = store.start_campaign(new, None, at(5)).unwrap();
    store.record_wave_sent(&id, 0, Some("bc_wave".into()), at(6)).await.unwrap();
    // Two recipients have messages: one failed with a reason, one was read.
    let mut sent = Vec::new();
    for (place, (delivery, raw)) in [
        (DeliveryStatus::Failed, r#"{"error":{"code":131026,"message":"undeliverable"}}"#),
        (DeliveryStatus::Read, "{}"),
    ]
    .into_iter()
    .enumerate()
    {
        let conversation = format!("c{place}");
        let mut one = message(&conversation, &format!("m{place}"), 7, Direction::Outbound);
        (one.sender, one.delivery, one.raw) = (Sender::Api, delivery, raw.to_owned());
        sent.push((conversation, one));
    }
    for (place, (conversation, one)) in sent.into_iter().enumerate() {
        store.apply_messages(&channel(), vec![one], Platform::Whatsapp, Vec::new()).await.unwrap();
        let snapshot = store.snapshot();
        let told = Conversation {
            address: Some(people[place].to_owned()),
            ..crate::tests::conversation(&conversation, 7)
        };
        store.apply_conversation(&channel(), told, snapshot).await.unwrap();
    }
    let failures = vec![
        not_reached(Some("ct_0"), None, ""),
        not_reached(Some("ct_1"), None, "GONE"),
        not_reached(Some("ct_2"), None, "SESSION_EXPIRED"),
        not_reached(None, Some(people[3]), "INVALID_RECIPIENT"),
    ];
    store
        .apply_broadcast(&channel(), Broadcast { failures: failures.clone(), ..broadcast("bc_wave", 6) })
        .await
        .unwrap();
    let reader = store.reader().unwrap();
    let told = |id: BoardId| -> Vec<String> {
        reader.board_detail(&id).unwrap().recipients.iter().map(recipient_line).collect()
    };
    assert_eq!(
        told(BoardId::Campaign(id)),
        [
            "ct_0 +34600000001 failed undeliverable (131026)",
            "ct_1 +34600000002 read ",
            "ct_2 +34600000003 failed reply window closed: only templates are delivered (SESSION_EXPIRED)",
            "ct_3 +34600000004 failed the number is not on this channel (INVALID_RECIPIENT)",
        ]
    );
    // For a broadcast started elsewhere only the failed recipients are known.
    store.apply_broadcast(&channel(), Broadcast { failures, ..broadcast("bc_alone", 6) }).await.unwrap();
    assert_eq!(
        told(BoardId::Broadcast(channel(), "bc_alone".into()))[3],
        "ct_3 +34600000004 failed the number is not on this channel (INVALID_RECIPIENT)"
    );
    assert!(
        !store.apply_broadcast(&channel(), reader.broadcasts(&channel()).unwrap()[0].clone()).await.unwrap(),
        "as kept"
    );
}

#[tokio::test]
async fn samples_are_never_too_many() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let counts = |delivered| RecipientCounts { recipients: 900, delivered, failed: 0, pending: 0 };
    store
        .outbox()
        .call(move |file| {
            (0..900).try_for_each(|number| board::record_sample(file, "bc", at(number), counts(number)))
        })
        .unwrap();
    let detail = store.reader().unwrap().board_detail(&BoardId::Broadcast(channel(), "bc".into())).unwrap();
    let (first, last) = (detail.samples[0], detail.samples[detail.samples.len() - 1]);
    assert!(detail.samples.len() <= 240, "{}", detail.samples.len());
    assert_eq!((first.counts.delivered, last.counts.delivered), (0, 899), "the ends stay");
}

#[tokio::test]
async fn an_audience_is_gathered_once_and_nobody_is_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let told = ReceivedContact { id: Some("ct_1".into()), ..ReceivedContact::default() };
    store.apply_people(&channel(), vec![(MARIA.to_owned(), told)], at(0)).await.unwrap();
    let written = vec![message("c1", "m1", 0, Direction::Inbound)];
    store.apply_messages(&channel(), written, Platform::Whatsapp, vec![]).await.unwrap();
    let reader = store.reader().unwrap();
    let phones = [MARIA, MARIA, "+34699999999"].map(str::to_owned);
    let found = reader.audience_of_phones(&channel(), &phones).unwrap();
    assert_eq!((found.ids.len(), found.duplicates, found.not_read.len()), (1, 1, 1));
    let lines = parse_lines("ct_1\n+34600111222\n+12\n");
    assert_eq!(lines[0].1, AudienceLine::Contact("ct_1".into()));
    let found = reader.audience_of_lines(&channel(), &lines).unwrap();
    assert_eq!((found.ids.len(), found.duplicates, found.invalid.len()), (1, 1, 1));
    let key = ConversationKey { channel: channel(), conversation: "c1".into() };
    let found = reader.audience_of_conversations(&channel(), &[key]).unwrap();
    assert_eq!((found.ids.len(), found.without_phone), (0, 1), "it has no number");
    assert!(reader.audience_of_search(&channel(), "nobody").unwrap().ids.is_empty());
    let all = reader.everyone_read(&channel()).unwrap();
    assert_eq!((all.ids.len(), all.open + all.closed), (0, 1), "a number and no ids");
}

#[tokio::test]
async fn audience_counts_who_opted_out_of_marketing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let told = |id: &str, tags: &[&str]| ReceivedContact {
        id: Some(id.into()),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..ReceivedContact::default()
    };
    let people = vec![
        (MARIA.to_owned(), told("ct_1", &["vip", "no-marketing"])),
        ("+34600333444".to_owned(), told("ct_2", &["no-marketing-yet"])),
    ];
    store.apply_people(&channel(), people, at(0)).await.unwrap();
    let reader = store.reader().unwrap();
    let phones = [MARIA, MARIA, "+34600333444"].map(str::to_owned);
    let found = reader.audience_of_phones(&channel(), &phones).unwrap();
    assert_eq!((found.ids.len(), found.no_marketing), (2, 1));
    assert_eq!(reader.everyone_read(&channel()).unwrap().no_marketing, 1);
}
