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
        let fields = report.fields.iter().map(|field| {
            let example =
                if field.example.is_empty() { String::new() } else { format!(" · {}", field.example) };
            let since = field.first_at.day_name(zone);
            let words = format!("{}{example} · since {since}", field.kinds_words());
            line(format!("{}.{}", field.shape.word(), field.path), words, field.count(), field.is_mixed())
        });
        let words = report.words.iter().map(|word| {
            let name = format!("{}.{}", word.shape.word(), word.field);
            line(name, format!("unknown word {:?}", word.word.as_str()), word.count, false)
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
        let told = seen.into_iter().filter(|seen_field| !seen_field.example.is_empty());
        told.map(|entry| (entry.path, entry.example.to_string())).collect()
    }
}
