//! What a key costs where everything is stored: from the press to the frame
//! with all that it asked the files for, on the whole screen.
//!
//! The screen is the real one without its threads: what is loaded is answered
//! at once, so a figure is the sum of what otherwise goes on side by side.

use std::time::Duration;

use frontdesk::app::App;
use frontdesk::app::event::{Effect, Event, Load};
use frontdesk::app::keys::{Key, KeyCode};
use frontdesk::app::settings::{ChannelInfo, Settings};
use frontdesk::model::ids::ChannelId;
use frontdesk::model::queries::HistoryQuery;
use frontdesk::model::time::{SECOND, Timestamp};
use frontdesk::model::trouble::{LAST, Said, look};
use frontdesk::shell::effects;
use frontdesk::store::Reader;
use frontdesk::ui;
use frontdesk::ui::theme::{Palette, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::{CHANNEL, row, timed};

/// Conversations whose score is computed anew.
const SCORED: usize = 5_000;
/// The most all of them together may take.
const SCORE_GOAL: Duration = Duration::from_millis(50);

/// Prints what keys cost; whether scoring is quick enough.
pub fn measure(mut reader: Reader, now: Timestamp) -> bool {
    let quick = score(&reader);
    let mut desk = Desk::new(now);
    let started = timed(|| desk.start(&mut reader));
    row("start, to the first frame", vec![started]);
    desk.row(&mut reader, "j, next conversation", "j", 100);
    desk.row(&mut reader, "Ctrl-D, half a page", "<Ctrl-D>", 20);
    desk.row(&mut reader, "G, to the bottom", "G", 1);
    desk.row(&mut reader, "g g, to the top", "gg", 1);
    desk.row(&mut reader, "w, next waiting", "w", 20);
    desk.row(&mut reader, "g w, most urgent", "gw", 20);
    desk.row(&mut reader, "Enter Esc, open and back", "<Enter><Esc>", 20);
    desk.row(&mut reader, "J, next while reading", "<Enter>J<Esc>", 20);
    desk.row(&mut reader, ", w and , a, sort", ",w,a", 10);
    desk.row(&mut reader, ", x and , n, sort", ",x,n", 10);
    desk.row(&mut reader, "\\ 1 and \\ 4, views", "\\1\\4", 10);
    desk.row(&mut reader, "/ mar Esc, filter as typed", "/mar<Esc>", 10);
    desk.row(&mut reader, "Ctrl-P mar Esc, palette", "<Ctrl-P>mar<Esc>", 10);
    desk.row(&mut reader, "0 1, all tabs", "01", 10);
    quick
}

/// The score of the newest messages of many conversations.
fn score(reader: &Reader) -> bool {
    let channel = ChannelId::from(CHANNEL);
    let mut said: Vec<Vec<Said>> = Vec::new();
    let limit = u32::try_from(LAST).unwrap_or(u32::MAX);
    for conversation in crate::conversations(reader, SCORED) {
        let query = HistoryQuery { channel: channel.clone(), conversation, limit };
        let page = reader.history(&query).expect("a history");
        let messages = page.messages.iter().map(|it| &it.message);
        said.push(
            messages
                .map(|it| Said::new(it.direction, it.sender.clone(), it.content.as_str(), &it.delivery))
                .collect(),
        );
    }
    let mut total = 0;
    let times =
        (0..10).map(|_| timed(|| total += said.iter().map(|it| look(it).score()).sum::<u32>())).collect();
    let worst = row(&format!("trouble score of {} conversations", said.len()), times);
    assert!(total > 0, "nobody is in trouble");
    if worst >= SCORE_GOAL {
        println!("scoring is not under {} ms", SCORE_GOAL.as_millis());
    }
    worst < SCORE_GOAL
}

/// The screen without threads.
struct Desk {
    app: App,
    now: Timestamp,
    buffer: Buffer,
}

impl Desk {
    fn new(now: Timestamp) -> Self {
        let size = (160, 50);
        let info = ChannelInfo {
            id: ChannelId::from(CHANNEL),
            name: "Bench".to_owned(),
            environment: None,
            read_only: false,
        };
        let app = App::new(vec![info], Settings::default(), size, now);
        Self { app, now, buffer: Buffer::empty(Rect::new(0, 0, size.0, size.1)) }
    }

    fn start(&mut self, reader: &mut Reader) {
        let effects = self.app.start();
        self.answer(reader, effects);
        self.draw();
    }

    /// Loads what is asked for until nothing is.
    fn answer(&mut self, reader: &mut Reader, mut effects: Vec<Effect>) {
        while let Some(effect) = effects.pop() {
            if let Effect::Load(load) = effect {
                let loaded = match load {
                    Load::Search(query) => effects::load(reader, Load::Search(query)),
                    load => effects::load(reader, load),
                };
                effects.extend(self.app.update(Event::Loaded(loaded)));
            }
        }
    }

    fn draw(&mut self) {
        self.buffer.reset();
        ui::draw(&self.app, Theme { palette: Palette::Terminal, ascii: false }, &mut self.buffer);
        self.app.drawn();
    }

    /// Presses keys, with a frame after each.
    fn press(&mut self, reader: &mut Reader, keys: &[Key]) {
        for key in keys {
            self.now = self.now.plus(SECOND);
            let mut effects = self.app.update(Event::Time(self.now));
            effects.extend(self.app.update(Event::Key(*key)));
            self.answer(reader, effects);
            self.draw();
        }
    }

    fn row(&mut self, reader: &mut Reader, name: &str, keys: &str, times: usize) {
        let keys = parse(keys);
        let times =
            (0..times).map(|_| timed(|| self.press(reader, &keys)) / u32::try_from(keys.len()).unwrap_or(1));
        row(name, times.collect());
        self.press(reader, &[Key::plain(KeyCode::Esc)]);
    }
}

/// Characters as they are, others as `<Enter>`.
fn parse(keys: &str) -> Vec<Key> {
    let mut all = Vec::new();
    let mut rest = keys;
    while let Some(it) = rest.chars().next() {
        let (key, length) = match rest.split_once('>').filter(|_| it == '<') {
            Some((name, _)) => (Key::parse(&name[1..]).expect("a key"), name.len() + 1),
            None => (Key::plain(KeyCode::Char(it)), it.len_utf8()),
        };
        all.push(key);
        rest = &rest[length..];
    }
    all
}
