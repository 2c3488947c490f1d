//! Where a motion leads in a text, counted in what people see as characters.

use unicode_segmentation::UnicodeSegmentation;

/// A text as motions see it: clusters, a line break being one of its own.
#[derive(Debug)]
pub struct MotionText<'a> {
    clusters: Vec<&'a str>,
}

/// How much of the text between two places an operator takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MotionReach {
    /// Not what lies at the far end.
    Exclusive,
    /// What lies at the far end, too.
    Inclusive,
    Lines,
}

/// What a character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    Blank,
    Word,
    Mark,
}

impl<'a> MotionText<'a> {
    /// Cuts a text up.
    pub fn new(text: &'a str) -> Self {
        Self { clusters: text.graphemes(true).collect() }
    }

    /// The place after the last cluster.
    pub fn end(&self) -> usize {
        self.clusters.len()
    }

    /// The cluster at a place of line and character.
    pub fn place(&self, line: usize, character: usize) -> usize {
        let (mut at, mut lines) = (0, 0);
        while lines < line && at < self.end() {
            lines += usize::from(self.clusters[at] == "\n");
            at += 1;
        }
        let mut characters = 0;
        while characters < character && at < self.end() && self.clusters[at] != "\n" {
            characters += self.clusters[at].chars().count();
            at += 1;
        }
        at
    }

    /// Line and character of a cluster.
    pub fn line_and_character(&self, at: usize) -> (usize, usize) {
        let start = self.line_start(at);
        let line = self.clusters[..start].iter().filter(|cluster| **cluster == "\n").count();
        (line, self.characters(start, at))
    }

    /// Characters from one cluster up to another.
    pub fn characters(&self, from: usize, to: usize) -> usize {
        self.text(from, to).chars().count()
    }

    /// The text from one cluster up to another.
    pub fn text(&self, from: usize, to: usize) -> String {
        let to = to.min(self.end());
        self.clusters[from.min(to)..to].concat()
    }

    /// The first cluster in which it differs from another.
    pub fn first_difference(&self, other: &MotionText<'_>) -> usize {
        self.clusters.iter().zip(&other.clusters).take_while(|(one, two)| one == two).count()
    }

    /// Where the line of a place begins.
    pub fn line_start(&self, at: usize) -> usize {
        let at = at.min(self.end());
        self.clusters[..at].iter().rposition(|cluster| *cluster == "\n").map_or(0, |rposition| rposition + 1)
    }

    /// Where the line of a place ends: its line break, or the end of the text.
    pub fn line_end(&self, at: usize) -> usize {
        let at = at.min(self.end());
        self.clusters[at..]
            .iter()
            .position(|cluster| *cluster == "\n")
            .map_or(self.end(), |cluster| at + cluster)
    }

    /// The first place of the line that is not blank.
    pub fn line_text(&self, at: usize) -> usize {
        let (start, end) = (self.line_start(at), self.line_end(at));
        (start..end).find(|number| self.kind(*number, false) != CharacterKind::Blank).unwrap_or(start)
    }

    /// Where a cursor that rests on characters may rest, nearest to a place.
    pub fn resting(&self, at: usize) -> usize {
        let at = at.min(self.end());
        let (start, end) = (self.line_start(at), self.line_end(at));
        if at == end && end > start { end - 1 } else { at }
    }

    /// Where a motion leads, so many times; `None` for what is no motion or
    /// finds nothing.
    pub fn motion(&self, at: usize, motion: char, count: usize) -> Option<(usize, MotionReach)> {
        let times = |step: fn(&Self, usize) -> usize| (0..count).fold(at, |at, _| step(self, at));
        Some(match motion {
            'h' => (at.saturating_sub(count).max(self.line_start(at)), MotionReach::Exclusive),
            'l' | ' ' => ((at + count).min(self.line_end(at)), MotionReach::Exclusive),
            '0' => (self.line_start(at), MotionReach::Exclusive),
            '^' | '_' => (self.line_text(at), MotionReach::Exclusive),
            '$' => {
                let line = (1..count).fold(at, |at, _| self.below(at).unwrap_or(at));
                (self.line_end(line), MotionReach::Exclusive)
            }
            'j' => (self.column_in(at, count, Self::below)?, MotionReach::Lines),
            'k' => (self.column_in(at, count, Self::above)?, MotionReach::Lines),
            'w' => (times(|motion_text, at| motion_text.next_word(at, false)), MotionReach::Exclusive),
            'W' => (times(|motion_text, at| motion_text.next_word(at, true)), MotionReach::Exclusive),
            'b' => (times(|motion_text, at| motion_text.word_before(at, false)), MotionReach::Exclusive),
            'B' => (times(|motion_text, at| motion_text.word_before(at, true)), MotionReach::Exclusive),
            'e' => (times(|motion_text, at| motion_text.word_end(at, false)), MotionReach::Inclusive),
            'E' => (times(|motion_text, at| motion_text.word_end(at, true)), MotionReach::Inclusive),
            'G' => (self.line_text(self.end()), MotionReach::Lines),
            _ => return None,
        })
    }

    /// Where the line of a number, from one, has its text.
    pub fn line_of(&self, number: usize) -> usize {
        let at = (1..number).fold(0, |at, _| self.below(at).unwrap_or(at));
        self.line_text(at)
    }

    /// The place of a character in the line, after or before a place.
    pub fn find(&self, at: usize, how: char, wanted: char, count: usize) -> Option<(usize, MotionReach)> {
        let is_it = |place: &usize| self.clusters[*place].starts_with(wanted);
        let forward = matches!(how, 'f' | 't');
        let found = if forward {
            (at + 1..self.line_end(at)).filter(is_it).nth(count - 1)?
        } else {
            (self.line_start(at)..at).rev().filter(is_it).nth(count - 1)?
        };
        Some(match how {
            'f' => (found, MotionReach::Inclusive),
            't' => (found - 1, MotionReach::Inclusive),
            'F' => (found, MotionReach::Exclusive),
            _ => (found + 1, MotionReach::Exclusive),
        })
    }

    /// The word at a place, with the blanks after it if asked for.
    pub fn word_at(&self, at: usize, with_blanks: bool) -> (usize, usize) {
        let kind = self.kind(at, false);
        let (start, end) = (self.line_start(at), self.line_end(at));
        let from =
            (start..at).rev().take_while(|number| self.kind(*number, false) == kind).last().unwrap_or(at);
        let mut to = (at..end).find(|number| self.kind(*number, false) != kind).unwrap_or(end);
        if with_blanks {
            to = (to..end).find(|number| self.kind(*number, false) != CharacterKind::Blank).unwrap_or(end);
        }
        (from, to)
    }

    fn kind(&self, at: usize, wide: bool) -> CharacterKind {
        match self.clusters.get(at).and_then(|cluster| cluster.chars().next()) {
            None => CharacterKind::Blank,
            Some(it) if it.is_whitespace() => CharacterKind::Blank,
            Some(it) if wide || it.is_alphanumeric() || it == '_' => CharacterKind::Word,
            Some(_) => CharacterKind::Mark,
        }
    }

    fn below(&self, at: usize) -> Option<usize> {
        let end = self.line_end(at);
        (end < self.end()).then_some(end + 1)
    }

    fn above(&self, at: usize) -> Option<usize> {
        let start = self.line_start(at);
        (start > 0).then(|| self.line_start(start - 1))
    }

    /// The same column so many lines further.
    fn column_in(&self, at: usize, count: usize, step: fn(&Self, usize) -> Option<usize>) -> Option<usize> {
        let column = at - self.line_start(at);
        let mut line = step(self, at)?;
        for _ in 1..count {
            line = step(self, line).unwrap_or(line);
        }
        Some((self.line_start(line) + column).min(self.line_end(line)))
    }

    fn next_word(&self, at: usize, wide: bool) -> usize {
        let kind = self.kind(at, wide);
        let after =
            (at..self.end()).find(|number| self.kind(*number, wide) != kind || kind == CharacterKind::Blank);
        let after = after.unwrap_or(self.end());
        (after..self.end())
            .find(|number| self.kind(*number, wide) != CharacterKind::Blank)
            .unwrap_or(self.end())
    }

    fn word_before(&self, at: usize, wide: bool) -> usize {
        let Some(last) = (0..at).rev().find(|number| self.kind(*number, wide) != CharacterKind::Blank) else {
            return 0;
        };
        let kind = self.kind(last, wide);
        (0..=last).rev().take_while(|number| self.kind(*number, wide) == kind).last().unwrap_or(last)
    }

    fn word_end(&self, at: usize, wide: bool) -> usize {
        let Some(first) =
            (at + 1..self.end()).find(|number| self.kind(*number, wide) != CharacterKind::Blank)
        else {
            return at;
        };
        let kind = self.kind(first, wide);
        (first..self.end()).take_while(|entry| self.kind(*entry, wide) == kind).last().unwrap_or(first)
    }
}
