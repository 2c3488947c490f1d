//! Quoting in answers: position and attribution line.

use crate::email::MailMessage;
use crate::email::compose::ComposedMail;
use crate::text::SafeText;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuoteStyle {
    #[default]
    Below,
    Above,
    /// Part of the text, to be answered between its paragraphs.
    Between,
    Nowhere,
}

impl QuoteStyle {
    pub const ALL: [Self; 4] = [Self::Below, Self::Above, Self::Between, Self::Nowhere];

    /// Word in the configuration, in drafts and in canned replies.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Above => "above",
            Self::Between => "between",
            Self::Nowhere => "none",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quote_style| quote_style.word() == word)
    }

    /// Returns the next style in the cycle for quotes separate from the text.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::Above => Self::Nowhere,
            Self::Between | Self::Nowhere => Self::Below,
        }
    }
}

impl ComposedMail {
    /// Sets the style; `Between` moves the quote into the text.
    #[must_use]
    pub fn with_quote_style(mut self, quoting: QuoteStyle) -> Self {
        self.quoting = quoting;
        if quoting == QuoteStyle::Between
            && let Some(quote) = self.quote.take()
        {
            self.body = format!("{}{}", add_reply_gaps(&quote), self.body);
        }
        self
    }

    #[must_use]
    pub fn with_attribution(mut self, letter: &MailMessage, when: &str, attribution: &str) -> Self {
        let subject = letter.subject.as_ref().map_or("", SafeText::as_str);
        let name = letter.from_name.as_ref().unwrap_or(&letter.from).as_str();
        // Filled in one pass, so that inserted values are not expanded again.
        let fields =
            [("{date}", when), ("{name}", name), ("{address}", letter.from.as_str()), ("{subject}", subject)];
        let mut line = String::new();
        let mut rest = attribution;
        while let Some(at) = rest.find('{') {
            line.push_str(&rest[..at]);
            match fields.iter().find(|field| rest[at..].starts_with(field.0)) {
                Some((field, value)) => {
                    line.push_str(value);
                    rest = &rest[at + field.len()..];
                }
                None => {
                    line.push('{');
                    rest = &rest[at + 1..];
                }
            }
        }
        line.push_str(rest);
        if let Some((_, quoted)) = self.quote.as_ref().and_then(|quote| quote.split_once('\n')) {
            self.quote = Some(format!("{}\n{quoted}", line.trim()));
        }
        self
    }
}

/// Adds an empty line below each paragraph of a quote.
fn add_reply_gaps(quote: &str) -> String {
    let mut text = String::new();
    for line in quote.lines() {
        text.push_str(if line.trim_end() == ">" { "\n" } else { line });
        text.push('\n');
    }
    text.push('\n');
    text
}
