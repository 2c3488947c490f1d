//! One action for many conversations: which it applies to, why it skips the others, and the outcome
//! of each. This module changes nothing itself.

pub(crate) mod update;

use std::collections::BTreeMap;

use crate::components::dialog::{DialogLine, Tone};
use crate::conditions::check_switchable;
use crate::screens::conversations::takeover::{check_closable, check_finishable, check_takeable, is_taken};
use crate::screens::mail::thread_filing::ThreadFiling;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, RowId};
use model::local::{Tag, TagLocation};
use model::queries::{ConversationKey, OutboxOutcome};
use model::text::SafeText;
use model::time::Timestamp;

/// Maximum number of conversations acted on without a confirmation.
pub const MAX_UNCONFIRMED: usize = 10;
const MAX_NAMED: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BulkAction {
    /// Pauses the AI and claims.
    Take,
    /// Pauses the AI and claims for a colleague, with a note.
    Assign {
        colleague: SafeText,
        note: Option<String>,
    },
    /// Hands back, releases and closes.
    Done,
    Pause,
    HandBack,
    Close,
    Snooze {
        until: Option<Timestamp>,
        /// True if it stays snoozed even when the customer writes.
        stays: bool,
        /// Shown when it comes back.
        note: Option<SafeText>,
    },
    Wake,
    Tag {
        add: Vec<SafeText>,
        remove: Vec<SafeText>,
    },
    /// True claims for the agent, false releases.
    Claim(bool),
    /// True keeps the AI paused and prepares drafts instead, false ends that.
    DraftOnly(bool),
    /// True marks as seen, false as not seen.
    Seen(bool),
    File(ThreadFiling),
}

impl BulkAction {
    /// Verb for the confirmation and the list of results.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Take => "take",
            Self::Assign { .. } => "assign",
            Self::Done => "finish",
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
            Self::Seen(false) => "mark as unseen",
            Self::File(filing) => filing.verb(),
        }
    }

    /// Past form for notices.
    pub fn past_verb(&self) -> &'static str {
        match self {
            Self::Take => "taken",
            Self::Assign { .. } => "assigned",
            Self::Done => "done",
            Self::Pause => "paused the AI in",
            Self::HandBack => "handed back",
            Self::Close => "closed",
            Self::Snooze { .. } => "snoozed",
            Self::Wake => "woke",
            Self::Tag { .. } => "tagged",
            Self::Claim(true) => "claimed",
            Self::Claim(false) => "released",
            Self::DraftOnly(true) => "draft-only",
            Self::DraftOnly(false) => "no longer draft-only: the AI stays paused",
            Self::Seen(true) => "marked as seen",
            Self::Seen(false) => "marked as unseen",
            Self::File(filing) => filing.past_verb(),
        }
    }

    pub fn plural_noun(&self) -> &'static str {
        if matches!(self, Self::File(_)) { "threads" } else { "conversations" }
    }

    pub fn needs_server(&self) -> bool {
        matches!(
            self,
            Self::Take
                | Self::Assign { .. }
                | Self::Done
                | Self::Pause
                | Self::HandBack
                | Self::Close
                | Self::File(_)
        )
    }

    pub fn check_applicable(&self, row: &ConversationRow) -> Result<(), String> {
        let asleep = row.local.is_asleep();
        match self {
            Self::Take => check_takeable(row),
            Self::Assign { colleague, .. } if is_taken(row, colleague) => {
                Err(format!("{colleague} has it already"))
            }
            Self::Assign { .. } => check_takeable(row),
            Self::Done => check_finishable(row),
            Self::Pause | Self::HandBack => check_switchable(row, *self == Self::Pause),
            Self::Close => check_closable(row),
            Self::File(filing) => filing.check_applicable(row),
            Self::Snooze { .. } if crate::tab::Tab::is_closed(row) => Err("already closed".into()),
            Self::Wake if row.local.snooze.is_none() || !asleep => Err("not snoozed".into()),
            Self::Seen(true) if row.unread == 0 => Err("already seen".into()),
            Self::Seen(false) if row.unread > 0 => Err("already unseen".into()),
            Self::Seen(false) if row.last_inbound_at.is_none() => Err("no message from the customer".into()),
            Self::DraftOnly(on) if row.local.draft_only.is_some() == *on => {
                Err(if *on { "already draft-only" } else { "not draft-only" }.into())
            }
            Self::DraftOnly(true) if crate::tab::Tab::is_closed(row) => Err("closed".into()),
            Self::Claim(false) if row.local.claim.is_none() => Err("not claimed".into()),
            Self::Tag { add, remove } if apply_tags(&row.local.tags, add, remove) == row.local.tags => {
                Err("tags already set".into())
            }
            _ => Ok(()),
        }
    }
}

/// Groups conversations by their channel, which local changes are made for.
pub(crate) fn by_channel(rows: &[ConversationRow]) -> BTreeMap<ChannelId, Vec<&ConversationRow>> {
    let mut groups: BTreeMap<ChannelId, Vec<&ConversationRow>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.channel.clone()).or_default().push(row);
    }
    groups
}

/// Applies additions and removals, sorted by word. Added tags are local until the server has them.
pub fn apply_tags(before: &[Tag], add: &[SafeText], remove: &[SafeText]) -> Vec<Tag> {
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

#[derive(Debug, Clone, PartialEq)]
pub struct BulkPlan {
    pub action: BulkAction,
    pub apply: Vec<ConversationRow>,
    /// Skipped rows with the reason.
    pub skipped: Vec<(ConversationRow, String)>,
}

impl BulkPlan {
    /// Splits `rows`; `may` says whether a request to the server is allowed for a row at all.
    pub fn new(
        action: BulkAction,
        rows: Vec<ConversationRow>,
        may: impl Fn(&ConversationRow) -> Result<(), String>,
    ) -> Self {
        let (mut apply, mut skipped) = (Vec::new(), Vec::new());
        for row in rows {
            let allowed = if action.needs_server() { may(&row) } else { Ok(()) };
            match allowed.and_then(|()| action.check_applicable(&row)) {
                Ok(()) => apply.push(row),
                Err(reason) => skipped.push((row, reason)),
            }
        }
        Self { action, apply, skipped }
    }

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

    /// Names the action in the past form with its conversation or their number.
    pub fn describe_done(&self) -> String {
        let verb = match &self.action {
            BulkAction::Assign { colleague, .. } => format!("assigned to {colleague}"),
            action => action.past_verb().to_owned(),
        };
        match self.apply.as_slice() {
            [one] => format!("{verb} · {}", one.conversation.title()),
            many => format!("{verb} · {} {}", many.len(), self.action.plural_noun()),
        }
    }

    /// Returns the reasons for skipping with their counts, most frequent first.
    pub fn reasons(&self) -> Vec<(usize, &str)> {
        let mut reasons: Vec<(usize, &str)> = Vec::new();
        for (_, reason) in &self.skipped {
            // Drop the advice after the reason: it does not fit several rows.
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

#[derive(Debug, Clone, PartialEq)]
pub struct BulkItem {
    pub key: ConversationKey,
    pub title: SafeText,
    pub row: Option<RowId>,
    /// `Err` holds the reason why nothing was done.
    pub outcome: Result<OutboxOutcome, String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Number of the undo group.
    pub group: u64,
    pub action: BulkAction,
    /// Skipped conversations come last.
    pub items: Vec<BulkItem>,
    /// True if the outcomes must be loaded again.
    pub stale: bool,
    /// True once its end was reported.
    pub is_reported: bool,
}

impl Batch {
    pub fn new(group: u64, plan: &BulkPlan) -> Self {
        let item = |row: &ConversationRow, fate| BulkItem {
            key: row.key(),
            title: row.conversation.title(),
            row: None,
            outcome: fate,
        };
        let fate = if plan.action.needs_server() { OutboxOutcome::Waiting } else { OutboxOutcome::Done };
        let apply = plan.apply.iter().map(|conversation_row| item(conversation_row, Ok(fate.clone())));
        let skipped =
            plan.skipped.iter().map(|(conversation_row, why)| item(conversation_row, Err(why.clone())));
        let items = apply.chain(skipped).collect();
        Self {
            group,
            action: plan.action.clone(),
            items,
            stale: false,
            is_reported: !plan.action.needs_server(),
        }
    }

    /// Returns the number of finished items and of all that apply.
    pub fn progress(&self) -> (usize, usize) {
        let mine = self.items.iter().filter_map(|item| item.outcome.as_ref().ok());
        let (mut finished, mut total) = (0, 0);
        for fate in mine {
            total += 1;
            finished += usize::from(!matches!(fate, OutboxOutcome::Waiting | OutboxOutcome::Sending));
        }
        (finished, total)
    }

    pub fn is_running(&self) -> bool {
        let (finished, total) = self.progress();
        finished < total
    }

    /// Counts the applied items whose outcome matches.
    pub fn count(&self, of: impl Fn(&OutboxOutcome) -> bool) -> usize {
        self.items
            .iter()
            .filter_map(|item| item.outcome.as_ref().ok())
            .filter(|outbox_fate| of(outbox_fate))
            .count()
    }

    /// Returns the outbox rows that are still waiting or being sent.
    pub fn open_rows(&self) -> Vec<RowId> {
        let open = self
            .items
            .iter()
            .filter(|item| matches!(item.outcome, Ok(OutboxOutcome::Waiting | OutboxOutcome::Sending)));
        open.filter_map(|bulk_item| bulk_item.row.clone()).collect()
    }
}

impl BulkPlan {
    /// Lines of the dialog: the summary, the names, and the names left out.
    pub(crate) fn lines(&self) -> Vec<DialogLine> {
        let names = |rows: &mut dyn Iterator<Item = &ConversationRow>, total: usize| {
            let shown: Vec<String> =
                rows.take(MAX_NAMED).map(|row| row.conversation.title().to_string()).collect();
            let rest = total.saturating_sub(MAX_NAMED);
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
