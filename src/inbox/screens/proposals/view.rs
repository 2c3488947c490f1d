//! Draws the proposals: what, for which conversation, who proposes it and why.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::pages::PROPOSAL_LINES;
use crate::screens::outbox::view::{choose, each, frame, tab_name};
use crate::theme_view::Theme;
use model::proposals::ProposalEntry;
use model::text::SafeText;
use model::time::short_span;

/// Columns of what is proposed.
const WORD: u16 = 10;
/// Lines of a text at most.
const TEXT_LINES: u16 = 2;

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

fn proposal_row(inbox: &Inbox, theme: Theme, entry: &ProposalEntry, area: Area, buffer: &mut Buffer) {
    let proposal = &entry.proposal;
    paint_view::text(buffer, area.x + 1, area.y, WORD, proposal.change.word(), theme.needs_a_person());
    let (indent, width) = (area.x + 1 + WORD, area.width.saturating_sub(WORD + 2));
    let tab = tab_name(inbox, inbox.outbox.proposals.all_tabs, &proposal.channel);
    let age = format!("{tab}{}", short_span(inbox.context.now.since(proposal.at)));
    let stale = if entry.is_stale() { "STALE: somebody wrote since · " } else { "" };
    let right = [(stale, theme.error()), (age.as_str(), theme.quiet())];
    let used = paint_view::runs_right(buffer, indent, area.y, width, &right);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), theme.strong());
    let why = SafeText::line(&format!("{}: {}", proposal.proposer, SafeText::line(proposal.reason.as_str())));
    let what = SafeText::line(proposal.change.summary().as_str());
    let text =
        Area { x: indent, y: area.y + 1, width, height: area.height.saturating_sub(1).min(TEXT_LINES) };
    let used = paint_view::paragraph(buffer, text, what.as_str(), Style::new());
    let last = entry.row.as_ref().map_or("", |it| it.conversation.preview.as_str());
    let last = if last.is_empty() { String::new() } else { format!("Last message: {last}") };
    for (y, words) in (text.y + used..area.y + area.height).zip([why.as_str(), &last]) {
        paint_view::text(buffer, indent, y, width, words, theme.quiet());
    }
}
