//! One turn: an event comes in, effects go out, and what has become due or is
//! missing on screen is asked for.

use crate::Inbox;
use crate::event::{Effect, Event, Load};

impl Inbox {
    /// What to load before the first frame: everything the active tab shows.
    pub fn start(&mut self) -> Vec<Effect> {
        self.context.effects.extend([Effect::Load(Load::Macros), Effect::Load(Load::Spent)]);
        for tab in &self.tabs {
            self.context.push(Effect::Load(Load::Account(tab.channel.id.clone())));
            self.context.push(Effect::Load(Load::Counts(tab.channel.id.clone())));
            self.context.push(Effect::Load(Load::Mailbox(tab.channel.id.clone())));
        }
        if self.context.settings.wall {
            self.go_to_wall();
        }
        self.settle();
        std::mem::take(&mut self.context.effects)
    }

    /// Takes in one event and says what is to be done.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        let touched = matches!(event, Event::Key(_) | Event::Paste(_) | Event::Pointer(_));
        match event {
            Event::Time(now) => self.context.now = self.context.now.max(now),
            Event::Key(key) => {
                self.key(key);
                self.guard.pressed(self.context.now);
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
            Event::Calls(calls) => self.calls_known(calls),
            Event::News(news) => self.news(news),
            Event::Enqueued(rows) => self.enqueued(rows),
            Event::Recalled(row, taken) => self.recalled(&row, taken),
            Event::Decided(_, verdict, row) => self.decided(&verdict, row),
            Event::NoteSaved(channel, conversation, note) => {
                self.note_saved(channel, conversation, note);
            }
            Event::NoteNotSaved(channel, conversation, text, why) => {
                self.note_not_saved(&channel, &conversation, &text, &why);
            }
            Event::NoteTakenBack(channel, conversation, text) => {
                self.note_taken_back(channel, &conversation, text.as_deref());
            }
            Event::Answered(answered) => self.answered(answered),
            Event::Edited(text) => self.edited(text),
            Event::SetUp(ended) => self.set_up_ended(ended),
            Event::Written => self.written(),
            Event::Campaign(answer) => self.campaign_answered(answer),
            Event::Import(told) => self.import_told(told),
            Event::Copied(what, copied) => self.copied(&what, copied),
            Event::Exported(Ok(file)) => self.say(format!("written to {file}")),
            Event::Exported(Err(why)) => self.warn(why),
            Event::DraftNotSaved(channel, conversation, draft, why) => {
                self.draft_not_saved(channel, conversation, draft, &why);
            }
            Event::WriteFailed { what, why, intents } => self.write_failed(&what, &why, intents),
        }
        if touched {
            self.touches.note(&self.context.effects);
        }
        self.ask_again_of_ai();
        self.settle();
        self.play_all();
        std::mem::take(&mut self.context.effects)
    }

    /// After each event: what has become due, and what is missing on screen.
    pub(crate) fn settle(&mut self) {
        let now = self.context.now;
        self.undo.retain(|it| now < it.until);
        self.choose_first_views();
        self.shape_panes();
        self.reach_range();
        self.follow_selection();
        self.give_typed_back();
        self.follow_writing();
        self.rest_modes();
        self.note_place();
        self.go_on_with_mail();
        self.load_what_is_missing();
        self.load_second();
        self.load_rows();
        self.load_card();
        self.follow_connections();
        self.fetch_wanted_pictures();
        self.context.effects.extend(self.loads.retry(self.context.now));
        self.save_drafts();
        self.mark_seen();
        self.come_back();
        self.follow_batch();
        self.follow_rehearsal_fate();
        self.follow_offer();
        self.follow_purse();
        self.ask_servers();
        self.tell_burst();
        self.follow_leases();
        let journal = &mut self.journal;
        self.queueing.note(&self.context.effects, || journal.group());
        if self.playing.is_none() {
            self.journal.join(false);
        }
        self.end_trail();
        self.end_notice();
        self.note_writes();
        self.note_asked();
    }
}
