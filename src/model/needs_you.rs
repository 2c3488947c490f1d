//! Page "Needs you": entries that need attention, pauses of the AI made from this desk, and events
//! since the latest absence, each listed once.

use crate::attention::{AttentionEntry, AttentionId, AttentionReason};
use crate::digest::{Absence, Digest, DigestEntry, DigestFact, DigestId, DigestPlace};
use crate::ids::ChannelId;
use crate::queries::{ConversationKey, PausedEntry};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct NeedsYouPage {
    /// Entries that need attention, most urgent first; then pauses; then events.
    pub entries: Vec<NeedsYouEntry>,
    /// True if there are more entries than these.
    pub more: bool,
    /// `None` if there was no absence yet.
    pub absence: Option<Absence>,
    /// True if anything happened since the absence began, wherever it is listed.
    pub has_events: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum NeedsYouEntry {
    Attention(AttentionEntry),
    Paused(PausedEntry),
    Event(DigestEntry),
}

/// Identifies an entry across updates of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeedsYouId {
    Attention(AttentionId),
    Paused(ConversationKey),
    Event(DigestId),
}

impl NeedsYouPage {
    /// Joins the parts of the page. Leaves out pauses of conversations that need attention, and
    /// events that an entry above them shows. Pauses with a waiting customer come first, then the
    /// oldest. `more` is true if the first two parts are incomplete.
    pub fn from_parts(
        attention: Vec<AttentionEntry>,
        mut paused: Vec<PausedEntry>,
        digest: Digest,
        more: bool,
    ) -> Self {
        let mut conversations: Vec<ConversationKey> =
            attention.iter().filter_map(AttentionEntry::conversation).collect();
        paused.retain(|pause| !conversations.contains(&pause.key()));
        paused.sort_by_key(|pause| (pause.waiting_since.is_none(), pause.since));
        conversations.extend(paused.iter().map(PausedEntry::key));
        let has_events = !digest.entries.is_empty();
        let mut shown: Vec<DigestId> = Vec::new();
        let mut events = digest.entries;
        events.retain(|event| {
            let id = event.id();
            let is_new = !is_shown_above(event, &attention, &conversations) && !shown.contains(&id);
            shown.push(id);
            is_new
        });
        let attention = attention.into_iter().map(NeedsYouEntry::Attention);
        let paused = paused.into_iter().map(NeedsYouEntry::Paused);
        let events = events.into_iter().map(NeedsYouEntry::Event);
        Self {
            entries: attention.chain(paused).chain(events).collect(),
            more: more || digest.more,
            absence: digest.absence,
            has_events,
        }
    }
}

/// True if `attention` or a line of one of the conversations shows the fact. A message that left,
/// was given up or was not delivered is shown only by its event.
fn is_shown_above(
    event: &DigestEntry,
    attention: &[AttentionEntry],
    conversations: &[ConversationKey],
) -> bool {
    match &event.fact {
        DigestFact::Waits(_) | DigestFact::Fails(_) | DigestFact::Paused { .. } => {
            matches!(&event.place, DigestPlace::Conversation(key) if conversations.contains(key))
        }
        DigestFact::Asks(row) => attention
            .iter()
            .any(|entry| matches!(&entry.reason, AttentionReason::Stopped(stopped) if stopped.id == row.id)),
        DigestFact::Waves(campaign) => attention.iter().any(
            |entry| matches!(&entry.reason, AttentionReason::CampaignPaused(paused) if paused.id == campaign.id),
        ),
        DigestFact::Undelivered(_) | DigestFact::GivenUp { .. } | DigestFact::Left { .. } => false,
    }
}

impl NeedsYouEntry {
    pub fn id(&self) -> NeedsYouId {
        match self {
            Self::Attention(entry) => NeedsYouId::Attention(entry.id()),
            Self::Paused(pause) => NeedsYouId::Paused(pause.key()),
            Self::Event(event) => NeedsYouId::Event(event.id()),
        }
    }

    pub fn channel(&self) -> &ChannelId {
        match self {
            Self::Attention(entry) => &entry.channel,
            Self::Paused(pause) => &pause.channel,
            Self::Event(event) => &event.channel,
        }
    }

    pub fn conversation(&self) -> Option<ConversationKey> {
        match self {
            Self::Attention(entry) => entry.conversation(),
            Self::Paused(pause) => Some(pause.key()),
            Self::Event(event) => match &event.place {
                DigestPlace::Conversation(key) => Some(key.clone()),
                DigestPlace::Outbox | DigestPlace::Broadcasts | DigestPlace::Nowhere => None,
            },
        }
    }

    /// True if a person has something to do; a pause counts while its customer waits.
    pub fn needs_person(&self) -> bool {
        match self {
            Self::Attention(_) => true,
            Self::Paused(pause) => pause.waiting_since.is_some(),
            Self::Event(event) => event.fact.needs_person(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversations::{Conversation, ConversationRow};
    use crate::ids::ConversationId;
    use crate::text::SafeText;
    use crate::time::Timestamp;

    fn channel() -> ChannelId {
        ChannelId::from("harbor")
    }

    fn key(id: &str) -> ConversationKey {
        ConversationKey { channel: channel(), conversation: ConversationId::from(id) }
    }

    fn row(id: &str) -> Box<ConversationRow> {
        let conversation = Conversation::stand_in(ConversationId::from(id), true);
        Box::new(ConversationRow::without_facts(channel(), conversation))
    }

    fn pause(id: &str, since: i64, waits: bool) -> PausedEntry {
        PausedEntry {
            channel: channel(),
            conversation: ConversationId::from(id),
            title: None,
            owner: SafeText::default(),
            waiting_since: waits.then(|| Timestamp::from_micros(since)),
            since: Timestamp::from_micros(since),
            counts_from: Timestamp::from_micros(since),
            draft_only: false,
        }
    }

    fn event(id: &str, fact: DigestFact) -> DigestEntry {
        let place = DigestPlace::Conversation(key(id));
        DigestEntry { channel: channel(), title: SafeText::line(id), fact, place }
    }

    fn describe_entries(page: &NeedsYouPage) -> Vec<String> {
        let word = |entry: &NeedsYouEntry| {
            let kind = match entry {
                NeedsYouEntry::Attention(_) => "attention",
                NeedsYouEntry::Paused(_) => "paused",
                NeedsYouEntry::Event(event) => match event.fact {
                    DigestFact::Waits(_) => "waits",
                    DigestFact::Undelivered(_) => "not delivered",
                    _ => "left",
                },
            };
            format!("{kind} {}", entry.conversation().unwrap().conversation)
        };
        page.entries.iter().map(word).collect()
    }

    #[test]
    fn page_lists_each_conversation_and_fact_once_in_three_parts() {
        let escalated = AttentionEntry {
            channel: channel(),
            title: SafeText::line("a"),
            reason: AttentionReason::AiEscalated(row("a")),
        };
        let paused =
            vec![pause("a", 1, true), pause("b", 2, false), pause("c", 3, true), pause("d", 4, true)];
        let left = || DigestFact::Left { operation: SafeText::line("send") };
        let text = |words: &str| DigestFact::Undelivered(SafeText::line(words));
        let entries = vec![
            event("a", DigestFact::Waits(row("a"))),
            event("b", DigestFact::Paused { by: SafeText::default(), at: Timestamp::from_micros(2) }),
            event("e", DigestFact::Waits(row("e"))),
            event("b", text("one")),
            event("b", text("two")),
            event("b", text("one")),
            event("b", left()),
            event("b", left()),
        ];
        let digest = Digest { absence: None, entries, more: false };
        let page = NeedsYouPage::from_parts(vec![escalated], paused, digest, false);
        assert_eq!(
            describe_entries(&page),
            [
                "attention a",
                "paused c",
                "paused d",
                "paused b",
                "waits e",
                "not delivered b",
                "not delivered b",
                "left b"
            ]
        );
        let needing = page.entries.iter().filter(|entry| entry.needs_person()).count();
        assert_eq!((needing, page.has_events, page.more), (6, true, false));
    }

    #[test]
    fn event_that_an_entry_above_shows_counts_as_event() {
        let paused = vec![pause("b", 2, false)];
        let by = SafeText::default();
        let entries = vec![event("b", DigestFact::Paused { by, at: Timestamp::from_micros(2) })];
        let digest = Digest { absence: None, entries, more: true };
        let page = NeedsYouPage::from_parts(Vec::new(), paused, digest, false);
        assert_eq!(describe_entries(&page), ["paused b"]);
        assert!(page.has_events && page.more && !page.entries[0].needs_person());
    }
}
