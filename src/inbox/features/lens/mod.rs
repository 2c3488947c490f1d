//! The schema lens on the screen: what the server tells that the interface
//! does not name, as a list, on the card, and as a file.

pub(crate) mod update;

use crate::components::list::ListLine;
use model::conversations::ConversationRow;
use model::lens::{LensReport, shape_of, unknown_fields};
use model::text::SafeText;
use model::time::Zone;

/// What was seen, as read last.
#[derive(Debug, Default)]
pub(crate) struct Lens {
    report: Option<LensReport>,
    /// The file that the schema is to be written into.
    export: Option<String>,
    /// Whether the card tells such fields.
    pub(crate) on_card: bool,
}

impl Lens {
    /// What the list says without a line.
    pub(crate) fn empty(&self) -> &'static str {
        match self.report {
            None => "Reading ...",
            Some(_) => "The server has told nothing that the interface does not name.",
        }
    }

    /// The lines of the list: fields, then words.
    pub(crate) fn lines(&self, zone: &Zone) -> Vec<ListLine> {
        let Some(report) = &self.report else { return Vec::new() };
        let line = |name: String, words: String, count: u64, loud| ListLine {
            name: SafeText::line(&name),
            words: SafeText::line(&words),
            right: format!("{count}x"),
            loud,
            dim: false,
            goes_to: None,
        };
        let fields = report.fields.iter().map(|it| {
            let example = if it.example.is_empty() { String::new() } else { format!(" · {}", it.example) };
            let since = it.first_at.day_name(zone);
            let words = format!("{}{example} · since {since}", it.kinds_words());
            line(format!("{}.{}", it.shape.word(), it.path), words, it.count(), it.is_mixed())
        });
        let words = report.words.iter().map(|it| {
            let name = format!("{}.{}", it.shape.word(), it.field);
            line(name, format!("unknown word {:?}", it.word.as_str()), it.count, false)
        });
        fields.chain(words).collect()
    }

    /// What the card tells of a conversation, if it is wanted.
    pub(crate) fn card_facts(&self, row: &ConversationRow) -> Vec<(String, String)> {
        if !self.on_card {
            return Vec::new();
        }
        let raw = &row.conversation.raw;
        let seen = unknown_fields(shape_of(raw), raw);
        let told = seen.into_iter().filter(|it| !it.example.is_empty());
        told.map(|it| (it.path, it.example.to_string())).collect()
    }
}
