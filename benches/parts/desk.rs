//! The screen without its threads: what is loaded is answered at once, so
//! that a figure is the sum of what otherwise goes on side by side.

use frontdesk::inbox::Inbox;
use frontdesk::inbox::event::{Effect, Event};
use frontdesk::inbox::keys::KeyPress;
use frontdesk::inbox::settings::{ChannelInfo, Settings};
use frontdesk::inbox::theme_view::Theme;
use frontdesk::inbox::view;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::time::{ClockReading, SECOND, Timestamp};
use frontdesk::shell::reading;
use frontdesk::store::Reader;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Columns and lines.
const SIZE: (u16, u16) = (160, 50);

/// The screen, and the files it reads.
pub struct Desk {
    app: Inbox,
    reader: Reader,
    now: Timestamp,
    buffer: Buffer,
}

impl Desk {
    /// A desk with one channel, before its first frame.
    pub fn new(channel: ChannelId, reader: Reader, now: Timestamp) -> Self {
        let info = ChannelInfo { id: channel, name: "Bench".to_owned(), environment: None, read_only: false };
        let app = Inbox::new(vec![info], Settings::default(), SIZE, ClockReading::manual(now));
        Self { app, reader, now, buffer: Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)) }
    }

    /// To the first frame with all that it asked for.
    pub fn start(&mut self) {
        let effects = self.app.start();
        self.answer(effects);
        self.draw();
    }

    /// Presses keys a second apart, with a frame after each.
    pub fn press(&mut self, keys: &[KeyPress]) {
        for key in keys {
            self.now = self.now.plus(SECOND);
            let mut effects = self.app.update(Event::Time(ClockReading::manual(self.now)));
            effects.extend(self.app.update(Event::Key(*key)));
            self.answer(effects);
            self.draw();
        }
    }

    /// Loads what is asked for until nothing is.
    fn answer(&mut self, mut effects: Vec<Effect>) {
        while let Some(effect) = effects.pop() {
            if let Effect::Load(load) = effect {
                let loaded = reading::load(&mut self.reader, &load);
                effects.extend(self.app.update(Event::Loaded(load, loaded)));
            }
        }
    }

    fn draw(&mut self) {
        self.buffer.reset();
        view::draw(&self.app, Theme::default(), &mut self.buffer);
        self.app.desk.record_drawn(self.app.context.moment, &mut self.app.context);
    }
}
