//! Words in a box over the screen, as data: a view gives each line its style.

use std::ops::Range;

use crate::components::text_line::TextLine;
use crate::keys::KeyPress;
use crate::wrap;
use model::text::SafeText;

/// What a line is, from which its style follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// What is said.
    Plain,
    /// What can be pressed, and what matters most.
    Strong,
    /// What is said beside it.
    Dim,
    /// What is wrong, or lost.
    Error,
    /// What should be looked at.
    Waiting,
    /// What leaves from here.
    Own,
    /// What the customer said.
    Customer,
    /// What the AI said.
    Ai,
    Selected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogLine {
    pub words: String,
    pub tone: Tone,
    /// The byte before which the cursor stands.
    pub cursor: Option<usize>,
    /// The keys it names, which can be clicked, and the bytes that do.
    pub answers: Vec<(KeyPress, Range<usize>)>,
}

/// Words in a box.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialog {
    pub title: String,
    pub lines: Vec<DialogLine>,
}

impl DialogLine {
    pub fn new(words: impl Into<String>, tone: Tone) -> Self {
        Self { words: words.into(), tone, cursor: None, answers: Vec::new() }
    }

    /// A line that says something.
    pub fn plain(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Plain)
    }

    /// What is pressed, and what it does.
    pub fn strong(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Strong)
    }

    /// A line beside the others.
    pub fn dim(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Dim)
    }

    pub fn error(words: impl Into<String>) -> Self {
        Self::new(words, Tone::Error)
    }

    /// Keys side by side, each with what it does.
    pub fn keys<W: AsRef<str>>(keys: &[(&str, W)]) -> Self {
        let mut line = Self::new(String::new(), Tone::Strong);
        for (key, words) in keys {
            let gap = if line.words.is_empty() { "" } else { "   " };
            let begins = line.words.len() + gap.len();
            line.words.push_str(&format!("{gap}[{key}] {}", words.as_ref()));
            line.answers.extend(KeyPress::parse(key).map(|key_press| (key_press, begins..line.words.len())));
        }
        line
    }

    /// The keys it names, each with its words.
    pub(crate) fn named_answers(&self) -> impl Iterator<Item = (KeyPress, String)> {
        self.answers.iter().map(|(key, at)| {
            let words = self.words.get(at.clone()).unwrap_or_default();
            (*key, words.split_once("] ").map_or(words, |pair| pair.1).trim().to_owned())
        })
    }

    /// The same in another tone.
    #[must_use]
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// An empty line.
    pub fn gap() -> Self {
        Self::plain("")
    }

    /// A field: a label so wide, the text, and the cursor where it has the
    /// keyboard.
    pub fn field(label: &str, width: usize, (before, after): (&str, &str), focused: bool) -> Self {
        let label = wrap::cut(label, width);
        let pad = " ".repeat(width.saturating_sub(wrap::cells(&label)) + 1);
        let before = format!("{label}{pad}{}", SafeText::line(before));
        let cursor = focused.then_some(before.len());
        let tone = if focused { Tone::Strong } else { Tone::Plain };
        Self { cursor, ..Self::new(format!("{before}{}", SafeText::line(after)), tone) }
    }

    /// A text being typed behind a prompt.
    pub fn prompt(prompt: &str, text: &TextLine) -> Self {
        let before = format!("{prompt}{}", SafeText::line(text.before()));
        let cursor = Some(before.len());
        Self { cursor, ..Self::plain(format!("{before}{}", SafeText::line(text.after()))) }
    }

    /// The words with the cursor drawn as this.
    pub fn with_cursor(&self, mark: &str) -> String {
        match self.cursor.and_then(|at| self.words.split_at_checked(at)) {
            Some((before, after)) => format!("{before}{mark}{after}"),
            None => self.words.clone(),
        }
    }
}

impl Dialog {
    /// A box of these lines.
    pub fn new(title: impl Into<String>, lines: Vec<DialogLine>) -> Self {
        Self { title: title.into(), lines }
    }
}
