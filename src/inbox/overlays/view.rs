//! What lies over the desk: questions, the reaction picker, raw items.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::features::macros;
use crate::layout::Area;
use crate::overlays;
use crate::overlays::Layer;
use crate::overlays::help_view;
use crate::overlays::listing_view;
use crate::overlays::questions_view;
use crate::screens::broadcasts;
use crate::screens::composer::pickers_view;
use crate::screens::composer::rich_forms_view;
use crate::screens::connections;
use crate::screens::conversations::saved_views_view;
use crate::screens::mail;
use crate::screens::people;
use crate::screens::templates;
use crate::screens::webhooks;
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

/// Draws the topmost layer, if there is one.
pub fn draw(inbox: &Inbox, theme: Theme, buffer: &mut Buffer) {
    match inbox.layers.last() {
        None => (),
        // They have a cursor, and are drawn where it can be told.
        Some(Layer::Line(_) | Layer::Palette(_) | Layer::Search) => (),
        Some(Layer::Views { chosen }) => {
            let rows = u16::try_from(inbox.views.len()).unwrap_or(u16::MAX).saturating_add(2);
            saved_views_view::draw(inbox, theme, *chosen, centered(inbox, 64, rows), buffer);
        }
        Some(Layer::Help(it)) => help_view::draw(inbox, theme, it, buffer),
        Some(Layer::Raw { title, lines, first }) => raw(inbox, theme, title, lines, *first, buffer),
        Some(Layer::Macros { chosen, records }) => {
            macros::view::draw(inbox, theme, *chosen, *records, buffer)
        }
        Some(Layer::List { kind, chosen }) => listing_view::draw(inbox, theme, *kind, *chosen, buffer),
        Some(Layer::Replies { picker, .. }) => pickers_view::replies(inbox, theme, picker, buffer),
        Some(Layer::Emoji { picker, .. }) => pickers_view::emoji(inbox, theme, picker, buffer),
        Some(Layer::Templates { picker }) => templates::form_view::picker(inbox, theme, picker, buffer),
        Some(Layer::TemplateForm(form)) => templates::form_view::form(inbox, theme, form, buffer),
        Some(Layer::WebhookForm(form)) => webhooks::form_view::form(inbox, theme, form, buffer),
        Some(Layer::Endpoints { picker }) => connections::view::endpoints(inbox, theme, picker, buffer),
        Some(Layer::BroadcastForm(form)) => broadcasts::form_view::draw(inbox, theme, form, buffer),
        Some(Layer::Flight(flight)) => broadcasts::form_view::flight(inbox, theme, flight, buffer),
        Some(Layer::PersonForm(form)) => people::form_view::draw(inbox, theme, form, buffer),
        Some(Layer::MailReview { preview, first }) => {
            mail::view::review(inbox, theme, *preview, *first, buffer)
        }
        Some(Layer::MailMenu(menu)) => mail::view::menu(inbox, theme, menu, buffer),
        Some(Layer::Form(form)) => rich_forms_view::draw(inbox, theme, form, buffer),
        Some(Layer::Menu { chosen }) => pickers_view::menu(inbox, theme, *chosen, buffer),
        Some(Layer::React { channel, chosen, .. }) => {
            react(inbox, theme, (inbox.quick_reactions(channel), *chosen), buffer)
        }
        Some(layer) => {
            if let Some((title, lines)) = questions_view::words(inbox, theme, layer) {
                dialog(inbox, theme, &title, &lines, buffer);
            }
        }
    }
}

/// A box in the middle of the screen. The tabs above it and the two lines
/// below it are always seen.
pub fn centered(inbox: &Inbox, width: u16, height: u16) -> Area {
    let (columns, rows) = inbox.context.size;
    let width = width.min(columns.saturating_sub(2));
    let height = height.min(rows.saturating_sub(overlays::AROUND));
    let y = ((rows - height) / 2).min(rows.saturating_sub(height + 2));
    Area { x: (columns - width) / 2, y, width, height }
}

fn dialog(inbox: &Inbox, theme: Theme, title: &str, lines: &[(String, Style)], buffer: &mut Buffer) {
    let width = 74.min(inbox.context.size.0.saturating_sub(2));
    let text_width = usize::from(width.saturating_sub(4));
    let rows: usize = lines.iter().map(|(words, _)| wrap::wrap(words, text_width).len()).sum();
    let area = centered(inbox, width, u16::try_from(rows + 2).unwrap_or(u16::MAX));
    paint_view::blank(buffer, area);
    paint_view::frame(buffer, area, theme, true, Sides::All, (&[(title, theme.strong())], &[]));
    let inner = area.inner();
    let mut y = inner.y;
    for (words, style) in lines {
        let place = Area {
            x: inner.x + 1,
            y,
            width: inner.width.saturating_sub(2),
            height: (inner.y + inner.height).saturating_sub(y),
        };
        y += paint_view::paragraph(buffer, place, words, *style).max(1);
    }
}

fn react(inbox: &Inbox, theme: Theme, (offered, chosen): (&[&str], usize), buffer: &mut Buffer) {
    let area = centered(inbox, 56, 4);
    paint_view::blank(buffer, area);
    let title = [("React · free", theme.strong())];
    paint_view::frame(buffer, area, theme, true, Sides::All, (&title, &[]));
    let inner = area.inner();
    let mut x = inner.x + 1;
    for (index, emoji) in offered.iter().enumerate() {
        let words = format!("{} {emoji} ", index + 1);
        let style = if index == chosen { theme.selected() } else { Style::new() };
        x += paint_view::text(buffer, x, inner.y, (inner.x + inner.width).saturating_sub(x), &words, style)
            + 1;
    }
    let hint = "1-8 or Enter chooses · arrows move · Esc back";
    paint_view::text(buffer, inner.x + 1, inner.y + 1, inner.width.saturating_sub(2), hint, theme.dim());
}

fn raw(inbox: &Inbox, theme: Theme, title: &str, lines: &[SafeText], first: usize, buffer: &mut Buffer) {
    let (columns, rows) = inbox.context.size;
    let area = centered(inbox, columns.saturating_sub(4), rows.saturating_sub(2));
    paint_view::blank(buffer, area);
    let hint = "j k scroll · Esc back";
    paint_view::frame(
        buffer,
        area,
        theme,
        true,
        Sides::All,
        (&[(title, theme.strong())], &[(hint, theme.dim())]),
    );
    let inner = area.inner();
    for (row, line) in lines.iter().skip(first).take(usize::from(inner.height)).enumerate() {
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        paint_view::text(buffer, inner.x + 1, y, inner.width.saturating_sub(2), line.as_str(), Style::new());
    }
}
