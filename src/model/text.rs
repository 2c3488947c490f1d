//! `SafeText`: the only type of outside text that widgets accept.
//!
//! One function creates it, after all decoding. Such a text cannot move the cursor, write the
//! clipboard, reorder a line or flood a cell. Dangerous characters are made visible rather than
//! hidden: controls become pictures, bidi controls badges, other invisible characters one mark. The
//! original stays in the raw item.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use unicode_segmentation::UnicodeSegmentation;

mod classes;

use classes::{CharacterClass, classify};

const MAX_MARKS_PER_BASE: usize = 8;
const MAX_CLUSTER_BYTES: usize = 64;
/// Blank lines in a row above which they fold into a count.
const MAX_BLANK_LINES: usize = 3;
/// Maximum number of characters; the rest is replaced by a visible mark.
const MAX_CHARS: usize = 200_000;
/// Replaces invisible characters.
const HIDDEN_MARK: &str = "⍰";
/// Replaces a text without visible characters.
const ALL_HIDDEN_TEXT: &str = "(no visible characters)";

/// Text that is safe to draw. The only control character in it is `\n`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
pub struct SafeText(String);

/// Sanitizes stored text again, as one line.
impl<'de> Deserialize<'de> for SafeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|deserialize| Self::line(&deserialize))
    }
}

/// Reads stored text of several lines; for `deserialize_with`.
pub fn kept_block<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SafeText>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(|deserialize| SafeText::block(&deserialize)))
}

impl SafeText {
    pub fn block(outside: &str) -> Self {
        Self(fold_blank_lines(&clean(outside)))
    }

    /// Sanitizes text of one line. Line breaks become a visible mark, and a text without visible
    /// characters a placeholder.
    pub fn line(outside: &str) -> Self {
        let cleaned = clean(outside);
        let line = cleaned.trim().replace('\n', "⏎");
        let blank = !outside.is_empty()
            && line.chars().all(|character| character.is_whitespace() || character == '⍰');
        Self(if blank { ALL_HIDDEN_TEXT.to_owned() } else { line })
    }

    /// As [`SafeText::line`]; `None` if missing or blank.
    pub fn optional_line(outside: Option<&str>) -> Option<Self> {
        let text = outside?;
        (!text.trim().is_empty()).then(|| Self::line(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// True for one or more ASCII digits and nothing else.
pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if a character is invisible or affects its surroundings: controls, line breaks, bidi
/// controls, joiners, zero-width characters.
pub fn is_unseen(character: char) -> bool {
    matches!(
        classify(character),
        CharacterClass::Control
            | CharacterClass::Break
            | CharacterClass::Tab
            | CharacterClass::Badge
            | CharacterClass::Hidden
            | CharacterClass::Joiner
    )
}

/// Cleans pasted text: unifies line breaks and drops controls, which would otherwise be sent.
pub fn clean_pasted(text: &str) -> String {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    unified
        .chars()
        .filter_map(|character| match character {
            '\n' => Some('\n'),
            '\t' => Some(' '),
            _ => match classify(character) {
                CharacterClass::Control | CharacterClass::Badge => None,
                _ => Some(character),
            },
        })
        .collect()
}

/// Sanitizes text of several lines for the clipboard, an editor or another program.
pub fn escape_unseen(outside: &str) -> String {
    clean(outside)
}

/// True if every character is drawn as itself. Other texts are rejected as ids and addresses,
/// because they could imitate another or act where they are pasted.
pub fn is_plain(text: &str) -> bool {
    text.chars().all(|character| {
        character == ' ' || matches!(classify(character), CharacterClass::Plain | CharacterClass::Mark)
    })
}

/// Hostile inputs and their sanitized form.
#[cfg(any(test, feature = "testing"))]
pub const HOSTILE_TEXTS: &[(&str, &str)] = &[
    ("plain, Grüße, 自転車 👩\u{200d}🚒", "plain, Grüße, 自転車 👩\u{200d}🚒"),
    ("\u{1b}]52;c;ZXZpbA==\u{7}x", "␛]52;c;ZXZpbA==␇x"),
    ("\u{1b}[2J\u{1b}[1;1Hx", "␛[2J␛[1;1Hx"),
    ("\u{1b}P$q\u{1b}\\x", "␛P$q␛\\x"),
    ("\u{1b}[201~rm -rf ~", "␛[201~rm -rf ~"),
    ("a\u{9b}2Jb\u{9d}c\u{90}", "a<U+009B>2Jb<U+009D>c<U+0090>"),
    ("a\rb", "a\nb"),
    ("a\u{85}b\u{2028}c\u{2029}d", "a\nb\nc\nd"),
    ("a\0b\u{8}\u{7f}", "a␀b␈␡"),
    ("invoice\u{202e}fdp.exe", "invoice<U+202E>fdp.exe"),
    ("\u{2066}a\u{2069}\u{200f}\u{61c}", "<U+2066>a<U+2069><U+200F><U+061C>"),
    ("a\u{200b}b\u{2060}\u{feff}c\u{ad}d", "a⍰b⍰c⍰d"),
    ("a\u{e0041}\u{e0042}b", "a⍰b"),
    ("\u{e0b0}\u{fdd0}", "\u{fffd}\u{fffd}"),
    ("a\u{0b}b\u{0c}c", "a␋b␌c"),
];

/// Sanitizes each character, then each grapheme cluster.
fn clean(outside: &str) -> String {
    let unified = outside.replace("\r\n", "\n");
    let mut out = String::with_capacity(unified.len());
    let mut run = CleanerState::default();
    for (count, character) in unified.chars().enumerate() {
        if count == MAX_CHARS {
            run.flush(&mut out);
            out.push_str("… (cut)");
            break;
        }
        run.push(character, &mut out);
    }
    run.flush(&mut out);
    cap_clusters(out)
}

/// State of the cleaner between characters.
#[derive(Default)]
struct CleanerState {
    /// Combining marks on the current base.
    marks: usize,
    /// The last character written, if it can carry marks and joiners.
    base: Option<char>,
    /// Joiner held back until the next character shows that it is needed.
    joiner: Option<char>,
    /// True if an invisible character was dropped since the last visible one.
    hidden: bool,
}

impl CleanerState {
    fn push(&mut self, character: char, out: &mut String) {
        match classify(character) {
            CharacterClass::Break => self.write(None, "\n", out),
            CharacterClass::Tab => self.write(None, "    ", out),
            CharacterClass::Space => self.write(Some(' '), " ", out),
            CharacterClass::Control => {
                let picture = classes::control_picture(character);
                self.write(None, &picture, out);
            }
            CharacterClass::Badge => {
                let badge = format!("<U+{:04X}>", u32::from(character));
                self.write(None, &badge, out);
            }
            CharacterClass::Hidden => {
                self.joiner = None;
                self.hidden = true;
            }
            CharacterClass::Replaced => self.write(Some('\u{fffd}'), "\u{fffd}", out),
            CharacterClass::Joiner => match self.base {
                Some(base) if classes::allows_joiner(base) => self.joiner = Some(character),
                _ => self.hidden = true,
            },
            CharacterClass::Mark => self.push_mark(character, out),
            CharacterClass::Plain => {
                if let (Some(joiner), Some(base)) = (self.joiner.take(), self.base) {
                    if classes::is_joined(base, character) {
                        out.push(joiner);
                    } else {
                        self.hidden = true;
                    }
                }
                let mut buffer = [0; 4];
                self.write(Some(character), character.encode_utf8(&mut buffer), out);
            }
        }
    }

    fn push_mark(&mut self, character: char, out: &mut String) {
        if let Some(joiner) = self.joiner.take() {
            out.push(joiner);
        }
        if self.hidden || self.base.is_none() {
            // A mark must never attach to a border, a badge or a line break.
            self.write(Some('◌'), "◌", out);
        }
        if self.marks < MAX_MARKS_PER_BASE {
            out.push(character);
        }
        self.marks += 1;
    }

    fn write(&mut self, base: Option<char>, text: &str, out: &mut String) {
        if self.joiner.take().is_some() {
            self.hidden = true;
        }
        self.show_hidden(out);
        out.push_str(text);
        self.base = base;
        self.marks = 0;
    }

    fn show_hidden(&mut self, out: &mut String) {
        if std::mem::take(&mut self.hidden) {
            out.push_str(HIDDEN_MARK);
        }
    }

    fn flush(&mut self, out: &mut String) {
        if self.joiner.take().is_some() {
            self.hidden = true;
        }
        self.show_hidden(out);
    }
}

/// Truncates oversized clusters and spells out single regional indicators.
fn cap_clusters(text: String) -> String {
    if text.is_ascii() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for cluster in text.graphemes(true) {
        let mut characters = cluster.chars();
        if let Some(letter) = characters.next().and_then(classes::regional_indicator)
            && !characters.clone().any(|character| classes::regional_indicator(character).is_some())
        {
            // Half a flag: one column on some terminals, two on others.
            out.push_str(&format!("[{letter}]"));
            continue;
        }
        if cluster.len() <= MAX_CLUSTER_BYTES {
            out.push_str(cluster);
            continue;
        }
        let mut end = 0;
        for (at, character) in cluster.char_indices() {
            if at + character.len_utf8() > MAX_CLUSTER_BYTES {
                break;
            }
            end = at + character.len_utf8();
        }
        out.push_str(cluster[..end].trim_end_matches(['\u{200d}', '\u{200c}']));
        out.push_str(HIDDEN_MARK);
    }
    out
}

fn fold_blank_lines(text: &str) -> String {
    if !text.contains("\n\n\n\n") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut blank = 0_usize;
    let settle = |blank: &mut usize, out: &mut String| {
        if *blank > MAX_BLANK_LINES {
            out.push_str(&format!("({blank} blank lines)\n"));
        } else {
            out.push_str(&"\n".repeat(*blank));
        }
        *blank = 0;
    };
    for line in text.split('\n') {
        if line.trim().is_empty() {
            blank += 1;
            continue;
        }
        settle(&mut blank, &mut out);
        out.push_str(line);
        out.push('\n');
    }
    settle(&mut blank, &mut out);
    out.pop();
    out
}

#[cfg(any(test, feature = "testing"))]
pub mod oracle;
#[cfg(test)]
mod tests;
