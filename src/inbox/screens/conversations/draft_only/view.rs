//! How the draft of a draft-only conversation stands, in a word or two.

use ratatui::style::Style;

use crate::theme_view::Theme;
use model::conversations::ConversationRow;
use model::local::DraftReadiness;

/// In a draft-only conversation, how its draft stands.
pub(crate) fn state(theme: Theme, row: &ConversationRow) -> (String, Style) {
    let style = if has_ready_draft(row) { theme.own() } else { theme.quiet() };
    (draft_only_label(row).unwrap_or_default().to_owned(), style)
}

pub(crate) fn draft_only_label(row: &ConversationRow) -> Option<&'static str> {
    row.local.draft_only.map(|_| if has_ready_draft(row) { "draft ready" } else { "draft-only" })
}

/// Whether a draft answers what the customer wrote last.
pub(crate) fn has_ready_draft(row: &ConversationRow) -> bool {
    row.local.draft_only == Some(DraftReadiness::Ready) && row.waiting_since.is_some()
}
