//! Draws the proposals: what, for which conversation, who proposes it and why.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::pages::PROPOSAL_LINES;
use crate::screens::outbox::view::{choose, each, frame, tab_name};
use crate::theme_view::Theme;
use crate::wrap;
use model::proposals::ProposalEntry;
use model::text::SafeText;
use model::time::format_short_span;

/// Columns of what is proposed.
const WORD: u16 = 10;
/// Lines of a text at most.
const TEXT_LINES: usize = 2;

/// Draws the page.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.proposals;
    let empty = "Nothing is proposed. What an assistant proposes through `frontdesk mcp` waits here until you \
                 send, edit or drop it.";
    frame(inbox, theme, area, "Proposals", (page, "", empty), buffer);
    each(page, area, PROPOSAL_LINES, |entry, place, chosen| {
        proposal_row(inbox, theme, entry, place, buffer);
        choose(theme, place, chosen, buffer);
    });
}

/// Columns of what is proposed, of a page's area.
fn text_width(area: Area) -> u16 {
    area.width.saturating_sub(WORD + 2)
}

/// Whether all of a proposed text is seen on the page.
pub(super) fn is_whole(inbox: &Inbox, text: &str) -> bool {
    let width = text_width(inbox.desk.areas(&inbox.context).body.inner());
    wrap::wrap(SafeText::line(text).as_str(), usize::from(width)).len() <= TEXT_LINES
}

fn proposal_row(inbox: &Inbox, theme: Theme, entry: &ProposalEntry, area: Area, buffer: &mut Buffer) {
    let proposal = &entry.proposal;
    paint_view::text(buffer, area.x + 1, area.y, WORD, proposal.change.word(), theme.needs_a_person());
    let (indent, width) = (area.x + 1 + WORD, text_width(area));
    let tab = tab_name(inbox, inbox.outbox.proposals.all_tabs, &proposal.channel);
    let age = format!("{tab}{}", format_short_span(inbox.context.now.since(proposal.at)));
    let stale = if entry.is_stale() { "STALE: somebody wrote since · " } else { "" };
    let right = [(stale, theme.error()), (age.as_str(), theme.quiet())];
    let used = paint_view::runs_right(buffer, indent, area.y, width, &right);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), theme.strong());
    let why = SafeText::line(&format!("{}: {}", proposal.proposer, SafeText::line(proposal.reason.as_str())));
    let what = SafeText::line(proposal.change.summary().as_str());
    let parts = wrap::wrap(what.as_str(), usize::from(width));
    let mut rows: Vec<(String, Style)> = Vec::new();
    for (row, part) in parts.iter().take(TEXT_LINES).enumerate() {
        let is_cut = row + 1 == TEXT_LINES && parts.len() > TEXT_LINES;
        let words = if is_cut { &what.as_str()[part.start..] } else { &what.as_str()[part.clone()] };
        rows.push((wrap::cut(words.trim_end(), usize::from(width)), Style::new()));
    }
    let last = entry.row.as_ref().map_or("", |row| row.conversation.preview.as_str());
    let last = if last.is_empty() { String::new() } else { format!("Last message: {last}") };
    rows.extend([why.to_string(), last].map(|entry| (entry, theme.quiet())));
    for (y, (words, style)) in (area.y + 1..area.y + area.height).zip(rows) {
        paint_view::text(buffer, indent, y, width, &words, style);
    }
}
