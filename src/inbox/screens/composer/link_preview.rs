//! Preview of the first link in a chat text: the setting, and the switch of one text.

use crate::Inbox;
use crate::command::Reason;
use crate::settings::Settings;
use crate::tab::Tab;
use model::account::Platform;

impl Tab {
    pub(crate) fn takes_link_preview(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.takes_link_preview)
    }

    /// Switch of the composed text; `None` leaves it to the channel.
    pub(crate) fn link_preview(&self, settings: &Settings) -> Option<bool> {
        let chosen = self.composer.as_ref().and_then(|composer| composer.link_preview);
        chosen.or(settings.link_preview).filter(|_| self.takes_link_preview())
    }
}

pub(crate) fn check_may_switch(inbox: &Inbox) -> Result<(), Reason> {
    let tab = inbox.desk.tab();
    if !tab.takes_link_preview() {
        let label = tab.platform().map_or("this channel", Platform::label);
        return Err(format!("{label} has no link previews to switch"));
    }
    match tab.composer {
        Some(_) => Ok(()),
        None => Err("write a text first".to_owned()),
    }
}

/// Switches the preview for the text in the composer, until it is sent.
pub(crate) fn switch_preview(inbox: &mut Inbox) {
    let tab = inbox.desk.tab();
    // Bot-chat shows previews by itself.
    let by_channel = tab.platform() == Some(&Platform::Telegram);
    let is_shown = !tab.link_preview(&inbox.context.settings).unwrap_or(by_channel);
    let Some(composer) = &mut inbox.desk.tab_mut().composer else { return };
    composer.link_preview = Some(is_shown);
    inbox.context.show_notice(match is_shown {
        true => "this text is sent with a preview of its first link",
        false => "this text is sent without a link preview",
    });
}
