//! The pages over the tabs: the conversations, the outbox, the people. A
//! page stays when the tab changes, and shows that tab's rows.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::layout::{Area, SIDE_BY_SIDE};
use crate::screens::cards::is_deck;
use crate::screens::composer::ComposerMode;
use crate::screens::history::lines::ItemKey;
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId, RowId};
use model::queries::ConversationKey;

/// Lines of a row of the outbox.
pub const OUTBOX_LINES: usize = 3;
/// Lines of a row of the drafts.
pub const DRAFT_LINES: usize = 2;

/// What lies under the tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageKind {
    /// List, history, composer.
    #[default]
    Inbox,
    /// What has not left yet.
    Outbox,
    /// What was begun and not sent.
    Drafts,
    /// The contacts of the tab.
    People,
    /// What the triggers tell.
    Events,
    /// Who else is told of what happens.
    Webhooks,
    /// The templates of the channel.
    Templates,
    /// The account behind the key.
    Account,
    /// What goes to many.
    Broadcasts,
    /// Every channel in a line.
    Wall,
}

impl Desk {
    /// Whether list, history and composer are on screen.
    pub fn is_inbox_shown(&self) -> bool {
        self.page == PageKind::Inbox && self.tab().is_inbox()
    }

    /// Whether keys are text.
    pub fn is_typing(&self) -> bool {
        self.is_inbox_shown() && self.tab().focus == Focus::Composer
    }

    fn select_item(&mut self, row: RowId) {
        if let Some(history) = &mut self.tab_mut().history {
            history.selected = Some(ItemKey::Outbox(row));
        }
    }

    /// Opens a conversation, whatever is on screen now.
    pub(crate) fn visit(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        focus: Focus,
        context: &mut Context,
    ) {
        self.take_up(channel);
        self.page = PageKind::Inbox;
        let visible = self.list_rows(&self.areas(context));
        let key = ConversationKey { channel: channel.clone(), conversation: conversation.clone() };
        self.list_mut().select(&key, visible);
        self.show(&key, context);
        let Some(tab) = self.tab_of(channel) else { return };
        if let Some(history) = &mut tab.history {
            history.opened = true;
        }
        tab.focus = focus;
    }
}

impl Inbox {
    pub(crate) fn go_to_page(&mut self, page: PageKind) {
        self.desk.page = page;
        match page {
            PageKind::Inbox => (),
            PageKind::Outbox => self.outbox.rows.mark_stale(),
            PageKind::Drafts => self.outbox.drafts.mark_stale(),
            PageKind::People => self.people.go_to_people(&mut self.desk),
            PageKind::Broadcasts => self.go_to_board(),
            PageKind::Wall => self.overview.go_to_wall(&mut self.desk),
            PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
                self.cards.go_to_deck(page, &mut self.desk, &mut self.context)
            }
        }
    }

    /// Shows the rows of this tab, or of all.
    pub(crate) fn turn_all_tabs(&mut self) {
        let all = match self.desk.page {
            PageKind::Drafts => &mut self.outbox.drafts.all_tabs,
            PageKind::Broadcasts => &mut self.broadcasts.rows.all_tabs,
            _ => &mut self.outbox.rows.all_tabs,
        };
        *all = !*all;
    }

    /// Moves through the rows of the page; true if the page has rows.
    pub(crate) fn step_rows(&mut self, by: isize) {
        match self.desk.page {
            PageKind::Inbox => (),
            PageKind::Outbox => self.outbox.rows.step(by),
            PageKind::Drafts => self.outbox.drafts.step(by),
            PageKind::People => self.people.rows.step(by),
            PageKind::Broadcasts => self.broadcasts.rows.step(by),
            PageKind::Wall => self.overview.step_wall(by, &self.desk),
            PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
                self.cards.cards.step(by)
            }
        }
    }

    /// Rows of the page that fit on screen.
    pub(crate) fn rows_shown(&self) -> usize {
        let (body, detail) = self.page_areas();
        let lines = usize::from(if detail.is_some() { body.height } else { body.inner().height });
        let each = match self.desk.page {
            PageKind::Inbox | PageKind::Outbox => OUTBOX_LINES,
            PageKind::Drafts => DRAFT_LINES,
            _ => 1,
        };
        (lines / each).max(1)
    }

    pub(crate) fn go_to_row(&mut self) {
        match self.desk.page {
            PageKind::People => return self.people.go_to_person(&mut self.desk, &mut self.context),
            PageKind::Broadcasts => return self.broadcasts.open_recipients(&mut self.context),
            PageKind::Wall => return self.wall_enter(),
            page if is_deck(page) => return self.go_to_card(),
            _ => (),
        }
        if self.desk.page == PageKind::Drafts {
            let Some(draft) = self.outbox.drafts.chosen() else { return };
            let (channel, conversation) = (draft.channel.clone(), draft.conversation.clone());
            let mode = if draft.is_note { ComposerMode::Note } else { ComposerMode::Reply };
            if self.desk.goes_to_mail(&channel, &conversation, mode, &mut self.context) {
                return;
            }
            self.desk.visit(&channel, &conversation, Focus::Composer, &mut self.context);
            if let Some(composer) = &mut self.desk.tab_mut().composer {
                composer.mode = mode;
            }
            return;
        }
        let Some(entry) = self.outbox.rows.chosen() else { return };
        let (channel, row) = (entry.row.channel.clone(), entry.row.id.clone());
        match entry.row.lane.conversation().cloned() {
            Some(conversation) => {
                self.desk.visit(&channel, &conversation, Focus::History, &mut self.context);
                self.desk.select_item(row);
            }
            None => self.context.warn("it belongs to no conversation"),
        }
    }

    /// Asks for the rows of the page that may be old.
    pub(crate) fn load_rows(&mut self) {
        let channel = self.desk.tab().channel.id.clone();
        let visible = self.rows_shown();
        let load = match self.desk.page {
            PageKind::Inbox => return,
            PageKind::People => return self.load_people(),
            PageKind::Broadcasts => return self.load_board(),
            PageKind::Wall => return self.overview.load_wall(&mut self.context),
            PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
                return self.load_deck();
            }
            PageKind::Outbox => {
                self.outbox.rows.reveal(visible);
                self.outbox.rows.take_query(&channel, self.context.now).map(Load::Outbox)
            }
            PageKind::Drafts => {
                self.outbox.drafts.reveal(visible);
                self.outbox.drafts.take_query(&channel, self.context.now).map(Load::Drafts)
            }
        };
        self.context.effects.extend(load.map(Effect::Load));
    }

    /// Where the list of a page with details lies, and its details: beside it
    /// where there is room, else below it. Other pages have no details.
    pub fn page_areas(&self) -> (Area, Option<Area>) {
        let body = self.desk.areas(&self.context).body;
        if matches!(self.desk.page, PageKind::Inbox | PageKind::Outbox | PageKind::Drafts | PageKind::Wall) {
            return (body, None);
        }
        let inner = body.inner();
        if inner.width >= SIDE_BY_SIDE {
            let wide = inner.width * 3 / 5;
            let detail = Area { x: inner.x + wide + 1, width: inner.width - wide - 1, ..inner };
            return (Area { width: wide, ..inner }, Some(detail));
        }
        let mut high = (inner.height * 2 / 5).max(5).min(inner.height);
        if is_deck(self.desk.page) {
            // A short list leaves its room to what is said of the chosen one.
            let rows = u16::try_from(self.cards.cards.rows.len()).unwrap_or(u16::MAX).max(3);
            high = high.max(inner.height.saturating_sub(rows));
        }
        if self.desk.page == PageKind::Broadcasts {
            let rows = u16::try_from(self.broadcasts.rows.rows.len()).unwrap_or(u16::MAX).clamp(2, 8);
            high = high.max(inner.height.saturating_sub(rows));
        }
        let list = Area { height: inner.height - high, ..inner };
        (list, Some(Area { y: inner.y + list.height, height: high, ..inner }))
    }

    /// What this desk alone keeps has changed.
    pub(crate) fn rows_changed(&mut self) {
        self.people.rows.mark_stale();
        self.outbox.rows.mark_stale();
        self.outbox.drafts.mark_stale();
        self.overview.wall_changed();
        self.broadcasts.rehearsal_changed();
        self.features.pauses.stale = true;
        self.features.credits.stale = true;
        if let Some(batch) = &mut self.changes.batch {
            batch.stale = true;
        }
    }
}
