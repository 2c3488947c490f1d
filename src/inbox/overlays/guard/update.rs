//! Decides whether a key may answer a question that has just appeared.

use crate::Inbox;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::notice::Fact;
use crate::overlays::guard::WRITING;
use crate::wrap;

/// The answers of the question on top: each with its key and its words.
pub(crate) fn answers(inbox: &Inbox) -> Option<Vec<(KeyPress, String)>> {
    let question = inbox.context.layers.last().filter(|layer| layer.is_question())?;
    Some(question.dialog(inbox).lines.iter().flat_map(DialogLine::named_answers).collect())
}

/// Which keys answer the question on top, for who pressed another.
pub(crate) fn answer_words(inbox: &Inbox) -> Option<String> {
    let mut keys: Vec<String> = answers(inbox)?.into_iter().map(|answer| answer.0.to_string()).collect();
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

impl Desk {
    /// Whether a key goes to the question on top; one that came too early does
    /// not, which is said.
    pub(crate) fn allow_key(&mut self, key: KeyPress, is_answer: bool, context: &mut Context) -> bool {
        if context.guard.lets(key, context.moment) {
            return true;
        }
        match key.typed() {
            Some(it) => {
                context.guard.push_typed(it);
                self.warn_of_kept(context);
            }
            None if key.code == KeyCode::Esc => (),
            None if is_answer => {
                context.warn(format!("{key} came too early to be an answer: press it again"))
            }
            None => context.state(Fact::Question),
        }
        false
    }

    /// A question got a letter that is none of its answers. Over a text that
    /// letter was meant for the text, and so are those that follow.
    pub(crate) fn went_astray(&mut self, key: KeyPress, context: &mut Context) {
        let Some(it) = key.typed().filter(|_| self.is_typing() && !context.guard.by_lines) else {
            return context.state(Fact::Question);
        };
        (context.guard.passed, context.guard.quiet) = (false, WRITING);
        context.guard.push_typed(it);
        self.warn_of_kept(context);
    }

    fn warn_of_kept(&mut self, context: &mut Context) {
        let kept = wrap::cut(&context.guard.kept, 40);
        let goes = if self.keeps_typed(context) { "; it stays in the text" } else { "" };
        context
            .warn(format!("\"{kept}\" was typed too early to be an answer{goes}: stop typing, then answer"));
    }

    /// Whether what was kept is more than a slip, and there is a text for it.
    fn keeps_typed(&self, context: &Context) -> bool {
        context.guard.kept.chars().count() > 1 && self.is_typing()
    }

    /// Once no question is open, what was typed over one goes into the text it
    /// was meant for.
    pub(crate) fn restore_typed_text(&mut self, context: &mut Context) {
        if context.guard.kept.is_empty() || !context.layers.is_empty() {
            return;
        }
        let keeps = self.keeps_typed(context);
        let kept = std::mem::take(&mut context.guard.kept);
        let now = context.moment;
        if let Some(composer) = self.tab_mut().composer.as_mut().filter(|_| keeps) {
            composer.paste(&kept, now);
            context.say(format!(
                "kept in the text: \"{}\", typed while the question opened",
                wrap::cut(&kept, 40)
            ));
        }
    }
}
