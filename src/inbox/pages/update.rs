//! Changes the page, and moves in its rows.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::layout::{Area, SIDE_BY_SIDE_MIN_WIDTH};
use crate::pages::{DRAFT_LINES, OUTBOX_LINES, PROPOSAL_LINES, PageKind};
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::cards::is_card_page;
use crate::screens::cards::update as cards;
use crate::screens::composer::ComposerMode;
use crate::screens::history::lines::ItemKey;
use crate::screens::mail::writing::update as writing;
use crate::screens::overview::update as overview;
use crate::screens::people::update as people;
use crate::screens::reviews::{REVIEW_LINES, view as reviews_view};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId, RowId};
use model::queries::ConversationKey;

impl Desk {
    /// True if list, history and composer are on screen.
    pub fn is_inbox_shown(&self) -> bool {
        self.page == PageKind::Inbox && self.tab().is_inbox()
    }

    /// True if keys act on the list of conversations.
    pub(crate) fn is_list_focused(&self) -> bool {
        self.is_inbox_shown() && self.tab().focus == Focus::List
    }

    /// True if keys are text.
    pub fn is_typing(&self) -> bool {
        self.is_inbox_shown() && self.tab().focus == Focus::Composer
    }

    pub(crate) fn select_item(&mut self, row: RowId) {
        if let Some(history) = &mut self.tab_mut().history {
            history.selected = Some(ItemKey::Outbox(row));
        }
    }

    /// Opens a conversation from any page.
    pub(crate) fn open_conversation(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        focus: Focus,
        context: &mut Context,
    ) {
        self.activate_tab(channel);
        self.page = PageKind::Inbox;
        let visible = self.list_rows(&self.areas(context));
        let key = ConversationKey { channel: channel.clone(), conversation: conversation.clone() };
        self.list_mut().select(&key, visible);
        self.show_conversation(&key, context);
        let Some(tab) = self.tab_of(channel) else { return };
        if let Some(history) = &mut tab.history {
            history.opened = true;
        }
        tab.focus = focus;
    }
}

pub(crate) fn go_to_page(inbox: &mut Inbox, page: PageKind) {
    inbox.desk.page = page;
    match page {
        PageKind::Inbox => (),
        PageKind::Outbox => inbox.outbox.rows.mark_stale(),
        PageKind::Drafts => inbox.outbox.drafts.mark_stale(),
        PageKind::Proposals => inbox.outbox.proposals.mark_stale(),
        PageKind::Reviews => inbox.outbox.reviews.rows.mark_stale(),
        PageKind::People => inbox.people.go_to_people(&mut inbox.desk),
        PageKind::Broadcasts => broadcasts::go_to_board(inbox),
        PageKind::Wall => inbox.overview.open(&mut inbox.desk),
        PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
            inbox.cards.go_to_card_page(page, &mut inbox.desk, &mut inbox.context)
        }
    }
}

/// Toggles between the rows of this tab and of all.
pub(crate) fn toggle_all_tabs(inbox: &mut Inbox) {
    let all = match inbox.desk.page {
        PageKind::Drafts => &mut inbox.outbox.drafts.all_tabs,
        PageKind::Proposals => &mut inbox.outbox.proposals.all_tabs,
        PageKind::Reviews => &mut inbox.outbox.reviews.rows.all_tabs,
        PageKind::Broadcasts => &mut inbox.broadcasts.rows.all_tabs,
        _ => &mut inbox.outbox.rows.all_tabs,
    };
    *all = !*all;
}

pub(crate) fn move_row_selection(inbox: &mut Inbox, by: isize) {
    match inbox.desk.page {
        PageKind::Inbox => (),
        PageKind::Outbox => inbox.outbox.rows.step(by),
        PageKind::Drafts => inbox.outbox.drafts.step(by),
        PageKind::Proposals => inbox.outbox.proposals.step(by),
        PageKind::Reviews => inbox.outbox.reviews.rows.step(by),
        PageKind::People => inbox.people.rows.step(by),
        PageKind::Broadcasts => inbox.broadcasts.rows.step(by),
        PageKind::Wall => inbox.overview.step(by, &inbox.desk),
        PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
            inbox.cards.cards.step(by)
        }
    }
}

/// Rows of the page that fit on screen.
pub(crate) fn visible_rows(inbox: &Inbox) -> usize {
    let (body, detail) = page_areas(inbox);
    let body =
        if inbox.desk.page == PageKind::Reviews { reviews_view::split_areas(inbox, body).0 } else { body };
    let lines = usize::from(if detail.is_some() { body.height } else { body.inner().height });
    let each = match inbox.desk.page {
        PageKind::Inbox | PageKind::Outbox => OUTBOX_LINES,
        PageKind::Drafts => DRAFT_LINES,
        PageKind::Proposals => PROPOSAL_LINES,
        PageKind::Reviews => REVIEW_LINES,
        _ => 1,
    };
    (lines / each).max(1)
}

pub(crate) fn go_to_row(inbox: &mut Inbox) {
    match inbox.desk.page {
        PageKind::People => return inbox.people.go_to_person(&mut inbox.desk, &mut inbox.context),
        PageKind::Broadcasts => return inbox.broadcasts.open_recipients(&mut inbox.context),
        PageKind::Wall => return overview::open_selected_tab(inbox),
        PageKind::Proposals => {
            let Some(row) = inbox.outbox.proposals.chosen() else { return };
            let (channel, conversation) = (row.proposal.channel.clone(), row.proposal.conversation.clone());
            return inbox.desk.open_conversation(&channel, &conversation, Focus::History, &mut inbox.context);
        }
        PageKind::Reviews => {
            let Some(review) = inbox.outbox.reviews.rows.chosen() else { return };
            let (channel, conversation) = (review.channel.clone(), review.conversation.clone());
            return inbox.desk.open_conversation(&channel, &conversation, Focus::History, &mut inbox.context);
        }
        page if is_card_page(page) => return cards::open_card(inbox),
        _ => (),
    }
    if inbox.desk.page == PageKind::Drafts {
        let Some(draft) = inbox.outbox.drafts.chosen() else { return };
        let (channel, conversation) = (draft.channel.clone(), draft.conversation.clone());
        let mode = if draft.is_note { ComposerMode::Note } else { ComposerMode::Reply };
        if writing::continue_mail(&mut inbox.desk, &channel, &conversation, mode, &mut inbox.context) {
            return;
        }
        inbox.desk.open_conversation(&channel, &conversation, Focus::Composer, &mut inbox.context);
        if let Some(composer) = &mut inbox.desk.tab_mut().composer {
            composer.mode = mode;
        }
        return;
    }
    let Some(entry) = inbox.outbox.rows.chosen() else { return };
    let (channel, row) = (entry.row.channel.clone(), entry.row.id.clone());
    match entry.row.lane.conversation().cloned() {
        Some(conversation) => {
            inbox.desk.open_conversation(&channel, &conversation, Focus::History, &mut inbox.context);
            inbox.desk.select_item(row);
        }
        None => inbox.context.show_warning("no conversation belongs to it"),
    }
}

pub(crate) fn load_rows(inbox: &mut Inbox) {
    let channel = inbox.desk.tab().channel.id.clone();
    let visible = visible_rows(inbox);
    let load = match inbox.desk.page {
        PageKind::Inbox => return,
        PageKind::People => return people::load_people(inbox),
        PageKind::Broadcasts => return broadcasts::load_board(inbox),
        PageKind::Wall => return inbox.overview.load(&mut inbox.context),
        PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
            return cards::load_cards(inbox);
        }
        PageKind::Outbox => {
            inbox.outbox.rows.reveal(visible);
            inbox.outbox.rows.take_query(&channel, inbox.context.moment).map(Load::Outbox)
        }
        PageKind::Proposals => {
            inbox.outbox.proposals.reveal(visible);
            inbox.outbox.proposals.take_query(&channel, inbox.context.moment).map(Load::Proposals)
        }
        PageKind::Reviews => {
            inbox.outbox.reviews.rows.reveal(visible);
            let one_in = inbox.context.settings.review_one_in;
            let query = inbox.outbox.reviews.rows.take_query(&channel, inbox.context.moment);
            query.map(|query| Load::Reviews(query, one_in, inbox.context.now))
        }
        PageKind::Drafts => {
            inbox.outbox.drafts.reveal(visible);
            inbox.outbox.drafts.take_query(&channel, inbox.context.moment).map(Load::Drafts)
        }
    };
    inbox.context.effects.extend(load.map(Effect::Load));
}

/// Areas of a page's list and details, side by side if there is room. `None` without details.
pub fn page_areas(inbox: &Inbox) -> (Area, Option<Area>) {
    let body = inbox.desk.areas(&inbox.context).body;
    if matches!(
        inbox.desk.page,
        PageKind::Inbox
            | PageKind::Outbox
            | PageKind::Drafts
            | PageKind::Proposals
            | PageKind::Reviews
            | PageKind::Wall
    ) {
        return (body, None);
    }
    let inner = body.inner();
    if inner.width >= SIDE_BY_SIDE_MIN_WIDTH {
        let wide = inner.width * 3 / 5;
        let detail = Area { x: inner.x + wide + 1, width: inner.width - wide - 1, ..inner };
        return (Area { width: wide, ..inner }, Some(detail));
    }
    let mut high = (inner.height * 2 / 5).max(5).min(inner.height);
    if is_card_page(inbox.desk.page) {
        // A short list leaves its space to the details.
        let rows = u16::try_from(inbox.cards.cards.rows.len()).unwrap_or(u16::MAX).max(3);
        high = high.max(inner.height.saturating_sub(rows));
    }
    if inbox.desk.page == PageKind::Broadcasts {
        let rows = u16::try_from(inbox.broadcasts.rows.rows.len()).unwrap_or(u16::MAX).clamp(2, 8);
        high = high.max(inner.height.saturating_sub(rows));
    }
    let list = Area { height: inner.height - high, ..inner };
    (list, Some(Area { y: inner.y + list.height, height: high, ..inner }))
}
