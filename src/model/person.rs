//! A person across channels: the ways to reach them, their prices, and the cheapest.

use crate::conversations::{ConversationRow, NoMessagesReason, ServiceWindow};
use crate::prices::{MAX_TEMPLATE_CREDITS, Price, TEMPLATE_CREDITS};
use crate::queries::ConversationKey;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PersonQuery {
    /// Any conversation with the person.
    pub key: ConversationKey,
}

/// Reason why a conversation no longer reaches its customer, as far as this desk knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreachableReason {
    /// The server reports it, or the customer wrote STOP, and no START since.
    TakesNoMessages(NoMessagesReason),
    /// The server reported that the channel is not connected.
    NotConfigured,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PersonConversation {
    pub row: ConversationRow,
    /// Set if messages there do not reach the person.
    pub bar: Option<UnreachableReason>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PersonPage {
    /// The queried conversation first, then by activity.
    pub conversations: Vec<PersonConversation>,
    pub phones: Vec<String>,
    pub emails: Vec<String>,
    /// Mail addresses used with several numbers. They are ambiguous and join no conversations.
    pub shared: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reachability {
    /// Free text is possible; `None` if the price is unknown.
    Open(Option<Price>),
    /// Only an approved template is possible.
    Template(Price),
    Simulated,
    Unreachable(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactWay {
    pub name: String,
    pub reach: Reachability,
    pub last_at: Option<Timestamp>,
}

impl Reachability {
    /// Derives the reachability from the service window, an obstacle and the price of a text.
    pub fn from_window(window: ServiceWindow, bar: Option<UnreachableReason>, text: Option<Price>) -> Self {
        match (bar, window) {
            (Some(UnreachableReason::TakesNoMessages(reason)), _) => {
                Self::Unreachable(format!("they {}", reason.label()))
            }
            (Some(UnreachableReason::NotConfigured), _) => {
                Self::Unreachable("not connected on the server".to_owned())
            }
            (None, ServiceWindow::Closed) => {
                Self::Template(Price { min: TEMPLATE_CREDITS, max: MAX_TEMPLATE_CREDITS })
            }
            (None, ServiceWindow::Open | ServiceWindow::Unknown | ServiceWindow::NotApplicable) => {
                Self::Open(text)
            }
        }
    }

    /// Sort key, cheapest first: known prices by their maximum, then unknown prices, then test
    /// keys. `None` if unreachable.
    fn rank(&self) -> Option<(u8, i64, i64)> {
        match self {
            Self::Open(Some(price)) | Self::Template(price) => Some((0, price.max, price.min)),
            Self::Open(None) => Some((1, 0, 0)),
            Self::Simulated => Some((2, 0, 0)),
            Self::Unreachable(_) => None,
        }
    }

    /// Suffix after the name of the tab.
    fn suffix(&self) -> String {
        let amount = |price: &Price| {
            let words = price.describe();
            words.split(' ').next().unwrap_or_default().to_owned()
        };
        match self {
            Self::Open(Some(price)) => format!("open ({})", amount(price)),
            Self::Open(None) => "open (price unknown)".to_owned(),
            Self::Template(price) => format!("closed (template {})", amount(price)),
            Self::Simulated => "TEST (reaches nobody)".to_owned(),
            Self::Unreachable(why) => format!("no ({why})"),
        }
    }
}

impl ContactWay {
    /// `Harbor mail open (1)`.
    pub fn describe(&self) -> String {
        format!("{} {}", self.name, self.reach.suffix())
    }
}

/// Returns the index of the cheapest way; the most recently used among equals.
pub fn cheapest_way(ways: &[ContactWay]) -> Option<usize> {
    let ranked = ways.iter().enumerate().filter_map(|(place, way)| {
        let last = std::cmp::Reverse(way.last_at);
        Some(((way.reach.rank()?, last, place), place))
    });
    ranked.min().map(|entry| entry.1)
}

pub fn describe_ways(ways: &[ContactWay]) -> String {
    ways.iter().map(ContactWay::describe).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOPPED: UnreachableReason = UnreachableReason::TakesNoMessages(NoMessagesReason::Stopped);

    fn way(name: &str, reach: Reachability, last: i64) -> ContactWay {
        ContactWay { name: name.to_owned(), reach, last_at: Some(Timestamp::from_micros(last)) }
    }

    #[test]
    fn the_cheapest_way_that_reaches_them() {
        let template = || Reachability::from_window(ServiceWindow::Closed, None, Some(Price::exactly(1)));
        let open = |price| Reachability::from_window(ServiceWindow::Open, None, price);
        let one = || open(Some(Price::exactly(1)));
        let stopped =
            || Reachability::from_window(ServiceWindow::Open, Some(STOPPED), Some(Price::exactly(1)));
        let cases: [(Vec<Reachability>, Option<usize>); 9] = [
            (vec![], None),
            (vec![template(), one()], Some(1)),
            (vec![template()], Some(0)),
            // Equal prices: the most recently used.
            (vec![one(), one()], Some(1)),
            // An unknown price does not count as cheap.
            (vec![open(None), template()], Some(1)),
            (vec![open(None), stopped()], Some(0)),
            (vec![stopped(), template()], Some(1)),
            (vec![Reachability::Simulated, open(None)], Some(1)),
            (vec![stopped(), Reachability::Unreachable("no key".into())], None),
        ];
        for (reaches, expected) in cases {
            let ways: Vec<_> = (0..).zip(reaches).map(|(at, reach)| way("a", reach, at)).collect();
            assert_eq!(cheapest_way(&ways), expected, "{}", describe_ways(&ways));
        }
    }

    #[test]
    fn ways_in_words() {
        let reach = |window, bar| Reachability::from_window(window, bar, Some(Price::exactly(1)));
        let blocked = UnreachableReason::TakesNoMessages(NoMessagesReason::Blocked);
        let ways = [
            way("chat", reach(ServiceWindow::Closed, None), 0),
            way("mail", reach(ServiceWindow::NotApplicable, None), 0),
            way("phone", Reachability::Open(None), 0),
            way("text", reach(ServiceWindow::Open, Some(STOPPED)), 0),
            way("bot", reach(ServiceWindow::Open, Some(blocked)), 0),
            way("new", reach(ServiceWindow::Open, Some(UnreachableReason::NotConfigured)), 0),
            way("test", Reachability::Simulated, 0),
        ];
        let words = "chat closed (template 2–3), mail open (1), phone open (price unknown), \
                     text no (they wrote STOP), bot no (they blocked the bot), new no (not connected on the server), test TEST (reaches nobody)";
        assert_eq!(describe_ways(&ways), words);
    }
}
