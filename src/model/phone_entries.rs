//! Calls and texts from the list of a phone channel, which holds only the newest of each number.

use crate::text::SafeText;
use crate::time::Timestamp;

/// Call or text whose direction is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneEntry {
    pub at: Timestamp,
    /// Kind and text, such as `SMS · Hello` or `call · Outgoing call, 1:05`.
    pub text: SafeText,
}

impl PhoneEntry {
    /// Kind, empty if there is none, and text.
    pub fn kind_and_text(&self) -> (&str, &str) {
        let line = self.text.as_str();
        line.split_once(" · ").unwrap_or(("", line))
    }

    /// True if a message of the history is this entry. The list cuts long texts.
    pub fn is_message(&self, text: &str) -> bool {
        let (_, told) = self.kind_and_text();
        let told = told.trim_end_matches(['…', '.']).trim_end();
        !told.is_empty() && SafeText::line(text).as_str().starts_with(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_recognized_without_its_kind_and_although_it_is_cut() {
        let entry = |text: &str| PhoneEntry { at: Timestamp::default(), text: SafeText::line(text) };
        assert!(entry("SMS · Your bike is ready").is_message("Your bike is ready"));
        assert!(entry("SMS · Your bike is…").is_message("Your bike is ready\nToday"));
        assert!(!entry("SMS · Your bike is ready").is_message("Hello"));
        assert!(!entry("call").is_message("Hello"));
    }
}
