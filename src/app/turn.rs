//! One turn: an event comes in, effects go out, and what has become due or is
//! missing on screen is asked for.
//!
//! Knows nothing of how any of it is done; each is a file of its own.

use crate::app::App;
use crate::app::event::{Effect, Event, Load};

impl App {
    /// What to load before the first frame: everything the active tab shows.
    pub fn start(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::Load(Load::Macros), Effect::Load(Load::Spent)];
        for tab in &self.tabs {
            effects.push(Effect::Load(Load::Account(tab.channel.id.clone())));
            effects.push(Effect::Load(Load::Counts(tab.channel.id.clone())));
            effects.push(Effect::Load(Load::Mailbox(tab.channel.id.clone())));
        }
        if self.settings.wall {
            self.go_to_wall();
        }
        self.settle(&mut effects);
        effects
    }

    /// Takes in one event and says what is to be done.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        let touched = matches!(event, Event::Key(_) | Event::Paste(_) | Event::Pointer(_));
        match event {
            Event::Time(now) => self.now = self.now.max(now),
            Event::Key(key) => {
                self.key(key, &mut effects);
                self.guard.pressed(self.now);
            }
            Event::Paste(text) => self.pasted(&text, &mut effects),
            // Only the plain mode has lines, and reads them itself.
            Event::Line(_) => (),
            Event::Pointer(pointer) => self.pointer(pointer, &mut effects),
            Event::Resize(width, height) => {
                self.size = (width, height);
                effects.push(Effect::Redraw);
            }
            Event::Focus(focused) => self.focused = focused,
            Event::Loaded(load, Ok(loaded)) => {
                self.loads.answered(&load);
                self.loaded(loaded, &mut effects);
            }
            Event::Loaded(load, Err(why)) => self.load_failed(load, &why),
            Event::Calls(calls) => self.calls_known(calls),
            Event::News(news) => self.news(news, &mut effects),
            Event::Enqueued(rows) => self.enqueued(rows, &mut effects),
            Event::Recalled(row, taken) => self.recalled(&row, taken, &mut effects),
            Event::Decided(_, verdict, row) => self.decided(&verdict, row, &mut effects),
            Event::NoteSaved(channel, conversation, note) => {
                self.note_saved(channel, conversation, note, &mut effects);
            }
            Event::NoteNotSaved(channel, conversation, text, why) => {
                self.note_not_saved(&channel, &conversation, &text, &why);
            }
            Event::NoteTakenBack(channel, conversation, text) => {
                self.note_taken_back(channel, &conversation, text.as_deref(), &mut effects);
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
            self.touches.note(effects.iter().chain(&self.pending));
        }
        self.ask_again_of_ai(&effects);
        self.settle(&mut effects);
        self.play_all(&mut effects);
        effects
    }

    /// After each event: what has become due, and what is missing on screen.
    pub(super) fn settle(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now;
        self.undo.retain(|it| now < it.until);
        self.choose_first_views();
        self.shape_panes();
        self.reach_range();
        self.follow_selection(effects);
        self.give_typed_back();
        self.follow_writing();
        self.rest_modes();
        self.note_place();
        self.go_on_with_mail(effects);
        self.load_what_is_missing(effects);
        self.load_second(effects);
        self.load_rows(effects);
        self.load_card(effects);
        self.follow_connections(effects);
        self.fetch_wanted_pictures(effects);
        effects.extend(self.loads.retry(self.now));
        self.save_drafts(effects);
        self.mark_seen(effects);
        self.come_back(effects);
        self.follow_batch(effects);
        self.follow_rehearsal_fate(effects);
        self.follow_offer();
        self.follow_purse(effects);
        self.ask_servers(effects);
        self.tell_burst(effects);
        self.follow_leases(effects);
        effects.append(&mut self.pending);
        let journal = &mut self.journal;
        self.queueing.note(effects, || journal.group());
        if self.playing.is_none() {
            self.journal.join(false);
        }
        self.end_trail();
        self.end_notice();
        self.note_writes(effects);
        self.note_asked(effects);
    }
}
