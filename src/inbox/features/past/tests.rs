//! Nothing is changed while the past is shown, whatever is pressed.

use crate::Inbox;
use crate::command::{self, CommandScope, TABLE, VERBS};
use crate::event::{Effect, Event, FileWrite, SyncOrder, TerminalOrder};
use crate::features::past::{READING_VERBS, READS};
use crate::keys::{KeyCode, KeyPress};
use crate::settings::{ChannelInfo, Settings};
use crate::tab::Focus;
use crate::tests::{at, row};
use model::account::Environment;
use model::ids::ChannelId;
use model::time::Times;

/// An inbox with a conversation, an hour back in time.
fn inbox() -> Inbox {
    let channel = ChannelInfo {
        id: ChannelId::from("chat"),
        name: "Chat".to_owned(),
        environment: Some(Environment::Live),
        read_only: false,
    };
    let mut inbox = Inbox::new(vec![channel], Settings::default(), (120, 40), Times::by_hand(at(600)));
    inbox.desk.tab_mut().list.page.rows = vec![row("w1", true)];
    inbox.desk.tab_mut().list.selected = Some(row("w1", true).key());
    inbox.update(Event::Time(Times::by_hand(at(600))));
    inbox.run_line("at 1h");
    assert_eq!(inbox.context.shown_at(), at(540), "{:?}", inbox.context.notice);
    inbox.context.effects.clear();
    inbox
}

/// Whether an effect leaves everything as it is, here and at the server.
fn only_reads(effect: &Effect) -> bool {
    match effect {
        Effect::Load(_) | Effect::Ask(_) | Effect::Log(_) => true,
        Effect::Write(write) => matches!(write, FileWrite::NotePresence(_)),
        Effect::Sync(order) => !matches!(order, SyncOrder::Refresh(_)),
        Effect::Terminal(order) => !matches!(order, TerminalOrder::SetUp),
        Effect::Import(_) => false,
    }
}

#[test]
fn no_key_changes_anything_and_each_that_would_says_why() {
    for row in TABLE {
        for focus in [Focus::List, Focus::History] {
            let mut inbox = inbox();
            inbox.desk.tab_mut().focus = focus;
            let refused = inbox.enabled(row.command).err();
            let reads = READS.contains(&row.command);
            assert!(reads || refused.is_some_and(|text| text.contains("past")), "{:?}", row.command);
            inbox.call(row.command, KeyPress::plain(KeyCode::Enter));
            inbox.settle();
            let effects = std::mem::take(&mut inbox.context.effects);
            let wrong: Vec<&Effect> = effects.iter().filter(|effect| !only_reads(effect)).collect();
            assert!(wrong.is_empty(), "{:?}: {wrong:?}", row.command);
            if !reads && row.place != CommandScope::Composer {
                let said =
                    inbox.context.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
                assert!(said.contains("this is the past"), "{:?}: {said}", row.command);
            }
        }
    }
}

#[test]
fn no_line_changes_anything() {
    for verb in VERBS.iter().filter(|verb| !READING_VERBS.contains(&verb.name)) {
        let mut inbox = inbox();
        inbox.run_line(&format!("{} x", verb.name));
        let said = inbox.context.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
        assert!(said.contains("this is the past"), "{}: {said}", verb.name);
    }
    assert!(READS.iter().all(|entry| !command::name(*entry).is_empty()));
}
