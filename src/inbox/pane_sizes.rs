//! Sizes of the panes and of their columns.

use crate::context::Context;
use crate::desk::Desk;
use crate::layout;
use crate::layout::{Areas, LayoutInput};
use crate::pages::PageKind;
use crate::screens::composer::suggestions::SuggestionPanel;
use crate::screens::history::lines::TextWidths;
use crate::tab::Focus;

/// Maximum columns of a text: longer lines are hard to read.
const MAX_TEXT_WIDTH: usize = 100;
/// Columns after the text for the delivery status.
pub(crate) const TRAILER_WIDTH: usize = 10;
/// Columns before the text of a mail.
pub(crate) const MAIL_INDENT_WIDTH: usize = 2;

impl Desk {
    pub fn areas(&self, context: &Context) -> Areas {
        let tab = self.tab();
        let width = |area: layout::Area| usize::from(area.inner().width);
        let is_in_triage = self.page == PageKind::Inbox && tab.is_in_triage();
        let mut wanted = LayoutInput {
            width: context.size.0,
            height: context.size.1,
            list_focused: tab.focus == Focus::List,
            is_writing: tab.focus == Focus::Composer,
            has_conversation: tab.history.is_some(),
            // A triage shows only the mail.
            card: if is_in_triage { Some(false) } else { self.panes.card },
            composer_lines: if tab.hides_composer() { 0 } else { 1 },
            suggestion_rows: 0,
            tall_composer: tab.is_writing_mail(),
            header: self.page == PageKind::Inbox && tab.is_mail() && !self.shows_all_tabs,
            list_width: self.panes.list_width,
            zoomed: self.panes.zoomed || is_in_triage,
        };
        let areas = layout::compute_areas(wanted);
        if let (Some(composer), Some(area)) =
            (&tab.composer, areas.composer.filter(|_| wanted.composer_lines > 0))
        {
            let head = tab.compose_header().map_or(0, |mail_head| mail_head.height() + 12);
            let above =
                usize::from(composer.reply_to.is_some()) + usize::from(!composer.attachments.is_empty());
            let lines = head + composer.height(width(area)) + above;
            let floor = if tab.focus == Focus::Composer { 2 } else { 1 };
            wanted.composer_lines = u16::try_from(lines.max(floor)).unwrap_or(u16::MAX);
        }
        wanted.suggestion_rows =
            areas.history.map_or(0, |history| self.suggestion_rows(context, history.width));
        layout::compute_areas(wanted)
    }

    /// Rows a suggestion needs above the composer, in a pane of this width.
    fn suggestion_rows(&self, context: &Context, width: u16) -> u16 {
        let Some(history) = self.current_history() else { return 0 };
        match (context.overlays.all_of::<SuggestionPanel>().next(), &history.brief) {
            (Some(asked), _) => asked.rows(history.newest_message().as_ref(), width),
            // The composer's border closes it.
            (None, Some(brief)) => brief.rows(brief.source_message(), width).saturating_sub(1),
            (None, None) => 0,
        }
    }

    /// Columns for message text.
    pub fn text_width(pane: usize) -> usize {
        pane.saturating_sub(Self::gutter_width(pane) + TRAILER_WIDTH).min(MAX_TEXT_WIDTH)
    }

    pub(crate) fn text_widths(pane: usize) -> TextWidths {
        let mail = pane.saturating_sub(MAIL_INDENT_WIDTH + 1).min(MAX_TEXT_WIDTH);
        TextWidths { chat: Self::text_width(pane), mail }
    }

    /// Columns of sender and time before the text.
    pub fn gutter_width(pane: usize) -> usize {
        if pane < 60 { 15 } else { 18 }
    }

    pub(crate) fn resize_panes(&mut self, context: &Context) {
        let areas = self.areas(context);
        let zone = context.settings.zone.clone();
        let list_rows = self.list_rows(&areas);
        self.list_mut().reveal(list_rows);
        let (pictures, active) = (&self.pictures, self.active);
        if let (Some(history), Some(area)) = (&mut self.tabs[active].history, areas.history) {
            let inner = area.inner();
            // The composer's border closes the pane below, if there is one.
            let border = if areas.composer.is_some() { 1 } else { 2 };
            let rows = usize::from(area.height.saturating_sub(border));
            let width = Self::text_width(usize::from(inner.width));
            history.set_heights(pictures.heights(width));
            history.set_layout(Self::text_widths(usize::from(inner.width)), rows, &zone);
        }
    }

    /// Conversations that fit in the list, two lines each.
    pub(crate) fn list_rows(&self, areas: &Areas) -> usize {
        areas.list.map_or(10, |list| usize::from(list.inner().height / 2)).max(1)
    }
}
