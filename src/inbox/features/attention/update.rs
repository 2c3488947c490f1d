//! Loads the page "Needs you", and handles the keys of its entries.

use crate::Inbox;
use crate::command::{Command, Reason};
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load};
use crate::features::attention::AttentionQueue;
use crate::features::attention::lines::target_words;
use crate::features::notifications;
use crate::keys::KeyPress;
use crate::overlays::listing;
use crate::overlays::listing::{ListKind, ListOverlay};
use crate::overlays::overlay::KeyOutcome;
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::broadcasts::control;
use crate::screens::conversations::bulk_plan::BulkAction;
use crate::screens::conversations::pauses::update as pauses;
use crate::screens::proposals::update as proposals;
use crate::tab::Focus;
use model::attention::{Alarms, AttentionEntry, AttentionQuery, AttentionReason};
use model::digest::{DigestEntry, DigestPlace};
use model::local::LocalChange;
use model::needs_you::{NeedsYouEntry, NeedsYouPage};
use model::proposals::ProposalVerdict;
use model::text::SafeText;
use model::time::Timestamp;

/// Action of a key on the selected entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttentionKey {
    Decide,
    HandBack,
    Pause,
    Take,
    Later,
    Continue,
    Drop,
}

impl AttentionKey {
    /// Each action with the command whose key it has.
    const ALL: [(Self, Command); 7] = [
        (Self::Decide, Command::DecideRow),
        (Self::HandBack, Command::HandBack),
        (Self::Pause, Command::PauseAi),
        (Self::Take, Command::Take),
        (Self::Later, Command::Later),
        (Self::Continue, Command::ContinueBroadcast),
        (Self::Drop, Command::DropProposal),
    ];

    fn of(key: KeyPress, context: &Context) -> Option<Self> {
        let found =
            Self::ALL.into_iter().find(|(_, command)| listing::list_key_for(context, *command) == key);
        found.map(|pair| pair.0)
    }
}

/// Opens the page on the entry that was opened last.
pub(crate) fn show_attention(inbox: &mut Inbox) {
    inbox.features.absence.end_announcement();
    (inbox.features.attention.page, inbox.features.attention.stale) = (None, false);
    inbox.context.push(Effect::Load(Load::NeedsYou(query(&inbox.desk, &inbox.context))));
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

impl AttentionQueue {
    /// Reloads the page if it is shown or its events are to be announced, and the alarms once they are due or
    /// outdated.
    pub(crate) fn follow(&mut self, announces: bool, desk: &Desk, context: &mut Context) {
        let shown = context
            .overlays
            .all_of::<ListOverlay>()
            .any(|list_overlay| list_overlay.kind == ListKind::NeedsYou);
        if (shown || announces) && std::mem::take(&mut self.stale) {
            context.push(Effect::Load(Load::NeedsYou(query(desk, context))));
        }
        let due = self.alarms.next.is_some_and(|time| time <= context.now);
        if !self.asked && (due || self.alarms_stale || self.rung_until.is_none()) {
            (self.asked, self.alarms_stale) = (true, false);
            // Entries that became due before this desk was opened do not ring.
            let since = *self.rung_until.get_or_insert(context.now);
            context.push(Effect::Load(Load::Alarms(query(desk, context), since)));
        }
    }

    /// Rings for entries that became due by `until`.
    pub(crate) fn alarms_loaded(
        &mut self,
        alarms: Alarms,
        until: Timestamp,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        (self.asked, self.stale) = (false, true);
        self.rung_until = Some(until);
        for entry in &alarms.fired {
            ring(entry, desk, context);
        }
        for channel in &alarms.moved {
            let change = LocalChange::ApplyTime { now: context.now, lease: context.settings.pause_lease };
            context.push(FileWrite::ChangeLocal(channel.clone(), change));
        }
        self.alarms = alarms;
    }

    /// Stores the page. The selected entry stays selected; after opening, it is the one that was opened last.
    pub(crate) fn loaded(&mut self, page: NeedsYouPage, context: &mut Context) {
        let before = self.page.replace(page);
        let after = self.entries();
        for list in context
            .overlays
            .all_of_mut::<ListOverlay>()
            .filter(|list_overlay| list_overlay.kind == ListKind::NeedsYou)
        {
            let id = match &before {
                Some(before) => before.entries.get(list.chosen).map(NeedsYouEntry::id),
                None => self.visited.clone(),
            };
            let place = id.and_then(|id| after.iter().position(|entry| entry.id() == id));
            list.chosen = place.unwrap_or(list.chosen).min(after.len().saturating_sub(1));
        }
    }

    pub(crate) fn entries(&self) -> &[NeedsYouEntry] {
        self.page.as_ref().map_or(&[], |page| &page.entries)
    }
}

/// Reports an entry that has become due.
fn ring(entry: &AttentionEntry, desk: &mut Desk, context: &mut Context) {
    let who = entry.title.as_str();
    let words = match &entry.reason {
        AttentionReason::AiSilent(_) => {
            format!("no answer from the AI since the hand-back: {who} is waiting")
        }
        AttentionReason::TargetNear(row) => format!("{who}: {}", target_words(row, context)),
        AttentionReason::Stopped(_)
        | AttentionReason::AiEscalated(_)
        | AttentionReason::PauseExpired(_)
        | AttentionReason::AiInTrouble(_)
        | AttentionReason::CampaignPaused(_)
        | AttentionReason::Proposed(_) => return,
    };
    let words = SafeText::line(&words);
    notifications::report_alarm(desk, &entry.channel, &words, context);
}

/// Opens the place of the selected entry.
pub(crate) fn go_to(inbox: &mut Inbox, chosen: usize) -> KeyOutcome {
    let Some(entry) = chosen_entry(inbox, chosen) else { return KeyOutcome::Stay };
    inbox.features.attention.visited = Some(entry.id());
    match &entry {
        NeedsYouEntry::Attention(entry) => go_to_attention(inbox, entry),
        NeedsYouEntry::Paused(pause) => {
            let key = pause.key();
            inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
            KeyOutcome::Done
        }
        NeedsYouEntry::Event(event) => go_to_event(inbox, event),
    }
}

fn go_to_event(inbox: &mut Inbox, event: &DigestEntry) -> KeyOutcome {
    match &event.place {
        DigestPlace::Conversation(key) => {
            inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        }
        DigestPlace::Outbox => pages::go_to_page(inbox, PageKind::Outbox),
        DigestPlace::Broadcasts => pages::go_to_page(inbox, PageKind::Broadcasts),
        DigestPlace::Nowhere => return KeyOutcome::Stay,
    }
    KeyOutcome::Done
}

fn go_to_attention(inbox: &mut Inbox, entry: &AttentionEntry) -> KeyOutcome {
    match (&entry.reason, entry.conversation()) {
        (AttentionReason::Stopped(row), Some(key)) => {
            inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
            inbox.desk.select_item(row.id.clone());
        }
        (AttentionReason::Stopped(_), None) => {
            inbox.desk.activate_tab(&entry.channel);
            pages::go_to_page(inbox, PageKind::Outbox);
        }
        (AttentionReason::CampaignPaused(campaign), _) => {
            inbox.desk.activate_tab(&entry.channel);
            pages::go_to_page(inbox, PageKind::Broadcasts);
            inbox.broadcasts.choose_campaign(campaign.id.clone());
        }
        (_, Some(key)) => {
            inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        }
        (_, None) => return KeyOutcome::Stay,
    }
    KeyOutcome::Done
}

/// Handles a key that does not move in the list.
pub(crate) fn pressed(inbox: &mut Inbox, chosen: usize, key: KeyPress) {
    let Some(key) = AttentionKey::of(key, &inbox.context) else { return };
    let Some(entry) = chosen_entry(inbox, chosen) else { return };
    if let Err(why) = act(inbox, key, &entry) {
        let why = inbox.context.fill_in_keys(&why);
        inbox.context.show_warning(why);
    }
}

fn chosen_entry(inbox: &Inbox, chosen: usize) -> Option<NeedsYouEntry> {
    inbox.features.attention.entries().get(chosen).cloned()
}

/// Applies a key to an entry, or returns the reason why it cannot.
fn act(inbox: &mut Inbox, key: AttentionKey, entry: &NeedsYouEntry) -> Result<(), Reason> {
    let conversation = || entry.conversation().ok_or("no conversation belongs to it");
    match key {
        AttentionKey::Take => {
            inbox.changes.start_bulk_action(vec![conversation()?], BulkAction::Take, &mut inbox.context);
            return Ok(());
        }
        AttentionKey::Later => {
            inbox.changes.snooze_rows(vec![conversation()?], &mut inbox.context);
            return Ok(());
        }
        _ => (),
    }
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == *entry.channel());
    conditions::check_tab_writable(tab.ok_or("its channel was removed")?)?;
    if let (AttentionKey::HandBack, NeedsYouEntry::Paused(pause)) = (key, entry) {
        pauses::hand_back_all(&mut inbox.desk, std::slice::from_ref(pause), &mut inbox.context);
        return Ok(());
    }
    let reason = match entry {
        NeedsYouEntry::Attention(entry) => Some(&entry.reason),
        NeedsYouEntry::Paused(_) | NeedsYouEntry::Event(_) => None,
    };
    match (key, reason) {
        (AttentionKey::Decide, Some(AttentionReason::Stopped(row))) => {
            inbox.context.push(Effect::Load(Load::Question(row.id.clone(), inbox.context.now)));
        }
        (AttentionKey::Decide, Some(AttentionReason::Proposed(entry))) => {
            proposals::accept(inbox, (**entry).clone())
        }
        (AttentionKey::Drop, Some(AttentionReason::Proposed(entry))) => {
            let verdict = ProposalVerdict::Dropped;
            inbox.context.push(FileWrite::SettleProposal(entry.proposal.id.clone(), verdict));
        }
        (AttentionKey::Continue, Some(AttentionReason::CampaignPaused(campaign))) => {
            control::ask_to_continue(campaign, &mut inbox.context);
        }
        (AttentionKey::HandBack, _) => {
            inbox.changes.start_bulk_action(vec![conversation()?], BulkAction::HandBack, &mut inbox.context);
        }
        (AttentionKey::Pause, _) => {
            inbox.changes.start_bulk_action(vec![conversation()?], BulkAction::Pause, &mut inbox.context);
        }
        (AttentionKey::Decide, _) => return Err("nothing to decide here; Enter opens it".into()),
        (AttentionKey::Drop, _) => return Err("only proposals can be dropped".into()),
        (AttentionKey::Continue, _) => return Err("only broadcasts can be continued".into()),
        (AttentionKey::Take | AttentionKey::Later, _) => (),
    }
    Ok(())
}
