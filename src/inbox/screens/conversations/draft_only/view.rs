//! State of a draft-only conversation's draft, as a label.

use ratatui::style::Style;

use crate::theme_view::Theme;
use model::conversations::ConversationRow;
use model::local::DraftReadiness;

pub(crate) fn draft_state(theme: Theme, row: &ConversationRow) -> (String, Style) {
    let style = if has_ready_draft(row) { theme.strong() } else { theme.dim() };
    (draft_only_label(row).unwrap_or_default().to_owned(), style)
}

pub(crate) fn draft_only_label(row: &ConversationRow) -> Option<&'static str> {
    row.local.draft_only.map(|_| if has_ready_draft(row) { "draft ready" } else { "draft-only" })
}

/// True if a draft is ready and the customer waits for a reply.
pub(crate) fn has_ready_draft(row: &ConversationRow) -> bool {
    row.local.draft_only == Some(DraftReadiness::Ready) && row.waiting_since.is_some()
}
