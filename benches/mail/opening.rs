//! Opening a mailbox whose threads are all on disk: from the start to the
//! first whole frame, with all that it asks the files for.
//!
//! The screen is the real one without its threads of execution: what is loaded
//! is answered at once, so a figure is the sum of what otherwise goes on side
//! by side.

use std::time::Duration;

use frontdesk::api::threads::read_thread;
use frontdesk::inbox::Inbox;
use frontdesk::inbox::event::{Effect, Event};
use frontdesk::inbox::keys::{KeyCode, KeyPress};
use frontdesk::inbox::settings::{ChannelInfo, Settings};
use frontdesk::inbox::theme_view::Theme;
use frontdesk::inbox::view;
use frontdesk::model::account::{Account, Environment, Platform};
use frontdesk::model::email::MailAccount;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::Clock;
use frontdesk::model::time::{ClockReading, MINUTE, Timestamp};
use frontdesk::shell::clock::{SystemClock, instant};
use frontdesk::shell::reading;
use frontdesk::store::{Reader, Store};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use serde_json::value::RawValue;

use crate::{keys, row};

const CHANNEL: &str = "mail";
/// Threads stored in one transaction.
const AT_ONCE: usize = 500;
/// How often a mailbox is opened.
const TIMES: usize = 60;
/// Threads of the small mailbox.
const FEW: usize = 10;

/// Prints what both take; returns how many times as long the large one takes.
pub fn measure(many: usize) -> f64 {
    let now = SystemClock.now();
    let boxes = [FEW, many].map(|count| (count, Mailbox::filled(count, now)));
    // In turn, so that what the machine does besides meets both.
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..TIMES {
        for ((_, mailbox), times) in boxes.iter().zip(&mut times) {
            times.push(mailbox.open(now));
        }
    }
    let [few, large] = times;
    let [few, _] = row(&format!("open a mailbox of {FEW}"), few);
    let [large, _] = row(&format!("open a mailbox of {many}"), large);
    let typed = "is:unread".chars().map(KeyCode::Char).chain([KeyCode::Enter]);
    let filter: Vec<KeyPress> =
        keys::FILTER.presses().into_iter().chain(typed.map(KeyPress::plain)).collect();
    for (name, presses) in [
        ("unread ones only, as typed", filter),
        ("by priority", keys::SORT_BY_PRIORITY.presses()),
        ("begin a triage", keys::START_TRIAGE.presses()),
    ] {
        for (count, mailbox) in &boxes {
            let times = (0..20).map(|_| mailbox.press(now, &presses)).collect();
            row(&format!("{name}, of {count}"), times);
        }
    }
    large.as_secs_f64() / few.as_secs_f64()
}

/// A mailbox on disk.
struct Mailbox {
    folder: tempfile::TempDir,
}

impl Mailbox {
    /// The same each time: every third thread is unread, some are put away.
    fn filled(count: usize, now: Timestamp) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("the files open");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let channel = ChannelId::from(CHANNEL);
        runtime.block_on(async {
            store.apply_account(&channel, account()).await.expect("kept");
            let mailbox = MailAccount {
                address: SafeText::line("hello@harbor.example"),
                last_sync_at: Some(now),
                ..MailAccount::default()
            };
            store.apply_mailbox(&channel, mailbox).await.expect("kept");
            for first in (0..count).step_by(AT_ONCE) {
                let snapshot = store.snapshot();
                let (mut page, mut facts) = (Vec::new(), Vec::new());
                for number in first..count.min(first + AT_ONCE) {
                    let (conversation, thread) = read_thread(&raw(number, now)).expect("a thread");
                    facts.push((conversation.id.clone(), thread));
                    page.push(conversation);
                }
                store.apply_threads(&channel, facts, snapshot).await.expect("kept");
                store.apply_conversations(&channel, page, snapshot, true, Vec::new()).await.expect("kept");
            }
        });
        store.finish_index().expect("all texts are in the index");
        drop(store);
        Self { folder }
    }

    /// From the start to the first whole frame.
    fn open(&self, now: Timestamp) -> Duration {
        let begun = instant();
        let mut desk = self.start(now);
        desk.draw();
        begun.elapsed()
    }

    /// From the first of some keys to the frame after the last.
    fn press(&self, now: Timestamp, presses: &[KeyPress]) -> Duration {
        let mut desk = self.start(now);
        desk.draw();
        let begun = instant();
        for key in presses {
            let effects = desk.app.update(Event::Key(*key));
            desk.answer(effects);
        }
        desk.draw();
        begun.elapsed()
    }

    fn start(&self, now: Timestamp) -> Desk {
        let store = Store::open(self.folder.path()).expect("the files open");
        let reader = store.reader().expect("a reader");
        let info = ChannelInfo {
            id: ChannelId::from(CHANNEL),
            name: "Harbor mail".to_owned(),
            environment: None,
            read_only: false,
        };
        let size = (120, 40);
        let app = Inbox::new(vec![info], Settings::default(), size, ClockReading::manual(now));
        let buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
        let mut desk = Desk { app, reader, _store: store, buffer };
        let effects = desk.app.start();
        desk.answer(effects);
        desk
    }
}

/// The screen without threads of execution.
struct Desk {
    app: Inbox,
    reader: Reader,
    _store: Store,
    buffer: Buffer,
}

impl Desk {
    /// Loads what is asked for until nothing is.
    fn answer(&mut self, mut effects: Vec<Effect>) {
        while let Some(effect) = effects.pop() {
            if let Effect::Load(load) = effect {
                let loaded = reading::load(&mut self.reader, &load);
                effects.extend(self.app.update(Event::Loaded(load, loaded)));
            }
        }
    }

    fn draw(&mut self) {
        self.buffer.reset();
        view::draw(&self.app, Theme::default(), &mut self.buffer);
        self.app.desk.record_drawn(self.app.context.moment, &mut self.app.context);
    }
}

fn account() -> Account {
    Account {
        id: "account".to_owned(),
        workspace_id: "workspace".to_owned(),
        workspace_name: Some(SafeText::line("Harbor")),
        assistant_name: Some(SafeText::line("Ada")),
        platform: Platform::Email,
        environment: Environment::Live,
        number: None,
        credits: 1000.0,
        messaging_tier: None,
        quality_rating: None,
        takes_buttons: false,
        takes_voice: false,
        takes_stickers: false,
        takes_contacts: false,
        takes_link_preview: false,
    }
}

fn raw(number: usize, now: Timestamp) -> Box<RawValue> {
    let at = now.plus(-i64::try_from(number).expect("small") * MINUTE);
    let pick = |words: &[&str]| words[number % words.len()].to_owned();
    let told = json!({
        "id": format!("thread{number:08}"), "subject": format!("About order {number}"),
        "contactEmail": format!("person{}@mail.example", number % 5_000), "contactName": format!("Person {number}"),
        "lastMessageAt": at.to_string(), "messageCount": 1 + number % 7, "isRead": !number.is_multiple_of(3),
        "isStarred": number.is_multiple_of(50), "category": pick(&["orders", "billing", "repairs", "sales"]),
        "priority": pick(&["normal", "normal", "high", "low", "urgent"]),
        "folder": if number % 10 == 9 { "archive" } else { "inbox" },
    });
    RawValue::from_string(told.to_string()).expect("JSON")
}
