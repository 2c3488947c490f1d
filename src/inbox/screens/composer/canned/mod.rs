//! Canned replies in the composer: picking one, filling its fields, and refusing to send one with
//! open fields. The replies are loaded elsewhere.

pub(crate) mod update;

use crate::components::picker::Picker;
use crate::screens::composer::Composer;
use crate::tab::{Focus, Tab};
use model::replies::{self, CannedReply};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CannedReplies {
    pub folder: String,
    /// `None` until loaded once.
    pub replies: Option<Vec<CannedReply>>,
    /// Files that could not be read, with the reason.
    pub problems: Vec<String>,
}

impl CannedReplies {
    /// Returns the replies for this tab that match, best first.
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

#[derive(Debug)]
pub(crate) struct ReplyPicker {
    pub(crate) picker: Picker,
    /// Text typed to open the picker; it returns if nothing is picked.
    opener: &'static str,
    /// Previous focus, restored if nothing is picked.
    previous_focus: Option<Focus>,
}

/// Returns the next open field after the cursor, wrapping to the first.
fn next_open_field(composer: &Composer) -> Option<((usize, usize), usize)> {
    let fields = open_fields(composer);
    let at = composer.buffer().cursor();
    fields.iter().find(|(place, _)| *place > at).or(fields.first()).copied()
}

/// Open fields: line and character of the start, and length in characters.
fn open_fields(composer: &Composer) -> Vec<((usize, usize), usize)> {
    let mut found = Vec::new();
    for (line, text) in composer.text_area().lines().iter().enumerate() {
        for field in replies::unfilled_fields(text) {
            let start = text[..field.start].chars().count();
            found.push(((line, start), text[field].chars().count()));
        }
    }
    found
}
