//! What was promised to a customer and until when, as this desk notes it: asked
//! for with a key, or offered where a text that left or a note says it.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::{DialogLine, Tone};
use crate::components::text_line::TextLine;
use crate::components::text_prompt::TextPrompt;
use crate::components::time_prompt;
use crate::context::Context;
use crate::features::offers::update as offers;
use crate::screens::composer::send_later;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use model::conversations::ConversationRow;
use model::local::Keep;
use model::messages::Direction;
use model::outbox::content::ChatContent;
use model::outbox::{Operation, OutboxRow};
use model::promises::{self, CustomerPromise};
use model::queries::ConversationKey;
use model::snooze;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

/// What is said of a promise without words of its own.
const NO_WORDS: &str = "to get back to them";

/// Asks what was promised in the current conversation, or what became of it.
pub(crate) fn ask_current(inbox: &mut Inbox) {
    let Some(row) = inbox.desk.current_conversation().cloned() else { return };
    // The message that is selected, where somebody of this side wrote it.
    let selected = inbox.desk.tab().history.as_ref().and_then(|history| history.selected_message());
    let said = selected.filter(|message_row| message_row.message.direction == Direction::Outbound);
    let said = said.map(|message_row| SafeText::line(message_row.message.content.as_str()));
    ask_promise(row, said, &mut inbox.context);
}

/// Asks what was promised in a conversation, or what became of it.
pub(crate) fn ask_promise(row: ConversationRow, said: Option<SafeText>, context: &mut Context) {
    let Some(promise) = row.local.promise.clone() else { return open_prompt(row, said, context) };
    let title = row.conversation.title();
    let lines = move |inbox: &Inbox| {
        let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
        let due = format!("due {}, by {}", snooze::moment(promise.due, now, zone), promise.by);
        let tone = if promise.is_late(now) { Tone::Waiting } else { Tone::Own };
        vec![DialogLine::plain(promise.words.to_string()), DialogLine::new(due, tone)]
    };
    let (done, later) = (row.clone(), row);
    let question = Confirm::live("Promised to the customer", lines)
        .answer('d', "done: it was kept", move |inbox| note(inbox, vec![done], None))
        .answer('l', "later, or something else", move |inbox| {
            open_prompt(later, said, &mut inbox.context);
        })
        .esc("leave it");
    context.open(question.naming(move |names| names.add(title.as_str())));
}

fn open_prompt(row: ConversationRow, said: Option<SafeText>, context: &mut Context) {
    let before = row.local.promise.as_ref().map(|promise| promise.words.clone());
    let words = before.or(said).unwrap_or_else(|| SafeText::line(NO_WORDS));
    let shown = words.clone();
    let below = move |inbox: &Inbox, typed: &TextLine| below(inbox, typed, &shown);
    let submit = move |inbox: &mut Inbox, typed: &str| {
        let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
        let (due, said) = wished(typed, now, zone).ok_or("")?;
        let words = if said.is_empty() { words.clone() } else { SafeText::line(&said) };
        let by = inbox.context.settings.agent.clone();
        note(inbox, vec![row.clone()], Some(CustomerPromise { words, due, by, at: now }));
        Ok(())
    };
    context.open(TextPrompt::new("Promise until when?", "When and what: ", below, submit));
}

/// A time as it is wished for elsewhere, and the words behind it.
fn wished(typed: &str, now: Timestamp, zone: &Zone) -> Option<(Timestamp, String)> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    (1..=words.len().min(3)).rev().find_map(|count| {
        let due = send_later::when(&words[..count].join(" "), now, zone)?;
        Some((due, words[count..].join(" ")))
    })
}

fn below(inbox: &Inbox, typed: &TextLine, words: &SafeText) -> Vec<DialogLine> {
    let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
    let named = wished(typed.text(), now, zone).map(|(due, said)| {
        let words = if said.is_empty() { words.to_string() } else { said };
        format!("due {}: {words}", snooze::moment(due, now, zone))
    });
    vec![
        time_prompt::answer(typed, named, "17:00 call back, in 2h, tomorrow 9:00 send the invoice"),
        DialogLine::dim("Kept on this desk only. A bell rings when it is due."),
        DialogLine::gap(),
        DialogLine::strong("[Enter] note it   [Esc] back"),
    ]
}

/// Notes a promise, or that it was kept.
fn note(inbox: &mut Inbox, rows: Vec<ConversationRow>, promise: Option<CustomerPromise>) {
    inbox.changes.plan(BulkWish::Promise(promise), rows, &mut inbox.desk, &mut inbox.context);
}

impl Changes {
    /// Notes what was promised, or that it was kept, in all a plan applies to.
    pub(crate) fn promise_all(
        &mut self,
        plan: &BulkPlan,
        promise: Option<&CustomerPromise>,
        context: &mut Context,
    ) {
        let before = |row: &ConversationRow| row.local.promise.clone();
        self.keep_all(plan, |_| promise.cloned(), before, Keep::Promise, context);
    }
}

/// What was queued promises something: noting it is offered.
pub(crate) fn offer_of_rows(rows: &[OutboxRow], context: &mut Context) {
    for row in rows {
        let (Some(conversation), Some(text)) = (row.lane.conversation(), text_of(&row.operation)) else {
            continue;
        };
        let key = ConversationKey { channel: row.channel.clone(), conversation: conversation.clone() };
        offer(key, text, context);
    }
}

/// A text of this desk may promise something: then noting it is offered.
pub(crate) fn offer(key: ConversationKey, text: &str, context: &mut Context) {
    let now = context.now;
    if let Some((words, due)) = promises::find(text, now, &context.settings.zone) {
        let by = context.settings.agent.clone();
        offers::offer_promise(key, CustomerPromise { words, due, by, at: now }, context);
    }
}

/// What a person wrote to a customer.
fn text_of(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::SendText { text, .. } => Some(text),
        Operation::SendContent { content: ChatContent::Marked { text, .. }, .. } => Some(text),
        Operation::SendSms { body, .. } => Some(body),
        Operation::SendMail(mail) => mail.text.as_deref(),
        _ => None,
    }
}

/// What was promised, for a row: only what is still to come; what is late says
/// so in the row's age.
pub(crate) fn label(row: &ConversationRow, now: Timestamp, zone: &Zone) -> String {
    let promise = row.local.promise.as_ref().filter(|promise| !promise.is_late(now));
    promise.map_or_else(String::new, |promise| format!(" due {}", snooze::moment(promise.due, now, zone)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stands_before_the_words() {
        let at = |text: &str| Timestamp::parse(text).expect("a time");
        let now = at("2026-11-20T10:00:00Z");
        let table = [
            ("17:00", Some(("2026-11-20T17:00:00Z", ""))),
            ("17:00 call her back", Some(("2026-11-20T17:00:00Z", "call her back"))),
            ("in 2h call", Some(("2026-11-20T12:00:00Z", "call"))),
            ("tomorrow 9:00 send the invoice", Some(("2026-11-21T09:00:00Z", "send the invoice"))),
            ("call her back", None),
            ("", None),
        ];
        for (typed, wanted) in table {
            let wanted = wanted.map(|(due, words)| (at(due), words.to_owned()));
            assert_eq!(wished(typed, now, &Zone::UTC), wanted, "{typed:?}");
        }
    }
}
