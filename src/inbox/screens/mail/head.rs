//! The head of a mail being written: its fields as they are typed, what goes
//! with it, and who is offered for an address that is begun.
//!
//! The text below is the composer's.

use crate::components::list::{Step, turned};
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use model::email::Correspondent;
use model::email::attached::DraftFile;
use model::email::compose::ComposedMail;
use model::email::quoting::QuoteStyle;

/// The place of the text, behind the fields.
pub const BODY: usize = 4;
/// The place of the subject.
pub const SUBJECT: usize = 3;
/// Files listed at a time.
pub const FILES: usize = 4;
/// What the fields are called.
pub const LABELS: [&str; 4] = ["To", "Cc", "Bcc", "Subject"];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Head {
    /// To, Cc, Bcc, Subject.
    pub fields: [TextLine; 4],
    /// Which has the keyboard; [`BODY`] for the text, what is behind it for a file.
    pub at: usize,
    /// The sender, where it is not the account's own.
    pub from: Option<String>,
    pub answers: Option<String>,
    /// Whether the text is Markdown that leaves as HTML, too.
    pub html: bool,
    /// What goes with it, and the sizes as far as they are known.
    pub files: Vec<(DraftFile, Option<u64>)>,
    pub quote: Option<String>,
    /// Where it is quoted.
    pub quoting: QuoteStyle,
    /// What was quoted and is in the text now.
    pub taken: Option<TakenQuote>,
    /// Who fits the address that is begun.
    pub offered: Vec<Correspondent>,
    pub chosen: usize,
    /// Where the answer goes, where that is not the author of the mail.
    pub answer_note: Option<String>,
    /// What is wrong, said when it was to be sent.
    pub wrong: Option<String>,
    /// Whether a person changed a field.
    pub touched: bool,
}

/// A quote that was taken into the text: undoing that gives it back.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenQuote {
    pub quote: String,
    /// The text without it and with it.
    pub texts: [String; 2],
}

impl Head {
    /// An edit was undone or done again: the quote is where the text says.
    pub fn follow_quote(&mut self, text: &str) {
        let Some(taken) = &self.taken else { return };
        match taken.texts.iter().position(|entry| entry == text) {
            Some(0) => self.quote = Some(taken.quote.clone()),
            Some(_) => self.quote = None,
            None => (),
        }
    }
}

/// What a key did in the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Did {
    /// It changed a field; for addresses, the piece that is begun.
    Changed(Option<String>),
    /// It took a file away.
    TookOff(DraftFile),
    /// It moved, or did nothing.
    Moved,
    /// It is not the head's.
    Nothing,
}

impl Head {
    /// The head of a mail, and its text.
    pub fn of(written: ComposedMail) -> (Self, String) {
        let line = |text: &str| TextLine::new(text);
        let head = Self {
            fields: [line(&written.to), line(&written.cc), line(&written.bcc), line(&written.subject)],
            at: if written.to.trim().is_empty() { 0 } else { BODY },
            from: written.from,
            answers: written.in_reply_to,
            html: written.html,
            files: written.files.into_iter().map(sized).collect(),
            quote: written.quote,
            quoting: written.quoting,
            ..Self::default()
        };
        (head, written.body)
    }

    pub fn written(&self, body: &str) -> ComposedMail {
        let text = |at: usize| self.fields[at].text().to_owned();
        ComposedMail {
            to: text(0),
            cc: text(1),
            bcc: text(2),
            subject: text(SUBJECT),
            from: self.from.clone(),
            in_reply_to: self.answers.clone(),
            html: self.html,
            files: self.files.iter().map(|file| file.0.clone()).collect(),
            body: body.to_owned(),
            quote: self.quote.clone(),
            quoting: self.quoting,
        }
    }

    /// Whether a person wrote a recipient or a subject.
    pub fn is_begun(&self) -> bool {
        self.touched && self.fields.iter().any(|field| !field.text().trim().is_empty())
    }

    /// The lines it takes on screen.
    pub fn height(&self) -> usize {
        let offered = self.offered.len().min(4);
        let below = self.files.len().min(FILES)
            + usize::from(self.from.is_some())
            + usize::from(self.answer_note.is_some())
            + usize::from(self.quote.is_some());
        self.shown().count() + offered + below + usize::from(self.wrong.is_some()) + 1
    }

    /// The fields that are shown: empty copies only while they are typed.
    pub fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..BODY).filter(|at| {
            matches!(at, 0 | 3) || *at == self.at || !self.fields[*at].is_empty() || self.at == at - 1
        })
    }

    /// To the next field, or the one before.
    pub(crate) fn turn(&mut self, step: Step) {
        self.offered.clear();
        // The files stand between the fields and the text.
        let fields = 0..BODY;
        let mut stops = fields.chain((0..self.files.len()).map(|number| BODY + 1 + number)).chain([BODY]);
        let count = BODY + 1 + self.files.len();
        let here = stops.clone().position(|stop| stop == self.at).unwrap_or(0);
        self.at = stops.nth(step.wrap(here, count)).unwrap_or(BODY);
    }

    /// The file that has the keyboard.
    pub fn file_at(&self) -> Option<usize> {
        self.at.checked_sub(BODY + 1).filter(|number| *number < self.files.len())
    }

    /// The files that are listed now, by their place.
    pub fn listed(&self) -> std::ops::Range<usize> {
        let count = self.files.len();
        let first = self.file_at().map_or(0, |file| (file + 1).saturating_sub(FILES)).min(count);
        first..count.min(first + FILES)
    }

    /// Takes a file away; the next one has the keyboard then.
    pub fn take_off(&mut self, place: usize) -> Option<DraftFile> {
        let gone = (place < self.files.len()).then(|| self.files.remove(place).0)?;
        self.touched = true;
        if self.at > BODY {
            self.at = (self.at).min(BODY + self.files.len());
        }
        Some(gone)
    }

    fn file_key(&mut self, place: usize, key: KeyPress) -> Did {
        match key.code {
            KeyCode::Delete | KeyCode::Backspace => {
                return self.take_off(place).map_or(Did::Moved, Did::TookOff);
            }
            KeyCode::Enter => self.turn(Step::Next),
            // What is typed is meant for no file, and must not go into the text.
            KeyCode::Char(_) if !key.ctrl => (),
            _ => match Step::of(key) {
                Some(step) => self.turn(step),
                None => return Did::Nothing,
            },
        }
        Did::Moved
    }

    /// A key while a field has the keyboard.
    pub fn key(&mut self, key: KeyPress) -> Did {
        if let Some(place) = self.file_at() {
            return self.file_key(place, key);
        }
        if self.at >= BODY {
            return Did::Nothing;
        }
        self.wrong = None;
        match key.code {
            KeyCode::Down | KeyCode::Up if !self.offered.is_empty() => {
                self.chosen = turned(key, self.chosen, self.offered.len()).unwrap_or(self.chosen);
            }
            KeyCode::Enter | KeyCode::Tab if self.takes_offered() => {
                return Did::Changed(None);
            }
            KeyCode::Enter => self.turn(Step::Next),
            _ => {
                if let Some(step) = Step::of(key) {
                    self.turn(step);
                    return Did::Moved;
                }
                if !self.fields[self.at].key(key) {
                    return Did::Nothing;
                }
                self.touched = true;
                self.offered.clear();
                let begun = (self.at < SUBJECT).then(|| self.partial_address().to_owned());
                return Did::Changed(begun.filter(|begun| begun.chars().count() > 1));
            }
        }
        Did::Moved
    }

    /// The piece of the address line that is begun.
    pub fn partial_address(&self) -> &str {
        self.fields[self.at.min(2)].before().rsplit([',', ';']).next().unwrap_or("").trim()
    }

    /// Who fits has come.
    pub fn offer(&mut self, text: &str, found: Vec<Correspondent>) {
        if self.at < SUBJECT && self.partial_address() == text {
            self.offered = found.into_iter().take(4).collect();
            self.chosen = 0;
        }
    }

    /// Puts the chosen one in place of what was begun; false if none is
    /// offered.
    fn takes_offered(&mut self) -> bool {
        let Some(email) = self.offered.get(self.chosen).map(|correspondent| correspondent.email.to_string())
        else {
            return false;
        };
        let field = &self.fields[self.at];
        let kept = field.before().len() - field.before().rsplit([',', ';']).next().map_or(0, str::len);
        let before = field.before()[..kept].trim_end().to_owned();
        let gap = if before.is_empty() { "" } else { " " };
        let rest = field.after().trim_start_matches([',', ' ']).to_owned();
        let tail = if rest.is_empty() { ", ".to_owned() } else { format!(", {rest}") };
        self.fields[self.at].set(format!("{before}{gap}{email}{tail}"));
        self.touched = true;
        self.offered.clear();
        true
    }
}

/// A file with what is known of its size before it is looked at.
fn sized(file: DraftFile) -> (DraftFile, Option<u64>) {
    let size = match &file {
        DraftFile::Typed(_) => None,
        DraftFile::Received(it) => it.size,
    };
    (file, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::SafeText;

    fn typed(head: &mut Head, text: &str) {
        for it in text.chars() {
            head.key(KeyPress::plain(KeyCode::Char(it)));
        }
    }

    #[test]
    fn an_address_is_completed_in_its_place() {
        let mut head = Head::default();
        typed(&mut head, "a@b.example, ga");
        assert_eq!(head.partial_address(), "ga");
        let garnier =
            Correspondent { email: SafeText::line("garnier@y.example"), ..Correspondent::default() };
        head.offer("g", vec![garnier.clone()]);
        assert!(head.offered.is_empty(), "an older question");
        head.offer("ga", vec![garnier]);
        assert_eq!(head.key(KeyPress::plain(KeyCode::Enter)), Did::Changed(None));
        assert_eq!(head.fields[0].text(), "a@b.example, garnier@y.example, ");
        head.key(KeyPress::plain(KeyCode::Tab));
        assert_eq!(head.at, 1);
        head.key(KeyPress::plain(KeyCode::BackTab));
        assert_eq!(head.at, 0);
    }

    #[test]
    fn files_are_stops_between_the_fields_and_the_text() {
        let files = ["/a", "/b"].map(|text| (DraftFile::from(text), None)).to_vec();
        let mut head = Head { files, at: BODY, ..Head::default() };
        let press = |head: &mut Head, code| head.key(KeyPress::plain(code));
        head.turn(Step::Back);
        assert_eq!((head.at, head.file_at()), (BODY + 2, Some(1)));
        assert_eq!(press(&mut head, KeyCode::Char('x')), Did::Moved, "it goes into no text");
        press(&mut head, KeyCode::Up);
        assert_eq!(head.file_at(), Some(0));
        assert_eq!(press(&mut head, KeyCode::Delete), Did::TookOff("/a".into()));
        assert_eq!(head.file_at(), Some(0), "the next one");
        assert_eq!(press(&mut head, KeyCode::Delete), Did::TookOff("/b".into()));
        assert_eq!((head.at, head.files.len()), (BODY, 0));
        head.turn(Step::Next);
        assert_eq!(head.at, 0);
        let many = (0..9).map(|number| (DraftFile::from(number.to_string().as_str()), None)).collect();
        let head = Head { files: many, at: BODY + 1 + 6, ..Head::default() };
        assert_eq!(head.listed(), 3..7);
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
        let (head, body) = Head::of(written.clone());
        assert_eq!((head.at, body.as_str(), head.written(&body)), (BODY, "text", written));
    }
}
