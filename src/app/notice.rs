//! A line for the person in the status line, for a while.
//!
//! Knows nothing of what it says.

use crate::app::App;
use crate::model::time::{SECOND, Timestamp};

/// How long a notice stays in the status line.
const NOTICE: i64 = 8 * SECOND;

/// A line for the person, until it has been there long enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The words.
    pub text: String,
    /// Whether something went wrong.
    pub warning: bool,
    /// When it goes away.
    pub until: Timestamp,
}

impl App {
    /// Says something in the status line.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        let until = self.now.plus(NOTICE);
        self.notice = Some(Notice { text: text.into(), warning: false, until });
    }

    /// Says that something cannot be done or went wrong.
    pub fn warn(&mut self, text: impl Into<String>) {
        let (text, until) = (text.into(), self.now.plus(NOTICE));
        self.refused(&text);
        self.notice = Some(Notice { text, warning: true, until });
    }
}
