//! The board: broadcasts that go on and those of before, how each stands, and
//! what can be done between two waves.

pub(crate) mod charts_view;
pub(crate) mod commands;
pub(crate) mod completed;
pub mod control;
pub mod form;
pub mod form_view;
pub mod preflight;
pub(crate) mod sending;
pub(crate) mod update;
pub mod view;

use crate::components::paged_rows::{PageRow, PagedRows};
use model::attention::{AttentionEntry, AttentionQuery};
use model::board::{BoardDetail, BoardEntry, BoardId};
use model::digest::DigestEntry;
use model::ids::{BroadcastId, CampaignId, ChannelId};
use model::queries::DeskQuery;
use model::queries::{OutboxEntry, PausedEntry, SnoozedEntry};
use model::text::SafeText;
use model::time::Timestamp;
use model::waves::audience::{AudienceQuery, ResolvedAudience};
use model::waves::{CampaignPhase, NewCampaign};

use crate::screens::broadcasts::form::BroadcastForm;

/// Something to be done to a broadcast; with the quality rating as it is
/// known, where it is begun or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignAction {
    Begin(Box<NewCampaign>, Option<SafeText>),
    /// Take it back, if nothing has left.
    Recall(CampaignId),
    /// Pause or stop it between waves.
    Halt(CampaignId, CampaignPhase),
    /// Let it go on, within another limit of failures where one is given.
    Continue(CampaignId, Option<u8>, Option<SafeText>),
    /// Go on as if a person had not paused it.
    UndoPause(CampaignId),
    /// Watch one of elsewhere.
    Track(ChannelId, BroadcastId),
    /// Write a report into a file that is not there yet.
    Report {
        text: String,
        file: String,
    },
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignActionResult {
    Begun(Box<NewCampaign>, CampaignId),
    /// Another was carried out; false: it came too late.
    Done(CampaignAction, bool),
    Failed(CampaignAction, String),
}

/// What is asked of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastQuery {
    /// The rows of a tab, or of all.
    Rows(DeskQuery),
    /// How one went, and the recipients it reached.
    Detail(BoardId),
    Audience(AudienceQuery),
    /// What goes on or waits, of all tabs.
    Running,
    /// What a handover says: what needs a person, what ended within a span, and
    /// what comes back.
    Handover(AttentionQuery, (Timestamp, Timestamp)),
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum BroadcastResult {
    Rows(DeskQuery, Vec<BoardEntry>),
    /// How one went.
    Detail(BoardId, BoardDetail),
    /// Its recipients, or why they are not known.
    Audience(AudienceQuery, Result<ResolvedAudience, String>),
    /// What goes on or waits.
    Running(Vec<BoardEntry>),
    Handover(HandoverFacts),
}

/// What the files know of a handover.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HandoverFacts {
    /// The outbox of all tabs.
    pub outbox: Vec<OutboxEntry>,
    /// Pauses of the AI made from here.
    pub paused: Vec<PausedEntry>,
    /// Broadcasts that go on or wait.
    pub running: Vec<BoardEntry>,
    /// Broadcasts that were stopped or came to their end within the shift.
    pub ended: Vec<BoardEntry>,
    /// Texts written here that did not arrive within the shift.
    pub undelivered: Vec<DigestEntry>,
    /// What was put aside and comes back soon.
    pub snoozed: Vec<SnoozedEntry>,
    /// People who have claimed conversations, with the number of each.
    pub claims: Vec<(SafeText, u32)>,
    /// AI failing, the worst first.
    pub troubled: Vec<AttentionEntry>,
}

impl PageRow for BoardEntry {
    type Name = BoardId;

    fn name(&self) -> BoardId {
        self.id()
    }
}

/// The page's state.
#[derive(Debug, Default)]
pub struct BroadcastsScreen {
    pub rows: PagedRows<BoardEntry>,
    /// What was read of the chosen row, and whose it is.
    pub detail: Option<(BoardId, BoardDetail)>,
    detail_requested: Option<BoardId>,
    detail_stale: bool,
    /// A form that was left and not sent.
    unfinished_form: Option<Box<BroadcastForm>>,
    /// Whether the recipients on screen are to be shown anew.
    refreshes_recipients: bool,
    /// One that is to be chosen once it has come.
    pending_selection: Option<CampaignId>,
}

impl BroadcastsScreen {
    /// Chooses a campaign, once it has come.
    pub(crate) fn choose_campaign(&mut self, id: CampaignId) {
        self.pending_selection = Some(id);
    }
}

impl BroadcastsScreen {
    /// What was read of the chosen row.
    pub fn selected_detail(&self) -> Option<&BoardDetail> {
        let chosen = self.rows.chosen()?.id();
        self.detail.as_ref().filter(|detail| detail.0 == chosen).map(|detail| &detail.1)
    }

    /// Rows of the page have come.
    fn receive_rows(&mut self, query: &DeskQuery, rows: Vec<BoardEntry>) {
        self.rows.receive(query, rows, false);
        if let Some(id) = self.pending_selection.take() {
            let id = BoardId::Campaign(id);
            self.rows.choose(&id);
            if self.rows.chosen().is_none_or(|chosen| chosen.id() != id)
                && let BoardId::Campaign(id) = id
            {
                self.pending_selection = Some(id);
            }
        }
    }
}
