//! Decides if a key may answer a question that has just appeared.

use crate::Inbox;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::notice::StatusNotice;
use crate::overlays::prompt_guard::TYPING_QUIET_TIME;
use crate::wrap;

/// Answers of the topmost question: key and text.
pub(crate) fn question_answers(inbox: &Inbox) -> Option<Vec<(KeyPress, String)>> {
    let question = inbox.context.overlays.last().filter(|layer| layer.is_question())?;
    Some(question.dialog(inbox).lines.iter().flat_map(DialogLine::keys_with_text).collect())
}

/// Message with the keys that answer the topmost question.
pub(crate) fn describe_answers(inbox: &Inbox) -> Option<String> {
    let mut keys: Vec<String> =
        question_answers(inbox)?.into_iter().map(|answer| answer.0.to_string()).collect();
    let esc = KeyPress::plain(KeyCode::Esc).to_string();
    if !keys.contains(&esc) {
        keys.push(esc);
    }
    let last = keys.pop()?;
    let first = keys.join(", ");
    Some(if first.is_empty() {
        format!("{last} answers this")
    } else {
        format!("{first} or {last} answers this")
    })
}

/// True if a key may answer the topmost question; otherwise with a message.
pub(crate) fn allow_key(desk: &mut Desk, key: KeyPress, is_answer: bool, context: &mut Context) -> bool {
    if context.guard.accepts(key, context.input_moment()) {
        return true;
    }
    match key.typed() {
        Some(character) => {
            context.guard.push_rejected(character);
            warn_of_rejected_text(desk, context);
        }
        None if key.code == KeyCode::Esc => (),
        None if is_answer => context.show_warning(format!("{key} was too early: press it again")),
        None => context.show_status(StatusNotice::UnansweredQuestion),
    }
    false
}

/// Handles a letter that is no answer; over a text it belongs to the text.
pub(crate) fn handle_stray_key(desk: &mut Desk, key: KeyPress, context: &mut Context) {
    let Some(character) = key.typed().filter(|_| desk.is_typing() && !context.guard.reads_lines) else {
        return context.show_status(StatusNotice::UnansweredQuestion);
    };
    (context.guard.accepts_answers, context.guard.required_quiet) = (false, TYPING_QUIET_TIME);
    context.guard.push_rejected(character);
    warn_of_rejected_text(desk, context);
}

fn warn_of_rejected_text(desk: &mut Desk, context: &mut Context) {
    let kept = wrap::cut(&context.guard.rejected_text, 40);
    let goes = if can_restore_text(desk, context) { "; it stays in the text" } else { "" };
    context.show_warning(format!("\"{kept}\" was typed too early{goes}: stop typing, then answer"));
}

/// True if there is a text for the kept keys and they are more than a slip.
fn can_restore_text(desk: &Desk, context: &Context) -> bool {
    context.guard.rejected_text.chars().count() > 1 && desk.is_typing()
}

/// Inserts the kept keys into their text once no question is open.
pub(crate) fn restore_rejected_text(desk: &mut Desk, context: &mut Context) {
    if context.guard.rejected_text.is_empty() || !context.overlays.is_empty() {
        return;
    }
    let keeps = can_restore_text(desk, context);
    let kept = std::mem::take(&mut context.guard.rejected_text);
    let now = context.moment;
    if let Some(composer) = desk.tab_mut().composer.as_mut().filter(|_| keeps) {
        composer.paste(&kept, now);
        context.show_notice(format!(
            "kept in the text: \"{}\", typed while the question opened",
            wrap::cut(&kept, 40)
        ));
    }
}
