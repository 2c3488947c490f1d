//! What was found in a file of people, before it is imported.

use crate::overlays::questions_view::{Lines, gap, plain};
use crate::screens::people::importing::ImportSource;
use crate::theme_view::Theme;
use model::import::DryRun;
use model::text::SafeText;

/// Problems shown.
const SHOWN: usize = 5;

/// The question.
pub fn ask(theme: Theme, source: &ImportSource, found: &DryRun) -> Lines {
    let mut lines = vec![
        (SafeText::line(&source.file).to_string(), theme.strong()),
        plain(format!("Columns: {}", SafeText::line(&found.columns))),
        gap(),
    ];
    let counts = [
        (found.good, "to be imported"),
        (found.twice, "with a number that stands further up: left out"),
        (found.bad, "wrong: left out"),
        (found.done, "seen to by an earlier import: not done again"),
    ];
    lines.push(plain(format!("{} rows", found.rows)));
    for (count, words) in counts.into_iter().filter(|it| it.0 > 0) {
        lines.push(plain(format!("{count:>8}  {words}")));
    }
    for problem in found.problems.iter().take(SHOWN) {
        lines.push((problem.words(), theme.error()));
    }
    if found.bad > SHOWN.min(found.problems.len()) as u64 {
        let more = found.bad - SHOWN.min(found.problems.len()) as u64;
        lines.push((format!("… and {more} more; the results name each"), theme.dim()));
    }
    lines.push(gap());
    let merges = if found.merges { "Tags and metadata are merged with what the server has. " } else { "" };
    let minutes = match found.minutes() {
        0 | 1 => "about a minute".to_owned(),
        minutes if minutes < 120 => format!("about {minutes} minutes"),
        minutes => format!("about {} hours", minutes / 60),
    };
    lines.push(plain(format!(
        "{merges}It takes {minutes} within the rate limit, free of charge. The results stand beside the file; after a \
         crash the same command goes on behind them."
    )));
    lines.push(gap());
    let keys = if found.good > found.done { "[y] IMPORT   [n] not" } else { "[n] back" };
    lines.push((keys.to_owned(), theme.strong()));
    lines
}
