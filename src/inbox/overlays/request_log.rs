//! The requests of the last while as a list, and one of them as a command for
//! a shell.

use crate::Inbox;
use crate::event::Effect;
use crate::overlays::Layer;
use crate::overlays::listing::{ListKind, ListLine};
use model::calls::Call;
use model::ids::ChannelId;
use model::text::SafeText;

/// Microseconds.
const MILLISECOND: i64 = 1_000;

/// What is known of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLogView {
    all: Vec<Call>,
    /// Whether only failures and changes are shown.
    few: bool,
    /// Whether only those of one tab are.
    only: Option<ChannelId>,
    /// Whether the newest is copied once they have come.
    copies: bool,
}

impl Inbox {
    /// The requests of a tab that were not answered as wished.
    pub fn failed_calls(&self, channel: &ChannelId) -> impl Iterator<Item = &Call> {
        self.calls.all.iter().filter(move |it| it.channel == *channel && !it.is_fine())
    }

    /// Opens the list with what failed and what was changed on one tab.
    pub(crate) fn show_calls_of(&mut self, channel: ChannelId) {
        (self.calls.few, self.calls.only) = (true, Some(channel));
        self.context.push(Effect::ReadCalls);
        self.show_list(ListKind::Calls);
    }

    /// Opens the list, or reads it anew: it does not move by itself.
    pub(crate) fn show_calls(&mut self) {
        self.context.push(Effect::ReadCalls);
        if !matches!(self.layers.last(), Some(Layer::List { kind: ListKind::Calls, .. })) {
            self.calls.only = None;
            self.show_list(ListKind::Calls);
        }
    }

    /// Copies the newest change or failure of this tab.
    pub(crate) fn copy_newest_call(&mut self) {
        self.calls.copies = true;
        self.context.push(Effect::ReadCalls);
    }

    /// The requests have come, newest first.
    pub(crate) fn calls_known(&mut self, calls: Vec<Call>) {
        self.calls.all = calls;
        if std::mem::take(&mut self.calls.copies) {
            let channel = &self.tab().channel.id;
            let found = self.calls.all.iter().find(|it| it.channel == *channel && is_telling(it));
            match found.map(Call::curl) {
                Some(command) => self.copy_curl(command),
                None => self.warn(
                    self.keyed("nothing was changed and nothing failed lately; {show-calls} lists all"),
                ),
            }
        }
    }

    fn copy_curl(&mut self, command: String) {
        let what = "as a curl command, without the key and the body";
        self.context.push(Effect::Copy(command, what.to_owned()));
    }

    /// A letter of the list.
    pub(crate) fn calls_letter(&mut self, chosen: usize, letter: char) {
        match letter {
            'y' => {
                let command = self.shown_calls().nth(chosen).map(Call::curl);
                match command {
                    Some(command) => self.copy_curl(command),
                    None => self.warn("there is no request here"),
                }
            }
            'f' => {
                self.calls.few = !self.calls.few;
                self.calls.only = None;
            }
            'r' => self.show_calls(),
            _ => (),
        }
    }

    /// The title of the list, and what its keys do.
    pub fn calls_head(&self) -> (String, &'static str) {
        match self.calls.few {
            true => ("Requests · failures and changes".to_owned(), "y curl · f all · r anew · Esc back"),
            false => ("Requests · newest first".to_owned(), "y curl · f fewer · r anew · Esc back"),
        }
    }

    fn shown_calls(&self) -> impl Iterator<Item = &Call> {
        let only = self.calls.only.as_ref();
        let wanted = move |it: &&Call| only.is_none_or(|channel| it.channel == *channel);
        self.calls.all.iter().filter(|it| !self.calls.few || is_telling(it)).filter(wanted)
    }

    /// The lines of the list.
    pub(crate) fn call_lines(&self) -> Vec<ListLine> {
        let zone = &self.context.settings.zone;
        let line = |it: &Call| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == it.channel);
            let tab = tab.map_or("", |it| it.channel.name.as_str());
            let seconds = it.at.micros().div_euclid(1_000_000).rem_euclid(60);
            let mut words = format!("{:<6} {}", it.method, it.path);
            let id = it.request_id.as_ref().map(|it| format!("id {it}"));
            let why = it.answer.as_ref().err().or(it.code.as_ref()).map(ToString::to_string);
            let replayed = it.replayed.then(|| "REPLAYED".to_owned());
            for more in [why, replayed, id].into_iter().flatten() {
                words.push_str(&format!(" · {more}"));
            }
            let status = it.answer.as_ref().map_or_else(|_| "none".to_owned(), ToString::to_string);
            ListLine {
                name: SafeText::line(&format!("{}:{seconds:02} {tab}", it.at.clock_face(zone))),
                words: SafeText::line(&words),
                right: format!("{status} {:>5} ms", it.took / MILLISECOND),
                loud: !it.is_fine(),
                dim: it.is_fine() && it.method == "GET",
                goes_to: None,
            }
        };
        self.shown_calls().map(line).collect()
    }
}

/// Whether it changed something or was not answered as wished.
fn is_telling(call: &Call) -> bool {
    call.method != "GET" || !call.is_fine()
}
