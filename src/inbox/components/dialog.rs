//! Text of a box over the screen, as data; a view gives each line its style.

use std::ops::Range;

use crate::components::spoken::SpokenPage;
use crate::components::text_line::TextLine;
use crate::keys::KeyPress;
use crate::wrap;
use model::text::SafeText;

const KEY_GAP: &str = "   ";

/// Meaning of a line, from which its style follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Keys, and the most important text.
    Strong,
    /// Secondary text.
    Dim,
    Error,
    NeedsAttention,
    /// Text sent from here.
    Own,
    Customer,
    Selected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogLine {
    pub text: String,
    pub tone: Tone,
    /// Byte offset of the cursor.
    pub cursor: Option<usize>,
    /// Keys the line names, which can be clicked, with their bytes.
    pub answers: Vec<(KeyPress, Range<usize>)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialog {
    pub title: String,
    pub lines: Vec<DialogLine>,
}

impl DialogLine {
    pub fn new(words: impl Into<String>, tone: Tone) -> Self {
        Self { text: words.into(), tone, cursor: None, answers: Vec::new() }
    }

    pub fn plain(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Plain)
    }

    pub fn strong(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Strong)
    }

    pub fn dim(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Dim)
    }

    pub fn error(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Error)
    }

    pub fn keys<W: AsRef<str>>(keys: &[(&str, W)]) -> Self {
        let mut line = Self::new(String::new(), Tone::Strong);
        for (key, words) in keys {
            let gap = if line.text.is_empty() { "" } else { KEY_GAP };
            let begins = line.text.len() + gap.len();
            line.text.push_str(&format!("{gap}[{key}] {}", words.as_ref()));
            line.answers.extend(KeyPress::parse(key).map(|key_press| (key_press, begins..line.text.len())));
        }
        line
    }

    /// Keys of the line, each with its words.
    pub(crate) fn keys_with_text(&self) -> impl Iterator<Item = (KeyPress, String)> {
        self.answers.iter().map(|(key, at)| {
            let words = self.text.get(at.clone()).unwrap_or_default();
            (*key, words.split_once("] ").map_or(words, |pair| pair.1).trim().to_owned())
        })
    }

    #[must_use]
    pub fn with_tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    pub fn blank() -> Self {
        Self::plain("")
    }

    /// A field: a label of this width, the text, and the cursor if focused.
    pub fn field(label: &str, width: usize, (before, after): (&str, &str), focused: bool) -> Self {
        let label = wrap::cut(label, width);
        let pad = " ".repeat(width.saturating_sub(wrap::cells(&label)) + 1);
        let before = format!("{label}{pad}{}", SafeText::line(before));
        let cursor = focused.then_some(before.len());
        let tone = if focused { Tone::Strong } else { Tone::Plain };
        Self { cursor, ..Self::new(format!("{before}{}", SafeText::line(after)), tone) }
    }

    /// A text being typed after a prompt.
    pub fn prompt(prompt: &str, text: &TextLine) -> Self {
        let before = format!("{prompt}{}", SafeText::line(text.before()));
        let cursor = Some(before.len());
        Self { cursor, ..Self::plain(format!("{before}{}", SafeText::line(text.after()))) }
    }

    /// The text with `mark` at the cursor.
    pub fn with_cursor(&self, mark: &str) -> String {
        match self.cursor.and_then(|at| self.text.split_at_checked(at)) {
            Some((before, after)) => format!("{before}{mark}{after}"),
            None => self.text.clone(),
        }
    }
}

impl Dialog {
    pub fn new(title: impl Into<String>, lines: Vec<DialogLine>) -> Self {
        Self { title: title.into(), lines }
    }

    /// Returns the text for plain mode. The field with the cursor is the chosen row.
    pub(crate) fn describe(&self) -> SpokenPage {
        self.lines.iter().fold(SpokenPage::new([&self.title]), |page, line| match line {
            line if !line.answers.is_empty() => page.key_line(line.text.replace(KEY_GAP, ", ")),
            line if line.cursor.is_some() || line.tone == Tone::Selected => page.chosen_row(&line.text),
            line => page.text(&line.text),
        })
    }
}
