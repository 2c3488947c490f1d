//! One turn: an event comes in, effects go out, and what has become due or is
//! missing on screen is asked for.

use crate::Inbox;
use crate::event::{Effect, Event, Load, TerminalOrder};
use crate::features::clipboard;
use crate::features::handover;
use crate::features::offers::update as offers;

use crate::features::macros::playing::update as playing;
use crate::keyboard::ahead::TypedInput;
use crate::keyboard::ahead::update as ahead;
use crate::loads::update as loads;
use crate::notice::update as notice;
use crate::outside::update as outside;
use crate::pages::update as pages;
use crate::results;
use crate::screens::broadcasts::steering;
use crate::screens::composer::draft_conflict;
use crate::screens::composer::editor;
use crate::screens::composer::notes;
use crate::screens::mail::writing::update as writing;
use crate::screens::outbox::deciding;
use crate::screens::people::importing::update as importing;
use crate::screens::proposals::update as proposals;

use model::ids::{ChannelId, ConversationId};
use model::news::News;
use model::outbox::OutboxRow;
use model::time::{ClockReading, MINUTE};

/// Minimum wait between two turns without an event, in microseconds.
const MIN_WAIT: i64 = 1_000;

impl Inbox {
    /// What to load before the first frame: everything the active tab shows.
    pub fn start(&mut self) -> Vec<Effect> {
        self.context.effects.extend([Effect::Load(Load::Macros), Effect::Load(Load::Spent)]);
        // A wall may be opened by nobody.
        if !self.context.settings.wall {
            self.features.absence.touched(&mut self.context);
        }
        for tab in &self.desk.tabs {
            self.context.push(Effect::Load(Load::Account(tab.channel.id.clone())));
            self.context.push(Effect::Load(Load::Counts(tab.channel.id.clone())));
            self.context.push(Effect::Load(Load::Mailbox(tab.channel.id.clone())));
        }
        if self.context.settings.wall {
            self.overview.go_to_wall(&mut self.desk);
        }
        self.settle();
        std::mem::take(&mut self.context.effects)
    }

    /// What is still to be written when the desk ends.
    pub fn leave(&mut self) -> Vec<Effect> {
        self.features.absence.left(&mut self.context);
        self.changes.leave(&mut self.desk, &mut self.context)
    }

    /// Takes in one event and says what is to be done.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        self.context.refusal = None;
        let touched = matches!(event, Event::Key(_) | Event::Paste(_) | Event::Burst(_) | Event::Pointer(_));
        if touched {
            self.features.absence.touched(&mut self.context);
        }
        match event {
            Event::Time(times) => self.time_passed(times),
            Event::Key(key) => {
                ahead::typed(self, TypedInput::Key(key));
                self.context.guard.pressed(self.context.moment);
            }
            Event::Paste(text) => ahead::typed(self, TypedInput::Paste(text)),
            Event::Burst(text) => {
                ahead::typed(self, TypedInput::Burst(text));
                self.context.guard.pressed(self.context.moment);
            }
            // Only the plain mode has lines, and reads them itself.
            Event::Line(_) => (),
            Event::Pointer(pointer) => ahead::pointed(self, pointer),
            Event::Resize(width, height) => {
                self.context.size = (width, height);
                self.context.push(TerminalOrder::Redraw);
            }
            Event::Focus(focused) => self.context.focused = focused,
            Event::Loaded(load, read) => results::read(self, load, read),
            Event::Calls(calls) => {
                self.features.request_log.calls_known(calls, &self.desk, &mut self.context)
            }
            Event::News(news) => results::news(self, news),
            Event::Enqueued(rows) => results::enqueued(self, rows),
            Event::Recalled(row, taken) => results::recalled(self, &row, taken),
            Event::Decided(_, verdict, row) => deciding::decided(self, &verdict, row),
            Event::ProposalSettled(verdict, proposal) => {
                proposals::settled(self, verdict, proposal.map(|proposal| *proposal));
            }
            Event::NoteSaved(channel, conversation, note) => {
                notes::note_saved(self, channel, conversation, note);
            }
            Event::NoteNotSaved(channel, conversation, text, why) => {
                self.changes.note_not_saved(
                    &channel,
                    &conversation,
                    &text,
                    &why,
                    &mut self.desk,
                    &mut self.context,
                );
            }
            Event::NoteTakenBack(channel, conversation, text) => {
                notes::note_taken_back(self, channel, &conversation, text.as_deref());
            }
            Event::Answered(answered) => outside::answered(self, answered),
            Event::Edited(text) => editor::edited(self, text),
            Event::SetUp(ended) => editor::set_up_ended(&mut self.context, ended),
            Event::Written => self.changes.written(),
            Event::TakenOver(channels, count) => handover::taken_over(self, &channels, count),
            Event::Returned(absence) => self.features.absence.returned(absence, &mut self.context),
            Event::Campaign(answer) => steering::campaign_answered(self, answer),
            Event::Import(told) => importing::import_told(self, told),
            Event::Copied(what, copied) => clipboard::copied(&mut self.context, &what, copied),
            Event::Exported(Ok(file)) => self.context.say(format!("written to {file}")),
            Event::Exported(Err(why)) => self.context.warn(why),
            Event::DraftNotSaved(channel, conversation, draft, why) => {
                self.changes.draft_not_saved(channel, conversation, draft, &why, &mut self.context);
            }
            Event::WriteFailed { what, why, intents } => {
                self.changes.write_failed(&what, &why, intents, &mut self.desk, &mut self.context)
            }
        }
        if touched {
            self.changes.touches.record_input(&self.context.effects);
        }
        self.desk.ask_again_of_ai(&self.context);
        self.settle();
        self.go_on();
        std::mem::take(&mut self.context.effects)
    }

    /// Takes in what the clocks show. Deadlines and ages of this process go by
    /// the steady clock, so that a wall clock that was set moves none of them;
    /// what is shown of stored times is read anew.
    fn time_passed(&mut self, times: ClockReading) {
        let step = self.context.times().clock_step(times);
        self.context.now = times.now;
        self.context.moment = self.context.moment.max(times.moment);
        if step == 0 {
            return;
        }
        self.features.attention.clock_was_set(times.now);
        for index in 0..self.desk.tabs.len() {
            let tab = &mut self.desk.tabs[index];
            tab.health.move_times(step);
            let channel = tab.channel.id.clone();
            self.conversations_changed(&channel);
        }
    }

    /// Plays the steps of a macro and lets keys act that waited, one after the
    /// other, as long as nothing has to come first.
    fn go_on(&mut self) {
        // What one of them asks for is noted once, when it has settled.
        let mut asked = Vec::new();
        let mut replayed = false;
        loop {
            asked.append(&mut self.context.effects);
            let played = playing::play_on(self);
            replayed = !played && ahead::act_next(self, replayed);
            if !played && !replayed {
                break;
            }
            self.settle();
        }
        asked.append(&mut self.context.effects);
        self.context.effects = asked;
    }

    /// After each event: what has become due, and what is missing on screen.
    pub(crate) fn settle(&mut self) {
        let moment = self.context.moment;
        self.changes.held.retain(|held| moment < held.until);
        self.desk.choose_first_views(&self.context);
        self.desk.shape_panes(&self.context);
        self.desk.reach_range();
        self.features.watch.follow_selection(&mut self.desk, &mut self.context);
        self.desk.restore_typed_text(&mut self.context);
        self.desk.follow_writing(&mut self.context);
        self.features.jump_list.note_place(&self.desk);
        writing::go_on_with_mail(self);
        self.desk.load_what_is_missing(&mut self.context);
        self.desk.load_ahead(&mut self.context);
        self.desk.load_second(&mut self.context);
        pages::load_rows(self);
        self.desk.load_card(&mut self.context);
        self.connections.follow_connections(&self.desk, &mut self.context);
        self.desk.fetch_wanted_pictures(&mut self.context);
        self.context.effects.extend(self.loads.retry(self.context.moment));
        self.changes.save_drafts(&mut self.desk, &mut self.context);
        self.features.watch.mark_seen(&mut self.desk, &mut self.context);
        self.features.snoozed.wake_due(&mut self.desk, &mut self.context);
        self.changes.follow_batch(&mut self.context);
        self.broadcasts.follow_rehearsal_fate(&mut self.context);
        self.desk.follow_offer(&mut self.context);
        self.features.credits.refresh_balance(&self.desk, &mut self.context);
        self.features.search.ask_servers(&self.desk, &mut self.context);
        self.features.bursts.tell_burst(&self.desk, &mut self.context);
        self.features.prepared_drafts.follow(&self.desk, &mut self.context);
        self.features.pauses.follow_leases(&self.desk, &mut self.context);
        self.features.absence.follow(&self.desk, &mut self.context);
        self.features.attention.follow(&self.desk, &mut self.context);
        let journal = &mut self.changes.journal;
        self.changes.queueing.record(&self.context.effects, || journal.group());
        self.desk.note_newest_in_triage(journal.newest());
        if self.features.macros.playing.is_none() {
            self.changes.journal.join(false);
        }
        self.features.macros.end_trail(&self.context);
        notice::end_notice(self);
        self.changes.note_writes(&self.context);
        self.features.macros.note_asked(&self.context);
        self.keyboard.ahead.note_asked(&self.context);
    }

    /// Microseconds from a reading of the clocks until something is due without
    /// any other event, by the wall clock or by the steady one.
    pub fn next_due(&self, read: ClockReading) -> i64 {
        let ClockReading { now, moment } = self.context.times();
        // The minute turns: waiting times and windows are shown in minutes.
        let minute = MINUTE - now.micros().rem_euclid(MINUTE);
        let by_wall = [
            self.features.attention.due(now),
            self.broadcasts.board_due(&self.desk, &self.context),
            self.desk.tabs.iter().filter_map(|tab| tab.counts.next_wake).min(),
        ];
        let by_wall = by_wall.into_iter().flatten().map(|at| at.since(now));
        let steadily = [
            self.keyboard.notice_due(&self.context),
            self.features.macros.playing_due(),
            self.keyboard.ahead.due(moment),
            self.people.people_due(&self.desk),
            self.overview.wall_due(&self.desk),
            self.features.watch.due(),
            offers::offer_due(&self.context),
            self.features.search.servers_due(&self.context),
            self.features.bursts.due(),
            self.features.absence.due(),
            self.changes.writes.due(moment),
            self.desk.connection_due(&self.context),
            loads::loads_due(self),
            self.desk.save_due(),
            self.changes.countdown_due(moment),
        ];
        let steadily = steadily.into_iter().flatten().map(|at| at.since(moment));
        let lease = self.features.pauses.lease_wait(&self.desk, &self.context).filter(|wait| *wait > 0);
        let waits = by_wall.chain(steadily).chain(lease);
        waits.fold(minute, i64::min).max(MIN_WAIT) - read.moment.since(moment)
    }

    /// What this desk alone keeps has changed.
    pub(crate) fn rows_changed(&mut self) {
        self.people.rows.mark_stale();
        self.outbox.rows.mark_stale();
        self.outbox.drafts.mark_stale();
        self.outbox.proposals.mark_stale();
        self.outbox.reviews.rows.mark_stale();
        self.overview.wall_changed();
        self.broadcasts.rehearsal_changed();
        self.features.pauses.stale = true;
        self.features.prepared_drafts.stale = true;
        self.features.absence.stale = true;
        self.features.attention.changed();
        self.features.credits.stale = true;
        if let Some(batch) = &mut self.changes.batch {
            batch.stale = true;
        }
    }

    pub(crate) fn conversations_changed(&mut self, channel: &ChannelId) {
        self.desk.second_changed(channel, None);
        self.desk.ahead.forget(channel, None);
        self.rows_changed();
        self.desk.contact.mark_stale();
        self.desk.all.mark_stale();
        if let Some(tab) = self.desk.tabs.iter_mut().find(|tab| tab.channel.id == *channel) {
            tab.list.mark_stale();
            self.context.effects.extend(draft_conflict::compare(tab));
            // Its title tells what the row tells.
            if let Some(history) = &mut tab.history {
                history.mark_stale();
            }
            self.context.push(Effect::Load(Load::Counts(channel.clone())));
        }
        self.desk.load_mailbox(channel, &mut self.context);
    }

    pub(crate) fn row_changed(&mut self, row: &OutboxRow) {
        match row.lane.conversation() {
            Some(conversation) => self.history_changed(row.channel.clone(), conversation),
            None => results::news(self, News::Conversations(row.channel.clone())),
        }
    }

    pub(crate) fn history_changed(&mut self, channel: ChannelId, conversation: &ConversationId) {
        self.rows_changed();
        self.desk.all.mark_stale();
        self.desk.ahead.forget(&channel, Some(conversation));
        self.desk.second_changed(&channel, Some(conversation));
        let Some(tab) = self.desk.tab_of(&channel) else { return };
        if let Some(history) = &mut tab.history
            && history.conversation == *conversation
        {
            history.mark_stale();
        }
        tab.list.mark_stale();
        self.context.push(Effect::Load(Load::Counts(channel)));
    }
}

#[cfg(test)]
mod tests;
