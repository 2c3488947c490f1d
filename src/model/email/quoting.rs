//! How an answer quotes the mail it answers: where, and under which line.

use crate::email::MailMessage;
use crate::email::compose::ComposedMail;
use crate::text::SafeText;

/// Where an answer quotes the mail it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuoteStyle {
    /// Below the text.
    #[default]
    Below,
    /// Above the text.
    Above,
    /// In the text from the start, to be answered between its paragraphs.
    Between,
    /// Not at all.
    Nowhere,
}

impl QuoteStyle {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Below, Self::Above, Self::Between, Self::Nowhere];

    /// Its word, in the configuration, in drafts and in canned replies.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Above => "above",
            Self::Between => "between",
            Self::Nowhere => "none",
        }
    }

    /// Reads the word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quote_style| quote_style.word() == word)
    }

    /// The one after it while something is quoted beside the text.
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
    /// With what is quoted there; between the lines it becomes a part of the text.
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

    /// With another line over what is quoted.
    #[must_use]
    pub fn with_attribution(mut self, letter: &MailMessage, when: &str, attribution: &str) -> Self {
        let subject = letter.subject.as_ref().map_or("", SafeText::as_str);
        let name = letter.from_name.as_ref().unwrap_or(&letter.from).as_str();
        // Each once, so that what is filled in is no field itself.
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

/// A quote with room for an answer below each of its paragraphs.
fn add_reply_gaps(quote: &str) -> String {
    let mut text = String::new();
    for line in quote.lines() {
        text.push_str(if line.trim_end() == ">" { "\n" } else { line });
        text.push('\n');
    }
    text.push('\n');
    text
}
