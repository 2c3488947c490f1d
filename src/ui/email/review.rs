//! The last look before a mail leaves, and the questions about it.
//!
//! Knows nothing of what an answer does.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::App;
use crate::app::email::doubts;
use crate::app::layout::Area;
use crate::app::text_line::TextLine;
use crate::model::email::compose::Written;
use crate::model::text::SafeText;
use crate::model::time::SECOND;
use crate::ui::email::writing::{file_words, price};
use crate::ui::layers::centered;
use crate::ui::paint::{self, Sides};
use crate::ui::tabs;
use crate::ui::theme::Theme;

type Lines = Vec<(String, Style)>;

/// Draws the review.
pub fn review(app: &App, theme: Theme, preview: bool, buffer: &mut Buffer) {
    let tab = app.tab();
    let Some(composer) = &tab.composer else { return };
    let Some(written) = composer.written() else { return };
    let (columns, rows) = app.size;
    let area = centered(app, columns.min(100), rows.saturating_sub(2));
    paint::blank(buffer, area);
    let (label, style) = tabs::environment(tab, theme);
    let title = [("Send this mail? ", theme.strong()), (label, style)];
    paint::frame(buffer, area, theme, true, Sides::All, (&title, &[]));
    let inner = Area { x: area.x + 2, width: area.width.saturating_sub(4), ..area.inner() };
    let foot = foot(app, theme, written.html);
    let end = inner.y + inner.height.saturating_sub(u16::try_from(foot.len()).unwrap_or(0) + 1);
    let sizes = composer.head.as_ref().map(|it| it.files.as_slice()).unwrap_or_default();
    let mut y = inner.y;
    for (words, style) in head(theme, &written, sizes).into_iter().chain(text(theme, &written, preview)) {
        if y >= end {
            paint::text(
                buffer,
                inner.x,
                end.saturating_sub(1),
                inner.width,
                "… v shows it without its head",
                theme.dim(),
            );
            break;
        }
        let place = Area { y, height: end - y, ..inner };
        y += paint::paragraph(buffer, place, SafeText::block(&words).as_str(), style).max(1);
    }
    for (row, (words, style)) in foot.iter().enumerate() {
        let y = end + 1 + u16::try_from(row).unwrap_or(0);
        paint::text(buffer, inner.x, y, inner.width, words, *style);
    }
}

fn head(theme: Theme, written: &Written, files: &[(String, Option<u64>)]) -> Lines {
    let line = |label: &str, words: &str| (format!("{label:<9}{}", SafeText::line(words)), Style::new());
    let mut lines = vec![line("To", &written.to)];
    for (label, words) in [("Cc", &written.cc), ("Bcc", &written.bcc)] {
        if !words.trim().is_empty() {
            lines.push(line(label, words));
        }
    }
    lines.push(line("Subject", &written.subject));
    if !files.is_empty() {
        let words: Vec<String> = files.iter().map(file_words).collect();
        lines.push(line("Files", &words.join(", ")));
    }
    for doubt in doubts(written) {
        lines.push((format!("! {doubt}"), theme.waiting()));
    }
    lines.push((String::new(), Style::new()));
    lines
}

fn text(theme: Theme, written: &Written, preview: bool) -> Lines {
    if preview {
        return vec![(written.whole_text(), Style::new())];
    }
    let mut lines = vec![(written.body.trim_end().to_owned(), Style::new())];
    if let Some(quote) = &written.quote {
        lines.push((format!("▸ {} quoted lines", quote.lines().count()), theme.dim()));
    }
    lines
}

fn foot(app: &App, theme: Theme, html: bool) -> Lines {
    let held = match app.settings.mail_hold / SECOND {
        0 => "leaves at once".to_owned(),
        seconds => format!("held {seconds} s here"),
    };
    let format = if html { "m plain text only" } else { "m Markdown as HTML, too" };
    vec![
        (format!("{} · no undo window on the server; {held}", price(app.tab())), theme.dim()),
        (
            "y send   e edit   a attach   d detach   v preview   p postpone   n discard".to_owned(),
            theme.strong(),
        ),
        (format.to_owned(), theme.dim()),
    ]
}

/// What is odd about a mail.
pub fn doubt(theme: Theme, doubts: &[String]) -> Lines {
    let mut lines: Lines = doubts.iter().map(|it| (it.clone(), Style::new())).collect();
    lines.push((String::new(), Style::new()));
    lines.push(("[y] send it so   [e] back to the mail".to_owned(), theme.strong()));
    lines
}

/// A file or an address being typed.
pub fn file(theme: Theme, line: &TextLine) -> Lines {
    let mark = if theme.ascii { "_" } else { "▏" };
    vec![
        (format!("{}{mark}{}", SafeText::line(line.before()), SafeText::line(line.after())), Style::new()),
        (String::new(), Style::new()),
        ("A path of this computer, or an https address the service fetches.".to_owned(), theme.dim()),
        ("Enter attaches · Esc back".to_owned(), theme.strong()),
    ]
}
