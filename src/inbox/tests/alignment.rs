//! Property of the loop over random keys, arrivals, answers and sizes on all channels: the highlighted row is
//! the open conversation, and a write names the conversation that was on screen, or those that were marked,
//! when its key was pressed.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use randomized::{case_command, case_seeds};

use super::modelled_desk::ModelledDesk;
use crate::Inbox;
use crate::event::FileWrite;
use crate::keys::KeyPress;
use crate::layout::SIDE_BY_SIDE_MIN_WIDTH;
use crate::pages::PageKind;
use crate::screens::conversations::bulk_actions::update::acts_on_marks;
use crate::screens::conversations::saved_views::SavedView;
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::local::LocalChange;
use model::queries::ConversationKey;
use model::time::{HOUR, SECOND};

/// Steps of a sequence.
const STEPS: usize = 25;
const KEYS: &[&str] = &[
    "j", "k", "j", "k", "Enter", "Enter", "Esc", "Esc", "Esc", "t", "t", "t", "d", "d", "d", "w", "w", "z",
    "p", "P", "r", "i", "g", "G", "0", "1", "2", "3", "4", "s", "u", "J", "K", "Tab", "Ctrl-X", "Ctrl-X",
    "Alt-d", "/", "f", "Space", "Space", "y",
];
/// Typed into a search or a filter.
const WORDS: [&str; 6] = ["chat", "bot", "mail", "phone3", "order", "nobody"];
const CUSTOMERS: [&str; 4] = ["Hello?", "Where is my order?", "I want a person", "Thanks!"];
const TEXTS: [&str; 4] = ["Hello", "On its way", "One moment", "Thanks"];
const SIZES: [(u16, u16); 6] = [(120, 40), (100, 24), (80, 24), (160, 50), (60, 20), (200, 50)];

struct Sequence {
    desk: ModelledDesk,
    random: StdRng,
    /// Conversations that were marked or on screen when the open question was asked, or the last key
    /// pressed.
    acted_on: Vec<ConversationKey>,
    /// Number of writes that were checked.
    writes: usize,
    story: Vec<String>,
}

fn open_key(inbox: &Inbox) -> Option<ConversationKey> {
    let tab = inbox.desk.tab();
    tab.history.as_ref().map(|history| tab.key_of(&history.conversation))
}

fn key_on_screen(inbox: &Inbox) -> Option<ConversationKey> {
    match inbox.desk.tab().focus {
        Focus::List => inbox.desk.list().selected.clone(),
        Focus::History | Focus::Composer => open_key(inbox),
    }
}

/// Marked conversations, and the one on screen.
fn keys_acted_on(inbox: &Inbox) -> Vec<ConversationKey> {
    let marked = if acts_on_marks(&inbox.desk) { inbox.desk.list().marks.keys() } else { Vec::new() };
    marked.into_iter().chain(key_on_screen(inbox)).collect()
}

/// Conversations that a write changes at the command of a person.
fn named_by(write: &FileWrite) -> Vec<ConversationKey> {
    let of_channel = |channel: &ChannelId, ids: Vec<&ConversationId>| {
        let key =
            |id: &ConversationId| ConversationKey { channel: channel.clone(), conversation: id.clone() };
        ids.into_iter().map(key).collect()
    };
    if let FileWrite::Enqueue { intents, .. } = write {
        let asked = intents.iter().filter(|intent| !intent.operation.is_automatic());
        let keys = asked.map(|intent| ConversationKey {
            channel: intent.channel.clone(),
            conversation: intent.conversation.clone(),
        });
        return keys.collect();
    }
    let FileWrite::ChangeLocal(channel, change) = write else { return Vec::new() };
    match change {
        LocalChange::Claim(claims) => of_channel(channel, claims.iter().map(|(id, _)| id).collect()),
        LocalChange::Snooze(snoozes) => {
            // An open conversation forgets by itself that it came back.
            let begun = snoozes.iter().filter(|(_, snooze)| snooze.is_some());
            of_channel(channel, begun.map(|(id, _)| id).collect())
        }
        LocalChange::Unseen(unseen) => of_channel(channel, unseen.iter().map(|(id, _)| id).collect()),
        LocalChange::Wake(_)
        | LocalChange::Tags(_)
        | LocalChange::DraftOnly(_)
        | LocalChange::Rule(..)
        | LocalChange::ExtendPauses(..)
        | LocalChange::ApplyTime { .. } => Vec::new(),
    }
}

impl Sequence {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let size = *SIZES.choose(&mut random).expect("a size");
        let view = if random.random() { SavedView::inbox() } else { SavedView::all_open() };
        let mut desk = ModelledDesk::new(size, view);
        let mut story = vec![format!("seed {seed}"), format!("{size:?}")];
        for number in 0..random.random_range(1..7) {
            story.push(arrive(&mut desk, &mut random, number));
        }
        desk.settle();
        Self { desk, random, acted_on: Vec::new(), writes: 0, story }
    }

    /// Returns the number of writes.
    fn run(mut self) -> usize {
        for _ in 0..STEPS {
            self.step();
            self.check_aligned();
        }
        self.writes
    }

    /// One step: a key, a text, an arrival, an answer elsewhere, time or another size.
    fn step(&mut self) {
        match self.random.random_range(0..24) {
            0..=13 => {
                let mut key = *KEYS.choose(&mut self.random).expect("a key");
                let has_overlay = !self.desk.inbox.context.overlays.is_empty();
                if self.desk.inbox.desk.is_typing() && key.len() == 1 && !has_overlay {
                    key = "Esc";
                }
                self.press(key);
            }
            14..=16 if self.accepts_text() => {
                let word = *WORDS.choose(&mut self.random).expect("a word");
                self.story.push(format!("{word:?}"));
                self.desk.types(word);
                self.press("Enter");
            }
            14..=16 if self.desk.inbox.desk.is_typing() => {
                let text = *TEXTS.choose(&mut self.random).expect("a text");
                self.story.push(format!("{text:?}"));
                self.desk.types(text);
                self.press("Enter");
            }
            14..=17 => {
                let number = self.random.random_range(0..9);
                let arrival = arrive(&mut self.desk, &mut self.random, number);
                self.story.push(arrival);
            }
            18..=19 => self.settle_after(6 * SECOND, false),
            20 => self.settle_after(HOUR, false),
            21 => self.settle_after(6 * SECOND, true),
            22 => {
                let number = self.random.random_range(0..6);
                self.story.push(format!("colleague to {number}"));
                self.desk.colleague(channel_of(number), number, "From elsewhere");
            }
            _ => {
                let size = *SIZES.choose(&mut self.random).expect("a size");
                self.story.push(format!("{size:?}"));
                self.desk.resize(size);
            }
        }
    }

    /// True while a search, a filter or another field has the keyboard.
    fn accepts_text(&self) -> bool {
        self.desk.inbox.context.overlays.last().is_some_and(|overlay| overlay.accepts_text())
    }

    fn settle_after(&mut self, micros: i64, refuses: bool) {
        let refused = if refuses { ", refused" } else { "" };
        self.story.push(format!("{} s{refused}", micros / SECOND));
        self.desk.store.refuses = refuses;
        self.desk.pass(micros);
        self.desk.settle();
    }

    fn press(&mut self, key: &str) {
        let inbox = &self.desk.inbox;
        if inbox.context.overlays.is_empty() {
            self.acted_on = keys_acted_on(inbox);
        }
        let is_inbox = inbox.desk.page == PageKind::Inbox;
        self.story.push(key.to_owned());
        self.desk.key(KeyPress::parse(key).expect("a key"));
        // Undo is about what was done before, wherever that was.
        if key == "z" || !is_inbox {
            return;
        }
        for write in &self.desk.written {
            for named in named_by(write) {
                let acted_on = &self.acted_on;
                let is_meant = acted_on.contains(&named);
                assert!(is_meant, "{write:?} for {acted_on:?}, after {}", self.join_story());
                self.writes += 1;
            }
        }
    }

    fn check_aligned(&self) {
        let inbox = &self.desk.inbox;
        if inbox.desk.page != PageKind::Inbox {
            return;
        }
        let focus = inbox.desk.tab().focus;
        let is_beside = inbox.context.size.0 >= SIDE_BY_SIDE_MIN_WIDTH;
        let selected = inbox.desk.list().selected.clone();
        let is_shown = focus != Focus::List || is_beside;
        if is_shown && (selected.is_some() || focus != Focus::List) {
            assert_eq!(selected, open_key(inbox), "highlighted and open, after {}", self.join_story());
        }
        if let (Some(row), Focus::List) = (inbox.desk.current_conversation(), focus) {
            assert_eq!(Some(row.key()), selected, "keys act on it, after {}", self.join_story());
        }
    }

    fn join_story(&self) -> String {
        self.story.join(" · ")
    }
}

fn channel_of(number: u32) -> &'static str {
    match number {
        0 | 5 => "bot",
        3 | 7 => "mail",
        4 | 8 => "phone",
        _ => "chat",
    }
}

fn arrive(desk: &mut ModelledDesk, random: &mut StdRng, number: u32) -> String {
    let text = *CUSTOMERS.choose(random).expect("a text");
    desk.customer(channel_of(number), number, text);
    format!("{number} writes {text:?}")
}

#[test]
fn highlighted_conversation_is_open_and_is_the_one_written_to() {
    let (mut sequences, mut writes) = (0, 0);
    for seed in case_seeds(300) {
        let sequence = std::panic::catch_unwind(|| Sequence::new(seed).run());
        let Ok(written) = sequence else {
            panic!("repeat with {}", case_command(seed, "-p frontdesk-inbox alignment"));
        };
        (sequences, writes) = (sequences + 1, writes + written);
    }
    assert!(sequences < 100 || writes > sequences, "{writes} writes of {sequences} sequences");
}
