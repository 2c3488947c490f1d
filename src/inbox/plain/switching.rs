//! Whose AI is being switched, and that the server has confirmed it.

use crate::Inbox;
use crate::plain::Spoken;
use model::conversations::Automation;

/// What was said of the AI of a conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnnouncedSwitch {
    /// To what it is being switched.
    wanted: Option<bool>,
    /// Whether this desk had paused it when that was said last.
    paused: bool,
}

impl Spoken {
    /// The AI of a conversation is being switched, or the server has confirmed
    /// it.
    pub(super) fn switches(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        // The open conversation is read apart from the list; one of the two
        // may be older.
        let open = inbox.desk.tab().history.as_ref().and_then(|history| history.row.as_ref());
        let listed =
            inbox.desk.list().page.rows.iter().filter(|row| open.is_none_or(|open| open.key() != row.key()));
        for row in listed.chain(open) {
            let known = AnnouncedSwitch { wanted: None, paused: row.paused_here };
            let switch = self.switches.entry(row.key()).or_insert(known);
            // It may have left and been confirmed between two looks.
            let unseen = match (switch.paused, row.paused_here) {
                (false, true) => Some(false),
                (true, false) if row.handed_back_at.is_some() => Some(true),
                _ => None,
            };
            let words = match (row.automation_pending, switch.wanted.or(unseen)) {
                (Some(on), _) if switch.wanted == Some(on) => continue,
                (Some(on), _) => {
                    switch.wanted = Some(on);
                    if on { "handing back to the AI" } else { "pausing the AI" }
                }
                (None, Some(wanted)) => {
                    let words = match (row.conversation.automation, wanted) {
                        (Automation::Off, false) => "AI off, confirmed",
                        (Automation::On, true) => "AI on, confirmed",
                        _ => continue,
                    };
                    *switch = AnnouncedSwitch { wanted: None, paused: !wanted };
                    words
                }
                (None, None) => continue,
            };
            lines.push(format!("{}: {words}", row.conversation.title()));
        }
    }
}
