//! One turn: an event comes in, effects go out, and what has become due or is
//! missing on screen is asked for.

use crate::Inbox;
use crate::event::{Effect, Event, Load};

impl Inbox {
    /// What to load before the first frame: everything the active tab shows.
    pub fn start(&mut self) -> Vec<Effect> {
        self.context.effects.extend([Effect::Load(Load::Macros), Effect::Load(Load::Spent)]);
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

    /// Takes in one event and says what is to be done.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        self.context.refusal = None;
        let touched = matches!(event, Event::Key(_) | Event::Paste(_) | Event::Pointer(_));
        match event {
            Event::Time(now) => self.context.now = self.context.now.max(now),
            Event::Key(key) => {
                self.key(key);
                self.context.guard.pressed(self.context.now);
            }
            Event::Paste(text) => self.pasted(&text),
            // Only the plain mode has lines, and reads them itself.
            Event::Line(_) => (),
            Event::Pointer(pointer) => self.pointer(pointer),
            Event::Resize(width, height) => {
                self.context.size = (width, height);
                self.context.push(Effect::Redraw);
            }
            Event::Focus(focused) => self.context.focused = focused,
            Event::Loaded(load, Ok(loaded)) => {
                self.loads.answered(&load);
                self.loaded(loaded);
            }
            Event::Loaded(load, Err(why)) => self.load_failed(load, &why),
            Event::Calls(calls) => {
                self.features.request_log.calls_known(calls, &self.desk, &mut self.context)
            }
            Event::News(news) => self.news(news),
            Event::Enqueued(rows) => self.enqueued(rows),
            Event::Recalled(row, taken) => self.recalled(&row, taken),
            Event::Decided(_, verdict, row) => self.decided(&verdict, row),
            Event::NoteSaved(channel, conversation, note) => {
                self.note_saved(channel, conversation, note);
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
                self.note_taken_back(channel, &conversation, text.as_deref());
            }
            Event::Answered(answered) => self.answered(answered),
            Event::Edited(text) => self.edited(text),
            Event::SetUp(ended) => self.context.set_up_ended(ended),
            Event::Written => self.changes.written(),
            Event::Campaign(answer) => self.campaign_answered(answer),
            Event::Import(told) => self.import_told(told),
            Event::Copied(what, copied) => self.context.copied(&what, copied),
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
            self.changes.touches.note(&self.context.effects);
        }
        self.desk.ask_again_of_ai(&self.context);
        self.settle();
        self.play_all();
        std::mem::take(&mut self.context.effects)
    }

    /// After each event: what has become due, and what is missing on screen.
    pub(crate) fn settle(&mut self) {
        let now = self.context.now;
        self.changes.held.retain(|it| now < it.until);
        self.desk.choose_first_views(&self.context);
        self.desk.shape_panes(&self.context);
        self.desk.reach_range();
        self.features.watch.follow_selection(&mut self.desk, &mut self.context);
        self.desk.give_typed_back(&mut self.context);
        self.desk.follow_writing(&mut self.context);
        self.desk.rest_modes(&self.context);
        self.features.jump_list.note_place(&self.desk);
        self.go_on_with_mail();
        self.desk.load_what_is_missing(&mut self.context);
        self.desk.load_second(&mut self.context);
        self.load_rows();
        self.desk.load_card(&mut self.context);
        self.connections.follow_connections(&self.desk, &mut self.context);
        self.desk.fetch_wanted_pictures(&mut self.context);
        self.context.effects.extend(self.loads.retry(self.context.now));
        self.changes.save_drafts(&mut self.desk, &mut self.context);
        self.features.watch.mark_seen(&mut self.desk, &mut self.context);
        self.features.snoozed.come_back(&mut self.desk, &mut self.context);
        self.changes.follow_batch(&mut self.context);
        self.broadcasts.follow_rehearsal_fate(&mut self.context);
        self.desk.follow_offer(&mut self.context);
        self.features.credits.follow_purse(&self.desk, &mut self.context);
        self.features.search.ask_servers(&self.desk, &mut self.context);
        self.features.bursts.tell_burst(&self.desk, &mut self.context);
        self.features.pauses.follow_leases(&self.desk, &mut self.context);
        let journal = &mut self.changes.journal;
        self.changes.queueing.note(&self.context.effects, || journal.group());
        if self.features.macros.playing.is_none() {
            self.changes.journal.join(false);
        }
        self.features.macros.end_trail(&self.context);
        self.end_notice();
        self.changes.note_writes(&self.context);
        self.features.macros.note_asked(&self.context);
    }
}
