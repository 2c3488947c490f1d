//! Shows the newest requests, and one of them as a command.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{SyncOrder, TerminalOrder};
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::overlays::request_log::{MILLISECOND, RequestFilter, RequestLogView, is_write_or_failure};
use model::calls::Call;
use model::ids::ChannelId;
use model::text::SafeText;

impl RequestLogView {
    pub(crate) fn show_requests_of(&mut self, channel: ChannelId, context: &mut Context) {
        (self.filter, self.channel) = (RequestFilter::Failures, Some(channel));
        context.push(SyncOrder::ReadCalls);
        listing::show_list(context, ListKind::RequestLog);
    }

    /// Opens or reloads the list, which does not update by itself.
    pub(crate) fn show_requests(&mut self, context: &mut Context) {
        context.push(SyncOrder::ReadCalls);
        if !listing::shows_list(context, ListKind::RequestLog) {
            self.channel = None;
            listing::show_list(context, ListKind::RequestLog);
        }
    }

    /// Copies the newest change or failure of this tab.
    pub(crate) fn copy_newest_request(&mut self, context: &mut Context) {
        self.copies_newest = true;
        context.push(SyncOrder::ReadCalls);
    }

    /// Stores the requests and carries out a pending copy.
    pub(crate) fn receive_requests(&mut self, calls: Vec<Call>, desk: &Desk, context: &mut Context) {
        self.requests = calls;
        if std::mem::take(&mut self.copies_newest) {
            let channel = &desk.tab().channel.id;
            let found =
                self.requests.iter().find(|call| call.channel == *channel && is_write_or_failure(call));
            match found.map(Call::to_curl_command) {
                Some(command) => copy_curl_command(context, command),
                None => context.show_warning(
                    context.fill_in_keys("no changes or failures lately; {show-calls} lists all requests"),
                ),
            }
        }
    }

    pub(crate) fn handle_letter(&mut self, chosen: usize, letter: char, context: &mut Context) {
        match letter {
            'y' => {
                let command = self.filtered_requests().nth(chosen).map(Call::to_curl_command);
                match command {
                    Some(command) => copy_curl_command(context, command),
                    None => context.show_warning("no request here"),
                }
            }
            'f' => {
                self.filter = match self.filter {
                    RequestFilter::All => RequestFilter::FailuresAndChanges,
                    RequestFilter::FailuresAndChanges => RequestFilter::Failures,
                    RequestFilter::Failures => RequestFilter::All,
                };
                self.channel = None;
            }
            'r' => self.show_requests(context),
            _ => (),
        }
    }

    pub(crate) fn request_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
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
                text: SafeText::line(&words),
                trailing: format!("{status} {:>5} ms", call.duration / MILLISECOND),
                is_urgent: !call.is_success(),
                dim: call.is_success() && call.method == "GET",
                target: None,
            }
        };
        self.filtered_requests().map(line).collect()
    }
}

fn copy_curl_command(context: &mut Context, command: String) {
    let what = "as a curl command, without the key and the body";
    context.push(TerminalOrder::Copy(command, what.to_owned()));
}
