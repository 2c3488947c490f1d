//! Actions between two waves: pause, continue with another limit, stop; the report over the recipients; and
//! retrying the failed ones.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::components::text_view::TextView;
use crate::conditions::check_tab_writable;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder, TerminalOrder};
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::pages::PageKind;
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::broadcasts::form::BroadcastForm;
use crate::screens::broadcasts::sending;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::broadcasts::{CampaignAction, CampaignActionResult};
use model::board::{BoardEntry, RecipientOutcome, RecipientStatus, report_csv};
use model::fetches::{Fetch, FetchOutcome};
use model::ids::{BroadcastId, CampaignId};
use model::prices;
use model::text::SafeText;
use model::time::MINUTE;
use model::waves::audience::{AudienceQuery, AudienceSource};
use model::waves::{Campaign, CampaignPhase, PauseCause, Wave, WaveRowState};

const RECIPIENTS_TITLE: &str = "Recipients";
/// Maximum difference between the server's clock and this desk's, in microseconds.
const CLOCK_TOLERANCE: i64 = 2 * MINUTE;

/// A campaign to continue, and the limit being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct ContinueForm {
    pub id: CampaignId,
    pub pause_reason: SafeText,
    /// Limit of failures, in percent.
    pub limit: TextLine,
    pub error: Option<String>,
}

impl Overlay for ContinueForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut 0, 0..1) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::Submit => match self.limit.text().trim().parse::<u8>() {
                Ok(limit) if limit <= 100 => {
                    let order =
                        CampaignAction::Continue(self.id.clone(), Some(limit), current_quality(&inbox.desk));
                    inbox.context.push(FileWrite::Campaign(order));
                    return KeyOutcome::Done;
                }
                _ => self.error = Some("0 to 100 percent".to_owned()),
            },
            FormKey::FocusMoved => (),
            FormKey::FieldInput => drop(self.limit.key(key)),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::TypedAnswer
    }
}

impl OverlayView for ContinueForm {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let mut lines = Vec::new();
        if !self.pause_reason.is_empty() {
            lines.extend([DialogLine::error(self.pause_reason.to_string()), DialogLine::blank()]);
        }
        let seen = "Failures so far do not stop it again.";
        lines.push(DialogLine::plain(seen));
        lines.push(DialogLine::strong(format!("Stop above: {}_ % failed", self.limit.text())));
        lines.extend(self.error.iter().map(DialogLine::error));
        lines.push(DialogLine::blank());
        lines.push(DialogLine::keys(&[("Enter", "Continue"), ("Esc", "Stay paused")]));
        Dialog::new("Continue the broadcast?", lines)
    }
}

/// Current numbers of a campaign that may be stopped.
fn stop_lines(inbox: &Inbox, id: &CampaignId) -> Vec<DialogLine> {
    let mut campaigns = inbox.broadcasts.rows.rows.iter().filter_map(BoardEntry::campaign);
    let Some(campaign) = campaigns.find(|campaign| campaign.id == *id) else {
        return vec![DialogLine::plain("The broadcast is no longer listed.")];
    };
    let left = campaign.unsent_count();
    let accepted = campaign.count.saturating_sub(left);
    let mut lines = vec![DialogLine::plain(match left {
        0 => "No recipients left.".to_owned(),
        left => format!("Not sent yet: {}. Nothing leaves until you answer.", prices::format_people(left)),
    })];
    if accepted > 0 {
        let people = prices::format_people(accepted);
        lines.push(DialogLine::plain(format!("Sent: {people}. Accepted messages will still arrive.")));
    }
    if campaign.waves.iter().any(|wave| matches!(wave.row_state, WaveRowState::Sending)) {
        lines
            .push(DialogLine::new("One wave is on its way and may still be accepted.", Tone::NeedsAttention));
    }
    lines
}

/// Asks for the limit of failures with which a campaign continues.
pub(crate) fn ask_to_continue(campaign: &Campaign, context: &mut Context) {
    let asks = campaign.waves.iter().any(|wave| matches!(wave.row_state, WaveRowState::NeedsDecision(_)));
    if campaign.pause_cause == Some(PauseCause::Row) && asks {
        let words = "A wave needs your decision first: {go-to-outbox}";
        return context.show_warning(context.fill_in_keys(words));
    }
    let limit = TextLine::with_replaceable(campaign.plan.rules.failed_percent.to_string(), 0);
    let (id, why) = (campaign.id.clone(), campaign.why.clone());
    context.open(ContinueForm { id, pause_reason: why, limit, error: None });
}

impl BroadcastsScreen {
    fn chosen_campaign(&self) -> Option<&Campaign> {
        self.rows.chosen().and_then(BoardEntry::campaign)
    }

    /// Returns the selected campaign if it is open and, if given, in `phase`, else the reason why it cannot
    /// be controlled.
    pub(crate) fn controllable_campaign(
        &self,
        phase: Option<CampaignPhase>,
        desk: &Desk,
    ) -> Result<&Campaign, String> {
        let entry = self.rows.chosen().ok_or("No broadcast is selected")?;
        let campaign = entry.campaign().ok_or("It was not sent in waves, so it cannot be stopped")?;
        if let Some(tab) = desk.tabs.iter().find(|tab| tab.channel.id == campaign.channel) {
            check_tab_writable(tab)?;
        }
        match phase {
            _ if !campaign.phase.is_open() => Err(format!("it is {}", campaign.phase.label())),
            Some(wanted) if campaign.phase != wanted => Err(match campaign.phase {
                CampaignPhase::Paused => "It is paused; {continue-broadcast} continues".to_owned(),
                _ => "It is running; {pause-broadcast} pauses it".to_owned(),
            }),
            _ => Ok(campaign),
        }
    }

    /// Pauses the selected campaign: a wave that was begun is completed, no further one starts.
    pub(crate) fn pause_broadcast(&mut self, context: &mut Context) {
        if let Some(id) = self.chosen_campaign().map(|chosen_campaign| chosen_campaign.id.clone()) {
            context.push(FileWrite::Campaign(CampaignAction::Halt(id, CampaignPhase::Paused)));
        }
    }

    pub(crate) fn ask_continue(&mut self, context: &mut Context) {
        if let Some(campaign) = self.chosen_campaign() {
            ask_to_continue(campaign, context);
        }
    }

    /// Pauses the selected campaign, so that nothing is sent while the person reads, and asks whether to stop
    /// it for good.
    pub(crate) fn ask_stop(&mut self, context: &mut Context) {
        let Some(campaign) = self.chosen_campaign() else { return };
        let (id, was_running) = (campaign.id.clone(), campaign.phase == CampaignPhase::Running);
        if was_running {
            context.push(FileWrite::Campaign(CampaignAction::Halt(id.clone(), CampaignPhase::Paused)));
        }
        let (shown, stopped) = (id.clone(), id.clone());
        let lines = move |inbox: &Inbox| stop_lines(inbox, &shown);
        let stop = move |inbox: &mut Inbox| {
            inbox.context.push(FileWrite::Campaign(CampaignAction::Halt(stopped, CampaignPhase::Stopped)));
        };
        let keep = move |inbox: &mut Inbox| {
            inbox.context.push(FileWrite::Campaign(CampaignAction::UndoPause(id)));
        };
        let question = Confirm::with_live_lines("Stop the broadcast?", lines).answer('s', "Stop", stop);
        context.open(match was_running {
            true => question.no("Keep sending").on_cancel(keep),
            false => question.no("Stay paused"),
        });
    }

    /// `:export csv`
    pub(crate) fn export_csv(
        &mut self,
        file: &str,
        desk: &Desk,
        context: &mut Context,
    ) -> Result<(), String> {
        if desk.page != PageKind::Broadcasts {
            return Err(context.fill_in_keys("broadcast reports are csv only; {go-to-broadcasts} broadcasts"));
        }
        self.export_report(file, context);
        Ok(())
    }

    /// Failed recipients, as far as messages show.
    pub(crate) fn failed_recipients(&self) -> Result<Vec<RecipientStatus>, String> {
        let detail = self.selected_detail().ok_or("Still loading")?;
        if detail.recipients.is_empty() {
            return Err("Recipients are not known here".to_owned());
        }
        let failed: Vec<RecipientStatus> = detail.failed_recipients().cloned().collect();
        let counted = self.rows.chosen().map_or(0, |chosen| chosen.counts().failed);
        if failed.is_empty() && counted > 0 {
            return Err(format!("{counted} failed, but the recipients are unknown"));
        }
        if failed.is_empty() { Err("No failures".to_owned()) } else { Ok(failed) }
    }

    /// Copies the numbers of the failed recipients.
    pub(crate) fn copy_failed(&mut self, context: &mut Context) {
        match self.failed_recipients() {
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
            Err(why) => context.show_warning(why),
        }
    }

    /// Opens the form for the failed recipients, with the content that they did not get.
    pub(crate) fn retry_failed(&mut self, context: &mut Context) {
        let Some(campaign) = self.chosen_campaign() else { return };
        let form = self.form_of(&campaign.id);
        let query = AudienceQuery {
            channel: campaign.channel.clone(),
            source: AudienceSource::Failed(campaign.id.clone()),
        };
        let form = form.unwrap_or_else(|| BroadcastForm::of_content(query.clone(), &campaign.content));
        self.unfinished_form = Some(Box::new(form));
        self.open_broadcast_form(query, context);
    }

    /// Writes the report over the recipients to a file.
    pub(crate) fn export_report(&mut self, file: &str, context: &mut Context) {
        let Some(detail) = self.selected_detail().filter(|board_detail| !board_detail.recipients.is_empty())
        else {
            return context.show_warning("Recipients are not known here: there is nothing to export");
        };
        let text = report_csv(&detail.recipients);
        let id =
            self.chosen_campaign().map(|chosen_campaign| chosen_campaign.id.to_string()).unwrap_or_default();
        let file = if file.is_empty() { format!("broadcast-{id}.csv") } else { file.to_owned() };
        context.push(FileWrite::Campaign(CampaignAction::Report { text, file }));
    }

    /// Shows the recipients, and requests the messages sent since from the server.
    pub(crate) fn open_recipients(&mut self, context: &mut Context) {
        self.show_recipients(context);
        let Some(campaign) = self.chosen_campaign() else { return };
        let since = campaign.waves.iter().filter_map(|wave| wave.sent_at).min();
        let channel = campaign.channel.clone();
        context.push_all(
            since.map(|time| SyncOrder::Fetch(channel, Fetch::Sent { since: time.plus(-CLOCK_TOLERANCE) })),
        );
    }

    /// Updates the recipients on screen once the detail of the selected broadcast was loaded.
    pub(crate) fn refresh_recipients(&mut self, context: &mut Context) {
        let is_open =
            context.overlays.top::<TextView>().is_some_and(|top| top.title.starts_with(RECIPIENTS_TITLE));
        if std::mem::take(&mut self.refreshes_recipients) && is_open {
            context.overlays.pop();
            self.show_recipients(context);
        }
    }

    /// Shows the recipients, each with its outcome.
    fn show_recipients(&mut self, context: &mut Context) {
        let Some(entry) = self.rows.chosen() else { return };
        let Some(detail) = self.selected_detail() else {
            return context.show_warning("it is still being read");
        };
        let counts = entry.counts();
        let mut lines = Vec::new();
        let mut add = |words: String| lines.push(SafeText::line(&words));
        if let Some(campaign) = entry.campaign() {
            add(format!("plan: {}", campaign.describe_plan()));
            for (number, wave) in campaign.waves.iter().enumerate() {
                add(format!(
                    "wave {}: {} · {}",
                    number + 1,
                    prices::format_people(wave.size),
                    describe_wave(wave)
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
                add("The service lists only failed recipients.".to_owned())
            }
            (true, _) => add("Recipients are not known here.".to_owned()),
            (false, false) if counts.recipients > 0 => {
                add("The service lists no recipients, and no message of this broadcast was read here."
                    .to_owned())
            }
            (false, _) => add("From messages read here and failures reported by the service.".to_owned()),
        }
        for (reason, count) in detail.failures_by_reason() {
            add(format!("not reached: {count} · {}", reason.describe()));
        }
        let order = |recipient_status: &&RecipientStatus| recipient_status.outcome.failure_reason().is_none();
        let mut all: Vec<&RecipientStatus> = detail.recipients.iter().collect();
        all.sort_by_key(order);
        for recipient in all {
            let name =
                recipient.name.as_ref().map_or_else(|| recipient.contact.to_string(), ToString::to_string);
            let phone = recipient.phone.clone().unwrap_or_else(|| "number unknown".to_owned());
            let replied = if recipient.replied { " · replied" } else { "" };
            let why = recipient
                .outcome
                .failure_reason()
                .map(|reason| format!(" · {}", reason.describe()))
                .unwrap_or_default();
            add(format!("{:13} {phone}  {name}{why}{replied}", recipient.outcome.label()));
        }
        let title = format!("{RECIPIENTS_TITLE} · {}", entry.title());
        context.open(TextView::new(title, lines));
    }
}

pub(crate) fn current_quality(desk: &Desk) -> Option<SafeText> {
    desk.tab().account.as_ref().and_then(|account| account.quality_rating.clone())
}

/// Reports the result of an action, which may have come too late.
pub(crate) fn handle_action_result(inbox: &mut Inbox, answer: CampaignActionResult) {
    broadcasts::mark_board_stale(inbox);
    inbox.rows_changed();
    let counts = inbox.desk.tabs.iter().map(|tab| Effect::Load(Load::Counts(tab.channel.id.clone())));
    inbox.context.effects.extend(counts);
    match answer {
        CampaignActionResult::Begun(new, id) => sending::record_broadcast_started(inbox, *new, id),
        CampaignActionResult::Done(CampaignAction::Recall(id), true) => {
            inbox.broadcasts.restore_form(&id);
            inbox.context.show_notice("Undone: nothing was sent, the form is kept");
        }
        CampaignActionResult::Done(CampaignAction::Recall(_), false) => {
            inbox.context.show_warning(inbox.context.fill_in_keys(
                "Too late: the first wave is sent. {stop-broadcast} in the broadcasts stops the rest",
            ));
        }
        CampaignActionResult::Done(CampaignAction::Halt(_, CampaignPhase::Paused), true) => {
            inbox.context.show_notice(
                inbox.context.fill_in_keys("Paused: no more waves · {continue-broadcast} continue"),
            );
        }
        CampaignActionResult::Done(CampaignAction::Halt(..), true) => {
            inbox.context.show_notice("Stopped: no more messages are sent")
        }
        CampaignActionResult::Done(CampaignAction::Continue(..) | CampaignAction::UndoPause(_), true) => {
            inbox.context.show_notice("Sending continues")
        }
        CampaignActionResult::Done(CampaignAction::Track(_, id), _) => {
            inbox.context.show_notice(format!("Following {id}"))
        }
        CampaignActionResult::Done(..) => inbox.context.show_warning("The broadcast has changed meanwhile"),
        CampaignActionResult::Failed(_, why) => {
            inbox.context.show_warning(format!("The broadcast could not be saved: {why}"))
        }
    }
}

/// Reports the end of a read of sent messages.
pub(crate) fn handle_sent_fetch(inbox: &mut Inbox, fetched: &FetchOutcome) {
    match fetched {
        Ok(_) => inbox.broadcasts.refreshes_recipients = true,
        Err(why) => inbox.context.show_warning(format!("Sent messages could not be read: {why}")),
    }
    broadcasts::mark_board_stale(inbox);
}

/// `:broadcast track ID`
pub(crate) fn track_broadcast(inbox: &mut Inbox, id: &str) -> Result<(), String> {
    if !broadcasts::has_broadcasts(&inbox.desk) {
        return Err("broadcasts need a business chat channel".to_owned());
    }
    let id = BroadcastId::new(id.trim());
    inbox.context.push(FileWrite::Campaign(CampaignAction::Track(inbox.desk.tab().channel.id.clone(), id)));
    broadcasts::go_to_board(inbox);
    Ok(())
}

pub fn describe_wave(wave: &Wave) -> String {
    match (&wave.row_state, &wave.reading) {
        (WaveRowState::Unsent, _) => "not sent".to_owned(),
        (WaveRowState::Sending, _) => "leaving".to_owned(),
        (WaveRowState::NeedsDecision(why), _) => format!("needs a decision: {why}"),
        (WaveRowState::Dropped, _) => "undone".to_owned(),
        (WaveRowState::Sent(_), Some(reading)) if reading.is_unknown => "unknown to the server".to_owned(),
        (WaveRowState::Sent(_), Some(reading)) => {
            let parts =
                [(reading.delivered, "delivered"), (reading.failed, "failed"), (reading.pending, "pending")];
            let some = parts.iter().filter(|(count, word)| *count > 0 || *word == "delivered");
            some.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
        }
        (WaveRowState::Sent(_), None) => "sent".to_owned(),
    }
}
