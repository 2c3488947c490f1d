//! STOP, START and HELP: a text that is one of these words alone asks something
//! of the sender, on any platform.

/// What a word asks of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// No more of them.
    Stop,
    /// Some again.
    Start,
    /// Who it is, and how to stop them.
    Help,
}

impl Keyword {
    /// The word that a text consists of, as platforms read them.
    pub fn parse(text: &str) -> Option<Self> {
        let word = text.trim().trim_end_matches(['.', '!']).to_ascii_lowercase();
        match word.as_str() {
            "stop" | "stopall" | "stop all" | "unsubscribe" | "cancel" | "end" | "quit" | "optout"
            | "revoke" => Some(Self::Stop),
            "start" | "unstop" | "yes" => Some(Self::Start),
            "help" | "info" => Some(Self::Help),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_alone_asks_for_something() {
        let cases = [
            ("STOP", Some(Keyword::Stop)),
            (" stop.\n", Some(Keyword::Stop)),
            ("Unsubscribe", Some(Keyword::Stop)),
            ("Stop all", Some(Keyword::Stop)),
            ("start", Some(Keyword::Start)),
            ("YES!", Some(Keyword::Start)),
            ("help", Some(Keyword::Help)),
            ("stop by tomorrow", None),
            ("Please help", None),
            ("", None),
        ];
        for (text, keyword) in cases {
            assert_eq!(Keyword::parse(text), keyword, "{text}");
        }
    }
}
