//! Makes the checks of a broadcast, and handles their keys.

use crate::Inbox;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::broadcasts::preflight::{
    CheckItem, CheckSeverity, Preflight, check_audience, check_plan, check_price, check_quality, check_window,
};

impl Overlay for Preflight {
    fn hints(&self, _inbox: &Inbox) -> Option<Vec<(String, String)>> {
        Some(vec![("Esc".to_owned(), "back".to_owned())])
    }

    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let blocked = self
            .list_checks(&inbox.desk)
            .into_iter()
            .find(|flight_point| flight_point.severity == CheckSeverity::Blocking);
        let phrase = self.campaign.audience.confirmation_phrase();
        let back = key.code == KeyCode::Esc || (phrase.is_none() && key.typed() == Some('n'));
        if back {
            inbox.context.overlays.push(self.form.clone());
            return KeyOutcome::Done;
        }
        let agreed = match &phrase {
            Some(phrase) if key.code == KeyCode::Enter => {
                self.is_mistyped = self.typed.text().trim() != phrase;
                !self.is_mistyped
            }
            Some(_) => {
                self.is_mistyped = false;
                self.typed.key(key);
                false
            }
            None => key.typed() == Some('y'),
        };
        // Its letters act without changing what is asked: none goes astray.
        match blocked {
            _ if !agreed => KeyOutcome::Stay,
            Some(point) => {
                inbox.context.show_warning(format!("not sent: {}", point.text));
                KeyOutcome::Stay
            }
            None => {
                inbox.broadcasts.start_broadcast(self.clone(), &inbox.desk, &mut inbox.context);
                KeyOutcome::Done
            }
        }
    }

    fn input(&self) -> OverlayInput {
        if self.campaign.audience.confirmation_phrase().is_some() {
            OverlayInput::TypedAnswer
        } else {
            OverlayInput::Answer
        }
    }
}

impl Preflight {
    /// Returns the points of the check in the order they are drawn.
    pub(crate) fn list_checks(&self, desk: &Desk) -> Vec<CheckItem> {
        let tab = desk.tabs.iter().find(|tab| tab.channel.id == self.campaign.channel).unwrap_or(desk.tab());
        let mut points = vec![check_audience(self), check_price(tab, self)];
        points.extend(check_quality(tab, self));
        points.push(check_window(self));
        points.push(check_plan(self));
        points
    }
}
