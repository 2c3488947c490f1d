use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::components::paint_view;
use crate::first_run::{FIRST_STEPS, FirstRun, StepRow};
use crate::layout::Area;
use crate::sweep_view;
use crate::theme_view::Theme;
use crate::wrap;

/// Maximum columns of a readable line.
const MAX_LINE_COLUMNS: u16 = 76;
/// Rows from which a margin is drawn.
const MIN_ROWS_WITH_MARGIN: u16 = 16;

pub fn draw(screen: &FirstRun, theme: Theme, buffer: &mut Buffer) {
    let Area { width, height, .. } = buffer_area(buffer);
    let wide = width.saturating_sub(4).min(MAX_LINE_COLUMNS);
    let mut left = Area { x: (width - wide.min(width)) / 2, y: 0, width: wide, height };
    let spacious = height >= 2 * MIN_ROWS_WITH_MARGIN;
    let gap = u16::from(height > MIN_ROWS_WITH_MARGIN);
    skip_rows(&mut left, if spacious { height / 8 } else { gap });
    draw_paragraph(&mut left, buffer, "frontdesk", theme.strong());
    draw_paragraph(
        &mut left,
        buffer,
        "An inbox for taking conversations over from an AI assistant.",
        theme.dim(),
    );
    skip_rows(&mut left, gap);
    draw_paragraph(&mut left, buffer, &format!("No channel yet in {}.", screen.config), theme.dim());
    skip_rows(&mut left, gap);
    // Without room for all descriptions, only that of the selected line is shown.
    let room = usize::from(left.height.saturating_sub(2));
    let of_docs = |step_row: &StepRow| wrap::wrap(step_row.doc, usize::from(wide.saturating_sub(5))).len();
    let all = FIRST_STEPS.iter().map(|step| 1 + of_docs(step) + usize::from(gap)).sum::<usize>() <= room;
    for (at, row) in FIRST_STEPS.iter().enumerate() {
        let chosen = at == screen.chosen;
        let told = !row.doc.is_empty() && (all || chosen);
        let mark = if chosen { theme.selection_mark() } else { " " };
        let key = format!("{mark} {}  ", row.key);
        let name = if chosen { theme.strong() } else { Style::new() };
        paint_view::runs(
            buffer,
            left.x,
            left.y,
            left.width,
            &[(key.as_str(), theme.strong()), (row.name, name)],
        );
        skip_rows(&mut left, 1);
        let mut about =
            Area { x: left.x + 5, width: left.width.saturating_sub(5), height: left.height, y: left.y };
        if told {
            draw_paragraph(&mut about, buffer, row.doc, theme.dim());
        }
        let used = about.y - left.y;
        skip_rows(&mut left, used + if told { gap } else { 0 });
    }
    skip_rows(&mut left, gap);
    match &screen.message {
        Some(why) => draw_paragraph(&mut left, buffer, why, theme.soon()),
        None => draw_paragraph(&mut left, buffer, "or j k and Enter", theme.dim()),
    }
    theme.replace_marks(buffer);
    sweep_view::sweep(buffer);
}

fn buffer_area(buffer: &Buffer) -> Area {
    Area { x: 0, y: 0, width: buffer.area.width, height: buffer.area.height }
}

fn draw_paragraph(left: &mut Area, buffer: &mut Buffer, words: &str, style: Style) {
    let used = paint_view::paragraph(buffer, *left, words, style);
    skip_rows(left, used);
}

fn skip_rows(left: &mut Area, rows: u16) {
    let rows = rows.min(left.height);
    left.y += rows;
    left.height -= rows;
}
