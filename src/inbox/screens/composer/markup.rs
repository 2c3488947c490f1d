//! How a bot-chat text is to be read: as it is typed, or as HTML or Markdown.
//!
//! What is plain is escaped where it is sent.

use crate::context::Context;
use crate::desk::Desk;
use crate::tab::Tab;
use model::account::Platform;
use model::outbox::content::Markup;

impl Tab {
    /// Whether texts of this tab can have markup.
    pub fn has_markup(&self) -> bool {
        self.platform() == Some(&Platform::Telegram)
    }

    /// How texts are to be read; `None`: as they are typed.
    pub fn markup(&self) -> Option<Markup> {
        self.markup.filter(|_| self.has_markup())
    }

    /// The mode in words, where there are several.
    pub fn markup_words(&self) -> Option<&'static str> {
        self.has_markup().then(|| self.markup().map_or("plain text", Markup::word))
    }
}

impl Desk {
    /// Turns to the next mode.
    pub(crate) fn turn_markup(&mut self, context: &mut Context) {
        if self.tab().is_mail() {
            return self.turn_quoting(context);
        }
        let tab = self.tab_mut();
        if !tab.has_markup() {
            let label = tab.platform().map_or("this channel", Platform::label).to_owned();
            return context.warn(format!("{label} takes plain text only"));
        }
        tab.markup = match tab.markup {
            None => Some(Markup::Html),
            Some(Markup::Html) => Some(Markup::MarkdownV2),
            Some(Markup::MarkdownV2) => None,
        };
        context.say(match self.tab().markup() {
            None => "plain text: every character arrives as it is typed",
            Some(Markup::Html) => "HTML: <b>bold</b>, <i>, <a href>; & < > are written &amp; &lt; &gt;",
            Some(Markup::MarkdownV2) => {
                "MarkdownV2: *bold*, _italic_; . ! - ( ) and others need a \\ before them"
            }
        });
    }
}
