//! Records presence, and announces what happened during an absence.

use crate::context::Context;
use crate::event::FileWrite;
use crate::features::absence::{ANNOUNCEMENT_LIMIT, Absences, HERE};
use model::needs_you::NeedsYouPage;
use model::time::format_short_span;

impl Absences {
    /// Handles a sign of presence: the desk was opened, a key, a click or a paste.
    pub(crate) fn touched(&mut self, context: &mut Context) {
        self.touched_at = Some(context.moment);
        if self.noted_at.is_none_or(|noted| context.moment.since(noted) >= HERE) {
            self.note(context);
        }
    }

    fn note(&mut self, context: &mut Context) {
        if context.settings.absence_after > 0 {
            self.noted_at = Some(context.moment);
            context.push(FileWrite::RecordPresence(context.settings.absence_after));
        }
    }

    /// Records presence at the end of the desk if the newest input is recent.
    pub(crate) fn left(&mut self, context: &mut Context) {
        if self.touched_at.take().is_some_and(|moment| context.moment.since(moment) < HERE) {
            self.note(context);
        }
    }

    /// Records presence once the newest input is no longer recent.
    pub(crate) fn follow(&mut self, context: &mut Context) {
        if self.due().is_some_and(|due| due <= context.moment) {
            let touched = self.touched_at.take();
            // After a sleep of the machine nobody knows who was here.
            if touched.is_some_and(|moment| context.moment.since(moment) < 2 * HERE) {
                self.note(context);
            }
        }
    }

    /// Starts the time in which the events of an absence are announced.
    pub(crate) fn returned(&mut self, context: &Context) {
        self.announces_until = Some(context.moment.plus(ANNOUNCEMENT_LIMIT));
    }

    /// True while events of the absence are still to be announced.
    pub(crate) fn announces(&self, context: &Context) -> bool {
        self.announces_until.is_some_and(|until| context.moment < until)
    }

    /// Says once that something happened during the absence.
    pub(crate) fn announce(&mut self, page: &NeedsYouPage, context: &mut Context) {
        if !page.has_events || !self.announces(context) {
            return;
        }
        if let Some(absence) = page.absence {
            self.end_announcement();
            let away = format_short_span(absence.until.since(absence.from));
            let words = context.fill_in_keys("{needs-you} shows what happened");
            context.show_notice(format!("you were away {away}: {words}"));
        }
    }

    /// Called once the page was announced or is on screen.
    pub(crate) fn end_announcement(&mut self) {
        self.announces_until = None;
    }
}
