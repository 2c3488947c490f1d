//! One wish for many conversations: which of them it fits, why not the
//! others, and what became of each.
//!
//! Nothing is done here.

pub(crate) mod update;

use crate::components::dialog::{DialogLine, Tone};
use crate::screens::conversations::takeover::{closable, switchable};
use crate::screens::mail::thread_filing::ThreadFiling;
use model::conversations::ConversationRow;
use model::ids::RowId;
use model::local::{Tag, TagLocation};
use model::queries::{ConversationKey, OutboxOutcome};
use model::text::SafeText;
use model::time::Timestamp;

/// Up to this many are acted on under a hold; more are asked about.
pub const HELD: usize = 10;
/// Names a plan shows.
const SHOWN: usize = 6;

/// What is wanted of one conversation or of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BulkWish {
    Pause,
    HandBack,
    Close,
    /// Put aside.
    Snooze {
        /// Until then; `None`: until the customer writes.
        until: Option<Timestamp>,
        /// Whether it stays away also when the customer writes before.
        stays: bool,
    },
    /// Bring back what was put aside.
    Wake,
    /// Add these tags and take those away.
    Tag {
        add: Vec<SafeText>,
        remove: Vec<SafeText>,
    },
    /// Claim for the agent, or release.
    Claim(bool),
    /// Keep the AI paused and make drafts ready in its place, or no longer.
    DraftOnly(bool),
    /// Mark as seen, or as not seen yet.
    Seen(bool),
    File(ThreadFiling),
}

impl BulkWish {
    /// The verb of the question, and of the list of results.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Pause => "pause the AI in",
            Self::HandBack => "hand back",
            Self::Close => "close",
            Self::Snooze { .. } => "snooze",
            Self::Wake => "wake",
            Self::Tag { .. } => "tag",
            Self::Claim(true) => "claim",
            Self::Claim(false) => "release",
            Self::DraftOnly(true) => "make draft-only",
            Self::DraftOnly(false) => "end draft-only in",
            Self::Seen(true) => "mark as seen",
            Self::Seen(false) => "mark as not seen",
            Self::File(filing) => filing.verb(),
        }
    }

    /// What has been done, for notices.
    pub fn past(&self) -> &'static str {
        match self {
            Self::Pause => "paused the AI in",
            Self::HandBack => "handed back",
            Self::Close => "closed",
            Self::Snooze { .. } => "snoozed",
            Self::Wake => "woke",
            Self::Tag { .. } => "tagged",
            Self::Claim(true) => "claimed",
            Self::Claim(false) => "released",
            Self::DraftOnly(true) => "draft-only",
            Self::DraftOnly(false) => "not draft-only any more: the AI stays paused",
            Self::Seen(true) => "marked as seen",
            Self::Seen(false) => "marked as not seen",
            Self::File(filing) => filing.past(),
        }
    }

    /// What many of those it is wanted of are called.
    pub fn many(&self) -> &'static str {
        if matches!(self, Self::File(_)) { "threads" } else { "conversations" }
    }

    /// Whether the server is asked for it.
    pub fn leaves(&self) -> bool {
        matches!(self, Self::Pause | Self::HandBack | Self::Close | Self::File(_))
    }

    /// Whether it can be done with a conversation, or why not.
    pub fn fits(&self, row: &ConversationRow) -> Result<(), String> {
        let asleep = row.local.is_asleep();
        match self {
            Self::Pause | Self::HandBack => switchable(row, *self == Self::Pause),
            Self::Close => closable(row),
            Self::File(filing) => filing.fits(row),
            Self::Snooze { .. } if crate::tab::Tab::is_closed(row) => Err("already closed".into()),
            Self::Wake if row.local.snooze.is_none() || !asleep => Err("not snoozed".into()),
            Self::Seen(true) if row.unread == 0 => Err("seen already".into()),
            Self::Seen(false) if row.unread > 0 => Err("not seen already".into()),
            Self::Seen(false) if row.last_inbound_at.is_none() => {
                Err("the customer has written nothing".into())
            }
            Self::DraftOnly(on) if row.local.draft_only.is_some() == *on => {
                Err(if *on { "draft-only already" } else { "not draft-only" }.into())
            }
            Self::DraftOnly(true) if crate::tab::Tab::is_closed(row) => Err("closed".into()),
            Self::Claim(false) if row.local.claim.is_none() => Err("not claimed".into()),
            Self::Tag { add, remove } if tagged(&row.local.tags, add, remove) == row.local.tags => {
                Err("its tags are so already".into())
            }
            _ => Ok(()),
        }
    }
}

/// Tags after some were added and others taken away, in the order of the
/// alphabet. What is added is only here until the server has it.
pub fn tagged(before: &[Tag], add: &[SafeText], remove: &[SafeText]) -> Vec<Tag> {
    let kept = before.iter().filter(|tag| !remove.contains(&tag.word)).cloned();
    let mut after: Vec<Tag> = kept.collect();
    for word in add {
        if !after.iter().any(|tag| tag.word == *word) {
            after.push(Tag { word: word.clone(), location: TagLocation::Local });
        }
    }
    after.sort_by(|one, other| one.word.as_str().cmp(other.word.as_str()));
    after
}

/// Which of many conversations a wish fits.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkPlan {
    pub wish: BulkWish,
    pub apply: Vec<ConversationRow>,
    /// The others, and why not.
    pub skipped: Vec<(ConversationRow, String)>,
}

impl BulkPlan {
    /// Plans a wish for these; `may` says whether the server can be asked for
    /// one at all.
    pub fn new(
        wish: BulkWish,
        rows: Vec<ConversationRow>,
        may: impl Fn(&ConversationRow) -> Result<(), String>,
    ) -> Self {
        let (mut apply, mut skipped) = (Vec::new(), Vec::new());
        for row in rows {
            let allowed = if wish.leaves() { may(&row) } else { Ok(()) };
            match allowed.and_then(|()| wish.fits(&row)) {
                Ok(()) => apply.push(row),
                Err(reason) => skipped.push((row, reason)),
            }
        }
        Self { wish, apply, skipped }
    }

    /// `38 of 40 apply; 2 do not: already closed`.
    pub fn describe(&self) -> String {
        let (apply, others) = (self.apply.len(), self.skipped.len());
        let words = format!("{apply} of {} apply", apply + others);
        let does = if others == 1 { "does" } else { "do" };
        match self.reasons().as_slice() {
            [] => words,
            [(_, reason)] => format!("{words}; {others} {does} not: {reason}"),
            reasons => {
                let each: Vec<String> =
                    reasons.iter().map(|(count, reason)| format!("{count} {reason}")).collect();
                format!("{words}; {others} {does} not: {}", each.join(", "))
            }
        }
    }

    /// What was done, and to which conversations.
    pub fn named(&self) -> String {
        match self.apply.as_slice() {
            [one] => format!("{} · {}", self.wish.past(), one.conversation.title()),
            many => format!("{} · {} {}", self.wish.past(), many.len(), self.wish.many()),
        }
    }

    /// Why some do not, the most frequent reason first.
    pub fn reasons(&self) -> Vec<(usize, &str)> {
        let mut reasons: Vec<(usize, &str)> = Vec::new();
        for (_, reason) in &self.skipped {
            // What can be done about it does not fit many.
            let short = reason.split([';', ',']).next().unwrap_or(reason);
            match reasons.iter_mut().find(|reason| reason.1 == short) {
                Some(found) => found.0 += 1,
                None => reasons.push((1, short)),
            }
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.0));
        reasons
    }
}

/// One conversation of a wish for many.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkItem {
    pub key: ConversationKey,
    pub title: SafeText,
    /// The row of the outbox, once it is there.
    pub row: Option<RowId>,
    /// What became of it; `Err` says why nothing was done.
    pub fate: Result<OutboxOutcome, String>,
}

/// What became of a wish for many.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The number of what was done.
    pub group: u64,
    pub wish: BulkWish,
    /// Each conversation, those left out last.
    pub items: Vec<BulkItem>,
    /// Whether what became of them has to be asked for.
    pub stale: bool,
    /// Whether its end has been told.
    pub told: bool,
}

impl Batch {
    /// A plan that is carried out now.
    pub fn new(group: u64, plan: &BulkPlan) -> Self {
        let item = |row: &ConversationRow, fate| BulkItem {
            key: row.key(),
            title: row.conversation.title(),
            row: None,
            fate,
        };
        let fate = if plan.wish.leaves() { OutboxOutcome::Waiting } else { OutboxOutcome::Done };
        let apply = plan.apply.iter().map(|conversation_row| item(conversation_row, Ok(fate.clone())));
        let skipped =
            plan.skipped.iter().map(|(conversation_row, why)| item(conversation_row, Err(why.clone())));
        let items = apply.chain(skipped).collect();
        Self { group, wish: plan.wish.clone(), items, stale: false, told: !plan.wish.leaves() }
    }

    /// How many are finished, and of how many.
    pub fn progress(&self) -> (usize, usize) {
        let mine = self.items.iter().filter_map(|item| item.fate.as_ref().ok());
        let (mut finished, mut total) = (0, 0);
        for fate in mine {
            total += 1;
            finished += usize::from(!matches!(fate, OutboxOutcome::Waiting | OutboxOutcome::Sending));
        }
        (finished, total)
    }

    /// Whether something of it is under way.
    pub fn is_under_way(&self) -> bool {
        let (finished, total) = self.progress();
        finished < total
    }

    /// How many came out so.
    pub fn count(&self, of: impl Fn(&OutboxOutcome) -> bool) -> usize {
        self.items
            .iter()
            .filter_map(|item| item.fate.as_ref().ok())
            .filter(|outbox_fate| of(outbox_fate))
            .count()
    }

    /// Rows of which it is not known what became.
    pub fn open_rows(&self) -> Vec<RowId> {
        let open = self
            .items
            .iter()
            .filter(|item| matches!(item.fate, Ok(OutboxOutcome::Waiting | OutboxOutcome::Sending)));
        open.filter_map(|bulk_item| bulk_item.row.clone()).collect()
    }
}

impl BulkPlan {
    /// The conversations it applies to, and why not the others.
    pub(crate) fn lines(&self) -> Vec<DialogLine> {
        let names = |rows: &mut dyn Iterator<Item = &ConversationRow>, total: usize| {
            let shown: Vec<String> =
                rows.take(SHOWN).map(|row| row.conversation.title().to_string()).collect();
            let rest = total.saturating_sub(SHOWN);
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            format!("{}{rest}", shown.join(", "))
        };
        let applied = names(&mut self.apply.iter(), self.apply.len());
        let mut lines =
            vec![DialogLine::plain(format!("{}.", self.describe())), DialogLine::new(applied, Tone::Own)];
        if !self.skipped.is_empty() {
            let skipped = names(&mut self.skipped.iter().map(|pair| &pair.0), self.skipped.len());
            lines.push(DialogLine::dim(format!("Left out: {skipped}")));
        }
        lines
    }
}
