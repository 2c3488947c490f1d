//! Why a row of the outbox waits for a person, and what the person may say.
//! The one place for the words of both.

use crate::ids::MessageId;

/// Why a row waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The server refused it for good; editing makes a new row and key.
    Refused,
    /// The balance is too low. What costs nothing goes on.
    Credits,
    /// The service window is shut; only templates may be sent.
    Window,
    /// The key is not taken any more; waits for another key.
    Auth,
    /// It may or may not have been done; the key is pinned.
    Unknown,
    /// It may or may not have been done, and the key is too old for the
    /// server to recognise it.
    Expired,
    /// No byte left: there is an answer that the writer has not seen.
    ReplyConflict,
    /// No byte left: there was no connection for so long that the writer is
    /// asked whether it still fits.
    Late,
    /// It may or may not have been done, and nothing proves that the server
    /// would recognise the key here.
    KeyUnproven,
    /// The file of a message did not reach the service for certain; nothing
    /// was sent with it.
    Upload,
    /// No byte left: it was written for another account than the one that the
    /// channel's key has now.
    Account,
}

/// Each stop with the word kept in the database and the words on screen.
const STOP_WORDS: [(StopReason, &str, &str); 11] = [
    (StopReason::Refused, "refused", "NOT SENT"),
    (StopReason::Credits, "credits", "NOT SENT, out of credits"),
    (StopReason::Window, "window", "NOT SENT, window closed"),
    (StopReason::Auth, "auth", "NOT SENT, the key is not taken"),
    (StopReason::Unknown, "unknown", "MAY OR MAY NOT HAVE BEEN SENT"),
    (StopReason::Expired, "expired", "MAY OR MAY NOT HAVE BEEN SENT, too long ago to ask again"),
    (StopReason::ReplyConflict, "crossed", "NOT SENT, someone answered meanwhile"),
    (StopReason::Late, "late", "NOT SENT, it had to wait too long"),
    (StopReason::KeyUnproven, "ask", "MAY OR MAY NOT HAVE BEEN DONE"),
    (StopReason::Upload, "upload", "NOT SENT, its file was not uploaded"),
    (StopReason::Account, "account", "NOT SENT, written for another business"),
];

impl StopReason {
    /// The word kept in the database.
    pub fn word(self) -> &'static str {
        STOP_WORDS.iter().find(|(stop, _, _)| *stop == self).map_or("unknown", |(_, word, _)| word)
    }

    /// The words on screen.
    pub fn label(self) -> &'static str {
        STOP_WORDS.iter().find(|(stop, _, _)| *stop == self).map_or("", |(_, _, label)| label)
    }

    /// Reads the database's word; anything else is the cautious reading.
    pub fn from_word(word: &str) -> Self {
        STOP_WORDS.iter().find(|(_, known, _)| *known == word).map_or(Self::Unknown, |(stop, _, _)| *stop)
    }

    /// Whether it may have been done.
    pub fn is_ambiguous(self) -> bool {
        matches!(self, Self::Unknown | Self::Expired | Self::KeyUnproven)
    }

    /// Whether rows behind it in its lane wait: nothing overtakes what may
    /// have been done, and what can still leave keeps its place. A definite
    /// refusal is over.
    pub fn blocks_lane(self) -> bool {
        !matches!(self, Self::Refused | Self::Window)
    }

    /// What "try again" means; `spent` says whether the key is too old.
    pub fn retry_verdict(self, spent: bool) -> StopVerdict {
        match self {
            // A refusal may itself be kept under the key.
            Self::Refused | Self::Credits | Self::Window | Self::Expired | Self::Upload => {
                StopVerdict::NewKey
            }
            // Only a decision of its own makes it leave from another account.
            Self::Auth | Self::Account => StopVerdict::SameKey,
            Self::Unknown | Self::KeyUnproven if spent => StopVerdict::NewKey,
            Self::Unknown | Self::KeyUnproven => StopVerdict::SameKey,
            Self::ReplyConflict | Self::Late => StopVerdict::SendAnyway,
        }
    }

    /// Whether a person may say this about a row stopped so.
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

/// What a person says about a stopped row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopVerdict {
    /// Send it although someone answered, or although it is late.
    SendAnyway,
    /// Ask the server again under the same key.
    SameKey,
    /// Send it again as a new row with a new key.
    NewKey,
    /// Send it from the account that the person was asked about, as a new row
    /// with a new key.
    SendFromHere,
    /// This message of the history is it: it was sent.
    Adopt(MessageId),
    /// Give it up.
    Drop,
    /// Take its text back to write it anew.
    Edit,
}

impl StopVerdict {
    /// The word kept in the database.
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
    fn words_are_read_back_and_none_is_used_twice() {
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
        // Which of the seven are allowed while the key is young, and once it is spent.
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
