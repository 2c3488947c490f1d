//! Canned replies in the composer: picking one, filling its fields, and not
//! sending one that is not filled.
//!
//! What was read comes in.

pub(crate) mod update;

use crate::components::picker::Picker;
use crate::screens::composer::Composer;
use crate::tab::{Focus, Tab};
use model::replies::{self, CannedReply};

/// The canned replies as they were read last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Canned {
    pub folder: String,
    /// The replies by name; `None` until they were read once.
    pub replies: Option<Vec<CannedReply>>,
    /// What could not be read, and why.
    pub problems: Vec<String>,
}

impl Canned {
    /// Those a question finds that are for this tab, best first.
    pub fn search(&self, query: &str, tab: &Tab) -> Vec<&CannedReply> {
        let here = |canned_reply: &&CannedReply| {
            canned_reply.channel.as_ref().is_none_or(|word| {
                let same = |other: &str| other.eq_ignore_ascii_case(word);
                same(&tab.channel.name)
                    || tab.platform().is_some_and(|platform| same(platform.word()) || same(platform.label()))
            })
        };
        let all = self.replies.iter().flatten();
        let mut found: Vec<&CannedReply> =
            all.filter(here).filter(|canned_reply| canned_reply.matches(query)).collect();
        found.sort_by(|a, b| a.rank(query).cmp(&b.rank(query)).then_with(|| a.name.cmp(&b.name)));
        found
    }
}

/// Picks a canned reply.
#[derive(Debug)]
pub(crate) struct ReplyPicker {
    /// What was typed.
    pub(crate) picker: Picker,
    /// What opened it, which comes back if nothing is picked.
    opener: &'static str,
    /// Where the keyboard goes then, if it was elsewhere.
    back: Option<Focus>,
}

/// The open field Tab goes to: the next one behind the cursor, from the end
/// the first.
fn next_field(composer: &Composer) -> Option<((usize, usize), usize)> {
    let fields = fields(composer);
    let at = composer.sheet().cursor();
    fields.iter().find(|(place, _)| *place > at).or(fields.first()).copied()
}

/// The open fields: line and character, and how many characters they have.
fn fields(composer: &Composer) -> Vec<((usize, usize), usize)> {
    let mut found = Vec::new();
    for (line, text) in composer.area().lines().iter().enumerate() {
        for field in replies::unfilled_fields(text) {
            let start = text[..field.start].chars().count();
            found.push(((line, start), text[field].chars().count()));
        }
    }
    found
}
