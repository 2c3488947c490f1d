use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::overlays::request_log::RequestLogView;
use crate::pages::PageKind;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::overview::{FailureSummary, Overview, REFRESH_INTERVAL};
use model::ids::ChannelId;
use model::time::{MINUTE, Moment};

impl Overview {
    pub(crate) fn open(&mut self, desk: &mut Desk) {
        desk.page = PageKind::Wall;
        self.chosen = desk.active.min(desk.tabs.len() - 1);
        self.refreshed_at = None;
        self.stale = true;
    }

    pub(crate) fn next_refresh_at(&self, desk: &Desk) -> Option<Moment> {
        let looked = self.refreshed_at.filter(|_| desk.page == PageKind::Wall)?;
        Some(looked.plus(REFRESH_INTERVAL))
    }

    pub(crate) fn load(&mut self, context: &mut Context) {
        let due = self.refreshed_at.is_none_or(|looked| context.moment.since(looked) >= REFRESH_INTERVAL);
        if due {
            self.refreshed_at = Some(context.moment);
            context.push(SyncOrder::ReadCalls);
        }
        if due || std::mem::take(&mut self.stale) {
            self.stale = false;
            context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Running)));
        }
    }

    pub(crate) fn step(&mut self, by: isize, desk: &Desk) {
        self.chosen = self.chosen.saturating_add_signed(by).min(desk.tabs.len() - 1);
    }
}

pub(crate) fn open_selected_tab(inbox: &mut Inbox) {
    let channel = inbox.desk.tabs[inbox.overview.chosen.min(inbox.desk.tabs.len() - 1)].channel.id.clone();
    inbox.features.request_log.show_requests_of(channel, &mut inbox.context);
}

impl RequestLogView {
    pub fn failure_summary(&self, channel: &ChannelId, context: &Context) -> FailureSummary {
        let mut codes: Vec<(String, usize)> = Vec::new();
        let mut failures = FailureSummary::default();
        for call in self.failed_requests(channel) {
            if !(0..MINUTE).contains(&context.now.since(call.at)) {
                continue;
            }
            failures.count += 1;
            failures.since = Some(failures.since.map_or(call.at, |time| time.min(call.at)));
            let code = call.code.as_ref().map(ToString::to_string);
            let code = code.unwrap_or_else(|| match &call.answer {
                Ok(status) => status.to_string(),
                Err(_) => "no answer".to_owned(),
            });
            match codes.iter_mut().find(|pair| pair.0 == code) {
                Some(found) => found.1 += 1,
                None => codes.push((code, 1)),
            }
        }
        codes.sort_by_key(|code| std::cmp::Reverse(code.1));
        failures.most_frequent = codes.into_iter().next().map(|code| code.0);
        failures
    }
}
