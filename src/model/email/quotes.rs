//! Detects quoted text in mails, so that it can be folded. Recognizes the marks of common mail
//! programs in several languages.

use crate::text::is_digits;

const MIN_FOLDED_LINES: usize = 2;

/// A run of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailPart<'a> {
    Written(&'a str),
    /// Quoted text and its number of lines.
    Quoted(&'a str, usize),
}

/// Starts of attribution lines above a quote. Some start with the weekday.
const ATTRIBUTION_STARTS: [&str; 17] = [
    "On ", "Am ", "Le ", "El ", "Il ", "Em ", "Op ", "Den ", "W dniu ", "Dne ", "man. ", "tir", "ons. ",
    "tor", "fre. ", "lør. ", "søn. ",
];
/// Ends of attribution lines.
const ATTRIBUTION_ENDS: [&str; 13] = [
    "wrote:",
    "schrieb:",
    "a écrit :",
    "a écrit:",
    "escribió:",
    "ha scritto:",
    "escreveu:",
    "schreef:",
    "skrev:",
    "napisał(a):",
    "napsal(a):",
    "написал:",
    "kirjoitti:",
];
/// Verbs that precede the author's name in an attribution.
const WROTE_VERBS: [&str; 3] = ["schrieb", "schreef", "skrev"];
const MAX_ATTRIBUTION_LINES: usize = 3;
/// Separator lines after which everything is quoted.
const ORIGINAL_MESSAGE_LINES: [&str; 7] = [
    "original message",
    "forwarded message",
    "ursprüngliche nachricht",
    "mensaje original",
    "message d'origine",
    "messaggio originale",
    "mensagem original",
];

pub fn split_quotes(text: &str) -> Vec<MailPart<'_>> {
    let lines: Vec<&str> = text.split('\n').collect();
    let quoted = quoted_lines(&lines);
    let mut parts = Vec::new();
    let (mut at, mut from) = (0, 0);
    while from < lines.len() {
        let mut to = from;
        while to < lines.len() && quoted[to] == quoted[from] {
            to += 1;
        }
        let length: usize = lines[from..to].iter().map(|line| line.len() + 1).sum();
        let end = (at + length).min(text.len() + 1);
        let piece = &text[at..end.saturating_sub(1).max(at).min(text.len())];
        parts.push(if quoted[from] { MailPart::Quoted(piece, to - from) } else { MailPart::Written(piece) });
        (at, from) = (end, to);
    }
    parts
}

/// Replaces each quote by one line. Returns the text and the number of folded lines.
pub fn fold_quotes(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut hidden = 0;
    for part in split_quotes(text) {
        if !out.is_empty() {
            out.push('\n');
        }
        match part {
            MailPart::Written(words) => out.push_str(words),
            MailPart::Quoted(words, lines) if lines < MIN_FOLDED_LINES => out.push_str(words),
            MailPart::Quoted(_, lines) => {
                hidden += lines;
                out.push_str(&format!("▸ {lines} quoted lines"));
            }
        }
    }
    (out.trim_end().to_owned(), hidden)
}

/// Quotation level of a line: 2 for `> > text`.
pub fn quote_depth(line: &str) -> usize {
    let marks = line.chars().take_while(|character| matches!(character, '>' | '│' | ' '));
    if is_quote_line(line) { marks.filter(|mark| *mark != ' ').count() } else { 0 }
}

/// True if the line replaces a folded quote.
pub fn is_fold_line(line: &str) -> bool {
    let count = line.strip_prefix("▸ ").and_then(|text| text.strip_suffix(" quoted lines"));
    count.is_some_and(is_digits)
}

fn quoted_lines(lines: &[&str]) -> Vec<bool> {
    let mut quoted = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        quoted[at] = is_quote_line(line);
    }
    // Empty lines between quoted lines belong to the quote.
    let mut last = None;
    for at in 0..lines.len() {
        if quoted[at] {
            if let Some(last) = last
                && lines[last + 1..at].iter().all(|line| line.trim().is_empty())
            {
                quoted[last + 1..at].fill(true);
            }
            last = Some(at);
        }
    }
    // Everything after a separator line is quoted.
    if let Some(rule) = lines.iter().position(|line| is_original_message_line(line)) {
        quoted[rule..].fill(true);
    }
    // An attribution belongs to the quote below it.
    for at in 0..lines.len() {
        if let Some(end) = attribution_end(lines, at, &quoted).filter(|_| !quoted[at]) {
            quoted[at..=end].fill(true);
            let mut next = end + 1;
            while next < lines.len() && lines[next].trim().is_empty() {
                quoted[next] = true;
                next += 1;
            }
        }
    }
    quoted
}

fn is_quote_line(line: &str) -> bool {
    line.starts_with('>') || line.starts_with("│ ")
}

fn is_original_message_line(line: &str) -> bool {
    let line = line.trim();
    let inner = line.trim_matches(['-', '_', ' ']).to_lowercase();
    let is_ruled = line.starts_with("---") || line.starts_with("___");
    (is_ruled && ORIGINAL_MESSAGE_LINES.contains(&inner.as_str()))
        || (line.starts_with("____________") && line.chars().all(|character| character == '_'))
}

fn ends_attribution(line: &str) -> bool {
    ATTRIBUTION_ENDS.iter().any(|end| line.trim_end().ends_with(end))
}

/// Returns the last line of an attribution that starts at `at` and is followed by a quote.
fn attribution_end(lines: &[&str], at: usize, quoted: &[bool]) -> Option<usize> {
    let begins = ATTRIBUTION_STARTS.iter().any(|begin| lines[at].trim_start().starts_with(begin))
        || lines[at].trim_start().starts_with(|trim_start: char| trim_start.is_ascii_digit());
    let mut said = String::new();
    for (end, line) in lines.iter().enumerate().skip(at).take(MAX_ATTRIBUTION_LINES) {
        if line.trim().is_empty() || quoted[end] {
            return None;
        }
        said = format!("{said} {}", line.trim());
        let named = begins && has_name_after_verb(&said);
        if named || (ends_attribution(line) && (begins || end == at)) {
            let next = lines[end + 1..].iter().position(|line| !line.trim().is_empty());
            return next.is_some_and(|number| quoted[end + 1 + number]).then_some(end);
        }
    }
    None
}

/// True for a time, a verb and a name: `Am 20.11. um 10:00 schrieb Eva:`.
fn has_name_after_verb(said: &str) -> bool {
    said.ends_with(':')
        && WROTE_VERBS.iter().any(|verb| {
            let found = said.split_once(&format!(" {verb} "));
            found.is_some_and(|(when, _)| when.contains(|character: char| character.is_ascii_digit()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found() {
        let cases = [
            ("Hi\nthere", "Hi\nthere", 0),
            ("Yes.\n\nOn 20 Nov Maria wrote:\n> one\n> two", "Yes.\n\n▸ 3 quoted lines", 3),
            ("Ja\n\nAm 20.11.2026 um 10:00\nschrieb Eva:\n> a\n\n> b", "Ja\n\n▸ 5 quoted lines", 5),
            (
                "Sí\nEl vie, 20 nov 2026 a las 10:00, Ana\n<ana@x.example> escribió:\n\n> uno\n> dos\nGracias",
                "Sí\n▸ 5 quoted lines\nGracias",
                5,
            ),
            ("Top\n-----Original Message-----\nFrom: x\nText", "Top\n▸ 3 quoted lines", 3),
            ("> one line", "> one line", 0),
            ("> a\n> b\nanswer\n> c\n> d", "▸ 2 quoted lines\nanswer\n▸ 2 quoted lines", 4),
            ("On Monday I wrote:\nnothing quoted", "On Monday I wrote:\nnothing quoted", 0),
            ("", "", 0),
        ];
        for (text, shown, hidden) in cases {
            assert_eq!(fold_quotes(text), (shown.to_owned(), hidden), "{text:?}");
        }
    }

    #[test]
    fn who_wrote_when_is_folded_in_every_language_and_nothing_else_is() {
        let folded_with_it = [
            "On Fri, Nov 20, 2026 at 10:00 AM Eva <eva@x.example> wrote:",
            "On 20 Nov 2026, at 10:00, Eva van den Berg\n<eva.van.den.berg@a-long-name.example>\nwrote:",
            "Am Fr., 20. Nov. 2026 um 10:00 Uhr schrieb Eva <eva@x.example>:",
            "Am 20.11.2026 um 10:00 schrieb Eva:",
            "Am 20.11.2026 um 10:00\nschrieb Eva van den Berg\n<eva@x.example>:",
            "Op vr 20 nov 2026 om 10:00 schreef Eva <eva@x.example>:",
            "Op vr 20 nov 2026 om 10:00\nschreef Eva\n<eva@x.example>:",
            "Den fre 20 nov. 2026 kl 10:00 skrev Eva <eva@x.example>:",
            "20 nov. 2026 kl. 10:00 skrev Eva <eva@x.example>:",
            "fre. 20. nov. 2026 kl. 10:00 skrev Eva <eva@x.example>:",
            "tors. 19. nov. 2026 kl. 10:00 skrev Eva\n<eva@x.example>:",
            "pe 20. marrask. 2026 klo 10.00 Eva kirjoitti:",
            "Le ven. 20 nov. 2026 à 10:00, Eva\n<eva@x.example> a écrit :",
            "Il giorno ven 20 nov 2026 Eva ha scritto:",
            "W dniu 20.11.2026 o 10:00, Eva napisał(a):",
        ];
        for introduction in folded_with_it {
            let lines = introduction.lines().count() + 2;
            let text = format!("Thanks.\n{introduction}\n> one\n> two");
            assert_eq!(
                fold_quotes(&text),
                (format!("Thanks.\n▸ {lines} quoted lines"), lines),
                "{introduction}"
            );
        }
        let said = [
            "On Monday you told me:",
            "Am Montag kam es an, und dann\nschrieb Eva mir:",
            "On 20 Nov 2026,\nat ten in the morning,\nEva who is my wife\nwrote:",
            "On 20 Nov 2026 it came.\n\nHe wrote back, see here:",
            "Eva schrieb mir am 20.11. folgendes:",
        ];
        for own in said {
            let text = format!("Thanks.\n{own}\n> one\n> two");
            let (shown, lines) = fold_quotes(&text);
            // A last line that ends like an attribution is taken for one.
            let kept = own.strip_suffix("\nwrote:").unwrap_or(own);
            assert!(shown.starts_with(&format!("Thanks.\n{kept}\n▸ ")) && lines <= 3, "{own}: {shown}");
        }
    }

    #[test]
    fn how_deep_a_line_is_quoted_is_counted() {
        let cases =
            [("> a", 1), (">> a", 2), ("> > > a > b", 3), ("│ a", 1), ("a > b", 0), (" > code", 0), ("", 0)];
        for (line, deep) in cases {
            assert_eq!(quote_depth(line), deep, "{line:?}");
        }
        assert!(
            is_fold_line("▸ 12 quoted lines") && !is_fold_line("▸ all quoted lines") && !is_fold_line("> a")
        );
    }

    #[test]
    fn nothing_is_lost_between_the_parts() {
        for text in ["a\n> b\n\n> c\nd\n", "\n\n", ">", "x\n___________________\ny"] {
            let joined: Vec<&str> = split_quotes(text)
                .into_iter()
                .map(|part| match part {
                    MailPart::Written(part) | MailPart::Quoted(part, _) => part,
                })
                .collect();
            assert_eq!(joined.join("\n"), text);
        }
    }
}
