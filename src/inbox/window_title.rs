//! Title of the terminal window, with the number of waiting customers.

use crate::Inbox;
use model::text::SafeText;

/// Contains no text of customers, as others can see it.
pub fn window_title(inbox: &Inbox) -> SafeText {
    let name = if inbox.context.settings.demo { "frontdesk demo" } else { "frontdesk" };
    let waiting: u32 = inbox.desk.tabs.iter().map(|tab| tab.needs_person_count()).sum();
    match waiting {
        0 => SafeText::line(name),
        waiting => SafeText::line(&format!("({waiting}) {name}")),
    }
}
