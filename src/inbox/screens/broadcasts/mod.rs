//! The board: running and past broadcasts with their state, and the actions between two waves.

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

/// Action on a broadcast; starting and continuing carry the last known quality rating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignAction {
    Begin(Box<NewCampaign>, Option<SafeText>),
    /// Withdraw it, if nothing was sent.
    Recall(CampaignId),
    /// Pause or stop it between waves.
    Halt(CampaignId, CampaignPhase),
    /// Continue it, with another limit of failures if given.
    Continue(CampaignId, Option<u8>, Option<SafeText>),
    /// Continue it as if a person had not paused it.
    UndoPause(CampaignId),
    /// Follow a broadcast started elsewhere.
    Track(ChannelId, BroadcastId),
    /// Write a report to a new file.
    Report {
        text: String,
        file: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignActionResult {
    Begun(Box<NewCampaign>, CampaignId),
    /// Another action was carried out; false if it came too late.
    Done(CampaignAction, bool),
    Failed(CampaignAction, String),
}

/// Query to this desk's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastQuery {
    /// The rows of a tab, or of all.
    Rows(DeskQuery),
    /// Course of a broadcast, and the recipients it reached.
    Detail(BoardId),
    Audience(AudienceQuery),
    /// Running and waiting broadcasts of all tabs.
    Running,
    /// Facts of a handover: entries that need a person, ended broadcasts, and snoozes that end; within a
    /// span.
    Handover(AttentionQuery, (Timestamp, Timestamp)),
}

#[derive(Debug, Clone, PartialEq)]
pub enum BroadcastResult {
    Rows(DeskQuery, Vec<BoardEntry>),
    Detail(BoardId, BoardDetail),
    /// Recipients of an audience, or why they are not known.
    Audience(AudienceQuery, Result<ResolvedAudience, String>),
    /// Running and waiting broadcasts.
    Running(Vec<BoardEntry>),
    Handover(HandoverFacts),
}

/// Facts of a handover in this desk's files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HandoverFacts {
    /// The outbox of all tabs.
    pub outbox: Vec<OutboxEntry>,
    /// Pauses of the AI made from here.
    pub paused: Vec<PausedEntry>,
    /// Running and waiting broadcasts.
    pub running: Vec<BoardEntry>,
    /// Broadcasts that were stopped or completed within the shift.
    pub ended: Vec<BoardEntry>,
    /// Texts written here within the shift that did not arrive.
    pub undelivered: Vec<DigestEntry>,
    /// Snoozed conversations that come back soon.
    pub snoozed: Vec<SnoozedEntry>,
    /// People who have claimed conversations, with the number of each.
    pub claims: Vec<(SafeText, u32)>,
    /// Conversations in which the AI fails, worst first.
    pub troubled: Vec<AttentionEntry>,
}

impl PageRow for BoardEntry {
    type Name = BoardId;

    fn name(&self) -> BoardId {
        self.id()
    }
}

#[derive(Debug)]
struct StartedForm {
    /// `None` until the broadcast is stored.
    campaign: Option<CampaignId>,
    form: BroadcastForm,
}

#[derive(Debug, Default)]
pub struct BroadcastsScreen {
    pub rows: PagedRows<BoardEntry>,
    /// Detail of the selected row, with its id.
    pub detail: Option<(BoardId, BoardDetail)>,
    detail_requested: Option<BoardId>,
    detail_stale: bool,
    /// Form that was left, or came back with undo; the next form begins with its input.
    unfinished_form: Option<Box<BroadcastForm>>,
    /// Form of the broadcast that was started last.
    started_form: Option<Box<StartedForm>>,
    /// True if the recipients on screen are outdated.
    refreshes_recipients: bool,
    /// Campaign to select once it is loaded.
    pending_selection: Option<CampaignId>,
}

impl BroadcastsScreen {
    /// Selects a campaign once it is loaded.
    pub(crate) fn choose_campaign(&mut self, id: CampaignId) {
        self.pending_selection = Some(id);
    }
}

impl BroadcastsScreen {
    pub fn selected_detail(&self) -> Option<&BoardDetail> {
        let chosen = self.rows.chosen()?.id();
        self.detail.as_ref().filter(|detail| detail.0 == chosen).map(|detail| &detail.1)
    }

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
