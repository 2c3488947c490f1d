//! Gives the panes their size, and says how wide their columns are.

use crate::context::Context;
use crate::desk::Desk;
use crate::layout;
use crate::layout::{Areas, LayoutInput};
use crate::pages::PageKind;
use crate::screens::composer::suggesting::SuggestionPanel;
use crate::screens::history::lines::TextWidths;
use crate::settings::Footer;
use crate::tab::Focus;

/// Columns kept behind the text for the delivery's word.
pub(crate) const TRAILER: usize = 10;
/// Columns before the text of a mail, which stands below its header.
pub(crate) const MAIL_INDENT: usize = 2;

impl Desk {
    /// Where everything lies on this screen now.
    pub fn areas(&self, context: &Context) -> Areas {
        let tab = self.tab();
        let width = |area: layout::Area| usize::from(area.inner().width);
        let is_in_triage = self.page == PageKind::Inbox && tab.is_in_triage();
        let mut wanted = LayoutInput {
            width: context.size.0,
            height: context.size.1,
            list_focused: tab.focus == Focus::List,
            writes: tab.focus == Focus::Composer,
            conversation: tab.history.is_some(),
            // A triage shows the mail that is decided over.
            card: if is_in_triage { Some(false) } else { self.panes.card },
            composer_lines: if tab.hides_composer() { 0 } else { 1 },
            suggestion_rows: 0,
            tall: tab.writes_mail(),
            header: self.page == PageKind::Inbox && tab.is_mail() && !self.everywhere,
            hints: context.settings.footer != Footer::Off,
            list_width: self.panes.list_width,
            beside: self.second().is_some() && self.page == PageKind::Inbox,
            zoomed: self.panes.zoomed || is_in_triage,
        };
        let areas = layout::arrange(wanted);
        if let (Some(composer), Some(area)) =
            (&tab.composer, areas.composer.filter(|_| wanted.composer_lines > 0))
        {
            let head = tab.mail_head().map_or(0, |mail_head| mail_head.height() + 12);
            let above = usize::from(composer.reply_to.is_some()) + usize::from(composer.attachment.is_some());
            let lines = head + composer.height(width(area)) + above;
            let floor = if tab.focus == Focus::Composer { 2 } else { 1 };
            wanted.composer_lines = u16::try_from(lines.max(floor)).unwrap_or(u16::MAX);
        }
        wanted.suggestion_rows =
            areas.history.map_or(0, |history| self.suggestion_rows(context, history.width));
        layout::arrange(wanted)
    }

    /// Rows that a suggestion wants above the composer, in a pane of so many columns.
    fn suggestion_rows(&self, context: &Context, width: u16) -> u16 {
        let Some(history) = self.current_history() else { return 0 };
        match (context.layers.of::<SuggestionPanel>().next(), &history.brief) {
            (Some(asked), _) => asked.rows(history.newest_message().as_ref(), width),
            // The composer's border closes it.
            (None, Some(brief)) => brief.rows(brief.made_from(), width).saturating_sub(1),
            (None, None) => 0,
        }
    }

    /// Columns for message text, beside sender and time: more than a hundred
    /// are hard to read.
    pub fn text_width(pane: usize) -> usize {
        pane.saturating_sub(Self::gutter(pane) + TRAILER).min(100)
    }

    pub(crate) fn text_widths(pane: usize) -> TextWidths {
        TextWidths { said: Self::text_width(pane), mail: pane.saturating_sub(MAIL_INDENT + 1) }
    }

    /// Columns of sender and time before the text.
    pub fn gutter(pane: usize) -> usize {
        if pane < 60 { 15 } else { 18 }
    }

    /// Gives the panes of the active tab their size.
    pub(crate) fn shape_panes(&mut self, context: &Context) {
        let areas = self.areas(context);
        let zone = context.settings.zone.clone();
        let list_rows = self.list_rows(&areas);
        self.list_mut().reveal(list_rows);
        let (pictures, active) = (&self.pictures, self.active);
        if let (Some(history), Some(area)) = (&mut self.tabs[active].history, areas.history) {
            let inner = area.inner();
            // The composer's border closes the pane below, where there is one.
            let border = if areas.composer.is_some() { 1 } else { 2 };
            let rows = usize::from(area.height.saturating_sub(border));
            let width = Self::text_width(usize::from(inner.width));
            history.set_heights(pictures.heights(width));
            history.set_shape(Self::text_widths(usize::from(inner.width)), rows, &zone);
        }
        if let (Some(second), Some(area)) = (&mut self.beside, areas.beside) {
            let inner = area.inner();
            second.history.set_shape(
                Self::text_widths(usize::from(inner.width)),
                usize::from(inner.height),
                &zone,
            );
        }
    }

    /// Conversations the list can show: two lines each.
    pub(crate) fn list_rows(&self, areas: &Areas) -> usize {
        areas.list.map_or(10, |list| usize::from(list.inner().height / 2)).max(1)
    }
}
