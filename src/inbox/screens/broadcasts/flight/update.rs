//! Makes the points of the flight check, and follows the rehearsal.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::broadcasts::flight::{
    CheckWeight, Flight, Point, Rehearsal, audience, first_wave, plan, price, quality, window,
};
use crate::tab::Tab;
use model::account::{Environment, Platform};
use model::ids::ConversationId;
use model::ids::RowId;
use model::outbox::OutboxRow;
use model::queries::OutboxOutcome;
use model::time::format_ago;

impl Overlay for Flight {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let blocked = inbox
            .broadcasts
            .flight_points(self, &inbox.desk, &inbox.context)
            .into_iter()
            .find(|flight_point| flight_point.weight == CheckWeight::Blocks);
        let phrase = self.new.audience.confirmation_phrase();
        let back = key.code == KeyCode::Esc || (phrase.is_none() && key.typed() == Some('n'));
        if back {
            inbox.context.layers.push(self.form.clone());
            return KeyOutcome::Done;
        }
        if key.ctrl && key.code == KeyCode::Char('t') {
            rehearse(inbox, self);
            return KeyOutcome::Stay;
        }
        let agreed = match &phrase {
            Some(phrase) if key.code == KeyCode::Enter => {
                self.wrong = self.typed.text().trim() != phrase;
                !self.wrong
            }
            Some(_) => {
                self.wrong = false;
                self.typed.key(key);
                false
            }
            None => key.typed() == Some('y'),
        };
        // Its letters act without changing what is asked: none goes astray.
        match blocked {
            _ if !agreed => KeyOutcome::Stay,
            Some(point) => {
                inbox.context.warn(format!("not sent: {}", point.words));
                KeyOutcome::Stay
            }
            None => {
                inbox.broadcasts.begin_broadcast(self.clone(), &inbox.desk, &mut inbox.context);
                KeyOutcome::Done
            }
        }
    }

    fn input(&self) -> OverlayInput {
        if self.new.audience.confirmation_phrase().is_some() {
            OverlayInput::TypedAnswer
        } else {
            OverlayInput::Answer
        }
    }
}

impl BroadcastsScreen {
    /// The points of the check.
    pub fn flight_points(&self, flight: &Flight, desk: &Desk, context: &Context) -> Vec<Point> {
        let tab = desk.tabs.iter().find(|tab| tab.channel.id == flight.new.channel).unwrap_or(desk.tab());
        let mut points = vec![audience(flight), price(tab, flight)];
        points.extend(quality(tab, flight));
        points.push(window(flight));
        points.push(self.rehearsed(flight, desk, context));
        points.push(plan(flight));
        points
    }

    /// What the last rehearsal says of this flight.
    fn rehearsed(&self, flight: &Flight, desk: &Desk, context: &Context) -> Point {
        let rehearsal = &self.rehearsal;
        let same = rehearsal.what.as_ref() == Some(&first_wave(&flight.new));
        let ago = format_ago(context.moment.since(rehearsal.at));
        let (words, weight) = match (&rehearsal.fate, desk.test_tab(flight)) {
            (Some(OutboxOutcome::Done), _) if same => {
                (format!("the same bytes on {} {ago}: taken", rehearsal.tab), CheckWeight::Fine)
            }
            (Some(OutboxOutcome::NeedsDecision(why)), _) if same => {
                (format!("the same bytes on {} {ago}: REFUSED: {why}", rehearsal.tab), CheckWeight::Look)
            }
            (_, Some(_)) if same && rehearsal.row.is_some() => ("on its way".to_owned(), CheckWeight::Look),
            (_, Some(tab)) => (
                format!("not rehearsed · Ctrl-T sends the first wave's bytes on {}", tab.channel.name),
                CheckWeight::Look,
            ),
            (_, None) => ("no tab here has a test key of this workspace".to_owned(), CheckWeight::Fine),
        };
        Point { label: "test run", words, weight }
    }

    /// Asks what became of the rehearsal, as long as that is not known.
    pub(crate) fn follow_rehearsal_fate(&mut self, context: &mut Context) {
        let rehearsal = &mut self.rehearsal;
        let open = matches!(rehearsal.fate, None | Some(OutboxOutcome::Waiting | OutboxOutcome::Sending));
        let Some(row) = rehearsal.row.clone().filter(|_| open && rehearsal.stale) else { return };
        rehearsal.stale = false;
        context.push(Effect::Load(Load::Fates(vec![row])));
    }
}

impl Desk {
    /// A tab with a test key of the same workspace.
    fn test_tab(&self, flight: &Flight) -> Option<&Tab> {
        let own = self.tabs.iter().find(|tab| tab.channel.id == flight.new.channel)?.account.as_ref()?;
        self.tabs.iter().find(|tab| {
            tab.environment() == Some(Environment::Test)
                && tab.account.as_ref().is_some_and(|account| {
                    account.platform == Platform::Whatsapp && account.workspace_id == own.workspace_id
                })
        })
    }
}

/// Sends the first wave's bytes with a test key, which reaches nobody.
fn rehearse(inbox: &mut Inbox, flight: &Flight) {
    let Some(tab) = inbox.desk.test_tab(flight) else {
        return inbox.context.warn("no tab here has a test key of this workspace");
    };
    let (channel, name) = (tab.channel.id.clone(), tab.channel.name.clone());
    let operation = first_wave(&flight.new);
    inbox.broadcasts.rehearsal = Rehearsal {
        what: Some(operation.clone()),
        row: None,
        fate: None,
        at: inbox.context.moment,
        tab: name,
        stale: true,
    };
    let intent = Intent {
        channel,
        platform: Platform::Whatsapp,
        conversation: ConversationId::default(),
        operation,
        hold: 0,
        seen: None,
        planned_at: None,
    };
    inbox.changes.queueing.quiet = true;
    inbox.context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
}

impl BroadcastsScreen {
    /// A row that was queued is the rehearsal's.
    pub(crate) fn follow_rehearsal(&mut self, rows: &[OutboxRow]) {
        let rehearsal = &mut self.rehearsal;
        if rehearsal.row.is_none()
            && let Some(row) = rows.iter().find(|row| Some(&row.operation) == rehearsal.what.as_ref())
        {
            rehearsal.row = Some(row.id.clone());
        }
    }

    /// What became of rows was told.
    pub(crate) fn rehearsal_fates(&mut self, fates: &[(RowId, OutboxOutcome)]) {
        let rehearsal = &mut self.rehearsal;
        if let Some((_, fate)) = fates.iter().find(|fate| Some(&fate.0) == rehearsal.row.as_ref()) {
            rehearsal.fate = Some(fate.clone());
        }
    }
}
