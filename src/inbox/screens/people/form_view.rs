//! The form of a person, and the question before one is deleted.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::overlays::questions_view::{Lines, gap, plain};
use crate::overlays::view::centered;
use crate::screens::people::deleting::Deleting;
use crate::screens::people::form::{PersonField, PersonForm};
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

/// Columns of a label.
const LABEL: u16 = 10;

/// Draws the form.
pub fn draw(inbox: &Inbox, theme: Theme, form: &PersonForm, buffer: &mut Buffer) {
    let (columns, rows) = inbox.context.size;
    let told = form.told.as_ref().map_or(0, |_| 2);
    let wanted = u16::try_from(form.values.len() + 2).unwrap_or(u16::MAX).saturating_add(told);
    let area = centered(inbox, columns.min(84), wanted.min(rows.saturating_sub(3)));
    paint_view::blank(buffer, area);
    let (label, style) = tabs_view::environment(inbox.tab(), theme);
    let title = if form.is_new {
        "New person".to_owned()
    } else {
        SafeText::line(&format!("{} {}", form.before.phone, form.before.name)).to_string()
    };
    let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
    paint_view::frame(buffer, area, theme, true, Sides::All, titles);
    bottom(theme, form, area, buffer);
    let inner = area.inner();
    let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
    let mut y = inner.y;
    if let Some((_, why)) = &form.told {
        let place = Area { x, y, width, height: 2 };
        paint_view::paragraph(buffer, place, &format!("The server refused it: {why}"), theme.error());
        y += 2;
    }
    let room = usize::from((inner.y + inner.height).saturating_sub(y)).max(1);
    let first = (form.focus + 1).saturating_sub(room);
    for place in (first..form.values.len()).take(room) {
        field(theme, form, place, Area { x, y, width, height: 1 }, buffer);
        y += 1;
    }
}

fn field(theme: Theme, form: &PersonForm, place: usize, area: Area, buffer: &mut Buffer) {
    let focused = place == form.focus;
    let style = if focused { theme.selected() } else { theme.dim() };
    let label = match PersonField::at(place) {
        PersonField::Metadata if place > PersonField::Metadata.place() && !focused => "",
        it => it.label(),
    };
    paint_view::text(buffer, area.x, area.y, LABEL, label, style);
    let value = &form.values[place];
    let fixed = place == 0 && !form.is_new;
    // An empty field is not scolded before anyone tried to save it.
    let shown = form.tried || !value.is_empty();
    let told = form.told.as_ref().filter(|it| it.0 == place).map(|_| " ← refused".to_owned());
    let wrong = form.wrong(place).filter(|_| shown && !fixed).map(|it| format!(" {it}"));
    let wrong = told.or(wrong).unwrap_or_default();
    let (x, width) = (area.x + LABEL, area.width.saturating_sub(LABEL));
    let taken = paint_view::runs_right(buffer, x, area.y, width, &[(&wrong, theme.error())]);
    line(theme, value, (focused, fixed), Area { x, width: width.saturating_sub(taken + 1), ..area }, buffer);
}

/// A line with its cursor in sight.
fn line(theme: Theme, value: &TextLine, (focused, fixed): (bool, bool), area: Area, buffer: &mut Buffer) {
    let (before, after) = (SafeText::line(value.before()), SafeText::line(value.after()));
    let skip = wrap::cells(before.as_str()).saturating_sub(usize::from(area.width.saturating_sub(2)));
    let skip = if focused { skip } else { 0 };
    let before: String = before.as_str().chars().skip(skip).collect();
    let cursor = if focused { "_" } else { "" };
    let style = if fixed { theme.dim() } else { Style::new() };
    paint_view::runs(
        buffer,
        area.x,
        area.y,
        area.width,
        &[(&before, style), (cursor, theme.strong()), (after.as_str(), style)],
    );
}

fn bottom(theme: Theme, form: &PersonForm, area: Area, buffer: &mut Buffer) {
    let help = match PersonField::at(form.focus) {
        PersonField::Metadata => "name = value · Ctrl-G edits it as JSON",
        PersonField::Tags => "parted by commas",
        _ => "Tab next",
    };
    let (words, style) = match form.first_wrong() {
        Some((place, _)) if form.tried => (
            format!(" {} is missing or wrong · {help} · Esc back ", PersonField::at(place).label()),
            theme.waiting(),
        ),
        _ => (format!(" Enter saves · free · {help} · Esc back "), theme.dim()),
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, style);
}

/// The question before a person is deleted.
pub fn deleting(theme: Theme, asked: &Deleting) -> Lines {
    let person = &asked.person;
    let name = if person.name.is_empty() { String::new() } else { format!("{} · ", person.name) };
    let who = SafeText::line(&format!("{name}{}", person.phone));
    let mut lines = vec![(who.to_string(), theme.strong())];
    let history = if person.conversation.is_some() {
        "The contact goes from the server, and with it the whole conversation with all its messages. Nothing brings \
         them back."
    } else {
        "The contact goes from the server. There is no conversation with it. Nothing brings it back."
    };
    lines.push((history.to_owned(), theme.error()));
    lines.push(gap());
    match (&asked.exported, &person.conversation) {
        (Some(file), _) => lines
            .push(plain(format!("The transcript was asked into {file}; the status line says where it is."))),
        (None, Some(_)) => {
            lines.push(plain("[Ctrl-E] first write the transcript, as far as it was read here, into a file"));
        }
        (None, None) => (),
    }
    lines.push(gap());
    lines.push((
        format!("Type the last four digits of the number to DELETE: {}_", asked.typed.text()),
        theme.strong(),
    ));
    lines.push(("[Enter] DELETE   [Esc] keep".to_owned(), theme.strong()));
    lines
}
