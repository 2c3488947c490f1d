//! Tests of the schedule.

use super::*;

fn at(seconds: i64) -> Moment {
    Moment::from_micros(crate::tests::at(seconds).micros())
}

#[test]
fn how_often_each_platform_is_asked() {
    let (chat, bot, mail, phone) = (Platform::Whatsapp, Platform::Telegram, Platform::Email, Platform::Voip);
    let cases = [
        (Task::Account, None, Some(60), Some(300)),
        (Task::Trigger, None, None, None),
        (Task::List, None, None, None),
        (Task::Account, Some(&mail), Some(60), Some(300)),
        (Task::List, Some(&mail), Some(10), Some(30)),
        (Task::Mailbox, Some(&mail), Some(60), Some(300)),
        (Task::Mailbox, Some(&chat), None, None),
        (Task::Trigger, Some(&mail), None, None),
        (Task::History, Some(&mail), Some(15), Some(60)),
        (Task::List, Some(&phone), Some(10), Some(60)),
        (Task::Sweep, Some(&phone), None, None),
        (Task::History, Some(&phone), None, None),
        (Task::Trigger, Some(&chat), Some(3), Some(10)),
        (Task::List, Some(&chat), Some(10), Some(60)),
        (Task::History, Some(&chat), Some(3), Some(10)),
        (Task::Trigger, Some(&bot), None, None),
        (Task::List, Some(&bot), Some(5), Some(10)),
        (Task::Sweep, Some(&bot), Some(300), Some(300)),
        (Task::Sweep, Some(&chat), Some(300), Some(300)),
        (Task::Sweep, Some(&mail), Some(300), Some(300)),
        (Task::Audit, Some(&chat), Some(3600), Some(3600)),
        (Task::Broadcasts, Some(&chat), Some(1), Some(10)),
    ];
    let seconds = |entry: Option<i64>| entry.map(|number| number * SECOND);
    for (task, platform, visible, background) in cases {
        let polling = Polling::default();
        assert_eq!(
            poll_interval(task, platform, true, polling, false),
            seconds(visible),
            "{task:?} {platform:?}"
        );
        assert_eq!(
            poll_interval(task, platform, false, polling, false),
            seconds(background),
            "{task:?} {platform:?}"
        );
    }
    let slow = Polling { visible: Duration::from_secs(20), background: Duration::ZERO };
    assert_eq!(poll_interval(Task::List, Some(&chat), true, slow, false), Some(20 * SECOND));
    assert_eq!(poll_interval(Task::Trigger, Some(&chat), false, slow, false), Some(SECOND), "never a storm");
}

#[test]
fn a_broadcast_is_looked_at_less_and_less_often() {
    let cases = [(0, 2), (4, 2), (5, 5), (14, 5), (15, 15), (239, 15), (240, 300), (u32::MAX, 300)];
    for (polls, seconds) in cases {
        assert_eq!(broadcast_poll_interval(polls), seconds * SECOND, "{polls}");
    }
}

#[test]
fn backing_off_is_capped() {
    let cases = [(1, true, 1), (2, true, 2), (3, true, 4), (5, true, 16), (6, false, 32)];
    for (failures, visible, seconds) in cases {
        assert_eq!(back_off_delay(failures, visible, 0.0), seconds * SECOND, "{failures}");
    }
    for failures in [6, 9, 40, u32::MAX] {
        assert!(back_off_delay(failures, true, 0.99) <= MAX_BACK_OFF_VISIBLE);
        assert!(back_off_delay(failures, true, 0.0) > MAX_BACK_OFF_VISIBLE * 8 / 10);
        assert!(back_off_delay(failures, false, 0.99) <= MAX_BACK_OFF_BACKGROUND);
    }
    assert!(back_off_delay(3, true, 0.5) > 4 * SECOND);
}

#[test]
fn the_longest_due_goes_first() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Account, Task::List, Task::Trigger], Polling::default());
    for task in [Task::Account, Task::List, Task::Trigger] {
        assert_eq!(plan.next(at(0), chat, true, false), ScheduleStep::Run(task));
        plan.record_finished(task, PullOutcome::Done, at(0), true, 0.0);
    }
    assert_eq!(plan.next(at(1), chat, true, false), ScheduleStep::Sleep(2 * SECOND));
    assert_eq!(plan.next(at(3), chat, true, false), ScheduleStep::Run(Task::Trigger));
    assert_eq!(plan.next(at(3), chat, false, false), ScheduleStep::Sleep(7 * SECOND));
    assert_eq!(plan.next(at(12), chat, true, false), ScheduleStep::Run(Task::Trigger), "nine seconds late");
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(12), true, 0.0);
    assert_eq!(plan.next(at(12), chat, true, false), ScheduleStep::Run(Task::List));
    plan.record_finished(Task::List, PullOutcome::More, at(12), true, 0.0);
    assert_eq!(plan.next(at(14), chat, true, false), ScheduleStep::Run(Task::List), "more waits");
    plan.make_due();
    assert_eq!(plan.next(at(14), chat, true, false), ScheduleStep::Run(Task::Account));
}

#[test]
fn failures_wait_and_recovery_ends_the_wait() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Trigger, Task::List], Polling::default());
    for _ in 0..5 {
        plan.record_finished(Task::List, PullOutcome::Failed, at(0), true, 0.0);
        plan.record_finished(Task::Trigger, PullOutcome::Failed, at(0), true, 0.0);
    }
    assert_eq!(plan.next(at(0), chat, true, false), ScheduleStep::Sleep(16 * SECOND));
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(16), true, 0.0);
    assert_eq!(plan.next(at(16), chat, true, false), ScheduleStep::Run(Task::List));
    plan.record_finished(Task::List, PullOutcome::Paced(SECOND), at(16), true, 0.0);
    assert_eq!(plan.next(at(16), chat, true, false), ScheduleStep::Sleep(SECOND));
}

#[test]
fn who_waits_for_the_budget_keeps_its_place() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Trigger, Task::List], Polling::default());
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(0), true, 0.0);
    plan.record_finished(Task::List, PullOutcome::Done, at(0), true, 0.0);
    // Both wait for the budget. The trigger runs first because it has been due longer; then the list,
    // although the trigger is due again.
    plan.record_finished(Task::Trigger, PullOutcome::Paced(5 * SECOND), at(10), true, 0.0);
    plan.record_finished(Task::List, PullOutcome::Paced(5 * SECOND), at(10), true, 0.0);
    assert_eq!(plan.next(at(10), chat, true, false), ScheduleStep::Sleep(5 * SECOND));
    assert_eq!(plan.next(at(15), chat, true, false), ScheduleStep::Run(Task::Trigger));
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(15), true, 0.0);
    plan.record_finished(Task::List, PullOutcome::Paced(5 * SECOND), at(15), true, 0.0);
    assert_eq!(plan.next(at(20), chat, true, false), ScheduleStep::Run(Task::List));
}

#[test]
fn what_is_left_for_later_is_gone_on_with() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Trigger, Task::List], Polling::default());
    plan.record_finished(Task::Trigger, PullOutcome::Later(0), at(0), true, 0.0);
    plan.record_finished(Task::List, PullOutcome::Later(4 * SECOND), at(0), true, 0.0);
    assert_eq!(plan.next(at(0), chat, true, false), ScheduleStep::Sleep(CONTINUE_DELAY), "not at once");
    assert_eq!(plan.next(at(2), chat, true, false), ScheduleStep::Continue(Task::Trigger));
    plan.record_continued(Task::Trigger, PullOutcome::Later(0), at(2));
    assert_eq!(
        plan.next(at(3), chat, true, false),
        ScheduleStep::Run(Task::Trigger),
        "in its time all the same"
    );
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(3), true, 0.0);
    assert_eq!(plan.next(at(4), chat, true, false), ScheduleStep::Continue(Task::List));
    plan.record_continued(Task::List, PullOutcome::Paced(3 * SECOND), at(4));
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(6), true, 0.0);
    assert_eq!(plan.next(at(7), chat, true, false), ScheduleStep::Continue(Task::List));
    plan.record_continued(Task::List, PullOutcome::Done, at(7));
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(9), true, 0.0);
    assert_eq!(plan.next(at(9), chat, true, false), ScheduleStep::Sleep(SECOND), "the list in its own time");
}

#[test]
fn a_clock_that_jumps_makes_things_due() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Trigger], Polling::default());
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(0), true, 0.0);
    assert_eq!(plan.next(at(-1_000_000), chat, true, false), ScheduleStep::Run(Task::Trigger));
    plan.record_finished(Task::Trigger, PullOutcome::Failed, at(0), true, 0.0);
    assert_eq!(plan.next(at(-1_000_000), chat, true, false), ScheduleStep::Run(Task::Trigger));
    assert_eq!(plan.next(at(0), None, true, false), ScheduleStep::Sleep(MAX_WAIT));
}

#[test]
fn while_webhooks_tell_what_happens_it_is_asked_for_less_often() {
    let (chat, bot, mail, phone) = (Platform::Whatsapp, Platform::Telegram, Platform::Email, Platform::Voip);
    // (task, platform, seconds while visible, seconds in the background)
    let cases = [
        (Task::Trigger, &chat, 15, 60),
        (Task::List, &chat, 15, 60),
        (Task::History, &chat, 15, 15),
        (Task::List, &bot, 15, 60),
        (Task::List, &mail, 15, 60),
        (Task::History, &mail, 15, 60),
        // Not reported by webhooks.
        (Task::Account, &chat, 60, 300),
        (Task::Sweep, &chat, 300, 300),
        (Task::Broadcasts, &chat, 1, 10),
        (Task::List, &phone, 10, 60),
    ];
    let polling = Polling::default();
    for (task, platform, visible, background) in cases {
        let of =
            |seen| poll_interval(task, Some(platform), seen, polling, true).map(|interval| interval / SECOND);
        assert_eq!((of(true), of(false)), (Some(visible), Some(background)), "{task:?} {platform:?}");
    }
    let slow = Polling { visible: Duration::from_secs(120), background: Duration::from_secs(120) };
    assert_eq!(
        poll_interval(Task::Trigger, Some(&chat), true, slow, true),
        Some(120 * SECOND),
        "as configured"
    );
}

#[test]
fn a_delivery_makes_a_look_due_soon_and_many_make_one() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Trigger], Polling::default());
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(0), true, 0.0);
    assert_eq!(plan.next(at(1), chat, true, true), ScheduleStep::Sleep(14 * SECOND));
    plan.request_soon(Task::Trigger);
    plan.request_soon(Task::Trigger);
    assert!(plan.is_requested(Task::Trigger));
    assert_eq!(
        plan.next(at(0), chat, true, true),
        ScheduleStep::Sleep(MIN_DELIVERY_INTERVAL),
        "right after a look"
    );
    assert_eq!(plan.next(at(1), chat, true, true), ScheduleStep::Run(Task::Trigger));
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(1), true, 0.0);
    assert!(!plan.is_requested(Task::Trigger));
    assert_eq!(plan.next(at(2), chat, true, true), ScheduleStep::Sleep(14 * SECOND));
    // The back-off after a failure holds despite a delivery.
    plan.record_finished(Task::Trigger, PullOutcome::Failed, at(20), true, 0.0);
    plan.request_soon(Task::Trigger);
    assert_eq!(plan.next(at(20), chat, true, true), ScheduleStep::Sleep(back_off_delay(1, true, 0.0)));
}

#[test]
fn new_broadcasts_are_looked_for_seldom_until_one_is_watched_or_sent() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Broadcasts], Polling::default());
    plan.record_finished(Task::Broadcasts, PullOutcome::Skipped, at(0), true, 0.0);
    assert_eq!(plan.next(at(0), chat, true, false), ScheduleStep::Sleep(NEW_BROADCAST_INTERVAL));
    plan.has_broadcasts = true;
    assert_eq!(plan.next(at(0), chat, true, false), ScheduleStep::Sleep(SECOND));
    plan.has_broadcasts = false;
    plan.make_task_due(Task::Broadcasts);
    assert_eq!(plan.next(at(1), chat, true, false), ScheduleStep::Run(Task::Broadcasts));
}

#[test]
fn long_steps_do_not_delay_the_poll_of_new_messages() {
    let chat = Some(&Platform::Whatsapp);
    let mut plan = PollSchedule::new(&[Task::Trigger], Polling::default());
    let bulk = ScheduleStep::Continue(Task::List);
    let due = |plan: &PollSchedule, step: ScheduleStep, seconds: i64| {
        plan.due_after(Task::Trigger, step, at(seconds), chat, (true, false))
    };
    assert_eq!(due(&plan, bulk, 0), Some(at(0)), "never polled");
    assert_eq!(plan.due_after(Task::Trigger, bulk, at(0), None, (true, false)), None);
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(0), true, 0.0);
    assert_eq!(due(&plan, bulk, 1), Some(at(3)));
    assert_eq!(due(&plan, bulk, 5), Some(at(5)), "late");
    assert_eq!(due(&plan, ScheduleStep::Run(Task::Trigger), 5), Some(at(8)));
    // A poll that took a second, and one that took five.
    for (began, ended, next) in [(10, 11, at(13)), (20, 25, at(25).plus(3 * SECOND / 2))] {
        plan.record_finished(Task::Trigger, PullOutcome::Done, at(ended), true, 0.0);
        plan.count_from_beginning(Task::Trigger, at(began), true);
        assert_eq!(due(&plan, bulk, ended), Some(next));
    }
    plan.record_finished(Task::Trigger, PullOutcome::Paced(SECOND), at(30), true, 0.0);
    plan.count_from_beginning(Task::Trigger, at(30), true);
    assert_eq!(due(&plan, bulk, 30), Some(at(31)), "it keeps its place");
    assert_eq!(plan.next(at(31), chat, true, false), ScheduleStep::Run(Task::Trigger));
    // A delivery waits from the end of the poll, however long that was.
    plan.record_finished(Task::Trigger, PullOutcome::Done, at(40), true, 0.0);
    plan.count_from_beginning(Task::Trigger, at(35), true);
    plan.request_soon(Task::Trigger);
    assert_eq!(due(&plan, bulk, 40), Some(at(40).plus(SECOND / 4)));
}
