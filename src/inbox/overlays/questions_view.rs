//! The words of the questions that lie over the desk: what is asked, what
//! each answer does, and the keys.

use ratatui::style::Style;

use crate::Inbox;
use crate::overlays::Layer;
use crate::overlays::menus_view;
use crate::screens::broadcasts;
use crate::screens::composer::attachments_view;
use crate::screens::composer::rich_forms_view;
use crate::screens::connections;
use crate::screens::mail;
use crate::screens::people;
use crate::screens::phone;
use crate::theme_view::Theme;

pub(crate) type Lines = Vec<(String, Style)>;

/// Title and lines of a question; `None` for other layers.
pub fn words(inbox: &Inbox, theme: Theme, layer: &Layer) -> Option<(String, Lines)> {
    Some(match layer {
        Layer::Number { typed, wrong } => {
            ("Write to a number".to_owned(), phone::view::number(theme, typed, wrong.as_deref()))
        }
        Layer::Call(form) => ("Call".to_owned(), phone::view::call(theme, form)),
        Layer::MailFile(line) => ("Attach".to_owned(), mail::view::file(theme, line)),
        Layer::Attach(form) => {
            ("Attach a file or a link".to_owned(), attachments_view::form(inbox, theme, form))
        }
        Layer::Later { typed } => ("Send when?".to_owned(), menus_view::later(inbox, theme, typed)),
        Layer::Json { text, wrong } => rich_forms_view::json(inbox, theme, text, wrong.as_ref()),
        Layer::EndpointForm(form) => connections::view::form(theme, form),
        Layer::Wizard(wizard) => connections::view::wizard(theme, wizard),
        Layer::Credential(form) => connections::view::credential(theme, form),
        Layer::AskContinue(asked) => {
            ("Continue the broadcast?".to_owned(), broadcasts::view::ask_continue(theme, asked))
        }
        Layer::AskDeletePerson(asked) => {
            ("DELETE this person?".to_owned(), people::form_view::deleting(theme, asked))
        }
        Layer::Snooze { rows, typed, stays } => {
            (menus_view::snooze_title(rows), menus_view::snooze(inbox, theme, rows, typed.as_ref(), *stays))
        }
        Layer::Tags { rows, line, .. } => {
            (menus_view::tags_title(rows), menus_view::tags(inbox, theme, rows, line))
        }
        _ => return None,
    })
}

pub(crate) fn plain(words: impl Into<String>) -> (String, Style) {
    (words.into(), Style::new())
}

pub(crate) fn gap() -> (String, Style) {
    plain("")
}
