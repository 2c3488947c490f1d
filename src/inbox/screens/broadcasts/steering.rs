//! Between two waves: pause, continue with another limit, stop; the report
//! over the recipients, those that failed, and trying them again.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::components::text_view::TextView;
use crate::conditions::tab_writable;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder, TerminalOrder};
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::pages::PageKind;
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::broadcasts::sending;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::broadcasts::{BroadcastActionResult, BroadcastOrder};
use model::board::{BoardEntry, RecipientOutcome, RecipientStatus, report_csv};
use model::fetches::{Fetch, FetchOutcome};
use model::ids::{BroadcastId, CampaignId};
use model::prices;
use model::text::SafeText;
use model::time::MINUTE;
use model::waves::audience::{AudienceQuery, AudienceSource};
use model::waves::{Campaign, CampaignPhase, PauseCause, Wave, WaveRowState};

/// How the list of recipients is called.
const RECIPIENTS: &str = "Recipients";
/// The server's clock and this desk's may differ by so much.
const SLACK: i64 = 2 * MINUTE;

/// A campaign that is to go on, and the limit being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuing {
    pub id: CampaignId,
    pub why: SafeText,
    /// The limit of failures, in percent.
    pub limit: TextLine,
    pub wrong: Option<String>,
}

impl Overlay for Continuing {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut 0, 0..1) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::Submit => match self.limit.text().trim().parse::<u8>() {
                Ok(limit) if limit <= 100 => {
                    let order =
                        BroadcastOrder::Continue(self.id.clone(), Some(limit), inbox.desk.quality_now());
                    inbox.context.push(FileWrite::Campaign(order));
                    return KeyOutcome::Done;
                }
                _ => self.wrong = Some("0 to 100 percent".to_owned()),
            },
            FormKey::Moved => (),
            FormKey::Field => drop(self.limit.key(key)),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::TypedAnswer
    }
}

impl OverlayView for Continuing {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let mut lines = Vec::new();
        if !self.why.is_empty() {
            lines.extend([DialogLine::error(self.why.to_string()), DialogLine::gap()]);
        }
        let seen = "What it came to so far was seen by you and does not stop it again.";
        lines.push(DialogLine::plain(seen));
        lines.push(DialogLine::strong(format!("Stop above: {}_ % failed", self.limit.text())));
        lines.extend(self.wrong.iter().map(DialogLine::error));
        lines.push(DialogLine::gap());
        lines.push(DialogLine::keys(&[("Enter", "CONTINUE anyway"), ("Esc", "stay paused")]));
        Dialog::new("Continue the broadcast?", lines)
    }
}

/// Asks for the limit a campaign shall go on with.
pub(crate) fn ask_to_continue(campaign: &Campaign, context: &mut Context) {
    let asks = campaign.waves.iter().any(|wave| matches!(wave.row_state, WaveRowState::NeedsDecision(_)));
    if campaign.pause_cause == Some(PauseCause::Row) && asks {
        let words = "a wave's row asks first: {go-to-outbox} decides over it";
        return context.warn(context.keyed(words));
    }
    let limit = TextLine::given(campaign.plan.rules.failed_percent.to_string(), 0);
    let (id, why) = (campaign.id.clone(), campaign.why.clone());
    context.open(Continuing { id, why, limit, wrong: None });
}

impl BroadcastsScreen {
    fn chosen_campaign(&self) -> Option<&Campaign> {
        self.rows.chosen().and_then(BoardEntry::campaign)
    }

    /// Why the chosen row cannot be steered so.
    pub(crate) fn steerable(&self, phase: Option<CampaignPhase>, desk: &Desk) -> Result<&Campaign, String> {
        let entry = self.rows.chosen().ok_or("no broadcast is chosen")?;
        let campaign = entry
            .campaign()
            .ok_or("it was not begun in waves: the interface has no way to stop what has been taken")?;
        if let Some(tab) = desk.tabs.iter().find(|tab| tab.channel.id == campaign.channel) {
            tab_writable(tab)?;
        }
        match phase {
            _ if !campaign.phase.is_open() => Err(format!("it is {}", campaign.phase.word())),
            Some(wanted) if campaign.phase != wanted => Err(match campaign.phase {
                CampaignPhase::Paused => "it is paused; {continue-broadcast} goes on".to_owned(),
                _ => "it goes on already; {pause-broadcast} pauses it".to_owned(),
            }),
            _ => Ok(campaign),
        }
    }

    /// Pauses it: the wave that has left goes its way, no further one leaves.
    pub(crate) fn pause_broadcast(&mut self, context: &mut Context) {
        if let Some(id) = self.chosen_campaign().map(|chosen_campaign| chosen_campaign.id.clone()) {
            context.push(FileWrite::Campaign(BroadcastOrder::Halt(id, CampaignPhase::Paused)));
        }
    }

    /// Asks for the limit it shall go on with.
    pub(crate) fn ask_continue(&mut self, context: &mut Context) {
        if let Some(campaign) = self.chosen_campaign() {
            ask_to_continue(campaign, context);
        }
    }

    /// Asks whether to stop it for good.
    pub(crate) fn ask_stop(&mut self, context: &mut Context) {
        let Some(campaign) = self.chosen_campaign() else { return };
        let left = campaign.unsent_count();
        let leaves = campaign.waves.iter().any(|wave| matches!(wave.row_state, WaveRowState::Sending));
        let id = campaign.id.clone();
        let mut lines = vec![DialogLine::plain(format!(
            "{} {} not been sent to, and will not be. What the server has taken goes its way: the interface \
             cannot take it back.",
            prices::format_people(left),
            if left == 1 { "has" } else { "have" }
        ))];
        if leaves {
            lines.push(DialogLine::new("One wave is leaving now; it may still be taken.", Tone::Waiting));
        }
        let stop = |inbox: &mut Inbox| {
            inbox.context.push(FileWrite::Campaign(BroadcastOrder::Halt(id, CampaignPhase::Stopped)));
        };
        context.open(Confirm::new("STOP the broadcast?", lines).answer('y', "STOP for good", stop).no("not"));
    }

    /// `:export csv`
    pub(crate) fn export_csv(
        &mut self,
        file: &str,
        desk: &Desk,
        context: &mut Context,
    ) -> Result<(), String> {
        if desk.page != PageKind::Broadcasts {
            return Err(context.keyed("a broadcast is reported as csv; {go-to-broadcasts} shows them"));
        }
        self.export_report(file, context);
        Ok(())
    }

    /// Those that failed, as far as messages show.
    pub(crate) fn failed_ones(&self) -> Result<Vec<RecipientStatus>, String> {
        let detail = self.board_detail().ok_or("it is still being read")?;
        if detail.recipients.is_empty() {
            return Err("whom it went to is not known here".to_owned());
        }
        let failed: Vec<RecipientStatus> = detail.failed_recipients().cloned().collect();
        let counted = self.rows.chosen().map_or(0, |chosen| chosen.counts().failed);
        if failed.is_empty() && counted > 0 {
            return Err(format!(
                "the server counts {counted} failed and does not say who; no message read here shows one"
            ));
        }
        if failed.is_empty() { Err("nobody failed".to_owned()) } else { Ok(failed) }
    }

    /// Copies the numbers of those that failed.
    pub(crate) fn copy_failed(&mut self, context: &mut Context) {
        match self.failed_ones() {
            Ok(failed) => {
                let line = |recipient_status: &RecipientStatus| {
                    let phone =
                        recipient_status.phone.as_deref().unwrap_or(recipient_status.contact.as_str());
                    SafeText::line(phone).to_string()
                };
                let lines: Vec<String> = failed.iter().map(line).collect();
                let what = format!("{} that failed", lines.len());
                context.push(TerminalOrder::Copy(lines.join("\n"), what));
            }
            Err(why) => context.warn(why),
        }
    }

    /// A new broadcast to those that failed, with the form of the old one.
    pub(crate) fn retry_failed(&mut self, context: &mut Context) {
        let Some(campaign) = self.chosen_campaign() else { return };
        let query = AudienceQuery {
            channel: campaign.channel.clone(),
            source: AudienceSource::Failed(campaign.id.clone()),
        };
        self.open_broadcast_form(query, context);
    }

    /// Writes the report over the recipients into a file.
    pub(crate) fn export_report(&mut self, file: &str, context: &mut Context) {
        let Some(detail) = self.board_detail().filter(|board_detail| !board_detail.recipients.is_empty())
        else {
            return context.warn("whom it went to is not known here: there is nothing to report");
        };
        let text = report_csv(&detail.recipients);
        let id =
            self.chosen_campaign().map(|chosen_campaign| chosen_campaign.id.to_string()).unwrap_or_default();
        let file = if file.is_empty() { format!("broadcast-{id}.csv") } else { file.to_owned() };
        context.push(FileWrite::Campaign(BroadcastOrder::Report { text, file }));
    }

    /// Shows its recipients, and asks the server for the messages that went
    /// out since.
    pub(crate) fn open_recipients(&mut self, context: &mut Context) {
        self.show_recipients(context);
        let Some(campaign) = self.chosen_campaign() else { return };
        let since = campaign.waves.iter().filter_map(|wave| wave.sent_at).min();
        let channel = campaign.channel.clone();
        context
            .push_all(since.map(|time| SyncOrder::Fetch(channel, Fetch::Sent { since: time.plus(-SLACK) })));
    }

    /// What was read of the chosen one has come: whoever looks at its
    /// recipients sees it.
    pub(crate) fn refresh_recipients(&mut self, context: &mut Context) {
        let is_open = context.layers.top::<TextView>().is_some_and(|top| top.title.starts_with(RECIPIENTS));
        if std::mem::take(&mut self.refreshes) && is_open {
            context.layers.pop();
            self.show_recipients(context);
        }
    }

    /// Shows its recipients, each with what became of it.
    fn show_recipients(&mut self, context: &mut Context) {
        let Some(entry) = self.rows.chosen() else { return };
        let Some(detail) = self.board_detail() else { return context.warn("it is still being read") };
        let counts = entry.counts();
        let mut lines = Vec::new();
        let mut add = |words: String| lines.push(SafeText::line(&words));
        if let Some(campaign) = entry.campaign() {
            add(format!("plan: {}", campaign.plan.describe(campaign.count)));
            for (number, wave) in campaign.waves.iter().enumerate() {
                add(format!(
                    "wave {}: {} · {}",
                    number + 1,
                    prices::format_people(wave.size),
                    wave_words(wave)
                ));
            }
        }
        add(String::new());
        let all_refused = detail
            .recipients
            .iter()
            .all(|recipient| matches!(recipient.outcome, RecipientOutcome::Refused(_)));
        match (detail.recipients.is_empty(), detail.has_read_recipients()) {
            (false, _) if all_refused && counts.failed < entry.recipient_count() => {
                add("The service names those it did not reach; of the others nothing is known here."
                    .to_owned())
            }
            (true, _) => add("Whom it went to is not known here.".to_owned()),
            (false, false) if counts.recipients > 0 => {
                add("The interface tells no recipients, and no message of it was read here: all are unknown."
                    .to_owned())
            }
            (false, _) => {
                add("Rebuilt from messages read here and what the service says of failures.".to_owned())
            }
        }
        let order = |recipient_status: &&RecipientStatus| recipient_status.outcome.failure_reason().is_none();
        let mut all: Vec<&RecipientStatus> = detail.recipients.iter().collect();
        all.sort_by_key(order);
        for it in all {
            let name = it.name.as_ref().map_or_else(|| it.contact.to_string(), ToString::to_string);
            let phone = it.phone.clone().unwrap_or_else(|| "no number read".to_owned());
            let replied = if it.replied { " · replied" } else { "" };
            let why = it
                .outcome
                .failure_reason()
                .map(|reason| format!(" · {}", reason.describe()))
                .unwrap_or_default();
            add(format!("{:13} {phone}  {name}{why}{replied}", it.outcome.label()));
        }
        let title = format!("{RECIPIENTS} · {}", entry.title());
        context.open(TextView::new(title, lines));
    }
}

impl Desk {
    /// The quality rating as it is known now.
    pub(crate) fn quality_now(&self) -> Option<SafeText> {
        self.tab().account.as_ref().and_then(|account| account.quality_rating.clone())
    }
}

/// An order was carried out, or came too late.
pub(crate) fn campaign_answered(inbox: &mut Inbox, answer: BroadcastActionResult) {
    broadcasts::board_changed(inbox);
    inbox.rows_changed();
    let counts = inbox.desk.tabs.iter().map(|tab| Effect::Load(Load::Counts(tab.channel.id.clone())));
    inbox.context.effects.extend(counts);
    match answer {
        BroadcastActionResult::Begun(new, id) => sending::broadcast_begun(inbox, *new, id),
        BroadcastActionResult::Done(BroadcastOrder::Recall(_), true) => {
            inbox.context.say("taken back; nothing has left, and the form is kept");
        }
        BroadcastActionResult::Done(BroadcastOrder::Recall(_), false) => {
            inbox.context.warn(
                inbox
                    .context
                    .keyed("too late: the first wave has left; {stop-broadcast} in the deck stops the rest"),
            );
        }
        BroadcastActionResult::Done(BroadcastOrder::Halt(_, CampaignPhase::Paused), true) => {
            inbox
                .context
                .say(inbox.context.keyed("paused: no further wave leaves; {continue-broadcast} goes on"));
        }
        BroadcastActionResult::Done(BroadcastOrder::Halt(..), true) => {
            inbox.context.say("stopped: what has not left stays here")
        }
        BroadcastActionResult::Done(BroadcastOrder::Continue(..), true) => inbox.context.say("it goes on"),
        BroadcastActionResult::Done(BroadcastOrder::Track(_, id), _) => {
            inbox.context.say(format!("{id} is watched from now on"))
        }
        BroadcastActionResult::Done(..) => inbox.context.warn("it does not stand so any more"),
        BroadcastActionResult::Failed(_, why) => {
            inbox.context.warn(format!("the broadcast could not be kept: {why}"))
        }
    }
}

/// Messages that went out were read, or not.
pub(crate) fn sent_fetched(inbox: &mut Inbox, fetched: &FetchOutcome) {
    match fetched {
        Ok(_) => inbox.broadcasts.refreshes = true,
        Err(why) => inbox.context.warn(format!("the messages that went out could not be read: {why}")),
    }
    broadcasts::board_changed(inbox);
}

/// `:broadcast track ID`
pub(crate) fn track(inbox: &mut Inbox, id: &str) -> Result<(), String> {
    if !inbox.desk.has_broadcasts() {
        return Err("broadcasts go out on business chat only".to_owned());
    }
    let id = BroadcastId::new(id.trim());
    inbox.context.push(FileWrite::Campaign(BroadcastOrder::Track(inbox.desk.tab().channel.id.clone(), id)));
    broadcasts::go_to_board(inbox);
    Ok(())
}

/// How a wave stands, in words.
pub fn wave_words(wave: &Wave) -> String {
    match (&wave.row_state, &wave.reading) {
        (WaveRowState::Unsent, _) => "not sent".to_owned(),
        (WaveRowState::Sending, _) => "leaving".to_owned(),
        (WaveRowState::NeedsDecision(why), _) => format!("asks: {why}"),
        (WaveRowState::Dropped, _) => "taken back".to_owned(),
        (WaveRowState::Sent(_), Some(it)) if it.is_unknown => "the server does not know it".to_owned(),
        (WaveRowState::Sent(_), Some(it)) => {
            let parts = [(it.delivered, "delivered"), (it.failed, "failed"), (it.pending, "pending")];
            let some = parts.iter().filter(|(count, word)| *count > 0 || *word == "delivered");
            some.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
        }
        (WaveRowState::Sent(_), None) => "sent".to_owned(),
    }
}
