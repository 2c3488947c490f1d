//! Header fields of a mail being written: recipients and subject, attachments, and address
//! suggestions. The mail's text belongs to the composer.

use crate::components::list::{Step, wrapped_selection_after_key};
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use model::email::Correspondent;
use model::email::attached::DraftFile;
use model::email::compose::ComposedMail;
use model::email::quoting::QuoteStyle;

/// Focus index of the text, after the fields.
pub const BODY_FOCUS: usize = 4;
pub const SUBJECT_FIELD: usize = 3;
pub const MAX_LISTED_FILES: usize = 4;
pub const FIELD_LABELS: [&str; 4] = ["To", "Cc", "Bcc", "Subject"];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComposeHeader {
    pub fields: [TextLine; 4],
    /// Focused index: a field, [`BODY_FOCUS`] for the text, greater values for an attachment.
    pub focus: usize,
    /// Sender address, if it is not the account's own.
    pub from: Option<String>,
    pub answers: Option<String>,
    /// True if the text is Markdown that is sent as HTML as well.
    pub html: bool,
    /// Attachments with their sizes, if known.
    pub files: Vec<(DraftFile, Option<u64>)>,
    pub quote: Option<String>,
    pub quoting: QuoteStyle,
    /// The quote that was moved into the text.
    pub inlined_quote: Option<InlinedQuote>,
    /// Suggestions for the address being typed.
    pub suggestions: Vec<Correspondent>,
    pub chosen: usize,
    /// Note on where the reply goes, if that is not the author of the mail.
    pub answer_note: Option<String>,
    /// Error found when sending was attempted.
    pub error: Option<String>,
    /// True after the user changed a field.
    pub is_edited: bool,
}

/// A quote that was moved into the text; undo gives it back.
#[derive(Debug, Clone, PartialEq)]
pub struct InlinedQuote {
    pub quote: String,
    /// The text without and with the quote.
    pub texts: [String; 2],
}

impl ComposeHeader {
    /// Follows undo and redo: the quote is separate exactly while it is not in the text.
    pub fn sync_quote(&mut self, text: &str) {
        let Some(taken) = &self.inlined_quote else { return };
        match taken.texts.iter().position(|entry| entry == text) {
            Some(0) => self.quote = Some(taken.quote.clone()),
            Some(_) => self.quote = None,
            None => (),
        }
    }
}

/// Result of a key press in the header fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputResult {
    /// A field changed; for recipients, the partial address to look up.
    Changed(Option<String>),
    FileRemoved(DraftFile),
    /// The focus moved, or nothing happened.
    Moved,
    /// The key is not handled here.
    Ignored,
}

impl ComposeHeader {
    /// True if the mail passes another one on instead of answering it.
    pub(crate) fn is_forward(&self) -> bool {
        self.answers.is_none() && (self.quote.is_some() || self.inlined_quote.is_some())
    }

    pub fn from_composed(written: ComposedMail) -> (Self, String) {
        let line = |text: &str| TextLine::new(text);
        let head = Self {
            fields: [line(&written.to), line(&written.cc), line(&written.bcc), line(&written.subject)],
            focus: if written.to.trim().is_empty() { 0 } else { BODY_FOCUS },
            from: written.from,
            answers: written.in_reply_to,
            html: written.html,
            files: written.files.into_iter().map(with_size).collect(),
            quote: written.quote,
            quoting: written.quoting,
            ..Self::default()
        };
        (head, written.body)
    }

    pub fn to_composed(&self, body: &str) -> ComposedMail {
        let text = |at: usize| self.fields[at].text().to_owned();
        ComposedMail {
            to: text(0),
            cc: text(1),
            bcc: text(2),
            subject: text(SUBJECT_FIELD),
            from: self.from.clone(),
            in_reply_to: self.answers.clone(),
            html: self.html,
            files: self.files.iter().map(|file| file.0.clone()).collect(),
            body: body.to_owned(),
            quote: self.quote.clone(),
            quoting: self.quoting,
        }
    }

    /// True if the user entered a recipient or a subject.
    pub fn has_recipient_or_subject(&self) -> bool {
        self.is_edited && self.fields.iter().any(|field| !field.text().trim().is_empty())
    }

    pub fn height(&self) -> usize {
        let offered = self.suggestions.len().min(4);
        let below = self.files.len().min(MAX_LISTED_FILES)
            + usize::from(self.from.is_some())
            + usize::from(self.answer_note.is_some())
            + usize::from(self.quote.is_some());
        self.visible_fields().count() + offered + below + usize::from(self.error.is_some()) + 1
    }

    /// Indices of the visible fields; empty Cc and Bcc only while focused or next in line.
    pub fn visible_fields(&self) -> impl Iterator<Item = usize> + '_ {
        (0..BODY_FOCUS).filter(|at| {
            matches!(at, 0 | 3) || *at == self.focus || !self.fields[*at].is_empty() || self.focus == at - 1
        })
    }

    pub(crate) fn move_focus(&mut self, step: Step) {
        self.suggestions.clear();
        // Focus order: fields, attachments, text.
        let fields = 0..BODY_FOCUS;
        let mut stops =
            fields.chain((0..self.files.len()).map(|number| BODY_FOCUS + 1 + number)).chain([BODY_FOCUS]);
        let count = BODY_FOCUS + 1 + self.files.len();
        let here = stops.clone().position(|stop| stop == self.focus).unwrap_or(0);
        self.focus = stops.nth(step.wrap(here, count)).unwrap_or(BODY_FOCUS);
    }

    pub fn focused_file(&self) -> Option<usize> {
        self.focus.checked_sub(BODY_FOCUS + 1).filter(|number| *number < self.files.len())
    }

    pub fn listed_files(&self) -> std::ops::Range<usize> {
        let count = self.files.len();
        let first =
            self.focused_file().map_or(0, |file| (file + 1).saturating_sub(MAX_LISTED_FILES)).min(count);
        first..count.min(first + MAX_LISTED_FILES)
    }

    /// Removes an attachment; the next one gets the focus.
    pub fn remove_file(&mut self, place: usize) -> Option<DraftFile> {
        let gone = (place < self.files.len()).then(|| self.files.remove(place).0)?;
        self.is_edited = true;
        if self.focus > BODY_FOCUS {
            self.focus = (self.focus).min(BODY_FOCUS + self.files.len());
        }
        Some(gone)
    }

    fn handle_file_key(&mut self, place: usize, key: KeyPress) -> InputResult {
        match key.code {
            KeyCode::Delete | KeyCode::Backspace => {
                return self.remove_file(place).map_or(InputResult::Moved, InputResult::FileRemoved);
            }
            KeyCode::Enter => self.move_focus(Step::Next),
            // Typed letters have no effect on a file and must not reach the text.
            KeyCode::Char(_) if !key.ctrl => (),
            _ => match Step::of(key) {
                Some(step) => self.move_focus(step),
                None => return InputResult::Ignored,
            },
        }
        InputResult::Moved
    }

    /// Handles a key while a field or an attachment has the focus.
    pub fn key(&mut self, key: KeyPress) -> InputResult {
        if let Some(place) = self.focused_file() {
            return self.handle_file_key(place, key);
        }
        if self.focus >= BODY_FOCUS {
            return InputResult::Ignored;
        }
        self.error = None;
        match key.code {
            KeyCode::Down | KeyCode::Up if !self.suggestions.is_empty() => {
                self.chosen = wrapped_selection_after_key(key, self.chosen, self.suggestions.len())
                    .unwrap_or(self.chosen);
            }
            KeyCode::Enter | KeyCode::Tab if self.accept_suggestion() => {
                return InputResult::Changed(None);
            }
            KeyCode::Enter => self.move_focus(Step::Next),
            _ => {
                if let Some(step) = Step::of(key) {
                    self.move_focus(step);
                    return InputResult::Moved;
                }
                if !self.fields[self.focus].key(key) {
                    return InputResult::Ignored;
                }
                self.is_edited = true;
                self.suggestions.clear();
                let begun = (self.focus < SUBJECT_FIELD).then(|| self.partial_address().to_owned());
                return InputResult::Changed(begun.filter(|begun| begun.chars().count() > 1));
            }
        }
        InputResult::Moved
    }

    /// The address being typed in the focused recipient field.
    pub fn partial_address(&self) -> &str {
        self.fields[self.focus.min(2)].before().rsplit([',', ';']).next().unwrap_or("").trim()
    }

    /// Takes suggestions if they still fit the typed address.
    pub fn set_suggestions(&mut self, text: &str, found: Vec<Correspondent>) {
        if self.focus < SUBJECT_FIELD && self.partial_address() == text {
            self.suggestions = found.into_iter().take(4).collect();
            self.chosen = 0;
        }
    }

    /// Replaces the typed address with the chosen suggestion; false if there is none.
    fn accept_suggestion(&mut self) -> bool {
        let Some(email) =
            self.suggestions.get(self.chosen).map(|correspondent| correspondent.email.to_string())
        else {
            return false;
        };
        let field = &self.fields[self.focus];
        let kept = field.before().len() - field.before().rsplit([',', ';']).next().map_or(0, str::len);
        let before = field.before()[..kept].trim_end().to_owned();
        let gap = if before.is_empty() { "" } else { " " };
        let rest = field.after().trim_start_matches([',', ' ']).to_owned();
        let tail = if rest.is_empty() { ", ".to_owned() } else { format!(", {rest}") };
        self.fields[self.focus].set(format!("{before}{gap}{email}{tail}"));
        self.is_edited = true;
        self.suggestions.clear();
        true
    }
}

fn with_size(file: DraftFile) -> (DraftFile, Option<u64>) {
    let size = match &file {
        DraftFile::Typed(_) => None,
        DraftFile::Received(file) => file.size,
    };
    (file, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::SafeText;

    fn typed(head: &mut ComposeHeader, text: &str) {
        for character in text.chars() {
            head.key(KeyPress::plain(KeyCode::Char(character)));
        }
    }

    #[test]
    fn an_address_is_completed_in_its_place() {
        let mut head = ComposeHeader::default();
        typed(&mut head, "a@b.example, ga");
        assert_eq!(head.partial_address(), "ga");
        let garnier =
            Correspondent { email: SafeText::line("garnier@y.example"), ..Correspondent::default() };
        head.set_suggestions("g", vec![garnier.clone()]);
        assert!(head.suggestions.is_empty(), "an older question");
        head.set_suggestions("ga", vec![garnier]);
        assert_eq!(head.key(KeyPress::plain(KeyCode::Enter)), InputResult::Changed(None));
        assert_eq!(head.fields[0].text(), "a@b.example, garnier@y.example, ");
        head.key(KeyPress::plain(KeyCode::Tab));
        assert_eq!(head.focus, 1);
        head.key(KeyPress::plain(KeyCode::BackTab));
        assert_eq!(head.focus, 0);
    }

    #[test]
    fn files_are_stops_between_the_fields_and_the_text() {
        let files = ["/a", "/b"].map(|text| (DraftFile::from(text), None)).to_vec();
        let mut head = ComposeHeader { files, focus: BODY_FOCUS, ..ComposeHeader::default() };
        let press = |head: &mut ComposeHeader, code| head.key(KeyPress::plain(code));
        head.move_focus(Step::Back);
        assert_eq!((head.focus, head.focused_file()), (BODY_FOCUS + 2, Some(1)));
        assert_eq!(press(&mut head, KeyCode::Char('x')), InputResult::Moved, "it goes into no text");
        press(&mut head, KeyCode::Up);
        assert_eq!(head.focused_file(), Some(0));
        assert_eq!(press(&mut head, KeyCode::Delete), InputResult::FileRemoved("/a".into()));
        assert_eq!(head.focused_file(), Some(0), "the next one");
        assert_eq!(press(&mut head, KeyCode::Delete), InputResult::FileRemoved("/b".into()));
        assert_eq!((head.focus, head.files.len()), (BODY_FOCUS, 0));
        head.move_focus(Step::Next);
        assert_eq!(head.focus, 0);
        let many = (0..9).map(|number| (DraftFile::from(number.to_string().as_str()), None)).collect();
        let head = ComposeHeader { files: many, focus: BODY_FOCUS + 1 + 6, ..ComposeHeader::default() };
        assert_eq!(head.listed_files(), 3..7);
    }

    #[test]
    fn a_head_goes_into_a_draft_and_back() {
        let written = ComposedMail {
            to: "a@b.example".into(),
            cc: "c@d.example".into(),
            subject: "Re: x".into(),
            html: true,
            files: vec!["/a".into()],
            body: "text".into(),
            quote: Some("> y".into()),
            ..ComposedMail::default()
        };
        let (head, body) = ComposeHeader::from_composed(written.clone());
        assert_eq!((head.focus, body.as_str(), head.to_composed(&body)), (BODY_FOCUS, "text", written));
    }
}
