//! The pages over the tabs: the conversations, the outbox, the people. A
//! page stays when the tab changes, and shows that tab's rows.

use crate::Inbox;
use crate::commands::Command;
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

impl Inbox {
    /// Whether list, history and composer are on screen.
    pub fn is_inbox_shown(&self) -> bool {
        self.page == PageKind::Inbox && self.tab().is_inbox()
    }

    /// Whether keys are text.
    pub fn is_typing(&self) -> bool {
        self.is_inbox_shown() && self.tab().focus == Focus::Composer
    }

    pub(crate) fn go_to_page(&mut self, page: PageKind) {
        self.page = page;
        match page {
            PageKind::Inbox => (),
            PageKind::Outbox => self.outbox.mark_stale(),
            PageKind::Drafts => self.drafts.mark_stale(),
            PageKind::People => self.go_to_people(),
            PageKind::Broadcasts => self.go_to_board(),
            PageKind::Wall => self.go_to_wall(),
            PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
                self.go_to_deck(page)
            }
        }
    }

    /// Commands of the pages of rows.
    pub(crate) fn rows_command(&mut self, command: Command) -> bool {
        match command {
            Command::RowDown => self.step_rows(1),
            Command::RowUp => self.step_rows(-1),
            Command::GoToRow => self.go_to_row(),
            Command::AllTabs => {
                let all = match self.page {
                    PageKind::Drafts => &mut self.drafts.all_tabs,
                    PageKind::Broadcasts => &mut self.board.rows.all_tabs,
                    _ => &mut self.outbox.all_tabs,
                };
                *all = !*all;
            }
            Command::LeaveRows => self.go_to_page(PageKind::Inbox),
            Command::Decide | Command::DecideRow => self.ask_about_row(),
            Command::DecideAll => self.ask_about_all(),
            Command::RowNow | Command::RowBack => self.held_row(command == Command::RowNow),
            _ => return false,
        }
        true
    }

    /// Moves through the rows of the page; true if the page has rows.
    pub(crate) fn step_rows(&mut self, by: isize) {
        match self.page {
            PageKind::Inbox => (),
            PageKind::Outbox => self.outbox.step(by),
            PageKind::Drafts => self.drafts.step(by),
            PageKind::People => self.people.rows.step(by),
            PageKind::Broadcasts => self.board.rows.step(by),
            PageKind::Wall => self.step_wall(by),
            PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
                self.deck.cards.step(by)
            }
        }
    }

    /// Rows of the page that fit on screen.
    pub(crate) fn rows_shown(&self) -> usize {
        let (body, detail) = self.page_areas();
        let lines = usize::from(if detail.is_some() { body.height } else { body.inner().height });
        let each = match self.page {
            PageKind::Inbox | PageKind::Outbox => OUTBOX_LINES,
            PageKind::Drafts => DRAFT_LINES,
            _ => 1,
        };
        (lines / each).max(1)
    }

    fn go_to_row(&mut self) {
        match self.page {
            PageKind::People => return self.go_to_person(),
            PageKind::Broadcasts => return self.open_recipients(),
            PageKind::Wall => return self.wall_enter(),
            page if is_deck(page) => return self.go_to_card(),
            _ => (),
        }
        if self.page == PageKind::Drafts {
            let Some(draft) = self.drafts.chosen() else { return };
            let (channel, conversation) = (draft.channel.clone(), draft.conversation.clone());
            let mode = if draft.is_note { ComposerMode::Note } else { ComposerMode::Reply };
            if self.goes_to_mail(&channel, &conversation, mode) {
                return;
            }
            self.visit(&channel, &conversation, Focus::Composer);
            if let Some(composer) = &mut self.tab_mut().composer {
                composer.mode = mode;
            }
            return;
        }
        let Some(entry) = self.outbox.chosen() else { return };
        let (channel, row) = (entry.row.channel.clone(), entry.row.id.clone());
        match entry.row.lane.conversation().cloned() {
            Some(conversation) => {
                self.visit(&channel, &conversation, Focus::History);
                self.select_item(row);
            }
            None => self.warn("it belongs to no conversation"),
        }
    }

    fn select_item(&mut self, row: RowId) {
        if let Some(history) = &mut self.tab_mut().history {
            history.selected = Some(ItemKey::Outbox(row));
        }
    }

    /// Opens a conversation, whatever is on screen now.
    pub(crate) fn visit(&mut self, channel: &ChannelId, conversation: &ConversationId, focus: Focus) {
        self.take_up(channel);
        self.page = PageKind::Inbox;
        let visible = self.list_rows(&self.areas());
        let key = ConversationKey { channel: channel.clone(), conversation: conversation.clone() };
        self.list_mut().select(&key, visible);
        self.show(&key);
        let Some(tab) = self.tab_of(channel) else { return };
        if let Some(history) = &mut tab.history {
            history.opened = true;
        }
        tab.focus = focus;
    }

    /// Asks for the rows of the page that may be old.
    pub(crate) fn load_rows(&mut self) {
        let channel = self.tab().channel.id.clone();
        let visible = self.rows_shown();
        let load = match self.page {
            PageKind::Inbox => return,
            PageKind::People => return self.load_people(),
            PageKind::Broadcasts => return self.load_board(),
            PageKind::Wall => return self.load_wall(),
            PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
                return self.load_deck();
            }
            PageKind::Outbox => {
                self.outbox.reveal(visible);
                self.outbox.take_query(&channel, self.context.now).map(Load::Outbox)
            }
            PageKind::Drafts => {
                self.drafts.reveal(visible);
                self.drafts.take_query(&channel, self.context.now).map(Load::Drafts)
            }
        };
        self.context.effects.extend(load.map(Effect::Load));
    }

    /// Where the list of a page with details lies, and its details: beside it
    /// where there is room, else below it. Other pages have no details.
    pub fn page_areas(&self) -> (Area, Option<Area>) {
        let body = self.areas().body;
        if matches!(self.page, PageKind::Inbox | PageKind::Outbox | PageKind::Drafts | PageKind::Wall) {
            return (body, None);
        }
        let inner = body.inner();
        if inner.width >= SIDE_BY_SIDE {
            let wide = inner.width * 3 / 5;
            let detail = Area { x: inner.x + wide + 1, width: inner.width - wide - 1, ..inner };
            return (Area { width: wide, ..inner }, Some(detail));
        }
        let mut high = (inner.height * 2 / 5).max(5).min(inner.height);
        if is_deck(self.page) {
            // A short list leaves its room to what is said of the chosen one.
            let rows = u16::try_from(self.deck.cards.rows.len()).unwrap_or(u16::MAX).max(3);
            high = high.max(inner.height.saturating_sub(rows));
        }
        if self.page == PageKind::Broadcasts {
            let rows = u16::try_from(self.board.rows.rows.len()).unwrap_or(u16::MAX).clamp(2, 8);
            high = high.max(inner.height.saturating_sub(rows));
        }
        let list = Area { height: inner.height - high, ..inner };
        (list, Some(Area { y: inner.y + list.height, height: high, ..inner }))
    }

    /// What this desk alone keeps has changed.
    pub(crate) fn rows_changed(&mut self) {
        self.people.rows.mark_stale();
        self.outbox.mark_stale();
        self.drafts.mark_stale();
        self.wall_changed();
        self.board.rehearsal_changed();
        self.leasing.stale = true;
        self.purse.stale = true;
        if let Some(batch) = &mut self.batch {
            batch.stale = true;
        }
    }
}
