//! Announces that the AI of a conversation is being switched, and the server's confirmation.

use crate::Inbox;
use crate::plain::PlainOutput;
use model::conversations::Automation;

/// Last announcement about the AI of a conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnnouncedSwitch {
    /// True if it is being switched on, false if off; `None` if it is not being switched.
    target: Option<bool>,
    /// True if this desk had paused the AI at the last announcement.
    paused: bool,
}

impl PlainOutput {
    pub(super) fn announce_switches(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        // The open conversation is loaded apart from the list, and one of the two may be older.
        let open = inbox.desk.tab().history.as_ref().and_then(|history| history.row.as_ref());
        let listed =
            inbox.desk.list().page.rows.iter().filter(|row| open.is_none_or(|open| open.key() != row.key()));
        for row in listed.chain(open) {
            let known = AnnouncedSwitch { target: None, paused: row.paused_here };
            let switch = self.switches.entry(row.key()).or_insert(known);
            // A switch may be sent and confirmed between two calls.
            let unseen = match (switch.paused, row.paused_here) {
                (false, true) => Some(false),
                (true, false) if row.handed_back_at.is_some() => Some(true),
                _ => None,
            };
            let words = match (row.automation_pending, switch.target.or(unseen)) {
                (Some(on), _) if switch.target == Some(on) => continue,
                (Some(on), _) => {
                    switch.target = Some(on);
                    if on { "handing back to the AI" } else { "pausing the AI" }
                }
                (None, Some(wanted)) => {
                    let words = match (row.conversation.automation, wanted) {
                        (Automation::Off, false) => "AI off, confirmed",
                        (Automation::On, true) => "AI on, confirmed",
                        _ => continue,
                    };
                    *switch = AnnouncedSwitch { target: None, paused: !wanted };
                    words
                }
                (None, None) => continue,
            };
            lines.push(format!("{}: {words}", row.conversation.title()));
        }
    }
}
