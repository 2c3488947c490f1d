//! What a screen asks the server for when a person looks at it, and what came
//! back: people, events, webhooks. Nothing of it is polled.
//!
//! Knows nothing of requests.

use crate::model::text::SafeText;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetch {
    /// A page of the contacts; what is read joins those this desk has.
    People {
        /// Whose name or number the server shall look for; empty: of all.
        search: String,
        /// Whether the page behind the last one is wanted.
        more: bool,
    },
    /// The contact with a number.
    Person {
        /// The number.
        phone: String,
    },
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// People were read; whether the server has more that fit.
    People {
        /// More are there.
        more: bool,
    },
    /// The contact was read, or is gone.
    Person,
}

/// The end of a fetch: what came back, or why nothing did.
pub type Fetching = Result<Fetched, SafeText>;
