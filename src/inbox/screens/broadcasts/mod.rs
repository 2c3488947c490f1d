//! The board: broadcasts that go on and those of before, how each stands, and
//! what can be done between two waves.

pub(crate) mod availability;
pub(crate) mod charts_view;
pub(crate) mod completed;
pub mod flight;
pub mod form;
pub mod form_view;
pub(crate) mod sending;
pub mod steering;
pub mod view;

use crate::Inbox;
use crate::commands::Command;
use crate::components::paged_rows::{PageRow, PagedRows};
use crate::event::{Effect, Load};
use crate::features::handover::HandoverFacts;
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

impl Inbox {
    /// Whether the tab at hand has broadcasts.
    pub fn has_broadcasts(&self) -> bool {
        self.tab().platform().is_none_or(|it| *it == Platform::Whatsapp)
    }

    /// What was read of the chosen row.
    pub fn board_detail(&self) -> Option<&BoardDetail> {
        let chosen = self.board.rows.chosen()?.id();
        self.board.detail.as_ref().filter(|it| it.0 == chosen).map(|it| &it.1)
    }

    /// Goes to the page.
    pub(crate) fn go_to_board(&mut self) {
        self.page = PageKind::Broadcasts;
        self.board_changed();
    }

    /// What is shown may be old.
    pub(crate) fn board_changed(&mut self) {
        self.board.rows.mark_stale();
        self.board.detail_stale = true;
        self.wall_changed();
    }

    /// Asks for the rows that may be old, and for the chosen one's detail.
    pub(crate) fn load_board(&mut self) {
        let channel = self.tab().channel.id.clone();
        let visible = self.rows_shown();
        self.board.rows.reveal(visible);
        self.context.effects.extend(
            self.board
                .rows
                .take_query(&channel, self.context.now)
                .map(|it| Effect::Load(Load::Broadcasts(BroadcastQuery::Rows(it)))),
        );
        self.ask_completed();
        let chosen = self.board.rows.chosen().map(BoardEntry::id);
        let board = &mut self.board;
        if chosen != board.detail_asked || (board.detail_stale && chosen.is_some()) {
            board.detail_asked.clone_from(&chosen);
            board.detail_stale = false;
            self.context
                .effects
                .extend(chosen.map(|it| Effect::Load(Load::Broadcasts(BroadcastQuery::Detail(it)))));
        }
    }

    /// What was asked about broadcasts has come.
    pub(crate) fn broadcasts_told(&mut self, told: BroadcastResult) {
        match told {
            BroadcastResult::Rows(query, rows) => self.board_loaded(&query, rows),
            BroadcastResult::Detail(id, detail) => {
                self.board.detail = Some((id, detail));
                self.refresh_recipients();
            }
            BroadcastResult::Audience(query, found) => self.audience_found(&query, found),
            BroadcastResult::Running(running) => self.wall.broadcasts = running,
            BroadcastResult::Handover(facts) => self.hand_over(&facts),
        }
    }

    /// When a countdown of the page shows another second.
    pub(crate) fn board_due(&self) -> Option<Timestamp> {
        let rows = self.board.rows.rows.iter().filter(|_| self.page == PageKind::Broadcasts);
        let held = rows
            .filter_map(BoardEntry::campaign)
            .filter(|it| it.begun() == 0 && it.starts_at > self.context.now);
        held.map(|it| {
            self.context.now.plus((it.starts_at.since(self.context.now) - 1).rem_euclid(SECOND) + 1)
        })
        .min()
    }

    /// Rows of the page have come.
    fn board_loaded(&mut self, query: &DeskQuery, rows: Vec<BoardEntry>) {
        self.board.rows.receive(query, rows, false);
        if let Some(id) = self.board.choose.take() {
            let id = BoardId::Campaign(id);
            self.board.rows.choose(&id);
            if self.board.rows.chosen().is_none_or(|it| it.id() != id)
                && let BoardId::Campaign(id) = id
            {
                self.board.choose = Some(id);
            }
        }
    }

    /// Commands of the page, and those that lead to the form.
    pub(crate) fn broadcast_command(&mut self, command: Command) -> bool {
        match command {
            Command::GoToBroadcasts => self.go_to_page(PageKind::Broadcasts),
            Command::Broadcast => self.open_broadcast(self.marked_conversations()),
            Command::BroadcastPeople => self.open_broadcast(self.marked_people()),
            Command::NewBroadcast => self.open_broadcast(self.kept_source()),
            Command::PauseBroadcast => self.pause_broadcast(),
            Command::ContinueBroadcast => self.ask_continue(),
            Command::StopBroadcast => self.ask_stop(),
            Command::RetryFailed => self.retry_failed(),
            Command::CopyFailed => self.copy_failed(),
            Command::ExportReport => self.export_report(""),
            Command::ShowRecipients => self.open_recipients(),
            _ => return false,
        }
        true
    }
}
