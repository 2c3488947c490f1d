//! The last look before a mail leaves, and the questions about it.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::overlays::view::centered;
use crate::screens::mail::last_look::ReviewRowKind;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

type Lines = Vec<(String, Style)>;

/// Draws the review: the mail from a row of it on, and the keys.
pub fn review(inbox: &Inbox, theme: Theme, preview: bool, first: usize, buffer: &mut Buffer) {
    let Some(look) = inbox.last_look(preview) else { return };
    let area = centered(inbox, look.size.0, look.size.1);
    paint_view::blank(buffer, area);
    let (label, style) = tabs_view::environment(inbox.tab(), theme);
    let title = [("Send this mail? ", theme.strong()), (label, style)];
    paint_view::frame(buffer, area, theme, true, Sides::All, (&title, &[]));
    let inner = Area { x: area.x + 2, width: area.width.saturating_sub(4), ..area.inner() };
    let style = |kind| match kind {
        ReviewRowKind::Plain => Style::new(),
        ReviewRowKind::Doubt => theme.waiting(),
        ReviewRowKind::Dim => theme.dim(),
        ReviewRowKind::Keys => theme.strong(),
    };
    let first = first.min(look.last_first());
    for (y, (kind, words)) in (inner.y..).zip(look.rows.iter().skip(first).take(look.shown)) {
        paint_view::text(buffer, inner.x, y, inner.width, words, style(*kind));
    }
    let foot = (inner.y + inner.height).saturating_sub(u16::try_from(look.foot.len()).unwrap_or(0));
    let total = look.rows.len();
    if total > look.shown {
        let seen = format!("j k scroll · {}-{} of {total}", first + 1, first + look.shown);
        paint_view::text(buffer, inner.x, foot.saturating_sub(1), inner.width, &seen, theme.dim());
    }
    for (y, (kind, words)) in (foot..).zip(&look.foot) {
        paint_view::text(buffer, inner.x, y, inner.width, words, style(*kind));
    }
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
