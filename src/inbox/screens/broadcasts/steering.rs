//! Between two waves: pause, continue with another limit, stop; the report
//! over the recipients, those that failed, and trying them again.

use crate::Inbox;
use crate::availability::tab_writable;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::pages::PageKind;
use crate::screens::broadcasts::{BroadcastActionResult, BroadcastOrder};
use model::board::{BoardEntry, RecipientStatus, report};
use model::fetches::{Fetch, Fetching};
use model::ids::{BroadcastId, CampaignId};
use model::text::SafeText;
use model::time::MINUTE;
use model::waves::audience::{AudienceQuery, AudienceSource};
use model::waves::{Campaign, PauseCause, Phase, Wave, WaveRowState};

/// How the list of recipients is called.
const RECIPIENTS: &str = "Recipients";
/// The server's clock and this desk's may differ by so much.
const SLACK: i64 = 2 * MINUTE;

/// A campaign that is to go on, and the limit being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuing {
    /// Which.
    pub id: CampaignId,
    /// Why it waits.
    pub why: SafeText,
    /// The limit of failures, in percent.
    pub limit: TextLine,
    /// What is wrong with it.
    pub wrong: Option<String>,
}

impl Inbox {
    fn chosen_campaign(&self) -> Option<&Campaign> {
        self.board.rows.chosen().and_then(BoardEntry::campaign)
    }

    /// Why the chosen row cannot be steered so.
    pub(crate) fn steerable(&self, phase: Option<Phase>) -> Result<&Campaign, String> {
        let entry = self.board.rows.chosen().ok_or("no broadcast is chosen")?;
        let campaign = entry
            .campaign()
            .ok_or("it was not begun in waves: the interface has no way to stop what has been taken")?;
        if let Some(tab) = self.tabs.iter().find(|it| it.channel.id == campaign.channel) {
            tab_writable(tab)?;
        }
        match phase {
            _ if !campaign.phase.is_open() => Err(format!("it is {}", campaign.phase.word())),
            Some(wanted) if campaign.phase != wanted => Err(match campaign.phase {
                Phase::Paused => "it is paused; {continue-broadcast} goes on".to_owned(),
                _ => "it goes on already; {pause-broadcast} pauses it".to_owned(),
            }),
            _ => Ok(campaign),
        }
    }

    /// Pauses it: the wave that has left goes its way, no further one leaves.
    pub(crate) fn pause_broadcast(&mut self) {
        if let Some(id) = self.chosen_campaign().map(|it| it.id.clone()) {
            self.context.push(Effect::Campaign(BroadcastOrder::Halt(id, Phase::Paused)));
        }
    }

    /// Asks for the limit it shall go on with.
    pub(crate) fn ask_continue(&mut self) {
        let Some(campaign) = self.chosen_campaign() else { return };
        let asks = campaign.waves.iter().any(|it| matches!(it.fate, WaveRowState::Asks(_)));
        if campaign.cause == Some(PauseCause::Row) && asks {
            let words = "a wave's row asks first: {go-to-outbox} decides over it";
            return self.warn(self.keyed(words));
        }
        let limit = TextLine::new(campaign.plan.rules.failed_percent.to_string());
        let (id, why) = (campaign.id.clone(), campaign.why.clone());
        self.open_layer(Layer::AskContinue(Box::new(Continuing { id, why, limit, wrong: None })));
    }

    /// A key in that question.
    pub(crate) fn continue_key(&mut self, mut asked: Box<Continuing>, key: KeyPress) {
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Enter => match asked.limit.text().trim().parse::<u8>() {
                Ok(limit) if limit <= 100 => {
                    let quality = self.quality_now();
                    return self.context.push(Effect::Campaign(BroadcastOrder::Continue(
                        asked.id,
                        Some(limit),
                        quality,
                    )));
                }
                _ => asked.wrong = Some("0 to 100 percent".to_owned()),
            },
            _ => {
                asked.limit.key(key);
            }
        }
        self.layers.push(Layer::AskContinue(asked));
    }

    /// The quality rating as it is known now.
    pub(crate) fn quality_now(&self) -> Option<SafeText> {
        self.tab().account.as_ref().and_then(|it| it.quality_rating.clone())
    }

    /// Asks whether to stop it for good.
    pub(crate) fn ask_stop(&mut self) {
        let Some(campaign) = self.chosen_campaign() else { return };
        let left: usize = campaign.waves.iter().skip(campaign.begun()).map(|it| it.size).sum();
        let leaves = campaign.waves.iter().any(|it| matches!(it.fate, WaveRowState::Leaving));
        let layer = Layer::AskStop { id: campaign.id.clone(), left, leaves };
        self.open_layer(layer);
    }

    /// Stops it for good.
    pub(crate) fn stop_broadcast(&mut self, id: CampaignId) {
        self.context.push(Effect::Campaign(BroadcastOrder::Halt(id, Phase::Stopped)));
    }

    /// `:export csv`
    pub(crate) fn export_csv(&mut self, file: &str) -> Result<(), String> {
        if self.page != PageKind::Broadcasts {
            return Err(self.keyed("a broadcast is reported as csv; {go-to-broadcasts} shows them"));
        }
        self.export_report(file);
        Ok(())
    }

    /// An order was carried out, or came too late.
    pub(crate) fn campaign_answered(&mut self, answer: BroadcastActionResult) {
        self.board_changed();
        self.rows_changed();
        let counts = self.tabs.iter().map(|it| Effect::Load(Load::Counts(it.channel.id.clone())));
        self.context.effects.extend(counts);
        match answer {
            BroadcastActionResult::Begun(new, id) => self.broadcast_begun(*new, id),
            BroadcastActionResult::Done(BroadcastOrder::Recall(_), true) => {
                self.say("taken back; nothing has left, and the form is kept");
            }
            BroadcastActionResult::Done(BroadcastOrder::Recall(_), false) => {
                self.warn(
                    self.keyed(
                        "too late: the first wave has left; {stop-broadcast} in the deck stops the rest",
                    ),
                );
            }
            BroadcastActionResult::Done(BroadcastOrder::Halt(_, Phase::Paused), true) => {
                self.say(self.keyed("paused: no further wave leaves; {continue-broadcast} goes on"));
            }
            BroadcastActionResult::Done(BroadcastOrder::Halt(..), true) => {
                self.say("stopped: what has not left stays here")
            }
            BroadcastActionResult::Done(BroadcastOrder::Continue(..), true) => self.say("it goes on"),
            BroadcastActionResult::Done(BroadcastOrder::Track(_, id), _) => {
                self.say(format!("{id} is watched from now on"))
            }
            BroadcastActionResult::Done(..) => self.warn("it does not stand so any more"),
            BroadcastActionResult::Failed(_, why) => {
                self.warn(format!("the broadcast could not be kept: {why}"))
            }
        }
    }

    /// Those that failed, as far as messages show.
    fn failed_ones(&self) -> Result<Vec<RecipientStatus>, String> {
        let detail = self.board_detail().ok_or("it is still being read")?;
        if detail.recipients.is_empty() {
            return Err("whom it went to is not known here".to_owned());
        }
        let failed: Vec<RecipientStatus> = detail.failed().cloned().collect();
        let counted = self.board.rows.chosen().map_or(0, |it| it.counts().failed);
        if failed.is_empty() && counted > 0 {
            return Err(format!(
                "the server counts {counted} failed and does not say who; no message read here shows one"
            ));
        }
        if failed.is_empty() { Err("nobody failed".to_owned()) } else { Ok(failed) }
    }

    /// Copies the numbers of those that failed.
    pub(crate) fn copy_failed(&mut self) {
        match self.failed_ones() {
            Ok(failed) => {
                let line = |it: &RecipientStatus| {
                    let phone = it.phone.as_deref().unwrap_or(it.contact.as_str());
                    SafeText::line(phone).to_string()
                };
                let lines: Vec<String> = failed.iter().map(line).collect();
                let what = format!("{} that failed", lines.len());
                self.context.push(Effect::Copy(lines.join("\n"), what));
            }
            Err(why) => self.warn(why),
        }
    }

    /// A new broadcast to those that failed, with the form of the old one.
    pub(crate) fn retry_failed(&mut self) {
        if let Err(why) = self.failed_ones() {
            return self.warn(why);
        }
        let Some(campaign) = self.chosen_campaign() else { return };
        let query = AudienceQuery {
            channel: campaign.channel.clone(),
            source: AudienceSource::Failed(campaign.id.clone()),
        };
        self.open_broadcast_form(query);
    }

    /// Writes the report over the recipients into a file.
    pub(crate) fn export_report(&mut self, file: &str) {
        let Some(detail) = self.board_detail().filter(|it| !it.recipients.is_empty()) else {
            return self.warn("whom it went to is not known here: there is nothing to report");
        };
        let text = report(&detail.recipients);
        let id = self.chosen_campaign().map(|it| it.id.to_string()).unwrap_or_default();
        let file = if file.is_empty() { format!("broadcast-{id}.csv") } else { file.to_owned() };
        self.context.push(Effect::Campaign(BroadcastOrder::Report { text, file }));
    }

    /// Shows whom it went to, and asks the server for the messages that went
    /// out since.
    pub(crate) fn open_recipients(&mut self) {
        self.show_recipients();
        let Some(campaign) = self.chosen_campaign() else { return };
        let since = campaign.waves.iter().filter_map(|it| it.sent_at).min();
        let channel = campaign.channel.clone();
        self.context
            .effects
            .extend(since.map(|it| Effect::Fetch(channel, Fetch::Sent { since: it.plus(-SLACK) })));
    }

    /// Messages that went out were read, or not.
    pub(crate) fn sent_fetched(&mut self, fetched: &Fetching) {
        match fetched {
            Ok(_) => self.board.refreshes = true,
            Err(why) => self.warn(format!("the messages that went out could not be read: {why}")),
        }
        self.board_changed();
    }

    /// What was read of the chosen one has come: whoever looks at its
    /// recipients sees it.
    pub(crate) fn refresh_recipients(&mut self) {
        let open = |it: &Layer| matches!(it, Layer::Raw { title, .. } if title.starts_with(RECIPIENTS));
        if std::mem::take(&mut self.board.refreshes) && self.layers.pop_if(|it| open(it)).is_some() {
            self.show_recipients();
        }
    }

    /// Shows whom it went to, each with what became of it.
    fn show_recipients(&mut self) {
        let Some(entry) = self.board.rows.chosen() else { return };
        let Some(detail) = self.board_detail() else { return self.warn("it is still being read") };
        let counts = entry.counts();
        let mut lines = Vec::new();
        let mut add = |words: String| lines.push(SafeText::line(&words));
        if let Some(campaign) = entry.campaign() {
            add(format!("plan: {}", campaign.plan.words(campaign.count)));
            for (number, wave) in campaign.waves.iter().enumerate() {
                add(format!("wave {}: {} people · {}", number + 1, wave.size, wave_words(wave)));
            }
        }
        add(String::new());
        match (detail.recipients.is_empty(), detail.shows_any()) {
            (true, _) => add("Whom it went to is not known here.".to_owned()),
            (false, false) if counts.recipients > 0 => {
                add("The interface tells no recipients, and no message of it was read here: all are unknown."
                    .to_owned())
            }
            (false, _) => {
                add("Rebuilt from messages read here; the interface tells no recipients.".to_owned())
            }
        }
        let order = |it: &&RecipientStatus| it.fate != model::board::RecipientFate::Failed;
        let mut all: Vec<&RecipientStatus> = detail.recipients.iter().collect();
        all.sort_by_key(order);
        for it in all {
            let name = it.name.as_ref().map_or_else(|| it.contact.to_string(), ToString::to_string);
            let phone = it.phone.clone().unwrap_or_else(|| "no number read".to_owned());
            let replied = if it.replied { " · replied" } else { "" };
            add(format!("{:13} {phone}  {name}{replied}", it.fate.word()));
        }
        let title = format!("{RECIPIENTS} · {}", entry.title());
        self.open_layer(Layer::Raw { title, lines, first: 0 });
    }

    /// `:broadcast track ID`
    pub(crate) fn track(&mut self, id: &str) -> Result<(), String> {
        if !self.has_broadcasts() {
            return Err("broadcasts go out on business chat only".to_owned());
        }
        let id = BroadcastId::new(id.trim());
        self.context.push(Effect::Campaign(BroadcastOrder::Track(self.tab().channel.id.clone(), id)));
        self.go_to_board();
        Ok(())
    }
}

/// How a wave stands, in words.
pub fn wave_words(wave: &Wave) -> String {
    match (&wave.fate, &wave.reading) {
        (WaveRowState::Unsent, _) => "not sent".to_owned(),
        (WaveRowState::Leaving, _) => "leaving".to_owned(),
        (WaveRowState::Asks(why), _) => format!("asks: {why}"),
        (WaveRowState::Dropped, _) => "taken back".to_owned(),
        (WaveRowState::Sent(_), Some(it)) if it.is_unknown => "the server does not know it".to_owned(),
        (WaveRowState::Sent(_), Some(it)) => {
            format!("{} delivered, {} failed, {} not known yet", it.delivered, it.failed, it.pending)
        }
        (WaveRowState::Sent(_), None) => "sent".to_owned(),
    }
}
