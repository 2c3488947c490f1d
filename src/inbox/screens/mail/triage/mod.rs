//! Triage: one thread at a time over the whole width, one key for each
//! decision, the next ones at hand before they are wanted. Nothing waits for
//! the server: decisions are queued, and taken back one by one.

pub(crate) mod session;

use crate::Inbox;
use crate::commands::Command;
use crate::event::{Effect, Load};
use crate::features::undo::Done;
use crate::overlays::Layer;
use crate::screens::history::History;
use crate::screens::mail::filing::{place, read_change};
use crate::tab::{Focus, Tab};
use crate::watch;
use model::conversations::ConversationRow;
use model::email::MailWish;
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};
use model::outbox::content::ThreadChange;
use model::queries::{Anchor, ConversationQuery, HistoryPage, HistoryQuery};
use model::time::Timestamp;

pub use session::{Triage, TriageDecision};
use session::{TriageStep, address};

/// Threads of one triage at most.
const MOST: u32 = 1_000;
/// Threads that are brought before they are wanted.
const AHEAD: usize = 3;
/// Mails of a thread that are brought.
const MAILS: u32 = 100;

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

impl Inbox {
    /// Asks for the threads of the list, to go through them.
    pub(crate) fn begin_triage(&mut self) {
        let query = ConversationQuery { anchor: Anchor::Top, limit: MOST, ..self.list().query() };
        self.context.push(Effect::Load(Load::Triage(query)));
    }

    /// The threads have come: the unread ones, or all where none is unread.
    pub(crate) fn triage_loaded(&mut self, query: &ConversationQuery, rows: Vec<ConversationRow>) {
        let now = self.context.now;
        if query.channel.as_ref() != Some(&self.tab().channel.id) {
            return;
        }
        let unread: Vec<ConversationRow> = rows
            .iter()
            .filter(|it| it.thread.as_ref().is_some_and(|it| it.is_read == Some(false)))
            .cloned()
            .collect();
        let rows = if unread.is_empty() { rows } else { unread };
        if rows.is_empty() {
            return self.say("there is nothing to go through");
        }
        self.tab_mut().mail.triage = Some(Triage::new(rows, now));
        self.triage_next();
    }

    /// Goes to the next thread, and brings those after it.
    fn triage_next(&mut self) {
        let now = self.context.now;
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        triage.at = triage.queue.pop_front();
        match triage.at.clone() {
            Some(row) => self.triage_show(row),
            None => {
                triage.ended = Some(now);
                self.tab_mut().focus = Focus::History;
            }
        }
    }

    fn triage_show(&mut self, row: ConversationRow) {
        let (id, now) = (row.conversation.id.clone(), self.context.now);
        let tab = &mut self.tabs[self.active];
        watch::show(tab, &id, Some(row), &mut self.context);
        let ready = tab.mail.triage.as_mut().and_then(|it| it.ready.remove(&id));
        tab.focus = Focus::History;
        if let Some(history) = &mut tab.history {
            history.opened = true;
            if let Some(page) = ready {
                show_at_once(history, page, now);
            }
        }
        self.triage_ahead();
    }

    /// Back to the thread that is decided over, if one is.
    pub(crate) fn triage_again(&mut self) {
        if let Some(row) = self.tab().triage().and_then(|it| it.at.clone()) {
            self.triage_show(row);
        }
    }

    /// Brings the next threads: from this desk's files, and from the server.
    fn triage_ahead(&mut self) {
        let channel = self.tab().channel.id.clone();
        let Some(triage) = &mut self.tabs[self.active].mail.triage else { return };
        let ahead: Vec<ConversationId> = triage
            .at
            .iter()
            .chain(triage.queue.iter().take(AHEAD))
            .map(|it| it.conversation.id.clone())
            .collect();
        for id in ahead {
            if triage.asked.insert(id.clone()) {
                self.context.push(Effect::Fetch(channel.clone(), Fetch::Mail(MailWish::Thread(id.clone()))));
            }
            if !triage.ready.contains_key(&id) {
                let query = HistoryQuery { channel: channel.clone(), conversation: id, limit: MAILS };
                self.context.push(Effect::Load(Load::Ahead(query)));
            }
        }
    }

    /// A thread that will be wanted has come.
    pub(crate) fn ahead_loaded(&mut self, query: &HistoryQuery, page: HistoryPage) {
        let Some(tab) = self.tab_of(&query.channel) else { return };
        let open = tab.history.as_ref().is_some_and(|it| it.conversation == query.conversation);
        if let Some(triage) = &mut tab.mail.triage
            && !open
        {
            triage.ready.insert(query.conversation.clone(), page);
        }
    }

    /// What a thread holds has changed: what was brought of it is old.
    pub(crate) fn ahead_changed(&mut self, channel: &ChannelId, id: &ConversationId) {
        let Some(tab) = self.tab_of(channel) else { return };
        let Some(triage) = &mut tab.mail.triage else { return };
        if triage.ready.remove(id).is_some()
            || triage.queue.iter().take(AHEAD).any(|it| it.conversation.id == *id)
        {
            let query = HistoryQuery { channel: channel.clone(), conversation: id.clone(), limit: MAILS };
            self.context.push(Effect::Load(Load::Ahead(query)));
        }
    }

    /// A command while going through threads; false if it is done as
    /// everywhere.
    pub(crate) fn triage_command(&mut self, command: Command) -> bool {
        use Command as C;
        let Some(triage) = self.tab().triage() else { return false };
        let over = triage.is_over();
        match command {
            C::LeaveTriage => self.leave_triage(),
            C::Undo => self.triage_undo(),
            _ if over => return false,
            C::Close => self.triage_archive(),
            C::Unseen => self.triage_decided(TriageDecision::Left),
            C::NextConversation => self.triage_decided(TriageDecision::Left),
            C::PreviousConversation => self.triage_back(),
            C::DecideLater => self.triage_later(),
            C::SameForAll => self.ask_same(),
            C::Star => {
                let row = self.at_hand().cloned();
                if let Some((row, triage)) = row.zip(self.tab_mut().mail.triage.as_mut()) {
                    let had = row.thread.as_ref().is_some_and(|it| it.is_starred == Some(true));
                    let id = row.conversation.id;
                    if had {
                        triage.starred.remove(&id)
                    } else {
                        triage.starred.insert(id)
                    };
                }
                self.toggle_star();
            }
            _ => return false,
        }
        true
    }

    fn triage_archive(&mut self) {
        let Some(row) = self.tab().triage().and_then(|it| it.at.clone()) else { return };
        self.file(vec![row], "archived", &|_| place(true));
        self.triage_decided(TriageDecision::Archived);
    }

    /// The thread at hand was decided over: on to the next.
    pub(crate) fn triage_decided(&mut self, what: TriageDecision) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let Some(row) = triage.at.take() else { return };
        if what == TriageDecision::Answered {
            let read = read_change(true);
            self.file_quietly(&row, read);
        }
        if let Some(triage) = &mut self.tab_mut().mail.triage {
            triage.decided.push(TriageStep { rows: vec![row], what });
        }
        self.triage_next();
        let alike = self.tab().triage().and_then(Triage::alike);
        if let Some((_, rest)) =
            alike.filter(|(what, _)| matches!(what, TriageDecision::Archived | TriageDecision::Left))
        {
            let from = rest.first().and_then(address).unwrap_or_default();
            let words = self.keyed(" · {same-for-all} same for all · {undo} undoes");
            self.say(format!("{} more from {from}{words}", rest.len()));
        }
    }

    /// The thread at hand goes last.
    fn triage_later(&mut self) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        if triage.queue.is_empty() {
            return self.say("it is the last one");
        }
        if let Some(row) = triage.at.take() {
            triage.queue.push_back(row);
        }
        self.triage_next();
        self.say("it comes again at the end");
    }

    /// Back to the thread before, without taking anything back.
    fn triage_back(&mut self) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let last = triage.decided.pop_if(|it| it.what == TriageDecision::Left && it.rows.len() == 1);
        match last.and_then(|it| it.rows.into_iter().next()) {
            Some(row) => self.triage_return(row),
            None => self.say(self.keyed("{undo} takes the last decision back")),
        }
    }

    fn triage_return(&mut self, row: ConversationRow) {
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        if let Some(at) = triage.at.take() {
            triage.queue.push_front(at);
        }
        triage.ended = None;
        triage.at = Some(row.clone());
        self.triage_show(row);
    }

    /// Takes the last decision back, and goes to its thread.
    fn triage_undo(&mut self) {
        if self.undo_at_hand() {
            return;
        }
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let Some(last) = triage.decided.pop() else {
            return self.say("nothing was decided yet");
        };
        if last.what != TriageDecision::Left {
            self.undo();
        }
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let mut rows = last.rows.into_iter();
        let Some(first) = rows.next() else { return };
        if let Some(at) = triage.at.take() {
            triage.queue.push_front(at);
        }
        for row in rows.rev() {
            triage.queue.push_front(row);
        }
        triage.ended = None;
        triage.at = Some(first.clone());
        // A mail that comes back brings its thread itself.
        if last.what != TriageDecision::Answered {
            self.triage_show(first);
        }
    }

    /// Takes back a star or the like of the thread at hand, if that is the
    /// newest thing done; it is no decision, and one stays there.
    fn undo_at_hand(&mut self) -> bool {
        let Some(triage) = self.tab().triage() else { return false };
        let Some(at) = triage.at.as_ref().map(|it| it.conversation.id.clone()) else { return false };
        let newest = self.done().map(|it| it.0).find(|it| !it.undone).filter(|it| it.at >= triage.began);
        if newest.and_then(Done::filed) != Some(&at) {
            return false;
        }
        let was_star = newest.is_some_and(Done::is_star);
        self.undo();
        if let Some(triage) = &mut self.tab_mut().mail.triage
            && was_star
        {
            triage.starred.remove(&at);
        }
        true
    }

    /// Asks whether the last decision is meant for all of its sender.
    fn ask_same(&mut self) {
        match self.tab().triage().and_then(Triage::alike) {
            Some((what @ (TriageDecision::Archived | TriageDecision::Left), rest)) => {
                let from = rest.first().and_then(address).unwrap_or_default().to_owned();
                self.open_layer(Layer::AskSame { what, count: rest.len(), from });
            }
            _ => self.say("the same for all is offered after three alike from one sender"),
        }
    }

    /// The last decision is meant for all of its sender.
    pub(crate) fn same_for_all(&mut self) {
        let Some((what, rest)) = self.tab().triage().and_then(Triage::alike) else { return };
        if what == TriageDecision::Archived {
            self.file(rest.clone(), "archived", &|_| place(true));
        }
        let Some(triage) = &mut self.tab_mut().mail.triage else { return };
        let is_of = |it: &ConversationRow| rest.iter().any(|one| one.conversation.id == it.conversation.id);
        triage.queue.retain(|it| !is_of(it));
        let went = triage.at.take_if(|it| is_of(it)).is_some();
        triage.decided.push(TriageStep { rows: rest, what });
        if went {
            self.triage_next();
        }
    }

    fn leave_triage(&mut self) {
        let Some(triage) = self.tab_mut().mail.triage.take() else { return };
        self.tab_mut().focus = Focus::List;
        if !triage.is_over() {
            let words = self.keyed("were gone through · {triage} goes on with the rest");
            self.say(format!("{} of {} {words}", triage.seen(), triage.total));
        }
    }

    fn file_quietly(&mut self, row: &ConversationRow, change: ThreadChange) {
        if let Some(intent) = self.filed(row, change) {
            self.context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }
}

/// Shows what was brought before it was wanted; it is read anew all the same.
fn show_at_once(history: &mut History, page: HistoryPage, now: Timestamp) {
    if let Some(query) = history.take_query(now) {
        history.receive(&query, page);
        history.mark_stale();
    }
}
