//! Format of bot-chat texts: plain, HTML or Markdown. Plain text is escaped where it is sent.

use crate::context::Context;
use crate::desk::Desk;
use crate::screens::mail::writing::update as writing;
use crate::tab::Tab;
use model::account::Platform;
use model::outbox::content::Markup;

impl Tab {
    pub fn has_markup(&self) -> bool {
        self.platform() == Some(&Platform::Telegram)
    }

    /// Markup of this tab's texts; `None` for plain text.
    pub fn markup(&self) -> Option<Markup> {
        self.markup.filter(|_| self.has_markup())
    }

    /// Name of the format, if there is a choice.
    pub fn markup_label(&self) -> Option<&'static str> {
        self.has_markup().then(|| self.markup().map_or("plain text", Markup::word))
    }
}

/// Switches to the next format; in mail, to the next quote position.
pub(crate) fn cycle_markup(desk: &mut Desk, context: &mut Context) {
    if desk.tab().is_mail() {
        return writing::cycle_quote_style(desk, context);
    }
    let tab = desk.tab_mut();
    if !tab.has_markup() {
        let label = tab.platform().map_or("this channel", Platform::label).to_owned();
        return context.show_warning(format!("{label} takes plain text only"));
    }
    tab.markup = match tab.markup {
        None => Some(Markup::Html),
        Some(Markup::Html) => Some(Markup::MarkdownV2),
        Some(Markup::MarkdownV2) => None,
    };
    context.show_notice(match desk.tab().markup() {
        None => "plain text: every character arrives as it is typed",
        Some(Markup::Html) => "HTML: <b>bold</b>, <i>, <a href>; & < > are written &amp; &lt; &gt;",
        Some(Markup::MarkdownV2) => {
            "MarkdownV2: *bold*, _italic_; . ! - ( ) and others need a \\ before them"
        }
    });
}
