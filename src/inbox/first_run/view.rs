//! Draws the screen of a desk without a channel.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::components::paint_view;
use crate::first_run::{FirstRun, STEPS, StepRow};
use crate::layout::Area;
use crate::sweep_view;
use crate::theme_view::Theme;
use crate::wrap;

/// Columns of a line that is read with ease.
const WIDEST: u16 = 76;
/// From here on there is room around it.
const ROOMY: u16 = 16;

/// Draws it into an empty buffer.
pub fn draw(screen: &FirstRun, theme: Theme, buffer: &mut Buffer) {
    let Area { width, height, .. } = whole(buffer);
    let wide = width.saturating_sub(4).min(WIDEST);
    let mut left = Area { x: (width - wide.min(width)) / 2, y: 0, width: wide, height };
    let spacious = height >= 2 * ROOMY;
    let gap = u16::from(height > ROOMY);
    down(&mut left, if spacious { height / 8 } else { gap });
    draw_paragraph(&mut left, buffer, "frontdesk", theme.strong());
    draw_paragraph(
        &mut left,
        buffer,
        "The inbox where people take conversations over from an AI assistant.",
        theme.quiet(),
    );
    down(&mut left, gap);
    draw_paragraph(
        &mut left,
        buffer,
        &format!("There is no channel yet in {}.", screen.config),
        theme.quiet(),
    );
    down(&mut left, gap);
    // Where not every sentence has room, that of the chosen line has.
    let room = usize::from(left.height.saturating_sub(2));
    let of_docs = |step_row: &StepRow| wrap::wrap(step_row.doc, usize::from(wide.saturating_sub(5))).len();
    let all = STEPS.iter().map(|step| 1 + of_docs(step) + usize::from(gap)).sum::<usize>() <= room;
    for (at, row) in STEPS.iter().enumerate() {
        let chosen = at == screen.chosen;
        let told = !row.doc.is_empty() && (all || chosen);
        let mark = if chosen { theme.mark() } else { " " };
        let key = format!("{mark} {}  ", row.key);
        let name = if chosen { theme.strong() } else { Style::new() };
        paint_view::runs(
            buffer,
            left.x,
            left.y,
            left.width,
            &[(key.as_str(), theme.strong()), (row.name, name)],
        );
        down(&mut left, 1);
        let mut about =
            Area { x: left.x + 5, width: left.width.saturating_sub(5), height: left.height, y: left.y };
        if told {
            draw_paragraph(&mut about, buffer, row.doc, theme.quiet());
        }
        let used = about.y - left.y;
        down(&mut left, used + if told { gap } else { 0 });
    }
    down(&mut left, gap);
    match &screen.said {
        Some(why) => draw_paragraph(&mut left, buffer, why, theme.needs_a_person()),
        None => draw_paragraph(&mut left, buffer, "j k and Enter choose, too", theme.quiet()),
    }
    theme.plain_marks(buffer);
    theme.lay_ground(buffer);
    sweep_view::sweep(buffer);
}

fn whole(buffer: &Buffer) -> Area {
    Area { x: 0, y: 0, width: buffer.area.width, height: buffer.area.height }
}

/// Writes a paragraph and goes below it.
fn draw_paragraph(left: &mut Area, buffer: &mut Buffer, words: &str, style: Style) {
    let used = paint_view::paragraph(buffer, *left, words, style);
    down(left, used);
}

fn down(left: &mut Area, rows: u16) {
    let rows = rows.min(left.height);
    left.y += rows;
    left.height -= rows;
}
