//! Text of a page or popup for plain mode: a title, then lines in a fixed order. It is made from the
//! state that is drawn, never from a frame, so the size of the screen does not change it.

use crate::keys::KeyPress;

/// Maximum number of rows of a list.
pub(crate) const MAX_ROWS: usize = 20;
/// Maximum number of other lines.
const MAX_TEXTS: usize = 200;
const MAX_LINE_CHARS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Text,
    Row,
    ChosenRow,
    /// Text about the chosen row.
    Detail,
    /// Keys with their words, such as `[y] send, [Esc] back`.
    Keys,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SpokenLine {
    kind: LineKind,
    text: String,
    /// Ages and countdowns. A change of these alone is not read out again.
    times: String,
}

impl SpokenLine {
    fn render(&self) -> String {
        let mark = if self.kind == LineKind::ChosenRow { "> " } else { "" };
        format!("{mark}{}", join_facts([self.text.as_str(), self.times.as_str()]))
    }
}

/// A row: its facts, and its ages and countdowns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SpokenRow {
    pub(crate) facts: String,
    pub(crate) times: String,
}

impl SpokenRow {
    pub(crate) fn new<F: AsRef<str>>(facts: impl IntoIterator<Item = F>) -> Self {
        Self { facts: join_facts(facts), times: String::new() }
    }

    #[must_use]
    pub(crate) fn with_times(self, times: impl Into<String>) -> Self {
        Self { times: times.into(), ..self }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpokenPage {
    title: String,
    lines: Vec<SpokenLine>,
    is_pending: bool,
}

impl SpokenPage {
    /// Starts a page with the facts of its title.
    pub(crate) fn new<F: AsRef<str>>(title: impl IntoIterator<Item = F>) -> Self {
        Self { title: join_facts(title).replace(" · ", ", "), ..Self::default() }
    }

    /// Adds a text, one line for each of its lines.
    #[must_use]
    pub(crate) fn text(self, words: impl AsRef<str>) -> Self {
        self.push_lines(LineKind::Text, words.as_ref())
    }

    /// Adds a text about the chosen row.
    #[must_use]
    pub(crate) fn detail(self, words: impl AsRef<str>) -> Self {
        self.push_lines(LineKind::Detail, words.as_ref())
    }

    /// Adds a row outside of a list, such as the field that is being filled in.
    #[must_use]
    pub(crate) fn chosen_row(mut self, words: &str) -> Self {
        self.push(LineKind::ChosenRow, join_words(words), String::new());
        self
    }

    /// Adds a list: at most [`MAX_ROWS`] rows including the chosen one, and how many are left out.
    #[must_use]
    pub(crate) fn rows(mut self, rows: impl IntoIterator<Item = SpokenRow>, chosen: Option<usize>) -> Self {
        let rows: Vec<SpokenRow> = rows.into_iter().collect();
        let first = chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(MAX_ROWS));
        let total = rows.len();
        if first > 0 {
            self.push(LineKind::Text, format!("{first} before these"), String::new());
        }
        for (index, row) in rows.into_iter().enumerate().skip(first).take(MAX_ROWS) {
            let kind = if chosen == Some(index) { LineKind::ChosenRow } else { LineKind::Row };
            self.push(kind, row.facts, row.times);
        }
        self.with_rest(total.saturating_sub(first + MAX_ROWS))
    }

    /// Adds one row of a list that has headings between its rows.
    #[must_use]
    pub(crate) fn row(mut self, row: SpokenRow, is_chosen: bool) -> Self {
        let kind = if is_chosen { LineKind::ChosenRow } else { LineKind::Row };
        self.push(kind, row.facts, row.times);
        self
    }

    /// True while a page without rows is being read: it may have some.
    #[must_use]
    pub(crate) fn pending(self, is_pending: bool) -> Self {
        Self { is_pending, ..self }
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.is_pending
    }

    /// Adds how many rows are left out.
    #[must_use]
    pub(crate) fn with_rest(mut self, count: usize) -> Self {
        if count > 0 {
            self.push(LineKind::Text, format!("and {count} more"), String::new());
        }
        self
    }

    /// Adds keys as they are written on a frame: `Enter run · Esc back`.
    #[must_use]
    pub(crate) fn keys(self, hint: &str) -> Self {
        let parts: Vec<String> = hint.split(" · ").map(|part| bracket_key(part.trim())).collect();
        self.key_line(parts.join(", "))
    }

    /// Adds keys in brackets.
    #[must_use]
    pub(crate) fn key_line(mut self, words: impl Into<String>) -> Self {
        self.push(LineKind::Keys, words.into(), String::new());
        self
    }

    fn push_lines(mut self, kind: LineKind, words: &str) -> Self {
        words.lines().for_each(|line| self.push(kind, join_words(line), String::new()));
        self
    }

    fn push(&mut self, kind: LineKind, text: String, times: String) {
        if text.is_empty() && times.is_empty() || self.lines.len() > MAX_TEXTS + MAX_ROWS {
            return;
        }
        let text = match text.char_indices().nth(MAX_LINE_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        self.lines.push(SpokenLine { kind, text, times });
    }

    pub(crate) fn has_rows(&self) -> bool {
        self.lines.iter().any(|line| matches!(line.kind, LineKind::Row | LineKind::ChosenRow))
    }

    pub(crate) fn chosen_text(&self) -> Option<&str> {
        let chosen = self.lines.iter().find(|line| line.kind == LineKind::ChosenRow);
        chosen.map(|line| line.text.as_str())
    }

    pub fn to_lines(&self) -> Vec<String> {
        let title = Some(self.title.clone()).filter(|title| !title.is_empty());
        title.into_iter().chain(self.lines.iter().map(SpokenLine::render)).collect()
    }

    /// Returns the chosen row and what is said about it.
    pub(crate) fn chosen_lines(&self) -> Vec<String> {
        let is_about = |line: &&SpokenLine| matches!(line.kind, LineKind::ChosenRow | LineKind::Detail);
        self.lines.iter().filter(is_about).map(SpokenLine::render).collect()
    }

    pub(crate) fn key_lines(&self) -> Vec<String> {
        self.lines.iter().filter(|line| line.kind == LineKind::Keys).map(SpokenLine::render).collect()
    }

    /// Returns the lines that an earlier text did not have; the whole text if the title differs.
    pub(crate) fn changes_since(&self, before: &Self) -> Vec<String> {
        if self.title != before.title {
            return self.to_lines();
        }
        let is_moved = self.chosen_text() != before.chosen_text();
        let is_new = |line: &&SpokenLine| match line.kind {
            LineKind::ChosenRow => is_moved,
            LineKind::Detail if is_moved => true,
            _ => !before.lines.iter().any(|known| known.text == line.text),
        };
        self.lines.iter().filter(is_new).map(SpokenLine::render).collect()
    }
}

/// Joins facts with commas, without those that are empty.
pub(crate) fn join_facts<F: AsRef<str>>(facts: impl IntoIterator<Item = F>) -> String {
    let mut joined = String::new();
    for fact in facts {
        let fact = join_words(fact.as_ref());
        if !fact.is_empty() {
            joined.push_str(if joined.is_empty() { "" } else { ", " });
            joined.push_str(&fact);
        }
    }
    joined
}

/// Names a number of rows, such as `3` or `500+`.
pub(crate) fn count_rows(count: &str) -> String {
    if count == "1" { "1 row".to_owned() } else { format!("{count} rows") }
}

/// Returns the words with one space between them: columns are padded.
fn join_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Puts the key at the beginning of a hint into brackets.
fn bracket_key(part: &str) -> String {
    if let Some(words) = part.strip_prefix("j k ") {
        return format!("[j] [k] {words}");
    }
    match part.split_once(' ') {
        Some((key, words)) if KeyPress::parse(key).is_some() => format!("[{key}] {words}"),
        _ => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: usize, chosen: usize) -> SpokenPage {
        let row = |number: usize| SpokenRow::new([format!("row {number}")]).with_times("2m");
        SpokenPage::new(["Outbox", "Harbor chat"]).rows((0..rows).map(row), Some(chosen))
    }

    #[test]
    fn rows_are_bounded_and_include_the_chosen_one() {
        let lines = page(32, 1).detail("not sent").to_lines();
        assert_eq!(lines[..3], ["Outbox, Harbor chat", "row 0, 2m", "> row 1, 2m"]);
        assert_eq!(lines[MAX_ROWS..], ["row 19, 2m", "and 12 more", "not sent"]);
        let lines = page(32, 25).to_lines();
        assert_eq!(lines[1..3], ["6 before these", "row 6, 2m"]);
        assert_eq!(lines[MAX_ROWS + 1..], ["> row 25, 2m", "and 6 more"]);
    }

    #[test]
    fn a_long_text_is_bounded() {
        let page = SpokenPage::new(["Text"]).text("word ".repeat(1_000)).text("line\n".repeat(1_000));
        let lines = page.to_lines();
        assert!(lines.len() < MAX_TEXTS + MAX_ROWS + 3, "{}", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_LINE_CHARS + 1));
    }

    #[test]
    fn changes_are_the_newly_chosen_row_and_new_lines() {
        let before = page(3, 0).detail("first");
        assert!(before.changes_since(&before).is_empty());
        assert_eq!(page(3, 1).detail("second").changes_since(&before), ["> row 1, 2m", "second"]);
        assert_eq!(page(4, 0).detail("first").changes_since(&before), ["row 3, 2m"]);
        let older = SpokenPage::new(["Outbox", "Harbor chat"]);
        let row = SpokenRow::new(["row 0"]);
        let one = older.clone().rows([row.clone().with_times("2m")], Some(0));
        let later = older.rows([row.with_times("3m")], Some(0));
        assert!(later.changes_since(&one).is_empty(), "an age alone is no news");
    }

    #[test]
    fn keys_are_in_brackets() {
        let page = SpokenPage::new(["Text"]).keys("j k scroll · Enter run · type to find · Esc back");
        assert_eq!(page.key_lines(), ["[j] [k] scroll, [Enter] run, type to find, [Esc] back"]);
    }
}
