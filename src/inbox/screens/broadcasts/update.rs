//! Loads the board, and handles the results of actions.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::broadcasts::sending;
use crate::screens::broadcasts::{BroadcastQuery, BroadcastResult, BroadcastsScreen};
use model::account::Platform;
use model::board::BoardEntry;
use model::time::{SECOND, Timestamp};

/// Returns true if the channel of the active tab has broadcasts.
pub fn has_broadcasts(desk: &Desk) -> bool {
    desk.tab().platform().is_none_or(|platform| *platform == Platform::Whatsapp)
}

impl BroadcastsScreen {
    /// Next second of a countdown on the page.
    pub(crate) fn next_countdown_at(&self, desk: &Desk, context: &Context) -> Option<Timestamp> {
        let rows = self.rows.rows.iter().filter(|_| desk.page == PageKind::Broadcasts);
        let held = rows
            .filter_map(BoardEntry::campaign)
            .filter(|campaign| campaign.started_waves() == 0 && campaign.starts_at > context.now);
        held.map(|campaign| {
            context.now.plus((campaign.starts_at.since(context.now) - 1).rem_euclid(SECOND) + 1)
        })
        .min()
    }
}

pub(crate) fn go_to_board(inbox: &mut Inbox) {
    inbox.desk.page = PageKind::Broadcasts;
    mark_board_stale(inbox);
}

pub(crate) fn mark_board_stale(inbox: &mut Inbox) {
    inbox.broadcasts.rows.mark_stale();
    inbox.broadcasts.detail_stale = true;
    inbox.overview.mark_stale();
}

/// Requests the outdated rows, and the detail of the selected one.
pub(crate) fn load_board(inbox: &mut Inbox) {
    let channel = inbox.desk.tab().channel.id.clone();
    let visible = pages::visible_rows(inbox);
    inbox.broadcasts.rows.reveal(visible);
    inbox.context.effects.extend(
        inbox
            .broadcasts
            .rows
            .take_query(&channel, inbox.context.moment)
            .map(|query| Effect::Load(Load::Broadcasts(BroadcastQuery::Rows(query)))),
    );
    inbox.cards.request_events(&inbox.desk, &mut inbox.context);
    let chosen = inbox.broadcasts.rows.chosen().map(BoardEntry::id);
    let board = &mut inbox.broadcasts;
    if chosen != board.detail_requested || (board.detail_stale && chosen.is_some()) {
        board.detail_requested.clone_from(&chosen);
        board.detail_stale = false;
        inbox
            .context
            .effects
            .extend(chosen.map(|chosen| Effect::Load(Load::Broadcasts(BroadcastQuery::Detail(chosen)))));
    }
}

pub(crate) fn receive_result(inbox: &mut Inbox, told: BroadcastResult) {
    match told {
        BroadcastResult::Rows(query, rows) => inbox.broadcasts.receive_rows(&query, rows),
        BroadcastResult::Detail(id, detail) => {
            inbox.broadcasts.detail = Some((id, detail));
            inbox.broadcasts.refresh_recipients(&mut inbox.context);
        }
        BroadcastResult::Audience(query, found) => {
            sending::receive_audience(&mut inbox.context, &query, found)
        }
        BroadcastResult::Running(running) => inbox.overview.broadcasts = running,
        BroadcastResult::Handover(facts) => {
            inbox.features.copy_handover(&facts, &inbox.desk, &mut inbox.context)
        }
    }
}
