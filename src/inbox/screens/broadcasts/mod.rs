//! The board: broadcasts that go on and those of before, how each stands, and
//! what can be done between two waves.

pub(crate) mod charts_view;
pub(crate) mod commands;
pub(crate) mod completed;
pub mod flight;
pub mod form;
pub mod form_view;
pub(crate) mod sending;
pub mod steering;
pub mod view;

use crate::Inbox;
use crate::components::paged_rows::{PageRow, PagedRows};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::features::handover::HandoverFacts;
use crate::pages;
use crate::pages::PageKind;
use model::account::Platform;
use model::board::{BoardDetail, BoardEntry, BoardId};
use model::ids::{BroadcastId, CampaignId, ChannelId};
use model::queries::DeskQuery;
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use model::waves::audience::{AudienceQuery, ResolvedAudience};
use model::waves::{NewCampaign, Phase};

use form::BroadcastForm;

/// Something to be done to a broadcast; with the quality rating as it is
/// known, where it is begun or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastOrder {
    /// Begin it.
    Begin(Box<NewCampaign>, Option<SafeText>),
    /// Take it back, if nothing has left.
    Recall(CampaignId),
    /// Pause or stop it between waves.
    Halt(CampaignId, Phase),
    /// Let it go on, within another limit of failures where one is given.
    Continue(CampaignId, Option<u8>, Option<SafeText>),
    /// Watch one of elsewhere.
    Track(ChannelId, BroadcastId),
    /// Write a report into a file that is not there yet.
    Report {
        /// What it says.
        text: String,
        /// Where.
        file: String,
    },
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastActionResult {
    /// One was begun.
    Begun(Box<NewCampaign>, CampaignId),
    /// Another was carried out; false: it came too late.
    Done(BroadcastOrder, bool),
    /// The files failed.
    Failed(BroadcastOrder, String),
}

/// What is asked of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastQuery {
    /// The rows of a tab, or of all.
    Rows(DeskQuery),
    /// How one went, and whom it reached.
    Detail(BoardId),
    /// Whom an audience comes to.
    Audience(AudienceQuery),
    /// What goes on or waits, of all tabs.
    Running,
    /// What a handover says.
    Handover,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum BroadcastResult {
    /// The rows.
    Rows(DeskQuery, Vec<BoardEntry>),
    /// How one went.
    Detail(BoardId, BoardDetail),
    /// Whom it comes to, or why nobody knows.
    Audience(AudienceQuery, Result<ResolvedAudience, String>),
    /// What goes on or waits.
    Running(Vec<BoardEntry>),
    /// What a handover says.
    Handover(HandoverFacts),
}

impl PageRow for BoardEntry {
    type Name = BoardId;

    fn name(&self) -> BoardId {
        self.id()
    }
}

/// The page's state.
#[derive(Debug, Default)]
pub struct Board {
    /// The rows.
    pub rows: PagedRows<BoardEntry>,
    /// What was read of the chosen row, and whose it is.
    pub detail: Option<(BoardId, BoardDetail)>,
    detail_asked: Option<BoardId>,
    detail_stale: bool,
    /// A form that was left and not sent.
    kept: Option<Box<BroadcastForm>>,
    rehearsal: crate::screens::broadcasts::flight::Rehearsal,
    /// Whether the recipients on screen are to be shown anew.
    refreshes: bool,
    /// One that is to be chosen once it has come.
    choose: Option<CampaignId>,
}

impl Board {
    /// A row of the outbox may have moved on.
    pub(crate) fn rehearsal_changed(&mut self) {
        self.rehearsal.stale = true;
    }
}

impl Desk {
    /// Whether the tab at hand has broadcasts.
    pub fn has_broadcasts(&self) -> bool {
        self.tab().platform().is_none_or(|it| *it == Platform::Whatsapp)
    }
}

impl Board {
    /// What was read of the chosen row.
    pub fn board_detail(&self) -> Option<&BoardDetail> {
        let chosen = self.rows.chosen()?.id();
        self.detail.as_ref().filter(|it| it.0 == chosen).map(|it| &it.1)
    }

    /// When a countdown of the page shows another second.
    pub(crate) fn board_due(&self, desk: &Desk, context: &Context) -> Option<Timestamp> {
        let rows = self.rows.rows.iter().filter(|_| desk.page == PageKind::Broadcasts);
        let held =
            rows.filter_map(BoardEntry::campaign).filter(|it| it.begun() == 0 && it.starts_at > context.now);
        held.map(|it| context.now.plus((it.starts_at.since(context.now) - 1).rem_euclid(SECOND) + 1)).min()
    }

    /// Rows of the page have come.
    fn board_loaded(&mut self, query: &DeskQuery, rows: Vec<BoardEntry>) {
        self.rows.receive(query, rows, false);
        if let Some(id) = self.choose.take() {
            let id = BoardId::Campaign(id);
            self.rows.choose(&id);
            if self.rows.chosen().is_none_or(|it| it.id() != id)
                && let BoardId::Campaign(id) = id
            {
                self.choose = Some(id);
            }
        }
    }
}

/// Goes to the page.
pub(crate) fn go_to_board(inbox: &mut Inbox) {
    inbox.desk.page = PageKind::Broadcasts;
    board_changed(inbox);
}

/// What is shown may be old.
pub(crate) fn board_changed(inbox: &mut Inbox) {
    inbox.broadcasts.rows.mark_stale();
    inbox.broadcasts.detail_stale = true;
    inbox.overview.wall_changed();
}

/// Asks for the rows that may be old, and for the chosen one's detail.
pub(crate) fn load_board(inbox: &mut Inbox) {
    let channel = inbox.desk.tab().channel.id.clone();
    let visible = pages::rows_shown(inbox);
    inbox.broadcasts.rows.reveal(visible);
    inbox.context.effects.extend(
        inbox
            .broadcasts
            .rows
            .take_query(&channel, inbox.context.now)
            .map(|it| Effect::Load(Load::Broadcasts(BroadcastQuery::Rows(it)))),
    );
    inbox.cards.ask_completed(&inbox.desk, &mut inbox.context);
    let chosen = inbox.broadcasts.rows.chosen().map(BoardEntry::id);
    let board = &mut inbox.broadcasts;
    if chosen != board.detail_asked || (board.detail_stale && chosen.is_some()) {
        board.detail_asked.clone_from(&chosen);
        board.detail_stale = false;
        inbox
            .context
            .effects
            .extend(chosen.map(|it| Effect::Load(Load::Broadcasts(BroadcastQuery::Detail(it)))));
    }
}

/// What was asked about broadcasts has come.
pub(crate) fn broadcasts_told(inbox: &mut Inbox, told: BroadcastResult) {
    match told {
        BroadcastResult::Rows(query, rows) => inbox.broadcasts.board_loaded(&query, rows),
        BroadcastResult::Detail(id, detail) => {
            inbox.broadcasts.detail = Some((id, detail));
            inbox.broadcasts.refresh_recipients(&mut inbox.context);
        }
        BroadcastResult::Audience(query, found) => inbox.context.audience_found(&query, found),
        BroadcastResult::Running(running) => inbox.overview.broadcasts = running,
        BroadcastResult::Handover(facts) => {
            inbox.features.request_log.hand_over(&facts, &inbox.desk, &mut inbox.context)
        }
    }
}
