//! Simulated mail servers; `mailbox/` has the real ones.
//!
//! The outcome of a mail follows from the domains of its recipients: mail to `bounce.example`
//! bounces, mail to `quiet.example` is never opened, all other mail is opened.

use sha2::{Digest, Sha256};

use model::time::SECOND;

#[derive(Debug, Clone, Copy)]
pub struct OutgoingMail<'a> {
    pub id: &'a str,
    /// Recipients, without copies.
    pub to: &'a [String],
}

/// Outcome of an accepted mail; times in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedMailOutcome {
    Unopened,
    Opened { after: i64 },
    Bounced { after: i64 },
}

pub struct SimulatedMail {
    seed: u64,
}

impl SimulatedMail {
    /// `seed` decides the time until a mail is opened.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    pub fn accept(&self, letter: &OutgoingMail<'_>) -> SimulatedMailOutcome {
        decide_outcome(self.seed, letter)
    }
}

/// A mail bounces if all recipients bounce, and is opened if any recipient opens it.
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
