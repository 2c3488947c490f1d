//! Opens the wall, and goes from one of its lines to the tab.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::overlays::request_log::RequestLogView;
use crate::pages::PageKind;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::overview::{Failures, LOOK, Overview};
use model::ids::ChannelId;
use model::time::{MINUTE, Moment};

impl Overview {
    /// Goes to the page.
    pub(crate) fn go_to_wall(&mut self, desk: &mut Desk) {
        desk.page = PageKind::Wall;
        self.chosen = desk.active.min(desk.tabs.len() - 1);
        self.looked_at = None;
        self.stale = true;
    }

    /// When it is to be looked at again.
    pub(crate) fn wall_due(&self, desk: &Desk) -> Option<Moment> {
        let looked = self.looked_at.filter(|_| desk.page == PageKind::Wall)?;
        Some(looked.plus(LOOK))
    }

    /// Asks for what is on it and may be old.
    pub(crate) fn load_wall(&mut self, context: &mut Context) {
        let due = self.looked_at.is_none_or(|looked| context.moment.since(looked) >= LOOK);
        if due {
            self.looked_at = Some(context.moment);
            context.push(SyncOrder::ReadCalls);
        }
        if due || std::mem::take(&mut self.stale) {
            self.stale = false;
            context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Running)));
        }
    }

    /// Chooses another tab of it.
    pub(crate) fn step_wall(&mut self, by: isize, desk: &Desk) {
        self.chosen = self.chosen.saturating_add_signed(by).min(desk.tabs.len() - 1);
    }
}

/// The requests of the chosen tab that failed or changed something.
pub(crate) fn wall_enter(inbox: &mut Inbox) {
    let channel = inbox.desk.tabs[inbox.overview.chosen.min(inbox.desk.tabs.len() - 1)].channel.id.clone();
    inbox.features.request_log.show_calls_of(channel, &mut inbox.context);
}

impl RequestLogView {
    /// What failed of a tab's requests within the last minute.
    pub fn failures_of(&self, channel: &ChannelId, context: &Context) -> Failures {
        let mut codes: Vec<(String, usize)> = Vec::new();
        let mut failures = Failures::default();
        for call in self.failed_calls(channel) {
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
        failures.most = codes.into_iter().next().map(|code| code.0);
        failures
    }
}
