//! Snippet of a search result: the text around the first match.

use std::ops::Range;

use crate::text::SafeText;

const CHARS_BEFORE_MATCH: usize = 40;
const MAX_SNIPPET_CHARS: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// One line, with an ellipsis for omitted text.
    pub text: SafeText,
    /// Byte ranges of matches, sorted and without overlaps.
    pub marks: Vec<Range<usize>>,
}

impl Snippet {
    pub fn around_match(text: &SafeText, found: &[Range<usize>]) -> Self {
        let whole = text.as_str();
        let first = found.first().map_or(0, |range| range.start);
        let start = whole[..first].char_indices().rev().nth(CHARS_BEFORE_MATCH).map_or(0, |(at, _)| at);
        // Start after a space rather than within a word, if there is one.
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
        // The text is already sanitized and has no line breaks, so `line` should not change it.
        let text = SafeText::line(&line);
        if text.as_str() != line {
            marks.clear();
        }
        Self { text, marks }
    }
}

fn push_line(line: &mut String, piece: &str) {
    line.extend(piece.chars().map(|character| if character == '\n' { ' ' } else { character }));
}
