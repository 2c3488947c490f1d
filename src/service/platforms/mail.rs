//! Mail servers where the world is simulated; `mailbox/` has the real ones.
//!
//! What becomes of a mail follows from the domains it is sent to:
//! `bounce.example` sends it back, in `quiet.example` nobody opens it,
//! everywhere else it is opened.

use sha2::{Digest, Sha256};

use model::time::SECOND;

/// A mail on its way.
#[derive(Debug, Clone, Copy)]
pub struct OutgoingMail<'a> {
    pub id: &'a str,
    /// Recipients, without copies.
    pub to: &'a [String],
}

/// What becomes of a mail after it was taken; spans in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedMailOutcome {
    /// Nothing more is heard of it.
    Unopened,
    /// Somebody opens it.
    Opened { after: i64 },
    /// It comes back.
    Bounced { after: i64 },
}

/// Mail servers that exist only here.
pub struct SimulatedMail {
    seed: u64,
}

impl SimulatedMail {
    /// With a seed for how long people take to open a mail.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Takes a mail; what will become of it.
    pub fn accept(&self, letter: &OutgoingMail<'_>) -> SimulatedMailOutcome {
        decide_outcome(self.seed, letter)
    }
}

/// A mail fails when all it is to fail, and is opened when anybody opens it.
fn decide_outcome(seed: u64, letter: &OutgoingMail<'_>) -> SimulatedMailOutcome {
    let all_in = |domains: &[&str]| {
        letter.to.iter().all(|text| {
            let domain = text.rsplit('@').next().unwrap_or("").to_ascii_lowercase();
            domains.contains(&domain.as_str())
        })
    };
    if all_in(&["bounce.example"]) {
        SimulatedMailOutcome::Bounced { after: 2 * SECOND }
    } else if all_in(&["bounce.example", "quiet.example"]) {
        SimulatedMailOutcome::Unopened
    } else {
        let digest = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(letter.id).finalize();
        SimulatedMailOutcome::Opened { after: 5 * SECOND + i64::from(digest[0]) * 15 * SECOND / 256 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_decide() {
        let cases: [(&[&str], &str); 5] = [
            (&["a@mail.example"], "opened"),
            (&["a@bounce.example"], "bounced"),
            (&["a@Bounce.example", "b@bounce.example"], "bounced"),
            (&["a@bounce.example", "b@mail.example"], "opened"),
            (&["a@quiet.example", "b@bounce.example"], "unopened"),
        ];
        for (to, expected) in cases {
            let to: Vec<String> = to.iter().map(|text| (*text).to_owned()).collect();
            let letter = OutgoingMail { id: "mail_1", to: &to };
            let word = match decide_outcome(1, &letter) {
                SimulatedMailOutcome::Opened { after } => {
                    assert!((5 * SECOND..20 * SECOND).contains(&after));
                    "opened"
                }
                SimulatedMailOutcome::Bounced { .. } => "bounced",
                SimulatedMailOutcome::Unopened => "unopened",
            };
            assert_eq!(word, expected, "{to:?}");
        }
    }
}
