//! What lies over the desk: questions, the reaction picker, raw items.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::broadcasts;
use crate::connections;
use crate::email;
use crate::forms;
use crate::help;
use crate::listing;
use crate::macros;
use crate::paint::{self, Sides};
use crate::people;
use crate::pickers;
use crate::questions;
use crate::templates;
use crate::theme::Theme;
use crate::views;
use crate::webhooks;
use app::App;
use app::layers::{self, Layer};
use app::layout::Area;
use app::wrap;
use model::text::SafeText;

/// Draws the topmost layer, if there is one.
pub fn draw(app: &App, theme: Theme, buffer: &mut Buffer) {
    match app.layers.last() {
        None => (),
        // They have a cursor, and are drawn where it can be told.
        Some(Layer::Line(_) | Layer::Palette(_) | Layer::Search) => (),
        Some(Layer::Views { chosen }) => {
            let rows = u16::try_from(app.views.len()).unwrap_or(u16::MAX).saturating_add(2);
            views::draw(app, theme, *chosen, centered(app, 64, rows), buffer);
        }
        Some(Layer::Help(it)) => help::draw(app, theme, it, buffer),
        Some(Layer::Raw { title, lines, first }) => raw(app, theme, title, lines, *first, buffer),
        Some(Layer::Macros { chosen, records }) => macros::draw(app, theme, *chosen, *records, buffer),
        Some(Layer::List { kind, chosen }) => listing::draw(app, theme, *kind, *chosen, buffer),
        Some(Layer::Replies { picker, .. }) => pickers::replies(app, theme, picker, buffer),
        Some(Layer::Emoji { picker, .. }) => pickers::emoji(app, theme, picker, buffer),
        Some(Layer::Templates { picker }) => templates::picker(app, theme, picker, buffer),
        Some(Layer::TemplateForm(form)) => templates::form(app, theme, form, buffer),
        Some(Layer::WebhookForm(form)) => webhooks::form(app, theme, form, buffer),
        Some(Layer::Endpoints { picker }) => connections::endpoints(app, theme, picker, buffer),
        Some(Layer::BroadcastForm(form)) => broadcasts::form::draw(app, theme, form, buffer),
        Some(Layer::Flight(flight)) => broadcasts::form::flight(app, theme, flight, buffer),
        Some(Layer::PersonForm(form)) => people::form::draw(app, theme, form, buffer),
        Some(Layer::MailReview { preview, first }) => email::review(app, theme, *preview, *first, buffer),
        Some(Layer::MailMenu(menu)) => email::menu(app, theme, menu, buffer),
        Some(Layer::Form(form)) => forms::draw(app, theme, form, buffer),
        Some(Layer::Menu { chosen }) => pickers::menu(app, theme, *chosen, buffer),
        Some(Layer::React { channel, chosen, .. }) => {
            react(app, theme, (app.quick_reactions(channel), *chosen), buffer)
        }
        Some(layer) => {
            if let Some((title, lines)) = questions::words(app, theme, layer) {
                dialog(app, theme, &title, &lines, buffer);
            }
        }
    }
}

/// A box in the middle of the screen. The tabs above it and the two lines
/// below it are always seen.
pub fn centered(app: &App, width: u16, height: u16) -> Area {
    let (columns, rows) = app.context.size;
    let width = width.min(columns.saturating_sub(2));
    let height = height.min(rows.saturating_sub(layers::AROUND));
    let y = ((rows - height) / 2).min(rows.saturating_sub(height + 2));
    Area { x: (columns - width) / 2, y, width, height }
}

fn dialog(app: &App, theme: Theme, title: &str, lines: &[(String, Style)], buffer: &mut Buffer) {
    let width = 74.min(app.context.size.0.saturating_sub(2));
    let text_width = usize::from(width.saturating_sub(4));
    let rows: usize = lines.iter().map(|(words, _)| wrap::wrap(words, text_width).len()).sum();
    let area = centered(app, width, u16::try_from(rows + 2).unwrap_or(u16::MAX));
    paint::blank(buffer, area);
    paint::frame(buffer, area, theme, true, Sides::All, (&[(title, theme.strong())], &[]));
    let inner = area.inner();
    let mut y = inner.y;
    for (words, style) in lines {
        let place = Area {
            x: inner.x + 1,
            y,
            width: inner.width.saturating_sub(2),
            height: (inner.y + inner.height).saturating_sub(y),
        };
        y += paint::paragraph(buffer, place, words, *style).max(1);
    }
}

fn react(app: &App, theme: Theme, (offered, chosen): (&[&str], usize), buffer: &mut Buffer) {
    let area = centered(app, 56, 4);
    paint::blank(buffer, area);
    let title = [("React · free", theme.strong())];
    paint::frame(buffer, area, theme, true, Sides::All, (&title, &[]));
    let inner = area.inner();
    let mut x = inner.x + 1;
    for (index, emoji) in offered.iter().enumerate() {
        let words = format!("{} {emoji} ", index + 1);
        let style = if index == chosen { theme.selected() } else { Style::new() };
        x += paint::text(buffer, x, inner.y, (inner.x + inner.width).saturating_sub(x), &words, style) + 1;
    }
    let hint = "1-8 or Enter chooses · arrows move · Esc back";
    paint::text(buffer, inner.x + 1, inner.y + 1, inner.width.saturating_sub(2), hint, theme.dim());
}

fn raw(app: &App, theme: Theme, title: &str, lines: &[SafeText], first: usize, buffer: &mut Buffer) {
    let (columns, rows) = app.context.size;
    let area = centered(app, columns.saturating_sub(4), rows.saturating_sub(2));
    paint::blank(buffer, area);
    let hint = "j k scroll · Esc back";
    paint::frame(buffer, area, theme, true, Sides::All, (&[(title, theme.strong())], &[(hint, theme.dim())]));
    let inner = area.inner();
    for (row, line) in lines.iter().skip(first).take(usize::from(inner.height)).enumerate() {
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        paint::text(buffer, inner.x + 1, y, inner.width.saturating_sub(2), line.as_str(), Style::new());
    }
}
