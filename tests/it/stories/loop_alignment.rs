//! Property of the loop: the highlighted row is the open conversation, and a write names the
//! conversation that was on screen when its key was pressed.

use frontdesk::inbox::Inbox;
use frontdesk::inbox::event::FileWrite;
use frontdesk::inbox::layout::SIDE_BY_SIDE_MIN_WIDTH;
use frontdesk::inbox::pages::PageKind;
use frontdesk::inbox::tab::Focus;
use frontdesk::model::queries::ConversationKey;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use randomized::RandomCases;

use crate::desk::Desk;

/// Sequences that one desk goes through; each begins where the last one ended.
const SEQUENCES_PER_DESK: u32 = 50;
/// Steps of a sequence.
const STEPS: usize = 12;
const KEYS: [&str; 30] = [
    "j", "k", "j", "k", "<Enter>", "<Esc>", "<Esc>", "t", "t", "d", "d", "w", "w", "z", "p", "P", "r", "i",
    "g", "G", "0", "1", "2", "s", "u", "J", "K", "<Tab>", "<Ctrl-X>", "<Alt-d>",
];
const TEXTS: [&str; 4] = ["Hello", "On its way", "One moment", "Thanks"];
const SIZES: [(u16, u16); 4] = [(120, 40), (100, 24), (80, 24), (160, 50)];

fn open_key(inbox: &Inbox) -> Option<ConversationKey> {
    let tab = inbox.desk.tab();
    tab.history.as_ref().map(|history| tab.key_of(&history.conversation))
}

/// The conversation that a person looks at.
fn key_on_screen(inbox: &Inbox) -> Option<ConversationKey> {
    match inbox.desk.tab().focus {
        Focus::List => inbox.desk.list().selected.clone(),
        Focus::History | Focus::Composer => open_key(inbox),
    }
}

#[track_caller]
pub(super) fn check_aligned(desk: &Desk, story: &[String]) {
    let inbox = &desk.app;
    if inbox.desk.page != PageKind::Inbox {
        return;
    }
    let is_beside = inbox.context.size.0 >= SIDE_BY_SIDE_MIN_WIDTH;
    let selected = inbox.desk.list().selected.clone();
    let open = open_key(inbox);
    let is_shown = inbox.desk.tab().focus != Focus::List || is_beside;
    if is_shown && (selected.is_some() || inbox.desk.tab().focus != Focus::List) {
        assert_eq!(selected, open, "highlighted and open, after {story:?}");
    }
    if let (Some(row), Focus::List) = (inbox.desk.current_conversation(), inbox.desk.tab().focus) {
        assert_eq!(Some(row.key()), selected, "keys act on it, after {story:?}");
    }
}

/// Checks that the new writes of a key name the conversation it was pressed on.
#[track_caller]
fn check_writes(writes: &[FileWrite], on_screen: Option<&ConversationKey>, story: &[String]) {
    for write in writes {
        if let FileWrite::Enqueue { intents, .. } = write {
            for intent in intents {
                let named = ConversationKey {
                    channel: intent.channel.clone(),
                    conversation: intent.conversation.clone(),
                };
                assert_eq!(Some(&named), on_screen, "{:?}, after {story:?}", intent.operation);
            }
        }
    }
}

fn world() -> Desk {
    let mut desk = Desk::new(120, 40);
    for number in 0..6 {
        arrive(&mut desk, number);
    }
    desk.settle();
    desk
}

fn arrive(desk: &mut Desk, number: u32) {
    match number % 3 {
        0 => desk.customer("telegram", &format!("4821{number}"), &format!("Bot {number}"), "Hello?"),
        _ => desk.customer("whatsapp", &format!("+3460011122{number}"), &format!("Chat {number}"), "Hello?"),
    };
}

/// One step: a key, a text, an arrival, an answer elsewhere, time or another size.
fn step(
    desk: &mut Desk,
    random: &mut StdRng,
    acted_on: &mut Option<ConversationKey>,
    story: &mut Vec<String>,
) {
    match random.random_range(0..20) {
        0..=12 => {
            let mut key = (*KEYS.choose(random).expect("a key")).to_owned();
            if desk.app.desk.is_typing() && key.len() == 1 {
                key = "<Esc>".to_owned();
            }
            if desk.app.context.overlays.is_empty() {
                *acted_on = key_on_screen(&desk.app);
            }
            let is_inbox = desk.app.desk.page == PageKind::Inbox;
            story.push(key.clone());
            desk.written.clear();
            desk.keys(&key);
            // Undo is about what was done before, wherever that was.
            if key != "z" && is_inbox {
                check_writes(&desk.written, acted_on.as_ref(), story);
            }
        }
        13..=14 if desk.app.desk.is_typing() => {
            let text = TEXTS.choose(random).expect("a text");
            story.push(format!("{text}<Enter>"));
            desk.types(text);
            *acted_on = key_on_screen(&desk.app);
            desk.written.clear();
            desk.keys("<Enter>");
            check_writes(&desk.written, acted_on.as_ref(), story);
        }
        13..=15 => {
            let number = random.random_range(0..8);
            story.push(format!("arrival {number}"));
            arrive(desk, number);
            desk.settle();
        }
        16..=17 => {
            story.push("6 s".to_owned());
            desk.pass(6).settle();
        }
        18 => {
            let number = random.random_range(1..3);
            story.push(format!("colleague {number}"));
            desk.colleague("whatsapp", &format!("+3460011122{number}"), "From elsewhere");
            desk.settle();
        }
        _ => {
            let size = *SIZES.choose(random).expect("a size");
            story.push(format!("{size:?}"));
            desk.resize(size);
        }
    }
    check_aligned(desk, story);
}

#[test]
fn highlighted_conversation_is_open_and_is_the_one_written_to() {
    let sample = RandomCases::new(100);
    let (mut left, mut seed) = (sample.cases, sample.seed);
    while left > 0 {
        let mut desk = world();
        let mut story = vec![format!("seed {seed}")];
        // A question may stay open from one sequence to the next.
        let mut acted_on = None;
        for _ in 0..left.min(SEQUENCES_PER_DESK) {
            let mut random = StdRng::seed_from_u64(seed);
            for _ in 0..STEPS {
                step(&mut desk, &mut random, &mut acted_on, &mut story);
            }
            (left, seed) = (left - 1, seed.wrapping_add(1));
        }
    }
}
