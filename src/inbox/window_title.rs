//! What the terminal window is called: how many customers wait, for whoever
//! looks at another window.

use crate::Inbox;
use model::text::SafeText;

/// The title. Nothing that anybody wrote is in it: others see it, too.
pub fn window_title(inbox: &Inbox) -> SafeText {
    let name = if inbox.context.settings.demo { "frontdesk demo" } else { "frontdesk" };
    let waiting: u32 = inbox.desk.tabs.iter().map(|tab| tab.counts.needs_reply).sum();
    match waiting {
        0 => SafeText::line(name),
        waiting => SafeText::line(&format!("({waiting}) {name}")),
    }
}
