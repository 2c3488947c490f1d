//! Lists what needs a person, with the keys of where each of it is at home.

use crate::Inbox;
use crate::command::{Command, Reason};
use crate::components::list::ListLine;
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load};
use crate::features::attention::AttentionQueue;
use crate::keys::KeyPress;
use crate::overlays::listing;
use crate::overlays::listing::{ListKind, ListOverlay};
use crate::overlays::overlay::KeyOutcome;
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::broadcasts::steering;
use crate::screens::conversations::bulk_plan::BulkWish;
use crate::screens::proposals::update as proposals;
use crate::tab::Focus;
use model::attention::{AttentionAnswer, AttentionEntry, AttentionQuery, AttentionReason, AttentionRequest};
use model::conversations::{ConversationRow, Escalation};
use model::outbox::RowState;
use model::proposals::ProposalVerdict;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};
use model::waves;

/// What a key of the list does with the chosen entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttentionKey {
    Decide,
    HandBack,
    Pause,
    Claim,
    Snooze,
    Continue,
    Drop,
}

impl AttentionKey {
    /// Each with the command whose key it is elsewhere, too.
    const ALL: [(Self, Command); 7] = [
        (Self::Decide, Command::DecideRow),
        (Self::HandBack, Command::HandBack),
        (Self::Pause, Command::PauseAi),
        (Self::Claim, Command::Claim),
        (Self::Snooze, Command::Snooze),
        (Self::Continue, Command::ContinueBroadcast),
        (Self::Drop, Command::DropProposal),
    ];

    fn of(key: KeyPress, context: &Context) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(_, command)| listing::list_key_of(context, *command) == key);
        found.map(|pair| pair.0)
    }
}

/// Opens the list.
pub(crate) fn show_attention(inbox: &mut Inbox) {
    inbox.features.attention.stale = false;
    inbox.context.push(Effect::Load(all(&inbox.desk, &inbox.context)));
    listing::show_list(&mut inbox.context, ListKind::NeedsYou);
}

pub(crate) fn query(desk: &Desk, context: &Context) -> AttentionQuery {
    AttentionQuery {
        channels: desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect(),
        now: context.now,
        lease: context.settings.pause_lease,
        targets: context.settings.targets.clone(),
    }
}

fn all(desk: &Desk, context: &Context) -> Load {
    Load::Attention(AttentionRequest::List(query(desk, context)))
}

impl AttentionQueue {
    /// Reads the list anew where it is shown, and looks at the clock.
    pub(crate) fn follow(&mut self, desk: &Desk, context: &mut Context) {
        let shown =
            context.layers.of::<ListOverlay>().any(|list_overlay| list_overlay.kind == ListKind::NeedsYou);
        if shown && std::mem::take(&mut self.stale) {
            context.push(Effect::Load(all(desk, context)));
        }
        let due = self.alarms.next.is_some_and(|time| time <= context.now);
        if !self.asked && (due || self.alarms_stale || self.rung_until.is_none()) {
            (self.asked, self.alarms_stale) = (true, false);
            // What became due before this desk was opened rings no more.
            let since = *self.rung_until.get_or_insert(context.now);
            let ask = AttentionRequest::Alarms(query(desk, context), since);
            context.push(Effect::Load(Load::Attention(ask)));
        }
    }

    /// What was asked for has come.
    pub(crate) fn answered(&mut self, answer: AttentionAnswer, desk: &mut Desk, context: &mut Context) {
        match answer {
            AttentionAnswer::List(entries, more) => self.loaded(entries, more, context),
            AttentionAnswer::Alarms(alarms, until) => {
                (self.asked, self.stale) = (false, true);
                self.rung_until = Some(until);
                for entry in &alarms.fired {
                    ring(entry, desk, context);
                }
                self.alarms = alarms;
            }
        }
    }

    /// The list was read; the chosen entry stays chosen.
    fn loaded(&mut self, entries: Vec<AttentionEntry>, more: bool, context: &mut Context) {
        let before = self.entries.replace(entries).unwrap_or_default();
        self.more = more;
        let after = self.entries.as_deref().unwrap_or_default();
        for list in context
            .layers
            .of_mut::<ListOverlay>()
            .filter(|list_overlay| list_overlay.kind == ListKind::NeedsYou)
        {
            let name = before.get(list.chosen).map(AttentionEntry::id);
            let place =
                name.and_then(|name| after.iter().position(|attention_entry| attention_entry.id() == name));
            list.chosen = place.unwrap_or(list.chosen).min(after.len().saturating_sub(1));
        }
    }

    /// The title of the list.
    pub(crate) fn title(&self) -> String {
        match (&self.entries, self.more) {
            (None, _) => "Needs you".to_owned(),
            (Some(entries), more) => format!("Needs you · {}{}", entries.len(), if more { "+" } else { "" }),
        }
    }

    /// What the list says without a line.
    pub(crate) fn empty(&self) -> &'static str {
        match &self.entries {
            None => "Reading ...",
            Some(_) => "Nothing needs you: nothing asks, no pause is over, the AI copes, no broadcast waits.",
        }
    }

    /// The lines of the list.
    pub(crate) fn lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        self.entries.iter().flatten().map(|entry| line(entry, desk, context)).collect()
    }
}

/// The time of something has come. Names stay on the screen where they are
/// hidden: a notification may be seen by others.
fn ring(entry: &AttentionEntry, desk: &mut Desk, context: &mut Context) {
    let who = if desk.panes.blurred { "A customer" } else { entry.title.as_str() };
    let words = match &entry.reason {
        AttentionReason::AiSilent(_) => format!("the AI did not wake up: {who} waits"),
        AttentionReason::TargetNear(row) => format!("{who}: {}", target_words(row, context)),
        AttentionReason::Stopped(_)
        | AttentionReason::AiEscalated(_)
        | AttentionReason::PauseExpired(_)
        | AttentionReason::AiInTrouble(_)
        | AttentionReason::CampaignPaused(_)
        | AttentionReason::Proposed(_) => return,
    };
    let words = SafeText::line(&words);
    desk.alarmed(&entry.channel, &words, context);
}

/// How much is left to answer, or how late an answer is.
fn target_words(row: &ConversationRow, context: &Context) -> String {
    match row.target_state(context.now, context.settings.targets_of(&row.channel)) {
        Some(TargetState::OnTime(left) | TargetState::Near(left)) => {
            format!("{} left to answer", format_short_span(left))
        }
        Some(TargetState::Missed(late)) => format!("the answer is {} late", format_short_span(late)),
        None => "answered".to_owned(),
    }
}

fn line(entry: &AttentionEntry, desk: &Desk, context: &Context) -> ListLine {
    let now = context.now;
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == entry.channel && desk.tabs.len() > 1);
    let right = [
        tab.map(|tab| tab.channel.name.clone()),
        entry.since().map(|time| format_short_span(now.since(time))),
    ];
    let quiet = match &entry.reason {
        AttentionReason::PauseExpired(it) => it.waiting_since.is_none(),
        AttentionReason::Proposed(_) | AttentionReason::CampaignPaused(_) => true,
        AttentionReason::Stopped(_)
        | AttentionReason::AiSilent(_)
        | AttentionReason::AiEscalated(_)
        | AttentionReason::TargetNear(_)
        | AttentionReason::AiInTrouble(_) => false,
    };
    ListLine {
        name: entry.title.clone(),
        words: SafeText::line(&describe_reason(&entry.reason, context)),
        right: right.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        loud: !quiet,
        dim: false,
        goes_to: entry.conversation(),
    }
}

/// Why it needs a person.
pub(crate) fn describe_reason(reason: &AttentionReason, context: &Context) -> String {
    let now = context.now;
    match reason {
        AttentionReason::Stopped(row) => match &row.state {
            RowState::Stopped(_, why) => format!("asks: {why}: {}", row.operation.summary()),
            _ => row.operation.summary().to_string(),
        },
        AttentionReason::AiSilent(row) => {
            format!("the AI did not wake up: {}", row.conversation.preview)
        }
        AttentionReason::AiEscalated(row) => asks(row, now),
        AttentionReason::TargetNear(row) => {
            format!("{}: {}", target_words(row, context), row.conversation.preview)
        }
        AttentionReason::PauseExpired(it) => {
            let waits =
                it.waiting_since.map(|at| format!(", customer waits {}", format_short_span(now.since(at))));
            format!("the pause is over{}", waits.unwrap_or_default())
        }
        AttentionReason::AiInTrouble(row) => {
            let why = row.describe_trouble(now).unwrap_or_else(|| row.conversation.preview.to_string());
            format!("AI fails: {why}")
        }
        AttentionReason::CampaignPaused(it) => waves::describe_pause(it),
        AttentionReason::Proposed(it) => {
            let (who, change) = (&it.proposal.proposer, &it.proposal.change);
            format!("{who} proposes to {}: {}", change.word(), change.summary())
        }
    }
}

fn asks(row: &ConversationRow, now: Timestamp) -> String {
    let why = match &row.conversation.escalation {
        Escalation::Requested(why) if !why.is_empty() => format!(" ({why})"),
        _ => String::new(),
    };
    let waits = row.waiting_since.map(|at| format!(", waits {}", format_short_span(now.since(at))));
    format!("the AI asks for a person{why}{}", waits.unwrap_or_default())
}

/// What the keys do, for the frame of the list.
pub(crate) fn keys_said(context: &Context) -> String {
    let key = |command| listing::list_key_of(context, command);
    format!(
        "{} decide · {} hand back · {} pause · Enter go · Esc",
        key(Command::DecideRow),
        key(Command::HandBack),
        key(Command::PauseAi)
    )
}

/// Goes to where the chosen entry is at home.
pub(crate) fn go_to(inbox: &mut Inbox, chosen: usize) -> KeyOutcome {
    let Some(entry) = chosen_entry(inbox, chosen) else { return KeyOutcome::Stay };
    match (&entry.reason, entry.conversation()) {
        (AttentionReason::Stopped(row), Some(key)) => {
            inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
            inbox.desk.select_item(row.id.clone());
        }
        (AttentionReason::Stopped(_), None) => {
            inbox.desk.take_up(&entry.channel);
            pages::go_to_page(inbox, PageKind::Outbox);
        }
        (AttentionReason::CampaignPaused(it), _) => {
            inbox.desk.take_up(&entry.channel);
            pages::go_to_page(inbox, PageKind::Broadcasts);
            inbox.broadcasts.choose_campaign(it.id.clone());
        }
        (_, Some(key)) => {
            inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        }
        (_, None) => return KeyOutcome::Stay,
    }
    KeyOutcome::Done
}

/// A key of the list that does not move in it.
pub(crate) fn pressed(inbox: &mut Inbox, chosen: usize, key: KeyPress) {
    let Some(key) = AttentionKey::of(key, &inbox.context) else { return };
    let Some(entry) = chosen_entry(inbox, chosen) else { return };
    if let Err(why) = act(inbox, key, &entry) {
        let why = inbox.context.keyed(&why);
        inbox.context.warn(why);
    }
}

fn chosen_entry(inbox: &Inbox, chosen: usize) -> Option<AttentionEntry> {
    inbox.features.attention.entries.as_ref()?.get(chosen).cloned()
}

/// Does with an entry what its key does where it is at home, or says why not.
fn act(inbox: &mut Inbox, key: AttentionKey, entry: &AttentionEntry) -> Result<(), Reason> {
    let conversation = || entry.conversation().ok_or("it belongs to no conversation");
    match (key, &entry.reason) {
        (AttentionKey::Claim, _) => {
            inbox.changes.act_on(vec![conversation()?], BulkWish::Claim(true), &mut inbox.context);
            return Ok(());
        }
        (AttentionKey::Snooze, _) => {
            inbox.changes.snooze_these(vec![conversation()?], &mut inbox.context);
            return Ok(());
        }
        _ => (),
    }
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == entry.channel);
    conditions::tab_writable(tab.ok_or("its tab is gone")?)?;
    match (key, &entry.reason) {
        (AttentionKey::Decide, AttentionReason::Stopped(row)) => {
            inbox.context.push(Effect::Load(Load::Question(row.id.clone(), inbox.context.now)));
        }
        (AttentionKey::Decide, AttentionReason::Proposed(it)) => proposals::accept(inbox, (**it).clone()),
        (AttentionKey::Drop, AttentionReason::Proposed(it)) => {
            let verdict = ProposalVerdict::Dropped;
            inbox.context.push(FileWrite::SettleProposal(it.proposal.id.clone(), verdict));
        }
        (AttentionKey::Continue, AttentionReason::CampaignPaused(it)) => {
            steering::ask_to_continue(it, &mut inbox.context);
        }
        (AttentionKey::HandBack, _) => {
            inbox.changes.act_on(vec![conversation()?], BulkWish::HandBack, &mut inbox.context);
        }
        (AttentionKey::Pause, _) => {
            inbox.changes.act_on(vec![conversation()?], BulkWish::Pause, &mut inbox.context);
        }
        (AttentionKey::Decide, _) => return Err("there is nothing to decide here; Enter goes there".into()),
        (AttentionKey::Drop, _) => return Err("only a proposal is dropped with this key".into()),
        (AttentionKey::Continue, _) => return Err("only a broadcast goes on with this key".into()),
        (AttentionKey::Claim | AttentionKey::Snooze, _) => (),
    }
    Ok(())
}
