//! Triage: one thread at a time over the whole width, one key per decision, the next threads loaded
//! ahead. Decisions are queued without waiting for the server and undone one by one.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder};
use crate::screens::history::prefetch::update::PREFETCHED_THREADS;
use crate::screens::mail::filing;
use crate::screens::mail::thread_filing::{ThreadFiling, read_change};
use crate::screens::mail::triage::{Triage, TriageDecision, TriageStep, address, describe_counts};
use crate::tab::{Focus, Tab};
use crate::watch::update as watch;
use model::conversations::ConversationRow;
use model::email::MailQuery;
use model::fetches::Fetch;
use model::ids::ConversationId;
use model::outbox::content::ThreadChange;
use model::queries::{Anchor, ConversationQuery};
use model::text::SafeText;

const MAX_THREADS: u32 = 1_000;

impl Tab {
    pub fn triage(&self) -> Option<&Triage> {
        self.mail.triage.as_ref()
    }

    /// True if the summary of a triage is shown.
    pub fn has_finished_triage(&self) -> bool {
        self.triage().is_some_and(Triage::is_over)
    }

    pub fn is_in_triage(&self) -> bool {
        self.mail.triage.is_some()
    }
}

pub(crate) fn start_triage(desk: &mut Desk, context: &mut Context) {
    let query = ConversationQuery { anchor: Anchor::Top, limit: MAX_THREADS, ..desk.list().query() };
    context.push(Effect::Load(Load::Triage(query)));
}

/// Starts the triage with the unread threads, with all if none is unread.
pub(crate) fn triage_loaded(
    desk: &mut Desk,
    query: &ConversationQuery,
    rows: Vec<ConversationRow>,
    context: &mut Context,
) {
    let now = context.moment;
    if query.channel.as_ref() != Some(&desk.tab().channel.id) {
        return;
    }
    let unread: Vec<ConversationRow> = rows
        .iter()
        .filter(|row| row.thread.as_ref().is_some_and(|thread| thread.is_read == Some(false)))
        .cloned()
        .collect();
    let rows = if unread.is_empty() { rows } else { unread };
    if rows.is_empty() {
        return context.show_notice("no unread threads");
    }
    desk.tab_mut().mail.triage = Some(Triage::new(rows, now));
    show_next_in_triage(desk, context);
}

/// Shows the next thread and requests those after it.
fn show_next_in_triage(desk: &mut Desk, context: &mut Context) {
    let now = context.moment;
    let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
    triage.current = triage.queue.pop_front();
    match triage.current.clone() {
        Some(row) => show_in_triage(desk, row, context),
        None => {
            triage.ended_at = Some(now);
            desk.tab_mut().focus = Focus::History;
        }
    }
}

pub(crate) fn show_in_triage(desk: &mut Desk, row: ConversationRow, context: &mut Context) {
    let id = row.conversation.id.clone();
    let tab = &mut desk.tabs[desk.active];
    watch::show_conversation(tab, &id, Some(row), context);
    tab.focus = Focus::History;
    if let Some(history) = &mut tab.history {
        history.opened = true;
    }
    prefetch_triage(desk, context);
}

pub(crate) fn show_current_in_triage(desk: &mut Desk, context: &mut Context) {
    if let Some(row) = desk.tab().triage().and_then(|triage| triage.current.clone()) {
        show_in_triage(desk, row, context);
    }
}

/// Requests the current and the next threads from the server, each once.
fn prefetch_triage(desk: &mut Desk, context: &mut Context) {
    let channel = desk.tab().channel.id.clone();
    let Some(triage) = &mut desk.tabs[desk.active].mail.triage else { return };
    let ahead: Vec<ConversationId> = triage
        .current
        .iter()
        .chain(triage.queue.iter().take(PREFETCHED_THREADS))
        .map(|conversation_row| conversation_row.conversation.id.clone())
        .collect();
    for id in ahead {
        if triage.requested.insert(id.clone()) {
            context.push(SyncOrder::Fetch(channel.clone(), Fetch::Mail(MailQuery::Thread(id))));
        }
    }
}

pub(crate) fn record_newest_in_triage(desk: &mut Desk, newest: u64) {
    if let Some(triage) = &mut desk.tab_mut().mail.triage {
        triage.record_newest_group(newest);
    }
}

/// True while a triage has undecided threads.
pub(crate) fn is_deciding_in_triage(desk: &Desk) -> bool {
    desk.tab().triage().is_some_and(|triage| !triage.is_over())
}

/// Records that the current thread gets or loses its star.
pub(crate) fn toggle_triage_star(desk: &mut Desk) {
    let row = desk.current_conversation().cloned();
    let Some((row, triage)) = row.zip(desk.tab_mut().mail.triage.as_mut()) else { return };
    let had = row.thread.as_ref().is_some_and(|thread| thread.is_starred == Some(true));
    let id = row.conversation.id;
    if had {
        triage.starred.remove(&id);
    } else {
        triage.starred.insert(id);
    }
}

pub(crate) fn skip_in_triage(desk: &mut Desk, context: &mut Context) {
    record_triage_decision(desk, TriageDecision::Left, None, context);
}

/// Records a decision for the current thread and shows the next. `group` is its undo group.
pub(crate) fn record_triage_decision(
    desk: &mut Desk,
    what: TriageDecision,
    group: Option<u64>,
    context: &mut Context,
) {
    let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
    let Some(row) = triage.current.take() else { return };
    if what == TriageDecision::Answered {
        let read = read_change(true);
        file_without_undo(desk, &row, read, context);
    }
    if let Some(triage) = &mut desk.tab_mut().mail.triage {
        triage.decided.push(TriageStep { rows: vec![row], decision: what, group, newest_group: None });
    }
    show_next_in_triage(desk, context);
    let alike = desk.tab().triage().and_then(Triage::remaining_alike);
    if let Some((_, rest)) = alike.filter(|(what, _)| what.is_for_many()) {
        let from = rest.first().and_then(address).unwrap_or_default();
        let words = context.fill_in_keys(" · {same-for-all} same for all · {undo} undo");
        context.show_notice(format!("{} more from {from}{words}", rest.len()));
    }
}

pub(crate) fn postpone_in_triage(desk: &mut Desk, context: &mut Context) {
    let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
    if triage.queue.is_empty() {
        return context.show_notice("this is the last thread");
    }
    if let Some(row) = triage.current.take() {
        triage.queue.push_back(row);
    }
    show_next_in_triage(desk, context);
    context.show_notice("shown again at the end");
}

/// Goes back to the previous thread if it was left as it is; other decisions need an undo.
pub(crate) fn go_back_in_triage(desk: &mut Desk, context: &mut Context) {
    let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
    let last = triage
        .decided
        .pop_if(|triage_step| triage_step.decision == TriageDecision::Left && triage_step.rows.len() == 1);
    match last.and_then(|triage_step| triage_step.rows.into_iter().next()) {
        Some(row) => return_to_triage_thread(desk, row, context),
        None => context.show_notice(context.fill_in_keys("{undo} undo")),
    }
}

fn return_to_triage_thread(desk: &mut Desk, row: ConversationRow, context: &mut Context) {
    let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
    if let Some(at) = triage.current.take() {
        triage.queue.push_front(at);
    }
    triage.ended_at = None;
    triage.current = Some(row.clone());
    show_in_triage(desk, row, context);
}

/// Asks whether to apply the last decision to all threads of its sender.
pub(crate) fn ask_apply_to_sender(desk: &mut Desk, context: &mut Context) {
    match desk.tab().triage().and_then(Triage::remaining_alike) {
        Some((what, rest)) if what.is_for_many() => {
            let from = rest.first().and_then(address).unwrap_or_default().to_owned();
            let (count, name) = (rest.len(), SafeText::line(&from));
            let words = match what.filing() {
                Some(filing) => format!("{} {count} threads from {name}", filing.verb()),
                None => format!("leave {count} threads from {name} as they are"),
            };
            let once = context.fill_in_keys("One {undo} undoes all of them.");
            let lines = vec![DialogLine::plain(words), DialogLine::dim(once)];
            let question =
                Confirm::new("The same for all?", lines).answer('y', "yes", |inbox: &mut Inbox| {
                    inbox.changes.apply_to_sender(&mut inbox.desk, &mut inbox.context)
                });
            context.open(question.no("one by one"));
        }
        _ => context.show_notice("available after 3 identical decisions"),
    }
}

pub(crate) fn leave_triage(desk: &mut Desk, context: &mut Context) {
    let Some(triage) = desk.tab_mut().mail.triage.take() else { return };
    desk.tab_mut().focus = Focus::List;
    if !triage.is_over() {
        let counts = describe_counts(triage.counts());
        let colon = if counts.is_empty() { "" } else { ": " };
        let words = context.fill_in_keys(" · {triage} continue");
        context.show_notice(format!("{} of {}{colon}{counts}{words}", triage.decided_count(), triage.total));
    }
}

fn file_without_undo(desk: &mut Desk, row: &ConversationRow, change: ThreadChange, context: &mut Context) {
    if let Some(intent) = filing::filing_intent(desk, row, change) {
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    }
}

impl Changes {
    pub(crate) fn file_in_triage(
        &mut self,
        filing: &ThreadFiling,
        what: TriageDecision,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let Some(row) = desk.tab().triage().and_then(|triage| triage.current.clone()) else { return };
        match self.file_threads(vec![row], &filing.notice(), &|row| filing.to_change(row), desk, context) {
            None => context.show_warning("it is not on the server yet"),
            group => record_triage_decision(desk, what, group, context),
        }
    }

    /// Applies the last decision to all remaining threads of its sender.
    fn apply_to_sender(&mut self, desk: &mut Desk, context: &mut Context) {
        let Some((what, rest)) = desk.tab().triage().and_then(Triage::remaining_alike) else { return };
        let group = what.filing().and_then(|filing| {
            self.file_threads(rest.clone(), filing.past_verb(), &|row| filing.to_change(row), desk, context)
        });
        if what.filing().is_some() && group.is_none() {
            return context.show_warning("they are not on the server yet");
        }
        let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
        let is_of = |conversation_row: &ConversationRow| {
            rest.iter().any(|one| one.conversation.id == conversation_row.conversation.id)
        };
        triage.queue.retain(|queue| !is_of(queue));
        let went = triage.current.take_if(|conversation_row| is_of(conversation_row)).is_some();
        triage.decided.push(TriageStep { rows: rest, decision: what, group, newest_group: None });
        if went {
            show_next_in_triage(desk, context);
        }
    }
}
