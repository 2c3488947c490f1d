//! One person on every channel: the ways to reach them, what each costs, and
//! which costs least.

use crate::conversations::{ConversationRow, ServiceWindow};
use crate::prices::{Price, TEMPLATE, TEMPLATE_IN_TEXT};
use crate::queries::ConversationKey;
use crate::time::Timestamp;

/// Asks for the conversations and addresses of the person of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PersonQuery {
    /// Any conversation with them.
    pub key: ConversationKey,
}

/// Why a conversation reaches its customer no more, as far as this desk saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactBar {
    /// They wrote STOP, and not START since.
    OptedOut,
    /// The server answered that the channel is not connected.
    NotConfigured,
}

/// A conversation with the person.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonConversation {
    /// Its row.
    pub row: ConversationRow,
    /// Why nothing written there reaches them.
    pub bar: Option<ContactBar>,
}

/// Conversations and addresses of a person on any channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PersonPage {
    /// Their conversations, the one asked about first, then by activity.
    pub conversations: Vec<PersonConversation>,
    /// Their phone numbers.
    pub phones: Vec<String>,
    /// Their mail addresses.
    pub emails: Vec<String>,
    /// Mail addresses that stand for several numbers: whose they are is not
    /// known, so nothing is joined by them.
    pub shared: Vec<String>,
}

/// Whether a way reaches the person, and for how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Free text arrives; `None`: the price is told nowhere.
    Open(Option<Price>),
    /// Only an approved template does.
    Template(Price),
    /// The key is a test key: nothing arrives.
    Simulated,
    /// Nothing does, and why.
    Barred(String),
}

/// One way to reach a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactWay {
    /// What its tab is called.
    pub name: String,
    /// Whether it reaches them.
    pub reach: Reach,
    /// When something was last said there.
    pub last_at: Option<Timestamp>,
}

impl Reach {
    /// Of a conversation of which nothing else is known than its window and
    /// what a text costs.
    pub fn of(window: ServiceWindow, bar: Option<ContactBar>, text: Option<Price>) -> Self {
        match (bar, window) {
            (Some(ContactBar::OptedOut), _) => Self::Barred("they wrote STOP".to_owned()),
            (Some(ContactBar::NotConfigured), _) => Self::Barred("not connected on the server".to_owned()),
            (None, ServiceWindow::Closed) => {
                Self::Template(Price { least: TEMPLATE, most: TEMPLATE_IN_TEXT })
            }
            (None, ServiceWindow::Open | ServiceWindow::Unknown | ServiceWindow::NotApplicable) => {
                Self::Open(text)
            }
        }
    }

    /// Before what comes which way: known prices by what they are at most, then
    /// unknown ones, then what really reaches nobody. `None`: not at all.
    fn rank(&self) -> Option<(u8, i64, i64)> {
        match self {
            Self::Open(Some(price)) | Self::Template(price) => Some((0, price.most, price.least)),
            Self::Open(None) => Some((1, 0, 0)),
            Self::Simulated => Some((2, 0, 0)),
            Self::Barred(_) => None,
        }
    }

    /// In brackets behind the name of the tab.
    fn words(&self) -> String {
        let amount = |price: &Price| {
            let words = price.words();
            words.split(' ').next().unwrap_or_default().to_owned()
        };
        match self {
            Self::Open(Some(price)) => format!("open ({})", amount(price)),
            Self::Open(None) => "open (price unknown)".to_owned(),
            Self::Template(price) => format!("closed (template {})", amount(price)),
            Self::Simulated => "TEST (reaches nobody)".to_owned(),
            Self::Barred(why) => format!("no ({why})"),
        }
    }
}

impl ContactWay {
    /// `Harbor mail open (1)`.
    pub fn words(&self) -> String {
        format!("{} {}", self.name, self.reach.words())
    }
}

/// The place of the way that costs least; of those that cost the same, the one
/// on which something was said last.
pub fn cheapest(ways: &[ContactWay]) -> Option<usize> {
    let ranked = ways.iter().enumerate().filter_map(|(place, way)| {
        let last = std::cmp::Reverse(way.last_at);
        Some(((way.reach.rank()?, last, place), place))
    });
    ranked.min().map(|entry| entry.1)
}

/// All ways in one line.
pub fn ways_words(ways: &[ContactWay]) -> String {
    ways.iter().map(ContactWay::words).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(name: &str, reach: Reach, last: i64) -> ContactWay {
        ContactWay { name: name.to_owned(), reach, last_at: Some(Timestamp::from_micros(last)) }
    }

    #[test]
    fn the_cheapest_way_that_reaches_them() {
        let template = || Reach::of(ServiceWindow::Closed, None, Some(Price::exactly(1)));
        let open = |price| Reach::of(ServiceWindow::Open, None, price);
        let one = || open(Some(Price::exactly(1)));
        let stopped = || Reach::of(ServiceWindow::Open, Some(ContactBar::OptedOut), Some(Price::exactly(1)));
        let cases: [(Vec<Reach>, Option<usize>); 9] = [
            (vec![], None),
            (vec![template(), one()], Some(1)),
            (vec![template()], Some(0)),
            // Of what costs the same, where something was said last.
            (vec![one(), one()], Some(1)),
            // A price that nobody tells is no low price.
            (vec![open(None), template()], Some(1)),
            (vec![open(None), stopped()], Some(0)),
            (vec![stopped(), template()], Some(1)),
            (vec![Reach::Simulated, open(None)], Some(1)),
            (vec![stopped(), Reach::Barred("no key".into())], None),
        ];
        for (reaches, expected) in cases {
            let ways: Vec<_> = (0..).zip(reaches).map(|(at, reach)| way("a", reach, at)).collect();
            assert_eq!(cheapest(&ways), expected, "{}", ways_words(&ways));
        }
    }

    #[test]
    fn ways_in_words() {
        let reach = |window, bar| Reach::of(window, bar, Some(Price::exactly(1)));
        let ways = [
            way("chat", reach(ServiceWindow::Closed, None), 0),
            way("mail", reach(ServiceWindow::NotApplicable, None), 0),
            way("phone", Reach::Open(None), 0),
            way("bot", reach(ServiceWindow::Open, Some(ContactBar::OptedOut)), 0),
            way("new", reach(ServiceWindow::Open, Some(ContactBar::NotConfigured)), 0),
            way("test", Reach::Simulated, 0),
        ];
        let words = "chat closed (template 2–3), mail open (1), phone open (price unknown), \
                     bot no (they wrote STOP), new no (not connected on the server), test TEST (reaches nobody)";
        assert_eq!(ways_words(&ways), words);
    }
}
