//! Triage: one thread at a time over the whole width, one key for each
//! decision, the next ones loaded before they are wanted. Nothing waits for
//! the server: decisions are queued, and taken back one by one.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder};
use crate::screens::history::ahead::update::THREADS;
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

/// Threads of one triage at most.
const MOST: u32 = 1_000;

impl Tab {
    /// The triage of this tab, if one is under way.
    pub fn triage(&self) -> Option<&Triage> {
        self.mail.triage.as_ref()
    }

    /// Whether a thread is being decided over, or all were.
    pub fn is_in_triage(&self) -> bool {
        self.mail.triage.is_some()
    }
}

impl Desk {
    /// Asks for the threads of the list, to go through them.
    pub(crate) fn begin_triage(&mut self, context: &mut Context) {
        let query = ConversationQuery { anchor: Anchor::Top, limit: MOST, ..self.list().query() };
        context.push(Effect::Load(Load::Triage(query)));
    }

    /// The threads have come: the unread ones, or all where none is unread.
    pub(crate) fn triage_loaded(
        &mut self,
        query: &ConversationQuery,
        rows: Vec<ConversationRow>,
        context: &mut Context,
    ) {
        let now = context.moment;
        if query.channel.as_ref() != Some(&self.tab().channel.id) {
            return;
        }
        let unread: Vec<ConversationRow> = rows
            .iter()
            .filter(|row| row.thread.as_ref().is_some_and(|thread| thread.is_read == Some(false)))
            .cloned()
            .collect();
        let rows = if unread.is_empty() { rows } else { unread };
        if rows.is_empty() {
            return context.say("there is nothing to go through");
        }
        self.tab_mut().mail.triage = Some(Triage::new(rows, now));
        self.triage_next(context);
    }

    /// Goes to the next thread, and brings those after it.
    fn triage_next(&mut self, context: &mut Context) {
        let now = context.moment;
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        triage.at = triage.queue.pop_front();
        match triage.at.clone() {
            Some(row) => self.triage_show(row, context),
            None => {
                triage.ended = Some(now);
                self.tab_mut().focus = Focus::History;
            }
        }
    }

    pub(crate) fn triage_show(&mut self, row: ConversationRow, context: &mut Context) {
        let id = row.conversation.id.clone();
        let tab = &mut self.tabs[self.active];
        watch::show(tab, &id, Some(row), context);
        tab.focus = Focus::History;
        if let Some(history) = &mut tab.history {
            history.opened = true;
        }
        self.triage_ahead(context);
    }

    /// Back to the thread that is decided over, if one is.
    pub(crate) fn triage_again(&mut self, context: &mut Context) {
        if let Some(row) = self.tab().triage().and_then(|triage| triage.at.clone()) {
            self.triage_show(row, context);
        }
    }

    /// Brings the next threads from the server.
    fn triage_ahead(&mut self, context: &mut Context) {
        let channel = self.tab().channel.id.clone();
        let Some(triage) = &mut self.tabs[self.active].mail.triage else { return };
        let ahead: Vec<ConversationId> = triage
            .at
            .iter()
            .chain(triage.queue.iter().take(THREADS))
            .map(|conversation_row| conversation_row.conversation.id.clone())
            .collect();
        for id in ahead {
            if triage.asked.insert(id.clone()) {
                context.push(SyncOrder::Fetch(channel.clone(), Fetch::Mail(MailQuery::Thread(id))));
            }
        }
    }

    /// Keeps the number of the newest thing done for what was decided now.
    pub(crate) fn note_newest_in_triage(&mut self, newest: u64) {
        if let Some(triage) = &mut self.tab_mut().mail.triage {
            triage.note_newest(newest);
        }
    }

    /// Whether a thread is being decided over: not all were.
    pub(crate) fn decides_in_triage(&self) -> bool {
        self.tab().triage().is_some_and(|triage| !triage.is_over())
    }

    /// Remembers whether the current thread gets a star or loses it.
    pub(crate) fn triage_star(&mut self) {
        let row = self.current_conversation().cloned();
        let Some((row, triage)) = row.zip(self.tab_mut().mail.triage.as_mut()) else { return };
        let had = row.thread.as_ref().is_some_and(|thread| thread.is_starred == Some(true));
        let id = row.conversation.id;
        if had {
            triage.starred.remove(&id);
        } else {
            triage.starred.insert(id);
        }
    }

    /// The current thread stays as it is.
    pub(crate) fn triage_left(&mut self, context: &mut Context) {
        self.triage_decided(TriageDecision::Left, None, context);
    }

    /// The current thread was decided over: on to the next. The number is
    /// that of what was done with it.
    pub(crate) fn triage_decided(&mut self, what: TriageDecision, group: Option<u64>, context: &mut Context) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let Some(row) = triage.at.take() else { return };
        if what == TriageDecision::Answered {
            let read = read_change(true);
            self.file_quietly(&row, read, context);
        }
        if let Some(triage) = &mut self.tab_mut().mail.triage {
            triage.decided.push(TriageStep { rows: vec![row], what, group, newest: None });
        }
        self.triage_next(context);
        let alike = self.tab().triage().and_then(Triage::alike);
        if let Some((_, rest)) = alike.filter(|(what, _)| what.is_for_many()) {
            let from = rest.first().and_then(address).unwrap_or_default();
            let words = context.keyed(" · {same-for-all} same for all · {undo} undoes");
            context.say(format!("{} more from {from}{words}", rest.len()));
        }
    }

    /// The current thread goes last.
    pub(crate) fn triage_later(&mut self, context: &mut Context) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        if triage.queue.is_empty() {
            return context.say("it is the last one");
        }
        if let Some(row) = triage.at.take() {
            triage.queue.push_back(row);
        }
        self.triage_next(context);
        context.say("it comes again at the end");
    }

    /// Back to the thread before, without taking anything back.
    pub(crate) fn triage_back(&mut self, context: &mut Context) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let last = triage
            .decided
            .pop_if(|triage_step| triage_step.what == TriageDecision::Left && triage_step.rows.len() == 1);
        match last.and_then(|triage_step| triage_step.rows.into_iter().next()) {
            Some(row) => self.triage_return(row, context),
            None => context.say(context.keyed("{undo} takes the last decision back")),
        }
    }

    fn triage_return(&mut self, row: ConversationRow, context: &mut Context) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        if let Some(at) = triage.at.take() {
            triage.queue.push_front(at);
        }
        triage.ended = None;
        triage.at = Some(row.clone());
        self.triage_show(row, context);
    }

    /// Asks whether the last decision is meant for all of its sender.
    pub(crate) fn ask_same(&mut self, context: &mut Context) {
        match self.tab().triage().and_then(Triage::alike) {
            Some((what, rest)) if what.is_for_many() => {
                let from = rest.first().and_then(address).unwrap_or_default().to_owned();
                let (count, name) = (rest.len(), SafeText::line(&from));
                let words = match what.filing() {
                    Some(filing) => format!("{} {count} threads from {name}", filing.verb()),
                    None => format!("leave {count} threads from {name} as they are"),
                };
                let once = context.keyed("One {undo} takes all of them back.");
                let lines = vec![DialogLine::plain(words), DialogLine::dim(once)];
                let question =
                    Confirm::new("The same for all?", lines).answer('y', "yes", |inbox: &mut Inbox| {
                        inbox.changes.same_for_all(&mut inbox.desk, &mut inbox.context)
                    });
                context.open(question.no("one by one").naming(move |names| names.add(&from)));
            }
            _ => context.say("the same for all is offered after three alike from one sender"),
        }
    }

    pub(crate) fn leave_triage(&mut self, context: &mut Context) {
        let Some(triage) = self.tab_mut().mail.triage.take() else { return };
        self.tab_mut().focus = Focus::List;
        if !triage.is_over() {
            let counts = describe_counts(triage.counts());
            let colon = if counts.is_empty() { "" } else { ": " };
            let words = context.keyed(" · {triage} goes on");
            context.say(format!("{} of {}{colon}{counts}{words}", triage.seen(), triage.total));
        }
    }

    fn file_quietly(&mut self, row: &ConversationRow, change: ThreadChange, context: &mut Context) {
        if let Some(intent) = self.filed(row, change) {
            context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }
}

impl Changes {
    /// Files the current thread, and goes on to the next.
    pub(crate) fn triage_file(
        &mut self,
        filing: &ThreadFiling,
        what: TriageDecision,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let Some(row) = desk.tab().triage().and_then(|triage| triage.at.clone()) else { return };
        match self.file(vec![row], &filing.notice(), &|row| filing.change(row), desk, context) {
            None => context.warn("it is not on the server yet"),
            group => desk.triage_decided(what, group, context),
        }
    }

    /// The last decision is meant for all of its sender.
    fn same_for_all(&mut self, desk: &mut Desk, context: &mut Context) {
        let Some((what, rest)) = desk.tab().triage().and_then(Triage::alike) else { return };
        let group = what.filing().and_then(|filing| {
            self.file(rest.clone(), filing.past(), &|row| filing.change(row), desk, context)
        });
        if what.filing().is_some() && group.is_none() {
            return context.warn("they are not on the server yet");
        }
        let Some(triage) = &mut desk.tab_mut().mail.triage else { return };
        let is_of = |conversation_row: &ConversationRow| {
            rest.iter().any(|one| one.conversation.id == conversation_row.conversation.id)
        };
        triage.queue.retain(|queue| !is_of(queue));
        let went = triage.at.take_if(|conversation_row| is_of(conversation_row)).is_some();
        triage.decided.push(TriageStep { rows: rest, what, group, newest: None });
        if went {
            desk.triage_next(context);
        }
    }
}
