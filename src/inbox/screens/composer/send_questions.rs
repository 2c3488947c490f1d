//! The questions before an answer leaves: what the AI shall do, and how a text
//! that is too long is split.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::event::Intent;
use crate::overlays::quoted_messages::SHOWN;
use crate::wrap;
use model::bounds;
use model::text::SafeText;

/// Characters of the start and of the end of a part that are shown.
const END: usize = 24;

/// Says how a text that is too long would be split, and asks whether to
/// send it so.
pub(super) fn ask_split(
    context: &mut Context,
    parts: &[SafeText],
    (length, most): (usize, usize),
    price: &str,
) {
    let count = parts.len();
    let mut lines = vec![
        DialogLine::plain(format!("{length} characters as they are counted; {most} fit.")),
        DialogLine::gap(),
    ];
    for (index, part) in parts.iter().take(SHOWN).enumerate() {
        let size = bounds::count_chars(part.as_str());
        let ends: String = part.as_str().chars().skip(size.saturating_sub(END)).collect();
        let starts: String = part.as_str().chars().take(END).collect();
        lines.push(DialogLine::dim(format!("{} of {count}: {starts} … {ends}", index + 1)));
    }
    if count > SHOWN {
        lines.push(DialogLine::dim(format!("… and {} more", count - SHOWN)));
    }
    let words = format!("split into {count} messages, sent in this order · {price}");
    let question = Confirm::new("Too long for one message", lines);
    context.open(
        question
            .answer('y', words, |inbox: &mut Inbox| inbox.desk.send_unless_crossed(&mut inbox.context))
            .esc("keep editing")
            .stacked(),
    );
}

/// Asks whether to pause the AI before these leave. What the composer does
/// not hold has its form beneath.
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
        send_asked(inbox, clears_draft, |inbox| {
            inbox.desk.pause_and_send(pause, sends, clears_draft, &mut inbox.context)
        });
    };
    let sends_only = move |inbox: &mut Inbox| {
        send_asked(inbox, clears_draft, |inbox| {
            inbox.desk.send_beside_ai(beside, clears_draft, &mut inbox.context)
        });
    };
    let question = Confirm::new("The AI is on", lines).answer('y', "pause the AI and send", pauses);
    context.open(question.answer('s', "send only", sends_only).esc("back"));
}

/// The question whether to pause was answered. What crossed meanwhile is
/// shown first; then it is asked again.
fn send_asked(inbox: &mut Inbox, clears_draft: bool, sends: impl FnOnce(&mut Inbox)) {
    let form = if clears_draft { None } else { inbox.context.layers.pop() };
    if clears_draft && !inbox.desk.crossed().is_empty() {
        inbox.desk.send_unless_crossed(&mut inbox.context);
    } else {
        sends(inbox);
    }
    if let Some(mut form) = form {
        form.has_left(inbox);
    }
}
