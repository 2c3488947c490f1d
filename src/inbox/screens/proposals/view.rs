//! Draws the proposals page: proposed change, conversation, author and reason.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::pages::PROPOSAL_LINES;
use crate::screens::outbox::view::{
    SEPARATOR, describe_rows, draw_frame, draw_selection, for_each_visible, tab_name,
};
use crate::theme_view::Theme;
use crate::wrap;
use model::proposals::ProposalEntry;
use model::text::SafeText;
use model::time::format_short_span;

const KIND_WIDTH: u16 = 10;
const MAX_TEXT_LINES: usize = 2;

const NO_PROPOSALS: &str = "No proposals. Proposals from assistants (`frontdesk mcp`) wait here until you \
                            send, edit or drop them.";
const STALE: &str = "Outdated: new messages since";

pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let page = &inbox.outbox.proposals;
    describe_rows(inbox, "Proposals", (page, "", NO_PROPOSALS), |entry| {
        let texts = proposal_texts(entry);
        let facts = [
            entry.title.as_str(),
            entry.proposal.change.word(),
            if entry.is_stale() { STALE } else { "" },
            texts.change.as_str(),
            texts.reason.as_str(),
            texts.last_message.as_str(),
        ];
        SpokenRow::new(facts).with_times(age_text(inbox, entry))
    })
}

struct ProposalTexts {
    change: SafeText,
    /// Author and reason.
    reason: SafeText,
    last_message: String,
}

fn proposal_texts(entry: &ProposalEntry) -> ProposalTexts {
    let proposal = &entry.proposal;
    let reason = format!("{}: {}", proposal.proposer, SafeText::line(proposal.reason.as_str()));
    let last = entry.row.as_ref().map_or("", |row| row.conversation.preview.as_str());
    ProposalTexts {
        change: SafeText::line(proposal.change.summary().as_str()),
        reason: SafeText::line(&reason),
        last_message: if last.is_empty() { String::new() } else { format!("Last message: {last}") },
    }
}

fn age_text(inbox: &Inbox, entry: &ProposalEntry) -> String {
    let tab = tab_name(inbox, inbox.outbox.proposals.all_tabs, &entry.proposal.channel);
    format!("{tab}{}", format_short_span(inbox.context.now.since(entry.proposal.at)))
}

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.proposals;
    draw_frame(inbox, theme, area, "Proposals", (page, "", NO_PROPOSALS), buffer);
    for_each_visible(page, area, PROPOSAL_LINES, |entry, place, chosen| {
        draw_proposal_row(inbox, theme, entry, place, buffer);
        draw_selection(theme, place, chosen, buffer);
    });
}

fn text_width(area: Area) -> u16 {
    area.width.saturating_sub(KIND_WIDTH + 2)
}

pub(super) fn is_fully_shown(inbox: &Inbox, text: &str) -> bool {
    let width = text_width(inbox.desk.areas(&inbox.context).body.inner());
    wrap::wrap(SafeText::line(text).as_str(), usize::from(width)).len() <= MAX_TEXT_LINES
}

fn draw_proposal_row(inbox: &Inbox, theme: Theme, entry: &ProposalEntry, area: Area, buffer: &mut Buffer) {
    let proposal = &entry.proposal;
    // Dim and never coloured: what came since may have answered it.
    let (strong, plain) =
        if entry.is_stale() { (theme.dim(), theme.dim()) } else { (theme.strong(), Style::new()) };
    paint_view::text(buffer, area.x + 1, area.y, KIND_WIDTH, proposal.change.word(), strong);
    let (indent, width) = (area.x + 1 + KIND_WIDTH, text_width(area));
    let age = age_text(inbox, entry);
    let stale = if entry.is_stale() { format!("{STALE}{SEPARATOR}") } else { String::new() };
    let right = [(stale.as_str(), theme.dim()), (age.as_str(), theme.dim())];
    let used = paint_view::runs_right(buffer, indent, area.y, width, &right);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), strong);
    let ProposalTexts { change: what, reason: why, last_message: last } = proposal_texts(entry);
    let parts = wrap::wrap(what.as_str(), usize::from(width));
    let mut rows: Vec<(String, Style)> = Vec::new();
    for (row, part) in parts.iter().take(MAX_TEXT_LINES).enumerate() {
        let is_cut = row + 1 == MAX_TEXT_LINES && parts.len() > MAX_TEXT_LINES;
        let words = if is_cut { &what.as_str()[part.start..] } else { &what.as_str()[part.clone()] };
        rows.push((wrap::cut(words.trim_end(), usize::from(width)), plain));
    }
    rows.extend([why.to_string(), last].map(|entry| (entry, theme.dim())));
    for (y, (words, style)) in (area.y + 1..area.y + area.height).zip(rows) {
        paint_view::text(buffer, indent, y, width, &words, style);
    }
}
