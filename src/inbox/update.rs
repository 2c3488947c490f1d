//! One update: an event comes in, effects go out, and due or missing data is requested.

use crate::Inbox;
use crate::context::Context;
use crate::due;
use crate::event::{Effect, Event, Load, TerminalOrder};
use crate::features::clipboard;
use crate::features::handover;
use crate::overlays::prompt_guard::update as prompt_guard;
use crate::screens::composer::sending;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::card::update as card;
use crate::screens::history::pictures::update as pictures;
use crate::screens::history::prefetch::update as prefetch;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::update as mail;

use crate::features::macros::playback;
use crate::features::team;
use crate::features::tutor;
use crate::features::undo::update as undo;
use crate::keyboard::input;
use crate::loads::update as loads;
use crate::notice::update as notice;
use crate::outside::update as outside;
use crate::pages::update as pages;
use crate::results;
use crate::screens::broadcasts::control;
use crate::screens::composer::attachments;
use crate::screens::composer::draft_conflict;
use crate::screens::composer::editor;
use crate::screens::composer::notes;
use crate::screens::mail::writing::update as writing;
use crate::screens::outbox::decision_actions;
use crate::screens::people::csv_import::update as importing;
use crate::screens::proposals::update as proposals;
use crate::settings::ChannelInfo;

use model::ids::{ChannelId, ConversationId};
use model::news::News;
use model::outbox::OutboxRow;
use model::time::{ClockReading, MINUTE, Moment};

/// Minimum wait between two updates without an event, in microseconds.
const MIN_WAIT: i64 = 1_000;

/// Requests what the desk knows of a tab.
fn load_tab(channel: &ChannelId, context: &mut Context) {
    context.push(Effect::Load(Load::Account(channel.clone())));
    context.push(Effect::Load(Load::Counts(channel.clone())));
    context.push(Effect::Load(Load::Mailbox(channel.clone())));
}

impl Inbox {
    /// Loads everything the active tab shows, before the first frame.
    pub fn start(&mut self) -> Vec<Effect> {
        self.context.effects.extend([Effect::Load(Load::Spending)]);
        // A wall may be opened without a person.
        if !self.context.settings.wall {
            self.features.absence.touched(&mut self.context);
        }
        for tab in &self.desk.tabs {
            load_tab(&tab.channel.id, &mut self.context);
        }
        if self.context.settings.wall {
            self.overview.open(&mut self.desk);
        }
        self.request_missing();
        std::mem::take(&mut self.context.effects)
    }

    /// Adds a tab after the others; the shown tab stays.
    fn add_channel(&mut self, channel: ChannelInfo) {
        let id = channel.id.clone();
        if self.desk.add_tab(channel, &self.context.settings.first_view) {
            load_tab(&id, &mut self.context);
            self.conversations_changed(&id);
        }
    }

    /// Writes that remain when the desk ends.
    pub fn save_on_exit(&mut self) -> Vec<Effect> {
        self.features.absence.left(&mut self.context);
        self.changes.save_on_exit(&mut self.desk, &mut self.context)
    }

    /// Handles input that came from the terminal at `arrived_at`, which is earlier than now if the machine is
    /// slow.
    pub fn take_input(&mut self, input: Event, arrived_at: Moment) -> Vec<Effect> {
        self.context.input_arrived_at = Some(arrived_at);
        let effects = self.update(input);
        self.context.input_arrived_at = None;
        effects
    }

    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        self.context.refusal = None;
        let touched = matches!(
            event,
            Event::Key(_) | Event::Paste(_) | Event::Burst(_) | Event::LineBreak | Event::Pointer(_)
        );
        if touched {
            self.features.absence.touched(&mut self.context);
        }
        if touched || matches!(event, Event::Time(_)) {
            self.keyboard.reads.forget_stale_input();
        }
        let is_answer = !touched && !matches!(event, Event::InputDropped(_));
        let waited = self.input_wait(None).filter(|_| is_answer);
        let (tab, said) = (self.desk.tab_on_screen(), self.context.notice.clone());
        let text = team::open_text(self);
        self.take_in(event);
        if touched && self.desk.tab_on_screen() != tab {
            notice::remove_notice_of_tab(self, said);
        }
        if touched {
            self.changes.restore_tracker.record_input(&self.context.effects);
        }
        sending::reset_switched_pause_answers(&mut self.desk, &self.context);
        let is_looking = touched && self.desk.is_list_focused() && self.context.overlays.is_empty();
        self.features.new_needs.follow(&self.desk, is_looking);
        self.request_missing();
        self.run_waiting_input();
        self.end_wait(waited);
        team::report_activity(self, text);
        tutor::advance(self);
        std::mem::take(&mut self.context.effects)
    }

    fn take_in(&mut self, event: Event) {
        match event {
            Event::Time(times) => self.set_time(times),
            Event::Key(key) => {
                input::take_key(self, key);
                self.context.guard.record_key(self.context.input_moment());
            }
            Event::Paste(text) => input::take_paste(self, &text),
            Event::Burst(text) => {
                input::take_burst(self, &text);
                self.context.guard.record_key(self.context.input_moment());
            }
            Event::LineBreak => {
                input::take_line_break(self);
                self.context.guard.record_key(self.context.input_moment());
            }
            Event::InputDropped(why) => self.input_dropped(why),
            // Only the plain mode has lines, and reads them itself.
            Event::Line(_) => (),
            Event::Pointer(pointer) => input::take_pointer(self, pointer),
            Event::Resize(width, height) => {
                self.context.size = (width, height);
                self.context.push(TerminalOrder::Redraw);
            }
            Event::Focus(focused) => self.context.focused = focused,
            Event::Loaded(load, read) => results::receive_load(self, load, read),
            Event::Calls(calls) => {
                self.features.request_log.receive_requests(calls, &self.desk, &mut self.context)
            }
            Event::News(news) => results::handle_news(self, news),
            Event::Enqueued(rows) => results::receive_enqueued(self, rows),
            Event::Recalled(row, taken) => results::receive_recalled(self, &row, taken),
            Event::Decided(_, verdict, row) => decision_actions::report_decision(self, &verdict, row),
            Event::ProposalSettled(verdict, proposal) => {
                proposals::report_decision(self, verdict, proposal.map(|proposal| *proposal));
            }
            Event::NoteSaved(channel, conversation, note) => {
                notes::report_note_saved(self, channel, conversation, note);
            }
            Event::NoteAdded(channel, conversation, note, group) => {
                undo::record_note(self, channel, conversation, note, group);
            }
            Event::NoteNotSaved(channel, conversation, text, why) => {
                self.changes.restore_unsaved_note(
                    &channel,
                    &conversation,
                    &text,
                    &why,
                    &mut self.desk,
                    &mut self.context,
                );
            }
            Event::NoteRecalled(channel, conversation, text) => {
                notes::restore_undone_note(self, channel, &conversation, text.as_deref());
            }
            Event::Answered(answered) => outside::handle_answer(self, answered),
            Event::Edited(text) => editor::receive_edited_text(self, text),
            Event::ChannelAdded(channel) => self.add_channel(channel),
            Event::Recorded(recorded) => attachments::receive_recording(self, recorded),
            Event::SetUp(ended) => editor::report_setup(&mut self.context, ended),
            Event::Written => self.changes.remove_oldest_write(),
            Event::TakenOver(channels, count) => handover::report_taken_over(self, &channels, count),
            Event::Returned => {
                self.features.absence.returned(&self.context);
                self.features.attention.changed();
            }
            Event::Campaign(answer) => control::handle_action_result(self, answer),
            Event::Import(told) => importing::receive_import_result(self, told),
            Event::Copied(what, copied) => clipboard::report_copied(&mut self.context, &what, copied),
            Event::Exported(Ok(file)) => self.context.show_notice(format!("written to {file}")),
            Event::Exported(Err(why)) => self.context.show_warning(why),
            Event::DraftNotSaved(channel, conversation, draft, why) => {
                self.changes.draft_not_saved(channel, conversation, draft, &why, &mut self.context);
            }
            Event::WriteFailed { what, why, intents } => {
                self.changes.restore_failed_write(&what, &why, intents, &mut self.desk, &mut self.context)
            }
        }
    }

    /// Takes new clock readings. Deadlines and ages of this process use the steady clock, so that a
    /// change of the wall clock moves none of them; displayed ages of stored times are recomputed.
    fn set_time(&mut self, times: ClockReading) {
        let step = self.context.clock_reading().clock_step(times);
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

    /// Plays the steps of a macro one after the other, as long as nothing has to come first.
    fn run_waiting_input(&mut self) {
        // Effects are recorded once, after all steps.
        let mut asked = Vec::new();
        loop {
            asked.append(&mut self.context.effects);
            if !playback::play_if_ready(self) {
                break;
            }
            self.request_missing();
        }
        asked.append(&mut self.context.effects);
        self.context.effects = asked;
    }

    /// Requests due and missing data after each event.
    pub(crate) fn request_missing(&mut self) {
        let moment = self.context.moment;
        self.changes.held.retain(|held| moment < held.held_until);
        self.desk.resize_panes(&self.context);
        bulk_actions::extend_range(&mut self.desk);
        self.features.watch.follow_selection(&mut self.desk, &mut self.context);
        prompt_guard::restore_rejected_text(&mut self.desk, &mut self.context);
        self.desk.update_read_progress(&mut self.context);
        writing::start_pending_mail(self);
        self.desk.load_missing(&mut self.context);
        prefetch::prefetch_histories(&mut self.desk, &mut self.context);
        pages::load_rows(self);
        card::load_card(&mut self.desk, &mut self.context);
        self.connections.request_for_opened(&self.desk, &mut self.context);
        pictures::fetch_wanted_pictures(&mut self.desk, &mut self.context);
        self.context.effects.extend(self.loads.retry(self.context.moment));
        self.changes.save_drafts(&mut self.desk, &mut self.context);
        self.features.watch.mark_seen(&mut self.desk, &mut self.context);
        self.features.snoozed.wake_due(&mut self.desk, &mut self.context);
        self.changes.update_batch(&mut self.context);
        self.features.credits.refresh_balance(&self.desk, &mut self.context);
        self.features.search.query_servers(&self.desk, &mut self.context);
        self.features.prepared_drafts.update(&self.desk, &mut self.context);
        self.features.pauses.load_pauses_when_due(&self.desk, &mut self.context);
        self.features.absence.follow(&mut self.context);
        let announces = self.features.absence.announces(&self.context);
        self.features.attention.follow(announces, &self.desk, &mut self.context);
        let journal = &mut self.changes.journal;
        self.changes.pending_groups.record(&self.context.effects, || journal.next_group());
        triage::record_newest_in_triage(&mut self.desk, journal.newest_group());
        if self.features.macros.playback.is_none() {
            self.changes.journal.set_joining(false);
        }
        self.features.macros.end_action(&self.context);
        notice::remove_ended_notice(self);
        self.changes.record_writes(&self.context);
        self.features.macros.record_requests(&self.context);
        self.keyboard.reads.record_asked(&self.context);
    }

    /// Microseconds from a clock reading until something is due without an event, on either clock.
    pub fn micros_until_due(&self, read: ClockReading) -> i64 {
        let ClockReading { now, moment } = self.context.clock_reading();
        // Waiting times and windows are shown in minutes.
        let minute = MINUTE - now.micros().rem_euclid(MINUTE);
        let by_wall = [
            self.features.attention.due(now),
            self.broadcasts.next_countdown_at(&self.desk, &self.context),
            self.desk.tabs.iter().filter_map(|tab| tab.counts.next_wake).min(),
        ];
        let by_wall = by_wall.into_iter().flatten().map(|at| at.since(now));
        let steadily = [
            self.keyboard.notice_due(&self.context),
            self.features.macros.step_deadline(),
            self.people.people_due(&self.desk),
            self.overview.next_refresh_at(&self.desk),
            self.features.watch.due(),
            self.features.search.server_query_due(&self.context),
            self.features.absence.due(),
            self.changes.writes.due(moment),
            due::connection_due(&self.desk, &self.context),
            loads::loads_due(self),
            due::save_due(&self.desk),
            team::countdown_due(&self.desk, &self.context),
            self.changes.countdown_due(moment),
        ];
        let steadily = steadily.into_iter().flatten().map(|at| at.since(moment));
        let lease =
            self.features.pauses.time_until_question(&self.desk, &self.context).filter(|wait| *wait > 0);
        let waits = by_wall.chain(steadily).chain(lease);
        waits.fold(minute, i64::min).max(MIN_WAIT) - read.moment.since(moment)
    }

    /// Marks everything that shows local changes as stale.
    pub(crate) fn rows_changed(&mut self) {
        self.people.rows.mark_stale();
        self.outbox.rows.mark_stale();
        self.outbox.drafts.mark_stale();
        self.outbox.proposals.mark_stale();
        self.outbox.reviews.rows.mark_stale();
        self.overview.mark_stale();
        self.features.prepared_drafts.stale = true;
        self.features.attention.changed();
        self.features.credits.stale = true;
        if let Some(batch) = &mut self.changes.batch {
            batch.stale = true;
        }
    }

    pub(crate) fn conversations_changed(&mut self, channel: &ChannelId) {
        self.desk.prefetched.forget(channel, None);
        self.rows_changed();
        self.desk.shown_card.mark_stale();
        self.desk.all_tabs_list.mark_stale();
        if let Some(tab) = self.desk.tabs.iter_mut().find(|tab| tab.channel.id == *channel) {
            tab.list.mark_stale();
            self.context.effects.extend(draft_conflict::load_stored_draft(tab));
            // The title shows data of the row.
            if let Some(history) = &mut tab.history {
                history.mark_stale();
            }
            self.context.push(Effect::Load(Load::Counts(channel.clone())));
        }
        mail::load_mailbox(&mut self.desk, channel, &mut self.context);
    }

    pub(crate) fn row_changed(&mut self, row: &OutboxRow) {
        match row.lane.conversation() {
            Some(conversation) => self.history_changed(row.channel.clone(), conversation),
            None => results::handle_news(self, News::Conversations(row.channel.clone())),
        }
    }

    pub(crate) fn history_changed(&mut self, channel: ChannelId, conversation: &ConversationId) {
        self.rows_changed();
        self.desk.all_tabs_list.mark_stale();
        self.desk.prefetched.forget(&channel, Some(conversation));
        self.desk.shown_card.mark_stale_for(&channel, conversation);
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
