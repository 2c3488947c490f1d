//! Cuts and wraps text by terminal cells, never inside a grapheme cluster.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// True for a character that always is one cluster of one cell without effect on a terminal.
pub fn is_single(character: char) -> bool {
    matches!(
        character,
        ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '─'..='▟'
            | '–' | '—' | '‘' | '’' | '“' | '”' | '•' | '…' | '€' | '←'..='↓'
    )
}

/// True if each character of a text takes one cell.
pub fn is_simple(text: &str) -> bool {
    text.chars().all(is_single)
}

/// The clusters with their offsets, lazily. Most are recognised by one character and the next.
fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let mut characters = rest.chars();
        let first = characters.next()?;
        let alone = is_single(first) && characters.next().is_none_or(is_single);
        let cluster = if alone { &rest[..first.len_utf8()] } else { rest.graphemes(true).next()? };
        let begin = at;
        at += cluster.len();
        Some((begin, cluster))
    })
}

/// Cells of a text on one line.
pub fn cells(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { clusters(text).map(|cluster| cluster_cells(cluster.1)).sum() }
}

/// Cells of a cluster, at least one.
fn cluster_cells(cluster: &str) -> usize {
    if cluster.len() == 1 { 1 } else { cluster.width().max(1) }
}

/// The longest prefix that fits, with `…` if cut.
pub fn cut(text: &str, width: usize) -> String {
    cut_borrowed(text, width).into_owned()
}

/// The longest prefix that fits, with `…` if cut; borrowed if not.
pub fn cut_borrowed(text: &str, width: usize) -> Cow<'_, str> {
    // No cluster takes more cells than bytes.
    if text.len() <= width {
        return Cow::Borrowed(text);
    }
    // End of the text if a cell is needed for the mark.
    let (mut used, mut end) = (0, 0);
    for (at, cluster) in clusters(text) {
        used += cluster_cells(cluster);
        if used > width {
            return if width == 0 { Cow::Borrowed("") } else { Cow::Owned(format!("{}…", &text[..end])) };
        }
        if used < width {
            end = at + cluster.len();
        }
    }
    Cow::Borrowed(text)
}

/// The longest prefix of whole words that fits, with ` …` if cut; a single word is cut as in [`cut`].
pub fn cut_at_word(text: &str, width: usize) -> Cow<'_, str> {
    let cut = cut_borrowed(text, width);
    if cut == text {
        return cut;
    }
    let head = cut.trim_end_matches('…');
    // A cut just before a space needs the room of the mark.
    match head.rfind(' ').map(|at| head[..at].trim_end()) {
        Some(words) if !words.is_empty() => Cow::Owned(format!("{words} …")),
        _ => cut,
    }
}

/// The first cluster and as much of the end as fits, with `…` if cut.
pub fn cut_middle(text: &str, width: usize) -> String {
    let Some(head) = text.graphemes(true).next().filter(|_| cells(text) > width) else {
        return cut(text, width);
    };
    let mut room = width.saturating_sub(cluster_cells(head) + 1);
    let mut start = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        match room.checked_sub(cluster_cells(cluster)) {
            Some(left) => (room, start) = (left, at),
            None => break,
        }
    }
    match start < text.len() {
        true => format!("{head}…{}", &text[start..]),
        false => cut(text, width),
    }
}

/// Cuts or pads a text to exactly this many cells.
pub fn fit(text: &str, width: usize) -> String {
    let mut out = cut(text, width);
    let missing = width.saturating_sub(cells(&out));
    out.extend(std::iter::repeat_n(' ', missing));
    out
}

/// Wraps text into byte ranges, one per line, after white space if possible, else after the `@` of an
/// address, else between clusters. A line break ends a line; the empty text is one empty line.
pub fn wrap(text: &str, width: usize) -> Vec<Range<usize>> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        wrap_line(text, at..at + line.len(), width, &mut lines);
        at += line.len() + 1;
    }
    lines
}

fn wrap_line(text: &str, line: Range<usize>, width: usize, lines: &mut Vec<Range<usize>>) {
    let mut start = line.start;
    let mut used = 0;
    // Possible end of the line: after the last white space, and the cells up to there.
    let mut breakable: Option<(usize, usize)> = None;
    let mut after_at: Option<(usize, usize)> = None;
    for (offset, cluster) in clusters(&text[line.clone()]) {
        let at = line.start + offset;
        let wide = cluster_cells(cluster);
        let blank = cluster == " ";
        if used + wide > width && !blank {
            let (end, kept) = breakable.take().or(after_at).unwrap_or((at, used));
            lines.push(start..end);
            start = end;
            used -= kept;
            after_at = after_at.filter(|place| place.0 > end).map(|place| (place.0, place.1 - kept));
        }
        used += wide;
        if cluster == "@" {
            after_at = Some((at + cluster.len(), used));
        }
        if blank {
            breakable = Some((at + cluster.len(), used));
        }
    }
    lines.push(start..line.end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::SafeText;

    fn wrapped(text: &str, width: usize) -> Vec<&str> {
        wrap(text, width).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn wraps_words_and_clusters() {
        assert_eq!(wrapped("where is my order", 9), ["where is ", "my order"]);
        assert_eq!(wrapped("", 9), [""]);
        assert_eq!(wrapped("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("自転車が壊れた", 5), ["自転", "車が", "壊れ", "た"]);
        assert_eq!(wrapped("a🌞b", 2), ["a", "🌞", "b"]);
        assert_eq!(wrapped("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3), ["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]);
        assert_eq!(wrapped("one two  ", 7), ["one two  "]);
        assert_eq!(wrapped("dana@mail.example", 12), ["dana@", "mail.example"]);
        assert_eq!(wrapped("to dana@mail.example", 15), ["to ", "dana@", "mail.example"]);
        assert_eq!(wrapped("a@bcdefghij", 4), ["a@", "bcde", "fghi", "j"]);
    }

    #[test]
    fn a_single_character_is_one_cluster_in_one_cell_and_safe() {
        let singles: Vec<char> = ('\0'..=char::MAX).filter(|character| is_single(*character)).collect();
        assert!(singles.len() > 600, "{}", singles.len());
        for character in singles {
            assert_eq!(character.to_string().width(), 1, "{character:?}");
            assert_eq!(
                SafeText::line(&format!("a{character}b")).as_str(),
                format!("a{character}b"),
                "{character:?}"
            );
            for pair in [
                format!("a{character}"),
                format!("{character}a"),
                format!("{character}{character}"),
                format!("{character}─"),
            ] {
                assert_eq!(pair.graphemes(true).count(), 2, "{pair:?}");
            }
        }
    }

    #[test]
    fn cuts_by_cells() {
        assert_eq!(cut("João Pereira", 12), "João Pereira");
        assert_eq!(cut("João Pereira", 8), "João Pe…");
        assert_eq!(cut("自転車", 4), "自…");
        assert_eq!(cut("自転車", 0), "");
        assert_eq!(fit("自転車", 4), "自… ");
        assert_eq!(fit("ab", 4), "ab  ");
    }

    #[test]
    fn cuts_between_words() {
        let cases = [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two …"),
            ("one two three", 9, "one two …"),
            ("one two three", 8, "one …"),
            ("one two three", 3, "on…"),
            ("reservation", 5, "rese…"),
            ("", 0, ""),
        ];
        for (text, width, expected) in cases {
            assert_eq!(cut_at_word(text, width), expected, "{text:?} in {width}");
        }
    }

    #[test]
    fn clusters_are_those_of_the_standard() {
        let texts = [
            "where is my order 1041?",
            "e\u{301}t\u{e9} \u{301}",
            "自転車が壊れた ok",
            "a🌞b 👨‍👩‍👧‍👦👨‍👩‍👧‍👦 🇵🇹🇪🇸x",
            "دليل طلب a\u{200d}b",
            "한국어 a\r\nb\n",
            "",
        ];
        for text in texts {
            let told: Vec<_> = clusters(text).collect();
            assert_eq!(told, text.grapheme_indices(true).collect::<Vec<_>>(), "{text:?}");
            let wide: usize = text.graphemes(true).map(|grapheme| grapheme.width().max(1)).sum();
            assert_eq!(cells(text), wide, "{text:?}");
            for width in 0..=wide + 1 {
                let head = cut(text, width);
                assert!(cells(&head) <= width, "{text:?} in {width}");
                assert_eq!(head == text, wide <= width, "{text:?} in {width}");
            }
        }
    }
}
