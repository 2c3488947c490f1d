//! Deciding over rows of the outbox: asking, and carrying the answer out.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::keyboard::Keyboard;
use crate::screens::outbox::OutboxScreen;
use std::rc::Rc;

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{DialogLine, Tone};
use crate::event::{Effect, FileWrite, Intent, Load};
use crate::features::privacy::names::NameIndex;
use crate::overlays::quoted_messages::{CUT, SHOWN, quoted};
use crate::pages::PageKind;
use crate::screens::composer::returned_texts::{DraftPlace, Returned};
use crate::screens::outbox::decisions;
use crate::screens::outbox::decisions::DecisionOption;
use crate::wrap;
use model::ids::{ChannelId, RowId};
use model::messages::HistoryPosition;
use model::outbox::{HistoryFinding, Operation, OutboxRow, RowState, StopReason, StopVerdict};
use model::queries::{OutboxEntry, Pause, RowQuestion};
use model::text::SafeText;

impl OutboxScreen {
    /// The row of the outbox that is chosen on the page, or selected in the
    /// history.
    pub fn current_row<'a>(&'a self, desk: &'a Desk) -> Option<&'a OutboxRow> {
        match desk.page {
            PageKind::Outbox => self.rows.chosen().map(|chosen| &chosen.row),
            PageKind::Inbox => desk.tab().history.as_ref()?.current_row(),
            _ => None,
        }
    }

    /// Asks for the row as it is now; the question opens when it has come.
    pub(crate) fn ask_about_row(&mut self, desk: &Desk, context: &mut Context) {
        let id = self.current_row(desk).map(|current_row| current_row.id.clone());
        context.effects.extend(id.map(|row_id| Effect::Load(Load::Question(row_id, context.now))));
    }

    /// Shows which of the rows that waited for a connection can leave.
    pub(crate) fn ask_about_all(&mut self, context: &mut Context) {
        let (go, look) = decisions::plan(&self.rows.rows);
        let go: Vec<(RowId, SafeText)> = go
            .into_iter()
            .map(|outbox_entry| (outbox_entry.row.id.clone(), outbox_entry.title.clone()))
            .collect();
        ask_to_send_all(context, go, look, None);
    }

    /// Sends all that can go; what was refused leaves again under a new key.
    fn send_all(&mut self, go: Vec<(RowId, SafeText)>, again: bool, desk: &Desk, context: &mut Context) {
        let verdict = if again { StopVerdict::NewKey } else { StopVerdict::SendAnyway };
        for (row, _) in go {
            let entry = self.rows.rows.iter().find(|outbox_entry| outbox_entry.row.id == row);
            let seen = entry.and_then(|entry| desk.seen_of(&entry.row, None));
            context.push(FileWrite::Decide(row, verdict.clone(), seen));
        }
    }
}

/// The row a question is about has come.
pub(crate) fn ask_to_decide(inbox: &mut Inbox, question: Option<Box<RowQuestion>>) {
    let Some(question) = question.filter(|question| question.entry.row.is_stopped()) else {
        return inbox.context.say("it does not wait for a decision any more");
    };
    let RowQuestion { entry, is_key_expired: spent } = *question;
    let answers = decisions::answers(&entry, spent);
    let mut question = Confirm::new(decisions::question(&entry.row), about(inbox, &entry));
    let shown = entry
        .newer_messages
        .iter()
        .filter_map(|message| Some((message.created_at?, message.id.clone())))
        .max();
    let (row, title) = (Rc::new(entry.row), entry.title);
    for DecisionOption { key, verdict, word, effect } in answers {
        let (row, shown) = (Rc::clone(&row), shown.clone());
        let decide = move |inbox: &mut Inbox| {
            let seen = inbox.desk.seen_of(&row, shown);
            inbox.context.push(FileWrite::Decide(row.id.clone(), verdict, seen));
        };
        question = question.answer(key, format!("{word}: {effect}"), decide);
    }
    let question = question.esc("leave it for later").stacked();
    inbox.context.open(question.naming(move |names| names.add(title.as_str())));
}

/// A decision was carried out, or came too late.
pub(crate) fn decided(inbox: &mut Inbox, verdict: &StopVerdict, row: Option<Box<OutboxRow>>) {
    let Some(row) = row else {
        return inbox.context.warn("it does not wait for this decision any more; look again");
    };
    match verdict {
        StopVerdict::SendAnyway | StopVerdict::NewKey | StopVerdict::SendFromHere => {
            inbox.context.say("on its way")
        }
        StopVerdict::SameKey => inbox.context.say("asking the server again"),
        StopVerdict::Adopt(_) => inbox.context.say("noted as sent"),
        StopVerdict::Drop => inbox.context.say("dropped; nothing more is sent of it"),
        StopVerdict::Edit => inbox.changes.edit_again(&row, &mut inbox.desk, &mut inbox.context),
    }
    inbox.row_changed(&row);
}

/// Hurries the chosen row, or takes it back into the composer.
pub(crate) fn held_row(inbox: &mut Inbox, hurry: bool) {
    let Some(row) = inbox.outbox.current_row(&inbox.desk).map(|current_row| current_row.id.clone()) else {
        return;
    };
    inbox.changes.held.retain(|held| held.row != row);
    if hurry {
        // Whatever was said of when it leaves is over.
        inbox.context.say("sends now");
    }
    inbox.context.push(if hurry { FileWrite::SendNow(row) } else { FileWrite::Recall(row) });
}

/// Leaves once nothing is paused any more, if that was asked for.
pub(crate) fn leave_when_handed_back(inbox: &mut Inbox) {
    let handed_back = inbox.desk.tabs.iter().all(|tab| tab.counts.paused_here == 0);
    if inbox.keyboard.leaving && handed_back {
        inbox.changes.quit(&mut inbox.desk, &mut inbox.context);
    }
}

impl Desk {
    /// How far the person has seen a row's conversation: what the question
    /// showed, and what is on screen if it is the one that is open.
    fn seen_of(&self, row: &OutboxRow, shown: Option<HistoryPosition>) -> Option<HistoryPosition> {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
        let open = tab
            .history
            .as_ref()
            .is_some_and(|history| Some(&history.conversation) == row.lane.conversation());
        shown.max(tab.looked.shown().filter(|_| open))
    }
}

impl Changes {
    fn edit_again(&mut self, row: &OutboxRow, desk: &mut Desk, context: &mut Context) {
        if let (Some(returned), Some(conversation)) = (Returned::of(&row.operation), row.lane.conversation())
        {
            let is_there =
                self.give_back(&row.channel, conversation, returned, DraftPlace::AsDraft, desk, context);
            context.say(match is_there {
                true => "back in the composer".to_owned(),
                false => context.keyed("back as a draft · {go-to-drafts}"),
            });
        }
    }
}

/// Asks whether to send all that can go, at this price where it waited for
/// credits.
pub(crate) fn ask_to_send_all(
    context: &mut Context,
    go: Vec<(RowId, SafeText)>,
    look: usize,
    price: Option<&str>,
) {
    let question = Confirm::new("Send what waited?", all(&go, look, price));
    let count = if go.len() == 1 { "1".to_owned() } else { format!("these {}", go.len()) };
    let (titles, again): (Vec<SafeText>, bool) =
        (go.iter().map(|pair| pair.1.clone()).collect(), price.is_some());
    let question = question.answer('y', format!("send {count} now"), move |inbox| {
        inbox.outbox.send_all(go, again, &inbox.desk, &mut inbox.context)
    });
    let names = move |names: &mut NameIndex| titles.iter().for_each(|title| names.add(title.as_str()));
    context.open(question.esc("leave them").naming(names));
}

impl Keyboard {
    /// Asks which conversations are paused from here, to hand all back and
    /// leave.
    pub(crate) fn hand_all_back(&mut self, desk: &Desk, context: &mut Context) {
        self.leaving = true;
        let paused = desk.tabs.iter().filter(|tab| tab.counts.paused_here > 0 && !tab.channel.read_only);
        context.effects.extend(paused.map(|tab| Effect::Load(Load::Pauses(tab.channel.id.clone()))));
        context.say("handing back; frontdesk ends when the server has said so · any key stays");
    }

    /// The pauses of a tab have come: they end.
    pub(crate) fn end_pauses(
        &mut self,
        channel: &ChannelId,
        pauses: Vec<Pause>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        if !self.leaving {
            return;
        }
        let Some(platform) = desk.tab_of(channel).and_then(|tab| tab.platform().cloned()) else { return };
        let intent = |pause: Pause| Intent {
            channel: channel.clone(),
            platform: platform.clone(),
            conversation: pause.conversation,
            operation: Operation::SetAutomation { enabled: true },
            hold: 0,
            seen: None,
            planned_at: None,
        };
        let intents: Vec<Intent> = pauses.into_iter().map(intent).collect();
        if !intents.is_empty() {
            context.push(FileWrite::Enqueue { intents, clears_draft: false });
        }
    }
}

/// What a row that waits for a person is, and what is known of it.
fn about(inbox: &Inbox, entry: &OutboxEntry) -> Vec<DialogLine> {
    let row = &entry.row;
    let mut lines = Vec::new();
    if let RowState::Stopped(stop, why) = &row.state
        && *stop != StopReason::ReplyConflict
        && !why.is_empty()
    {
        lines.push(DialogLine::error(why.to_string()));
    }
    lines.extend(finding(entry));
    lines.extend(quoted(inbox, &entry.newer_messages));
    lines.push(DialogLine::gap());
    let what = SafeText::line(row.operation.summary().as_str());
    let to = format!("To {}: {}", entry.title, wrap::cut(what.as_str(), CUT));
    lines.push(DialogLine::new(to, Tone::Own));
    lines
}

/// What looking for it in the history told.
fn finding(entry: &OutboxEntry) -> Option<DialogLine> {
    let words = match &entry.row.finding {
        HistoryFinding::Nothing | HistoryFinding::Listed => return None,
        HistoryFinding::Absent => {
            "Looked for twice in the conversation and not found: probably not sent.".to_owned()
        }
        HistoryFinding::Several(found) => {
            format!("{} messages of the conversation could be it.", found.len())
        }
    };
    Some(DialogLine::new(words, Tone::Waiting))
}

/// Which of the rows that waited can go.
fn all(go: &[(RowId, SafeText)], look: usize, price: Option<&str>) -> Vec<DialogLine> {
    let total = go.len() + look;
    let mut plan = format!("{} of {total} can go as they are", go.len());
    match look {
        0 => (),
        1 => plan.push_str("; 1 thread has moved: look at it"),
        look => plan.push_str(&format!("; {look} threads have moved: look at them")),
    }
    let mut lines = vec![DialogLine::plain(format!("{plan}.")), DialogLine::gap()];
    if let Some(price) = price {
        let words =
            format!("They waited for credits and cost {price}; they leave in the order they were written.");
        lines[0] = DialogLine::plain(words);
    }
    let names: Vec<&str> = go.iter().take(SHOWN).map(|(_, name)| name.as_str()).collect();
    let rest = go.len().saturating_sub(SHOWN);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    lines.push(DialogLine::new(wrap::cut(&format!("To {}{rest}", names.join(", ")), CUT), Tone::Own));
    lines
}
