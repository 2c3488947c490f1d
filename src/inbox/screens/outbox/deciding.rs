//! Deciding over rows of the outbox: asking, and carrying the answer out.

use crate::Inbox;
use crate::event::{Effect, Intent, Load};
use crate::overlays::Layer;
use crate::pages::PageKind;
use crate::screens::composer::returned_texts::{DraftPlace, Returned};
use crate::screens::outbox::decisions;
use crate::screens::outbox::decisions::DecisionOption;
use model::ids::{ChannelId, RowId};
use model::messages::Place;
use model::outbox::{KEY_AGE, Operation, OutboxRow, StopVerdict};
use model::queries::{OutboxEntry, Pause};
use model::text::SafeText;

impl Inbox {
    /// The row of the outbox that is chosen on the page, or at hand in the
    /// history.
    pub fn row_at_hand(&self) -> Option<&OutboxRow> {
        match self.page {
            PageKind::Outbox => self.outbox.chosen().map(|it| &it.row),
            PageKind::Inbox => self.tab().history.as_ref()?.row_at_hand(),
            _ => None,
        }
    }

    /// Asks for the row as it is now; the question opens when it has come.
    pub(crate) fn ask_about_row(&mut self) {
        let id = self.row_at_hand().map(|it| it.id.clone());
        self.context.effects.extend(id.map(|it| Effect::Load(Load::Entry(it))));
    }

    /// The row a question is about has come.
    pub(crate) fn ask_to_decide(&mut self, entry: Option<Box<OutboxEntry>>) {
        let Some(entry) = entry.filter(|it| it.row.is_stopped()) else {
            return self.say("it does not wait for a decision any more");
        };
        let spent = entry.row.first_attempt_at.is_some_and(|it| self.context.now.since(it) >= KEY_AGE);
        let answers = decisions::answers(&entry, spent);
        self.open_layer(Layer::Decide { entry, answers });
    }

    /// A person has answered.
    pub(crate) fn decided_on(&mut self, entry: &OutboxEntry, answers: Vec<DecisionOption>, key: char) {
        let Some(answer) = answers.into_iter().find(|it| it.key == key) else { return };
        let shown = entry.crossed.iter().filter_map(|it| Some((it.created_at?, it.id.clone()))).max();
        self.context.push(Effect::Decide(
            entry.row.id.clone(),
            answer.verdict,
            self.seen_of(&entry.row, shown),
        ));
    }

    /// How far the person has seen a row's conversation: what the question
    /// showed, and what is on screen if it is the one that is open.
    fn seen_of(&self, row: &OutboxRow, shown: Option<Place>) -> Option<Place> {
        let tab = self.tabs.iter().find(|it| it.channel.id == row.channel)?;
        let open = tab.history.as_ref().is_some_and(|it| Some(&it.conversation) == row.lane.conversation());
        shown.max(tab.looked.shown().filter(|_| open))
    }

    /// A decision was carried out, or came too late.
    pub(crate) fn decided(&mut self, verdict: &StopVerdict, row: Option<Box<OutboxRow>>) {
        let Some(row) = row else {
            return self.warn("it does not wait for this decision any more; look again");
        };
        match verdict {
            StopVerdict::SendAnyway | StopVerdict::NewKey => self.say("on its way"),
            StopVerdict::SameKey => self.say("asking the server again"),
            StopVerdict::Adopt(_) => self.say("noted as sent"),
            StopVerdict::Drop => self.say("dropped; nothing more is sent of it"),
            StopVerdict::Edit => self.edit_again(&row),
        }
        self.row_changed(&row);
    }

    fn edit_again(&mut self, row: &OutboxRow) {
        if let (Some(returned), Some(conversation)) = (Returned::of(&row.operation), row.lane.conversation())
        {
            let at_hand = self.give_back(&row.channel, conversation, returned, DraftPlace::AsDraft);
            self.say(match at_hand {
                true => "back in the composer".to_owned(),
                false => self.keyed("back as a draft · {go-to-drafts}"),
            });
        }
    }

    /// Shows which of the rows that waited for a connection can leave.
    pub(crate) fn ask_about_all(&mut self) {
        let (go, look) = decisions::plan(&self.outbox.rows);
        let go: Vec<(RowId, SafeText)> =
            go.into_iter().map(|it| (it.row.id.clone(), it.title.clone())).collect();
        self.open_layer(Layer::DecideAll { go, look, price: None });
    }

    /// Sends all that can go; what was refused leaves again under a new key.
    pub(crate) fn send_all(&mut self, go: Vec<(RowId, SafeText)>, again: bool) {
        let verdict = if again { StopVerdict::NewKey } else { StopVerdict::SendAnyway };
        for (row, _) in go {
            let entry = self.outbox.rows.iter().find(|it| it.row.id == row);
            let seen = entry.and_then(|it| self.seen_of(&it.row, None));
            self.context.push(Effect::Decide(row, verdict.clone(), seen));
        }
    }

    /// Hurries the chosen row, or takes it back into the composer.
    pub(crate) fn held_row(&mut self, hurry: bool) {
        let Some(row) = self.row_at_hand().map(|it| it.id.clone()) else { return };
        self.undo.retain(|it| it.row != row);
        self.context.push(if hurry { Effect::SendNow(row) } else { Effect::Recall(row) });
    }

    /// Asks which conversations are paused from here, to hand all back and
    /// leave.
    pub(crate) fn hand_all_back(&mut self) {
        self.leaving = true;
        let paused = self.tabs.iter().filter(|it| it.counts.paused_here > 0);
        self.context.effects.extend(paused.map(|it| Effect::Load(Load::Pauses(it.channel.id.clone()))));
        self.say("handing back; frontdesk ends when the server has said so · any key stays");
    }

    /// The pauses of a tab have come: they end.
    pub(crate) fn end_pauses(&mut self, channel: &ChannelId, pauses: Vec<Pause>) {
        if !self.leaving {
            return;
        }
        let Some(platform) = self.tab_of(channel).and_then(|it| it.platform().cloned()) else { return };
        let intent = |it: Pause| Intent {
            channel: channel.clone(),
            platform: platform.clone(),
            conversation: it.conversation,
            operation: Operation::SetAutomation { enabled: true },
            hold: 0,
            seen: None,
            planned_at: None,
        };
        let intents: Vec<Intent> = pauses.into_iter().map(intent).collect();
        if !intents.is_empty() {
            self.context.push(Effect::Enqueue { intents, clears_draft: false });
        }
    }

    /// Leaves once nothing is paused any more, if that was asked for.
    pub(crate) fn leave_when_handed_back(&mut self) {
        let handed_back = self.tabs.iter().all(|it| it.counts.paused_here == 0);
        if self.leaving && handed_back {
            self.quit();
        }
    }
}
