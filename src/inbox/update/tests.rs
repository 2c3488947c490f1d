//! A wall clock that is set under a running inbox moves no deadline and no age.

use super::*;
use crate::components::confirm::Confirm;
use crate::connection_state;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::prompt_guard::ANSWER_QUIET_TIME;
use crate::screens::composer::Composer;
use crate::screens::history::History;
use crate::settings::{ChannelInfo, Settings};
use crate::tab::Focus;
use crate::tests::row;
use model::account::Environment;
use model::attention::Alarms;
use model::news::Health;
use model::time::{Moment, SECOND, Timestamp};

/// Steps of the wall clock; 0 is the reference run.
const STEPS: [i64; 3] = [0, 59 * MINUTE, -59 * MINUTE];
/// Microseconds between two updates of a run.
const TICK: i64 = 10_000;

struct Run {
    inbox: Inbox,
    times: ClockReading,
    /// Step of the wall clock in the middle of the run.
    step: i64,
}

impl Run {
    fn new(step: i64) -> Self {
        let channel = ChannelInfo {
            id: channel(),
            name: "Chat".to_owned(),
            environment: Some(Environment::Live),
            read_only: false,
        };
        let now = Timestamp::parse("2026-11-20T10:00:00Z").expect("a time");
        let times = ClockReading { now, moment: Moment::from_micros(7_000 * SECOND) };
        let mut inbox = Inbox::new(vec![channel], Settings::default(), (80, 24), times);
        inbox.start();
        let tab = inbox.desk.tab_mut();
        tab.list.page.rows = vec![row("w1", true)];
        tab.list.selected = Some(row("w1", true).key());
        let mut run = Self { inbox, times, step };
        run.tick(0);
        run
    }

    fn tick(&mut self, micros: i64) -> Vec<Effect> {
        self.times =
            ClockReading { now: self.times.now.plus(micros), moment: self.times.moment.plus(micros) };
        self.inbox.update(Event::Time(self.times))
    }

    fn set(&mut self) -> Vec<Effect> {
        self.times.now = self.times.now.plus(self.step);
        self.inbox.update(Event::Time(self.times))
    }

    fn press(&mut self, key: char) {
        self.inbox.update(Event::Key(KeyPress::plain(KeyCode::Char(key))));
    }

    /// Microseconds until an effect, to the precision of an update.
    fn until(&mut self, is_it: impl Fn(&Effect) -> bool) -> Option<i64> {
        (0..1_000)
            .find(|turn| self.tick(if *turn == 0 { 0 } else { TICK }).iter().any(&is_it))
            .map(|turn| turn * TICK)
    }

    fn health_text(&self) -> String {
        let (inbox, health) = (&self.inbox, &self.inbox.desk.tab().health);
        connection_state::connection_label(health, inbox.context.now, &inbox.context.settings).0
    }
}

fn channel() -> ChannelId {
    ChannelId::from("chat")
}

/// Asserts the same result with every step of the clock.
fn assert_unaffected_by_clock_step<T: std::fmt::Debug + PartialEq>(told: impl Fn(Run) -> T) -> T {
    let alike = told(Run::new(STEPS[0]));
    for step in STEPS {
        assert_eq!(told(Run::new(step)), alike, "set by {} minutes", step / MINUTE);
    }
    alike
}

#[test]
fn question_takes_its_answer_after_the_same_quiet() {
    let answered = assert_unaffected_by_clock_step(|mut run| {
        let question = Confirm::new("Send it?", Vec::new()).answer('y', "yes", |_| ());
        run.inbox.context.open(question);
        run.inbox.desk.record_drawn(run.times.moment, &mut run.inbox.context);
        run.tick(ANSWER_QUIET_TIME / 2);
        run.set();
        run.press('y');
        let early = run.inbox.context.overlays.is_empty();
        run.tick(ANSWER_QUIET_TIME);
        run.press('y');
        (early, run.inbox.context.overlays.is_empty())
    });
    assert_eq!(answered, (false, true));
}

#[test]
fn changed_draft_is_saved_after_the_same_pause() {
    let saved = assert_unaffected_by_clock_step(|mut run| {
        let conversation = ConversationId::from("w1");
        let tab = run.inbox.desk.tab_mut();
        tab.history = Some(History::new(channel(), conversation.clone()));
        let mut composer = Composer::new(conversation);
        composer.receive_draft(None);
        tab.composer = Some(composer);
        tab.focus = Focus::Composer;
        run.press('h');
        run.set();
        run.until(|effect| matches!(effect, Effect::Write(crate::event::FileWrite::SaveDraft(..))))
    });
    assert!(saved.is_some_and(|pause| pause > 0), "{saved:?}");
}

#[test]
fn failed_load_is_tried_again_after_the_same_wait() {
    let again = assert_unaffected_by_clock_step(|mut run| {
        run.inbox.update(Event::Loaded(Load::Spending, Err("locked".to_owned())));
        run.set();
        run.until(|effect| matches!(effect, Effect::Load(Load::Spending)))
    });
    assert!(again.is_some_and(|wait| wait > 0), "{again:?}");
}

#[test]
fn servers_are_searched_after_the_same_rest() {
    let rest = assert_unaffected_by_clock_step(|mut run| {
        let Inbox { features, desk, context, .. } = &mut run.inbox;
        features.search.open_search("maria", desk, context);
        run.set();
        let due = run.inbox.features.search.server_query_due(&run.inbox.context);
        due.map(|due| due.since(run.times.moment))
    });
    assert!(rest.is_some_and(|rest| rest > 0), "{rest:?}");
}

#[test]
fn ages_of_a_connection_are_true() {
    assert_unaffected_by_clock_step(|mut run| {
        let mut told = Vec::new();
        let now = run.times.now;
        let states = [
            Health::Live { at: now },
            Health::Silent { since: now },
            Health::Limited { until: now.plus(30 * SECOND) },
        ];
        for health in states {
            run.inbox.update(Event::News(News::Health(channel(), health)));
            run.tick(3 * SECOND);
            run.set();
            let counts = |run: &Run| run.health_text().rsplit(' ').next().map(str::to_owned);
            told.push(counts(&run));
            run.tick(2 * SECOND);
            told.push(counts(&run));
            // Reverts the step, for the next state.
            run.step = -run.step;
            run.set();
            run.step = -run.step;
            told.push(counts(&run));
            run.tick(-5 * SECOND);
        }
        told
    });
}

#[test]
fn notice_ends_and_the_inbox_wakes_as_if_nothing_had_happened() {
    let ended = assert_unaffected_by_clock_step(|mut run| {
        run.inbox.context.show_notice("done");
        run.tick(SECOND);
        run.set();
        let due = run.inbox.micros_until_due(run.times);
        let left = (0..100).find(|_| {
            run.tick(SECOND / 10);
            run.inbox.context.notice.is_none()
        });
        (due, left)
    });
    assert!(ended.0 > 0 && ended.1.is_some_and(|turns| turns > 10), "{ended:?}");
}

#[test]
fn clock_that_is_set_is_shown_at_once_and_alarms_follow_it() {
    for step in STEPS {
        let mut run = Run::new(step);
        let looked_at = run.times.now;
        let Inbox { features, desk, context, .. } = &mut run.inbox;
        features.attention.alarms_loaded(Alarms::default(), looked_at, desk, context);
        let effects = run.set();
        let now = run.times.now;
        assert_eq!(run.inbox.context.now, now);
        let since = effects.iter().find_map(|effect| {
            let Effect::Load(Load::Alarms(_, since)) = effect else { return None };
            Some(*since)
        });
        assert_eq!(since, (step != 0).then(|| looked_at.min(now)), "set by {} minutes", step / MINUTE);
    }
}
