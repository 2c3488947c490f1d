//! Draft-only conversations, their steps and their drafts.

use crate::Store;
use crate::draft_only::DraftOnlyStep;
use crate::tests::{add, at, channel, conversation, list, message, row};
use model::conversations::Automation;
use model::ids::MessageId;
use model::local::{DraftReadiness, LocalChange};
use model::messages::Direction::{Inbound, Outbound};
use model::outbox::Operation;
use model::queries::ConversationKey;
use model::suggestions::{SuggestedBy, SuggestedSentence, Suggestion};
use model::text::SafeText;

fn key(id: &str) -> ConversationKey {
    ConversationKey { channel: channel(), conversation: id.into() }
}

async fn store(folder: &std::path::Path) -> Store {
    let store = Store::open(folder).unwrap();
    let with = |id: &str, automation| {
        let mut one = conversation(id, 10);
        one.automation = automation;
        one
    };
    let all = vec![with("on", Automation::On), with("off", Automation::Off), with("said", Automation::On)];
    list(&store, all).await;
    add(&store, vec![message("on", "m1", 10, Inbound), message("off", "m2", 11, Inbound)]).await;
    add(&store, vec![message("said", "m3", 10, Inbound), message("said", "m4", 11, Outbound)]).await;
    store
}

fn due(store: &Store) -> Vec<String> {
    let reader = store.reader().unwrap();
    let found = reader.due_drafts(&[channel()], None, at(20)).unwrap();
    found.iter().map(|due_draft| due_draft.row.conversation.id.to_string()).collect()
}

fn readiness(store: &Store, id: &str) -> Option<DraftReadiness> {
    store.reader().unwrap().conversation_rows(&[key(id)]).unwrap().remove(0).local.draft_only
}

#[tokio::test]
async fn a_whole_tab_is_noted_once_and_what_a_person_said_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let steps = |whole_tab| {
        let store = store.clone();
        async move {
            let mut steps = store.draft_only_plan(&channel(), whole_tab).await.unwrap().steps;
            steps.sort_by(|a, b| a.conversation.cmp(&b.conversation));
            steps
        }
    };
    let step = |id: &str, pauses| DraftOnlyStep { conversation: id.into(), needs_pause: pauses };
    assert_eq!(steps(false).await, []);
    store.change_local(&channel(), LocalChange::DraftOnly(vec![("said".into(), false)])).unwrap();
    let wanted = [step("off", false), step("on", true)];
    assert_eq!(steps(true).await, wanted);
    for DraftOnlyStep { conversation, .. } in &wanted {
        let pause = row(conversation.as_str(), Operation::SetAutomation { enabled: false }, 0);
        let queued =
            store.mark_draft_only(&channel(), conversation, Some(pause.clone()), at(20)).await.unwrap();
        assert!(queued.is_some(), "{conversation}");
        let again = store.mark_draft_only(&channel(), conversation, Some(pause), at(21)).await.unwrap();
        assert!(again.is_none(), "its pause is on its way");
    }
    assert_eq!(steps(true).await, []);
    assert_eq!(readiness(&store, "on"), Some(DraftReadiness::Missing));
    assert_eq!(readiness(&store, "said"), None, "a person said no");
    // The setting was removed, and so are its marks.
    assert!(store.draft_only_plan(&channel(), false).await.unwrap().has_ended);
    store.end_draft_only_tab(&channel()).await.unwrap();
    assert_eq!(readiness(&store, "on"), None);
}

#[tokio::test]
async fn handing_back_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    store.change_local(&channel(), LocalChange::DraftOnly(vec![("on".into(), true)])).unwrap();
    assert_eq!(readiness(&store, "on"), Some(DraftReadiness::Missing));
    store.enqueue(row("on", Operation::SetAutomation { enabled: true }, 0), at(20)).unwrap();
    assert_eq!(readiness(&store, "on"), None);
}

#[tokio::test]
async fn a_draft_is_made_by_one_and_due_until_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let all = ["on", "off", "said"].map(|entry| (entry.into(), true)).to_vec();
    store.change_local(&channel(), LocalChange::DraftOnly(all)).unwrap();
    assert_eq!(due(&store), ["off", "on"], "who was answered waits for nothing");
    let message = MessageId::from("m1");
    assert!(store.begin_suggestion(&key("on"), "draft", &message, at(20)).unwrap());
    assert!(!store.begin_suggestion(&key("on"), "draft", &message, at(30)).unwrap(), "somebody is at it");
    assert_eq!(due(&store), ["off"]);
    assert!(store.begin_suggestion(&key("on"), "draft", &message, at(200)).unwrap(), "they never came back");
    let text = SafeText::line("Hello\u{1b}[2J");
    let sentence = SuggestedSentence { text, is_unsupported: true };
    let made = Suggestion {
        sentences: vec![sentence],
        by: SuggestedBy::Model(3),
        instead: None,
        remark: None,
        language: None,
    };
    store.store_suggestion(&key("on"), "draft", &message, &Ok(made.clone()), at(201)).unwrap();
    assert_eq!(store.stored_suggestion(&key("on"), "draft", &message).unwrap(), Some(made));
    assert_eq!(readiness(&store, "on"), Some(DraftReadiness::Ready));
    // A failed draft is not retried for the same message.
    let none = Err("nothing fits".to_owned());
    store.store_suggestion(&key("off"), "draft", &MessageId::from("m2"), &none, at(201)).unwrap();
    assert_eq!((due(&store).len(), readiness(&store, "off")), (0, Some(DraftReadiness::Missing)));
    add(&store, vec![message_of("on", "m5", 300)]).await;
    assert_eq!(
        (due(&store), readiness(&store, "on")),
        (vec!["on".to_owned()], Some(DraftReadiness::Missing))
    );
}

fn message_of(conversation: &str, id: &str, seconds: i64) -> model::messages::Message {
    message(conversation, id, seconds, Inbound)
}
