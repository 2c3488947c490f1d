//! Reasons why an outbox row needs a decision, the possible decisions, and the words for both.

use crate::ids::MessageId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The server refused it for good. Editing creates a new row and key.
    Refused,
    /// The balance is too low. Operations free of charge continue.
    Credits,
    /// The service window is closed; only templates may be sent.
    Window,
    /// The key is no longer accepted; waits for another key.
    Auth,
    /// Unknown outcome; a retry must use the same key.
    Unknown,
    /// Unknown outcome, and the key is too old for the server to recognize it.
    Expired,
    /// Not sent: a newer answer exists that the author has not seen.
    ReplyConflict,
    /// Not sent: the connection was lost for so long that the author must confirm.
    Late,
    /// Unknown outcome, and the server is not known to recognize keys for this operation.
    KeyUnproven,
    /// Upload of unknown outcome; the message itself was not sent.
    Upload,
    /// Not sent: written for another account than that of the channel's current key.
    Account,
}

/// Each reason with its word in the database and its label on the screen.
const STOP_WORDS: [(StopReason, &str, &str); 11] = [
    (StopReason::Refused, "refused", "NOT SENT"),
    (StopReason::Credits, "credits", "NOT SENT, out of credits"),
    (StopReason::Window, "window", "NOT SENT, window closed"),
    (StopReason::Auth, "auth", "NOT SENT, key refused"),
    (StopReason::Unknown, "unknown", "MAY OR MAY NOT HAVE BEEN SENT"),
    (StopReason::Expired, "expired", "MAY OR MAY NOT HAVE BEEN SENT, too long ago to ask again"),
    (StopReason::ReplyConflict, "crossed", "NOT SENT, someone answered meanwhile"),
    (StopReason::Late, "late", "NOT SENT, waited too long"),
    (StopReason::KeyUnproven, "ask", "MAY OR MAY NOT HAVE BEEN DONE"),
    (StopReason::Upload, "upload", "NOT SENT, its file was not uploaded"),
    (StopReason::Account, "account", "NOT SENT, written for another business"),
];

impl StopReason {
    pub fn word(self) -> &'static str {
        STOP_WORDS.iter().find(|(stop, _, _)| *stop == self).map_or("unknown", |(_, word, _)| word)
    }

    pub fn label(self) -> &'static str {
        STOP_WORDS.iter().find(|(stop, _, _)| *stop == self).map_or("", |(_, _, label)| label)
    }

    /// Unknown words become `Unknown`, the cautious reading.
    pub fn from_word(word: &str) -> Self {
        STOP_WORDS.iter().find(|(_, known, _)| *known == word).map_or(Self::Unknown, |(stop, _, _)| *stop)
    }

    /// True if the operation may have been carried out.
    pub fn is_ambiguous(self) -> bool {
        matches!(self, Self::Unknown | Self::Expired | Self::KeyUnproven)
    }

    /// True if later rows of the lane wait. Nothing may overtake a row that was or can still be
    /// sent; a definite refusal does not block.
    pub fn blocks_lane(self) -> bool {
        !matches!(self, Self::Refused | Self::Window)
    }

    /// Returns the decision that a retry means; `spent` is true if the key is too old.
    pub fn retry_verdict(self, spent: bool) -> StopVerdict {
        match self {
            // The server may have stored the refusal under the key.
            Self::Refused | Self::Credits | Self::Window | Self::Expired | Self::Upload => {
                StopVerdict::NewKey
            }
            // Sending from another account requires the explicit `SendFromHere`.
            Self::Auth | Self::Account => StopVerdict::SameKey,
            Self::Unknown | Self::KeyUnproven if spent => StopVerdict::NewKey,
            Self::Unknown | Self::KeyUnproven => StopVerdict::SameKey,
            Self::ReplyConflict | Self::Late => StopVerdict::SendAnyway,
        }
    }

    /// True if a person may decide this about a row stopped for this reason.
    pub fn allows(self, verdict: &StopVerdict, spent: bool) -> bool {
        match verdict {
            StopVerdict::SendAnyway => matches!(self, Self::ReplyConflict | Self::Late),
            StopVerdict::SameKey => {
                matches!(self, Self::Auth | Self::Account)
                    || (matches!(self, Self::Unknown | Self::KeyUnproven) && !spent)
            }
            StopVerdict::NewKey => {
                !matches!(self, Self::ReplyConflict | Self::Late | Self::Auth | Self::Account)
            }
            StopVerdict::SendFromHere => self == Self::Account,
            StopVerdict::Adopt(_) => self.is_ambiguous(),
            StopVerdict::Drop | StopVerdict::Edit => true,
        }
    }
}

/// Decision of a person about a stopped row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopVerdict {
    /// Send although someone answered or it is late.
    SendAnyway,
    SameKey,
    /// Send as a new row with a new key.
    NewKey,
    /// Send from the channel's current account, as a new row with a new key.
    SendFromHere,
    /// Mark as sent: this message of the history is the row's.
    Adopt(MessageId),
    Drop,
    /// Return the text to the composer for editing.
    Edit,
}

impl StopVerdict {
    /// Word in the database.
    pub fn word(&self) -> &'static str {
        match self {
            Self::SendAnyway => "send anyway",
            Self::SameKey => "same key",
            Self::NewKey => "new key",
            Self::SendFromHere => "send from here",
            Self::Adopt(_) => "adopt",
            Self::Drop => "drop",
            Self::Edit => "edit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_reason_words_are_unique_and_read_back() {
        let mut seen = std::collections::HashSet::new();
        for (stop, word, label) in STOP_WORDS {
            assert_eq!((StopReason::from_word(word), stop.word(), stop.label()), (stop, word, label));
            assert!(seen.insert(word) && seen.insert(label), "{word}");
            assert_eq!(label.starts_with("NOT SENT"), !stop.is_ambiguous(), "{word}");
        }
        assert_eq!(StopReason::from_word("from a newer version"), StopReason::Unknown);
    }

    #[test]
    fn a_person_may_say_what_fits_the_stop() {
        use StopReason::*;
        let adopt = || StopVerdict::Adopt(MessageId::from("m"));
        let all = || {
            [
                StopVerdict::SendAnyway,
                StopVerdict::SameKey,
                StopVerdict::NewKey,
                StopVerdict::SendFromHere,
                adopt(),
                StopVerdict::Drop,
                StopVerdict::Edit,
            ]
        };
        // Allowed decisions with a young key and with a spent key.
        let cases = [
            (Refused, "..n..de", "..n..de"),
            (Credits, "..n..de", "..n..de"),
            (Window, "..n..de", "..n..de"),
            (Auth, ".s...de", ".s...de"),
            (Unknown, ".sn.ade", "..n.ade"),
            (Expired, "..n.ade", "..n.ade"),
            (ReplyConflict, "w....de", "w....de"),
            (Late, "w....de", "w....de"),
            (KeyUnproven, ".sn.ade", "..n.ade"),
            (Account, ".s.h.de", ".s.h.de"),
        ];
        for (stop, young, spent) in cases {
            for (is_spent, marks) in [(false, young), (true, spent)] {
                let found: String = all()
                    .iter()
                    .zip("wsnhade".chars())
                    .map(|(verdict, mark)| if stop.allows(verdict, is_spent) { mark } else { '.' })
                    .collect();
                assert_eq!(found, marks, "{stop:?} {is_spent}");
                assert!(stop.allows(&stop.retry_verdict(is_spent), is_spent), "{stop:?}");
            }
        }
    }
}
