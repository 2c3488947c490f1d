//! Decisions on outbox rows: asking for them and carrying them out.

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
use crate::overlays::quoted_messages::{MAX_MESSAGE_CELLS, MAX_SHOWN_MESSAGES, quote_lines};
use crate::pages::PageKind;
use crate::screens::composer::returned_texts::{DraftStorage, ReturnedText};
use crate::screens::outbox::decisions;
use crate::screens::outbox::decisions::DecisionOption;
use crate::wrap;
use model::ids::{ChannelId, RowId};
use model::messages::HistoryPosition;
use model::outbox::{HistoryFinding, Operation, OutboxRow, RowState, StopReason, StopVerdict};
use model::queries::{OutboxEntry, Pause, RowQuestion};
use model::text::SafeText;

impl OutboxScreen {
    /// Returns the row selected on the outbox page or in the history.
    pub fn current_row<'a>(&'a self, desk: &'a Desk) -> Option<&'a OutboxRow> {
        match desk.page {
            PageKind::Outbox => self.rows.chosen().map(|chosen| &chosen.row),
            PageKind::Inbox => desk.tab().history.as_ref()?.current_row(),
            _ => None,
        }
    }

    /// Loads the row's current state; [`open_question`] opens the question with it.
    pub(crate) fn load_question(&mut self, desk: &Desk, context: &mut Context) {
        let id = self.current_row(desk).map(|current_row| current_row.id.clone());
        context.effects.extend(id.map(|row_id| Effect::Load(Load::Question(row_id, context.now))));
    }

    pub(crate) fn ask_about_all(&mut self, context: &mut Context) {
        let (go, look) = decisions::plan_send_all(&self.rows.rows);
        let go: Vec<(RowId, SafeText)> = go
            .into_iter()
            .map(|outbox_entry| (outbox_entry.row.id.clone(), outbox_entry.title.clone()))
            .collect();
        ask_to_send_all(context, go, look, None);
    }

    /// Sends all these rows; with `again`, refused rows get a new idempotency key.
    fn send_all(&mut self, go: Vec<(RowId, SafeText)>, again: bool, desk: &Desk, context: &mut Context) {
        let verdict = if again { StopVerdict::NewKey } else { StopVerdict::SendAnyway };
        for (row, _) in go {
            let entry = self.rows.rows.iter().find(|outbox_entry| outbox_entry.row.id == row);
            let seen = entry.and_then(|entry| seen_position(desk, &entry.row, None));
            context.push(FileWrite::Decide(row, verdict.clone(), seen));
        }
    }
}

pub(crate) fn open_question(inbox: &mut Inbox, question: Option<Box<RowQuestion>>) {
    let Some(question) = question.filter(|question| question.entry.row.is_stopped()) else {
        return inbox.context.show_notice("it no longer needs a decision");
    };
    let RowQuestion { entry, is_key_expired: spent } = *question;
    let answers = decisions::decision_options(&entry, spent);
    let mut question = Confirm::new(decisions::question_text(&entry.row), row_lines(inbox, &entry));
    let shown = entry
        .newer_messages
        .iter()
        .filter_map(|message| Some((message.created_at?, message.id.clone())))
        .max();
    let row = Rc::new(entry.row);
    for DecisionOption { key, verdict, word, effect } in answers {
        let (row, shown) = (Rc::clone(&row), shown.clone());
        let decide = move |inbox: &mut Inbox| {
            let seen = seen_position(&inbox.desk, &row, shown);
            inbox.context.push(FileWrite::Decide(row.id.clone(), verdict, seen));
        };
        question = question.answer(key, format!("{word}: {effect}"), decide);
    }
    let question = question.esc("decide later").one_line_per_answer();
    inbox.context.open(question);
}

/// Reports a decision; `row` is `None` if it came too late.
pub(crate) fn report_decision(inbox: &mut Inbox, verdict: &StopVerdict, row: Option<Box<OutboxRow>>) {
    let Some(row) = row else {
        return inbox.context.show_warning("it no longer needs this decision; check again");
    };
    match verdict {
        StopVerdict::SendAnyway | StopVerdict::NewKey | StopVerdict::SendFromHere => {
            inbox.context.show_notice("sending")
        }
        StopVerdict::SameKey => inbox.context.show_notice("asking the server again"),
        StopVerdict::Adopt(_) => inbox.context.show_notice("noted as sent"),
        StopVerdict::Drop => inbox.context.show_notice("dropped; no more is sent"),
        StopVerdict::Edit => inbox.changes.return_for_edit(&row, &mut inbox.desk, &mut inbox.context),
    }
    inbox.row_changed(&row);
}

/// Sends the selected row now (`hurry`), or recalls it into the composer.
pub(crate) fn send_or_recall_held(inbox: &mut Inbox, hurry: bool) {
    let Some(row) = inbox.outbox.current_row(&inbox.desk).map(|current_row| current_row.id.clone()) else {
        return;
    };
    inbox.changes.held.retain(|held| held.row != row);
    if hurry {
        // Replaces an earlier notice of the send time.
        inbox.context.show_notice("sends now");
    }
    inbox.context.push(if hurry { FileWrite::SendNow(row) } else { FileWrite::Recall(row) });
}

/// Quits once no conversation is paused from here, if that was requested.
pub(crate) fn quit_when_handed_back(inbox: &mut Inbox) {
    let handed_back = inbox.desk.tabs.iter().all(|tab| tab.counts.paused_here == 0);
    if inbox.keyboard.quits_after_hand_back && handed_back {
        inbox.changes.quit(&mut inbox.desk, &mut inbox.context);
    }
}

/// Newest message the user has seen: in the question, or on screen if the conversation is open.
fn seen_position(desk: &Desk, row: &OutboxRow, shown: Option<HistoryPosition>) -> Option<HistoryPosition> {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
    let open =
        tab.history.as_ref().is_some_and(|history| Some(&history.conversation) == row.lane.conversation());
    shown.max(tab.read_progress.newest_shown().filter(|_| open))
}

impl Changes {
    fn return_for_edit(&mut self, row: &OutboxRow, desk: &mut Desk, context: &mut Context) {
        if let (Some(returned), Some(conversation)) =
            (ReturnedText::of(&row.operation), row.lane.conversation())
        {
            let is_there =
                self.return_text(&row.channel, conversation, returned, DraftStorage::Stored, desk, context);
            context.show_notice(match is_there {
                true => "back in the composer".to_owned(),
                false => context.fill_in_keys("back as a draft · {go-to-drafts}"),
            });
        }
    }
}

/// Asks whether to send all rows that can go; `price` is set if they waited for credits.
pub(crate) fn ask_to_send_all(
    context: &mut Context,
    go: Vec<(RowId, SafeText)>,
    look: usize,
    price: Option<&str>,
) {
    let question = Confirm::new("Send waiting messages?", send_all_lines(&go, look, price));
    let count = if go.len() == 1 { "1".to_owned() } else { format!("these {}", go.len()) };
    let again = price.is_some();
    let question = question.answer('y', format!("send {count} now"), move |inbox| {
        inbox.outbox.send_all(go, again, &inbox.desk, &mut inbox.context)
    });
    context.open(question.esc("cancel"));
}

impl Keyboard {
    /// Starts handing back every conversation paused from here, to quit afterwards.
    pub(crate) fn hand_back_and_quit(&mut self, desk: &Desk, context: &mut Context) {
        self.quits_after_hand_back = true;
        let paused = desk.tabs.iter().filter(|tab| tab.counts.paused_here > 0 && !tab.channel.read_only);
        context.effects.extend(paused.map(|tab| Effect::Load(Load::Pauses(tab.channel.id.clone()))));
        context.show_notice("handing back; frontdesk quits once the server confirms · any key cancels");
    }

    pub(crate) fn end_pauses(
        &mut self,
        channel: &ChannelId,
        pauses: Vec<Pause>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        if !self.quits_after_hand_back {
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

/// Lines about a stopped row: error, result of the history search, newer messages, recipient.
fn row_lines(inbox: &Inbox, entry: &OutboxEntry) -> Vec<DialogLine> {
    let row = &entry.row;
    let mut lines = Vec::new();
    // The newer messages below tell more than the reason.
    if let RowState::Stopped(stop, why) = &row.state
        && (*stop != StopReason::ReplyConflict || entry.newer_messages.is_empty())
        && !why.is_empty()
    {
        lines.push(DialogLine::error(why.to_string()));
    }
    lines.extend(finding_line(entry));
    lines.extend(quote_lines(inbox, &entry.newer_messages));
    lines.push(DialogLine::blank());
    let what = SafeText::line(row.operation.summary().as_str());
    let to = format!("To {}: {}", entry.title, wrap::cut(what.as_str(), MAX_MESSAGE_CELLS));
    lines.push(DialogLine::new(to, Tone::Own));
    lines
}

fn finding_line(entry: &OutboxEntry) -> Option<DialogLine> {
    let words = match &entry.row.finding {
        HistoryFinding::Nothing | HistoryFinding::Listed => return None,
        HistoryFinding::Absent => {
            "Searched twice in the conversation, not found: probably not sent.".to_owned()
        }
        HistoryFinding::Several(found) => {
            format!("{} messages of the conversation could match.", found.len())
        }
    };
    Some(DialogLine::new(words, Tone::NeedsAttention))
}

fn send_all_lines(go: &[(RowId, SafeText)], look: usize, price: Option<&str>) -> Vec<DialogLine> {
    let total = go.len() + look;
    let mut plan = format!("{} of {total} can be sent unchanged", go.len());
    match look {
        0 => (),
        1 => plan.push_str("; 1 conversation has new messages: check it"),
        look => plan.push_str(&format!("; {look} conversations have new messages: check them")),
    }
    let mut lines = vec![DialogLine::plain(format!("{plan}.")), DialogLine::blank()];
    if let Some(price) = price {
        let words = format!("They waited for credits and cost {price}; sent in the order written.");
        lines[0] = DialogLine::plain(words);
    }
    let names: Vec<&str> = go.iter().take(MAX_SHOWN_MESSAGES).map(|(_, name)| name.as_str()).collect();
    let rest = go.len().saturating_sub(MAX_SHOWN_MESSAGES);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    lines.push(DialogLine::new(
        wrap::cut(&format!("To {}{rest}", names.join(", ")), MAX_MESSAGE_CELLS),
        Tone::Own,
    ));
    lines
}
