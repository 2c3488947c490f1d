//! STOP, START and HELP: messages that consist of one such keyword only.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    Stop,
    Start,
    /// Request for information.
    Help,
}

impl Keyword {
    pub fn parse(text: &str) -> Option<Self> {
        let word = text.trim().trim_end_matches(['.', '!']).to_ascii_lowercase();
        match word.as_str() {
            "stop" | "stopall" | "stop all" | "unsubscribe" | "cancel" | "end" | "quit" | "optout"
            | "opt out" | "opt-out" | "revoke" => Some(Self::Stop),
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
            ("Opt out", Some(Keyword::Stop)),
            ("OPT-OUT", Some(Keyword::Stop)),
            ("Can I opt out?", None),
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
