//! What is shown of a message that was found: the text around the first word.

use std::ops::Range;

use crate::text::SafeText;

/// Characters kept before the first word found.
const CHARS_BEFORE_MATCH: usize = 40;
/// Characters kept in all.
const MAX_SNIPPET_CHARS: usize = 160;

/// One line of a message, with where the words found are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// One line; an ellipsis stands for what was left out.
    pub text: SafeText,
    /// Bytes of the text that were found, in order and without overlaps.
    pub marks: Vec<Range<usize>>,
}

impl Snippet {
    /// Cuts the line around the first of the places found in a text.
    pub fn around_match(text: &SafeText, found: &[Range<usize>]) -> Self {
        let whole = text.as_str();
        let first = found.first().map_or(0, |range| range.start);
        let start = whole[..first].char_indices().rev().nth(CHARS_BEFORE_MATCH).map_or(0, |(at, _)| at);
        // Not in the middle of a word, if there is a space to begin after.
        let start = match (start, whole[start..first].find([' ', '\n'])) {
            (0, _) | (_, None) => start,
            (_, Some(space)) => start + space + 1,
        };
        let end =
            whole[start..].char_indices().nth(MAX_SNIPPET_CHARS).map_or(whole.len(), |(at, _)| start + at);
        let mut line = String::new();
        if start > 0 {
            line.push('…');
        }
        let mut marks = Vec::new();
        let mut at = start;
        for range in found.iter().filter(|range| range.start >= start && range.end <= end) {
            push_line(&mut line, &whole[at..range.start]);
            let from = line.len();
            push_line(&mut line, &whole[range.clone()]);
            marks.push(from..line.len());
            at = range.end;
        }
        push_line(&mut line, &whole[at..end]);
        if end < whole.len() {
            line.push('…');
        }
        // Already safe: `line` may add only what stands for a break, and the
        // breaks are gone.
        let text = SafeText::line(&line);
        if text.as_str() != line {
            marks.clear();
        }
        Self { text, marks }
    }
}

/// Adds a piece of text as part of one line.
fn push_line(line: &mut String, piece: &str) {
    line.extend(piece.chars().map(|character| if character == '\n' { ' ' } else { character }));
}
