//! Shows the requests of the last while, and one of them as a command.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{SyncOrder, TerminalOrder};
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::overlays::request_log::{MILLISECOND, RequestLogView, RequestsShown, is_telling};
use model::calls::Call;
use model::ids::ChannelId;
use model::text::SafeText;

impl RequestLogView {
    /// Opens the list with what failed on one tab.
    pub(crate) fn show_calls_of(&mut self, channel: ChannelId, context: &mut Context) {
        (self.shown, self.only) = (RequestsShown::Failures, Some(channel));
        context.push(SyncOrder::ReadCalls);
        listing::show_list(context, ListKind::Calls);
    }

    /// Opens the list, or reads it anew: it does not move by itself.
    pub(crate) fn show_calls(&mut self, context: &mut Context) {
        context.push(SyncOrder::ReadCalls);
        if !listing::shows_list(context, ListKind::Calls) {
            self.only = None;
            listing::show_list(context, ListKind::Calls);
        }
    }

    /// Copies the newest change or failure of this tab.
    pub(crate) fn copy_newest_call(&mut self, context: &mut Context) {
        self.copies = true;
        context.push(SyncOrder::ReadCalls);
    }

    /// The requests have come, newest first.
    pub(crate) fn calls_known(&mut self, calls: Vec<Call>, desk: &Desk, context: &mut Context) {
        self.all = calls;
        if std::mem::take(&mut self.copies) {
            let channel = &desk.tab().channel.id;
            let found = self.all.iter().find(|call| call.channel == *channel && is_telling(call));
            match found.map(Call::to_curl_command) {
                Some(command) => copy_curl(context, command),
                None => context.warn(
                    context.keyed("nothing was changed and nothing failed lately; {show-calls} lists all"),
                ),
            }
        }
    }

    /// A letter of the list.
    pub(crate) fn calls_letter(&mut self, chosen: usize, letter: char, context: &mut Context) {
        match letter {
            'y' => {
                let command = self.shown_calls().nth(chosen).map(Call::to_curl_command);
                match command {
                    Some(command) => copy_curl(context, command),
                    None => context.warn("there is no request here"),
                }
            }
            'f' => {
                self.shown = match self.shown {
                    RequestsShown::All => RequestsShown::FailuresAndChanges,
                    RequestsShown::FailuresAndChanges => RequestsShown::Failures,
                    RequestsShown::Failures => RequestsShown::All,
                };
                self.only = None;
            }
            'r' => self.show_calls(context),
            _ => (),
        }
    }

    pub(crate) fn call_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let zone = &context.settings.zone;
        let line = |call: &Call| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == call.channel);
            let tab = tab.map_or("", |tab| tab.channel.name.as_str());
            let seconds = call.at.micros().div_euclid(1_000_000).rem_euclid(60);
            let mut words = format!("{:<6} {}", call.method, call.path);
            let id = call.request_id.as_ref().map(|request_id| format!("id {request_id}"));
            let why = call.answer.as_ref().err().or(call.code.as_ref()).map(ToString::to_string);
            let replayed = call.replayed.then(|| "REPLAYED".to_owned());
            let process = Some(call.process.to_string()).filter(|text| !text.is_empty());
            for more in [why, replayed, id, process].into_iter().flatten() {
                words.push_str(&format!(" · {more}"));
            }
            let status = call.answer.as_ref().map_or_else(|_| "none".to_owned(), ToString::to_string);
            ListLine {
                name: SafeText::line(&format!("{}:{seconds:02} {tab}", call.at.hour_and_minute(zone))),
                words: SafeText::line(&words),
                right: format!("{status} {:>5} ms", call.duration / MILLISECOND),
                loud: !call.is_success(),
                dim: call.is_success() && call.method == "GET",
                goes_to: None,
            }
        };
        self.shown_calls().map(line).collect()
    }
}

fn copy_curl(context: &mut Context, command: String) {
    let what = "as a curl command, without the key and the body";
    context.push(TerminalOrder::Copy(command, what.to_owned()));
}
