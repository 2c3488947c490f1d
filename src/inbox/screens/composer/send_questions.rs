//! Questions before a reply is sent: splitting a long text, and pausing the AI.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::event::Intent;
use crate::overlays::quoted_messages::MAX_SHOWN_MESSAGES;
use crate::screens::composer::sending;
use crate::wrap;
use model::bounds;
use model::text::SafeText;

/// Characters shown from the start and the end of a part.
const PART_PREVIEW_CHARS: usize = 24;

pub(super) fn ask_split(
    context: &mut Context,
    parts: &[SafeText],
    (length, most): (usize, usize),
    price: &str,
) {
    let count = parts.len();
    let mut lines =
        vec![DialogLine::plain(format!("{length} characters; the limit is {most}.")), DialogLine::blank()];
    for (index, part) in parts.iter().take(MAX_SHOWN_MESSAGES).enumerate() {
        let size = bounds::count_chars(part.as_str());
        let ends: String = part.as_str().chars().skip(size.saturating_sub(PART_PREVIEW_CHARS)).collect();
        let starts: String = part.as_str().chars().take(PART_PREVIEW_CHARS).collect();
        lines.push(DialogLine::dim(format!("{} of {count}: {starts} … {ends}", index + 1)));
    }
    if count > MAX_SHOWN_MESSAGES {
        lines.push(DialogLine::dim(format!("… and {} more", count - MAX_SHOWN_MESSAGES)));
    }
    let words = format!("split into {count} messages, sent in this order · {price}");
    let question = Confirm::new("Too long for one message", lines);
    context.open(
        question
            .answer('y', words, |inbox: &mut Inbox| {
                sending::send_unless_conflict(&mut inbox.desk, &mut inbox.context)
            })
            .esc("keep editing")
            .one_line_per_answer(),
    );
}

/// Asks whether to pause the AI before sending. Content of a form stays in the form below.
pub(super) fn ask_pause(context: &mut Context, pause: Intent, sends: Vec<Intent>, clears_draft: bool) {
    let text =
        sends.first().map(|send| SafeText::line(send.operation.summary().as_str())).unwrap_or_default();
    let more = if sends.len() > 1 { format!(" (and {} more)", sends.len() - 1) } else { String::new() };
    let lines = vec![
        DialogLine::plain("The AI may answer this customer too."),
        DialogLine::dim(format!("{}{more}", wrap::cut(text.as_str(), 200))),
    ];
    let beside = sends.clone();
    let pauses = move |inbox: &mut Inbox| {
        send_after_question(inbox, clears_draft, |inbox| {
            sending::pause_and_send(&mut inbox.desk, pause, sends, clears_draft, &mut inbox.context)
        });
    };
    let sends_only = move |inbox: &mut Inbox| {
        send_after_question(inbox, clears_draft, |inbox| {
            sending::send_without_pause(&mut inbox.desk, beside, clears_draft, &mut inbox.context)
        });
    };
    let question = Confirm::new("The AI is on", lines).answer('y', "pause the AI and send", pauses);
    context.open(question.answer('s', "send only", sends_only).esc("back"));
}

/// Sends after the answer about the pause; asks about messages that crossed meanwhile first.
fn send_after_question(inbox: &mut Inbox, clears_draft: bool, sends: impl FnOnce(&mut Inbox)) {
    let form = if clears_draft { None } else { inbox.context.overlays.pop() };
    if clears_draft && !inbox.desk.newer_messages().is_empty() {
        sending::send_unless_conflict(&mut inbox.desk, &mut inbox.context);
    } else {
        sends(inbox);
    }
    if let Some(mut form) = form {
        form.on_sent(inbox);
    }
}
