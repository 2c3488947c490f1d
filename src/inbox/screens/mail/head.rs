//! The head of a mail being written: its fields as they are typed, what goes
//! with it, and who is offered for an address that is begun.
//!
//! The text below is the composer's.

use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use model::email::Correspondent;
use model::email::compose::WrittenMail;

/// The place of the text, behind the fields.
pub const BODY: usize = 4;
/// The place of the subject.
pub const SUBJECT: usize = 3;
/// What the fields are called.
pub const LABELS: [&str; 4] = ["To", "Cc", "Bcc", "Subject"];

/// The head.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Head {
    /// To, Cc, Bcc, Subject.
    pub fields: [TextLine; 4],
    /// Which has the keyboard; [`BODY`] for the text.
    pub at: usize,
    /// The mail it answers.
    pub answers: Option<String>,
    /// Whether the text is Markdown that leaves as HTML, too.
    pub html: bool,
    /// Paths and addresses of what goes with it, and their sizes as far as
    /// they are known.
    pub files: Vec<(String, Option<u64>)>,
    /// What is quoted below the text.
    pub quote: Option<String>,
    /// Who fits the address that is begun.
    pub offered: Vec<Correspondent>,
    /// The chosen one of them.
    pub chosen: usize,
    /// What is wrong, said when it was to be sent.
    pub wrong: Option<String>,
    /// Whether a person changed a field.
    pub touched: bool,
}

/// What a key did in the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Did {
    /// It changed a field; for addresses, the piece that is begun.
    Changed(Option<String>),
    /// It moved, or did nothing.
    Moved,
    /// It is not the head's.
    Nothing,
}

impl Head {
    /// The head of a mail, and its text.
    pub fn of(written: WrittenMail) -> (Self, String) {
        let line = |it: &str| TextLine::new(it);
        let head = Self {
            fields: [line(&written.to), line(&written.cc), line(&written.bcc), line(&written.subject)],
            at: if written.to.trim().is_empty() { 0 } else { BODY },
            answers: written.answers,
            html: written.html,
            files: written.files.into_iter().map(|it| (it, None)).collect(),
            quote: written.quote,
            ..Self::default()
        };
        (head, written.body)
    }

    /// The mail with this text.
    pub fn written(&self, body: &str) -> WrittenMail {
        let text = |at: usize| self.fields[at].text().to_owned();
        WrittenMail {
            to: text(0),
            cc: text(1),
            bcc: text(2),
            subject: text(SUBJECT),
            answers: self.answers.clone(),
            html: self.html,
            files: self.files.iter().map(|it| it.0.clone()).collect(),
            body: body.to_owned(),
            quote: self.quote.clone(),
        }
    }

    /// Whether a person wrote whom it is for or what it is about.
    pub fn is_begun(&self) -> bool {
        self.touched && self.fields.iter().any(|it| !it.text().trim().is_empty())
    }

    /// The lines it takes on screen.
    pub fn height(&self) -> usize {
        let offered = self.offered.len().min(4);
        let below = usize::from(!self.files.is_empty()) + usize::from(self.quote.is_some());
        self.shown().count() + offered + below + usize::from(self.wrong.is_some()) + 1
    }

    /// The fields that are shown: empty copies only while they are typed.
    pub fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..BODY).filter(|at| {
            matches!(at, 0 | 3) || *at == self.at || !self.fields[*at].is_empty() || self.at == at - 1
        })
    }

    /// To the next field, or the one before.
    pub fn turn(&mut self, forwards: bool) {
        self.offered.clear();
        self.at = if forwards { (self.at + 1) % (BODY + 1) } else { (self.at + BODY) % (BODY + 1) };
    }

    /// A key while a field has the keyboard.
    pub fn key(&mut self, key: KeyPress) -> Did {
        if self.at >= BODY {
            return Did::Nothing;
        }
        self.wrong = None;
        match key.code {
            KeyCode::Down if !self.offered.is_empty() => self.chosen = (self.chosen + 1) % self.offered.len(),
            KeyCode::Up if !self.offered.is_empty() => {
                self.chosen = (self.chosen + self.offered.len() - 1) % self.offered.len();
            }
            KeyCode::Enter | KeyCode::Tab if self.takes_offered() => {
                return Did::Changed(None);
            }
            KeyCode::Down | KeyCode::Enter | KeyCode::Tab => self.turn(true),
            KeyCode::Up | KeyCode::BackTab => self.turn(false),
            _ => {
                if !self.fields[self.at].key(key) {
                    return Did::Nothing;
                }
                self.touched = true;
                self.offered.clear();
                let begun = (self.at < SUBJECT).then(|| self.begun().to_owned());
                return Did::Changed(begun.filter(|it| it.chars().count() > 1));
            }
        }
        Did::Moved
    }

    /// The piece of the address line that is begun.
    pub fn begun(&self) -> &str {
        self.fields[self.at.min(2)].before().rsplit([',', ';']).next().unwrap_or("").trim()
    }

    /// Who fits has come.
    pub fn offer(&mut self, text: &str, found: Vec<Correspondent>) {
        if self.at < SUBJECT && self.begun() == text {
            self.offered = found.into_iter().take(4).collect();
            self.chosen = 0;
        }
    }

    /// Puts the chosen one in place of what was begun; false if none is
    /// offered.
    fn takes_offered(&mut self) -> bool {
        let Some(email) = self.offered.get(self.chosen).map(|it| it.email.to_string()) else { return false };
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
        assert_eq!(head.begun(), "ga");
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
    fn a_head_goes_into_a_draft_and_back() {
        let written = WrittenMail {
            to: "a@b.example".into(),
            cc: "c@d.example".into(),
            subject: "Re: x".into(),
            html: true,
            files: vec!["/a".into()],
            body: "text".into(),
            quote: Some("> y".into()),
            ..WrittenMail::default()
        };
        let (head, body) = Head::of(written.clone());
        assert_eq!((head.at, body.as_str(), head.written(&body)), (BODY, "text", written));
    }
}
