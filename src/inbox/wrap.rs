//! Cutting and wrapping text by terminal cells, never inside a cluster.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Whether a character is a cluster and a cell by itself, whatever stands beside
/// it, and acts on no terminal: nearly all of a screen, and cheap to tell.
pub fn is_single(it: char) -> bool {
    matches!(
        it,
        ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '─'..='▟'
            | '–' | '—' | '‘' | '’' | '“' | '”' | '•' | '…' | '€' | '←'..='↓'
    )
}

/// Whether each character of a text is a cell.
pub fn is_simple(text: &str) -> bool {
    text.chars().all(is_single)
}

/// The clusters of a text and where they begin.
fn clusters(text: &str) -> Box<dyn Iterator<Item = (usize, &str)> + '_> {
    if is_simple(text) {
        Box::new(text.char_indices().map(|(at, it)| (at, &text[at..at + it.len_utf8()])))
    } else {
        Box::new(text.grapheme_indices(true))
    }
}

/// Cells a text takes on one line.
pub fn cells(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else if is_simple(text) {
        text.chars().count()
    } else {
        text.graphemes(true).map(cluster_cells).sum()
    }
}

/// Cells one cluster takes: no cluster takes none.
fn cluster_cells(cluster: &str) -> usize {
    cluster.width().max(1)
}

/// The longest head of a text that fits, with `…` where something was cut.
pub fn cut(text: &str, width: usize) -> String {
    head(text, width).into_owned()
}

/// The same, of the text itself where all of it fits.
pub fn head(text: &str, width: usize) -> Cow<'_, str> {
    if cells(text) <= width {
        return Cow::Borrowed(text);
    }
    if width == 0 {
        return Cow::Borrowed("");
    }
    let mut used = 0;
    let mut end = 0;
    for (at, cluster) in clusters(text) {
        let wide = cluster_cells(cluster);
        if used + wide > width - 1 {
            break;
        }
        used += wide;
        end = at + cluster.len();
    }
    Cow::Owned(format!("{}…", &text[..end]))
}

/// The first cluster of a text and as much of its end as fits, with `…` where
/// something was cut.
pub fn cut_inside(text: &str, width: usize) -> String {
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

/// A text cut or padded with spaces to exactly this many cells.
pub fn fit(text: &str, width: usize) -> String {
    let mut out = cut(text, width);
    let missing = width.saturating_sub(cells(&out));
    out.extend(std::iter::repeat_n(' ', missing));
    out
}

/// Wraps text into byte ranges, one a line, breaking after white space where
/// that is possible and between clusters where it is not. A line break ends a
/// line; the empty text is one empty line.
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
    // Where the line may end: after the last white space, and the cells to it.
    let mut breakable: Option<(usize, usize)> = None;
    for (offset, cluster) in clusters(&text[line.clone()]) {
        let at = line.start + offset;
        let wide = cluster_cells(cluster);
        let blank = cluster == " ";
        if used + wide > width && !blank {
            let (end, kept) = breakable.take().unwrap_or((at, used));
            lines.push(start..end);
            start = end;
            used -= kept;
        }
        used += wide;
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
        wrap(text, width).into_iter().map(|it| &text[it]).collect()
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
    }

    #[test]
    fn a_single_character_is_one_cluster_in_one_cell_and_safe() {
        let singles: Vec<char> = ('\0'..=char::MAX).filter(|it| is_single(*it)).collect();
        assert!(singles.len() > 600, "{}", singles.len());
        for it in singles {
            assert_eq!(it.to_string().width(), 1, "{it:?}");
            assert_eq!(SafeText::line(&format!("a{it}b")).as_str(), format!("a{it}b"), "{it:?}");
            for pair in [format!("a{it}"), format!("{it}a"), format!("{it}{it}"), format!("{it}─")] {
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
}
