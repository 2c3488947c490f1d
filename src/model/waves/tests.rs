use super::deciding::{CampaignFacts, WaveStep, describe_low_balance, next_step, update_reading};
use super::*;
use crate::outbox::content::FilledTemplate;
use crate::time::{MINUTE, SECOND};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_000_000 * MINUTE + seconds * SECOND)
}

/// 1,000 recipients: a first wave of ten, then ten waves.
fn campaign(waves: &[Wave]) -> Campaign {
    let plan = WavePlan::suggest(1_000);
    let mut all: Vec<Wave> = plan
        .wave_sizes(1_000)
        .into_iter()
        .map(|size| Wave { size, row: None, row_state: WaveRowState::Unsent, sent_at: None, reading: None })
        .collect();
    for (place, wave) in waves.iter().enumerate() {
        all[place] = wave.clone();
    }
    Campaign {
        id: "camp".into(),
        channel: "chat".into(),
        content: BroadcastContent::Text("We open at 9.".to_owned()),
        everyone: false,
        count: 1_000,
        plan,
        created_at: at(0),
        starts_at: at(15),
        phase: CampaignPhase::Running,
        pause_cause: None,
        why: SafeText::default(),
        judged_from: 0,
        quality_before: Some(SafeText::line("GREEN")),
        waves: all,
    }
}

fn wave(size: usize, fate: WaveRowState, reading: Option<WaveReading>) -> Wave {
    Wave { size, row: Some("row".into()), row_state: fate, sent_at: None, reading }
}

fn sent(size: usize, failed: i64, read: i64, finished: Option<i64>) -> Wave {
    let recipients = i64::try_from(size).expect("few");
    let reading = WaveReading {
        at: at(read),
        recipients,
        delivered: 0,
        failed,
        pending: recipients - failed,
        finished_at: finished.map(at),
        is_unknown: false,
    };
    wave(size, WaveRowState::Sent(Some("bc".into())), Some(reading))
}

fn fine() -> CampaignFacts {
    CampaignFacts {
        credits: Some(3_000.0),
        quality: Some(SafeText::line("GREEN")),
        charged: None,
        is_test: false,
    }
}

fn why(decision: &WaveStep) -> &str {
    match decision {
        WaveStep::Pause(_, words) => words.as_str(),
        other => panic!("no pause: {other:?}"),
    }
}

#[test]
fn what_comes_next() {
    let unread = wave(10, WaveRowState::Sent(Some("bc".into())), None);
    let leaving = wave(10, WaveRowState::Sending, None);
    let cases: [(&str, Vec<Wave>, i64, WaveStep); 9] = [
        ("held", vec![], 5, WaveStep::Wait(at(15))),
        ("the hold is over", vec![], 15, WaveStep::Send(0)),
        ("on its way", vec![leaving], 30, WaveStep::Await),
        ("sent, never counted", vec![unread], 30, WaveStep::Poll(0, "bc".into())),
        ("counted just now", vec![sent(10, 0, 30, None)], 31, WaveStep::Wait(at(35))),
        ("counted a while ago", vec![sent(10, 0, 30, None)], 36, WaveStep::Poll(0, "bc".into())),
        ("waited for", vec![sent(10, 0, 38, Some(36))], 40, WaveStep::Wait(at(43))),
        (
            "the wait is over, not counted since",
            vec![sent(10, 0, 90, Some(36))],
            96,
            WaveStep::Poll(0, "bc".into()),
        ),
        ("the wait is over and counted", vec![sent(10, 0, 96, Some(36))], 96, WaveStep::Send(1)),
    ];
    for (name, waves, now, expected) in cases {
        assert_eq!(next_step(&campaign(&waves), &fine(), at(now)), expected, "{name}");
    }
}

#[test]
fn what_stops_it() {
    // One of ten exceeds 5 %.
    let failing = [sent(10, 1, 30, None)];
    let told = next_step(&campaign(&failing), &fine(), at(31));
    assert_eq!(why(&told), "wave 1: 1 of 10 failed (10 %, the limit is 5 %)");
    // The limit itself is allowed.
    let exactly = campaign(&[sent(20, 1, 96, Some(36))]);
    assert_eq!(next_step(&exactly, &fine(), at(96)), WaveStep::Send(1), "1 of 20 is 5 %");
    let more = campaign(&[sent(19, 1, 96, Some(36))]);
    assert!(matches!(next_step(&more, &fine(), at(96)), WaveStep::Pause(PauseCause::Failures, _)));
    let mut none = campaign(&[sent(20, 0, 96, Some(36))]);
    none.plan.rules.failed_percent = 0;
    assert_eq!(next_step(&none, &fine(), at(96)), WaveStep::Send(1), "none of 20 is 0 %");
    let mut wider = campaign(&failing);
    wider.plan.rules.failed_percent = 15;
    assert_eq!(next_step(&wider, &fine(), at(31)), WaveStep::Wait(at(35)));
    let seen = Campaign { judged_from: 1, ..campaign(&[sent(10, 9, 96, Some(36))]) };
    assert_eq!(next_step(&seen, &fine(), at(96)), WaveStep::Send(1), "a person has seen those");
    // If each wave is within the limit, so is their sum.
    let within = [sent(10, 0, 96, Some(36)), sent(110, 5, 200, Some(140))];
    assert_eq!(next_step(&campaign(&within), &fine(), at(200)), WaveStep::Send(2));
    // The limit may have been lowered after the first wave was judged.
    let earlier = campaign(&[sent(10, 1, 96, Some(36)), sent(110, 0, 200, Some(140))]);
    assert_eq!(
        why(&next_step(&earlier, &fine(), at(200))),
        "wave 1: 1 of 10 failed (10 %, the limit is 5 %)"
    );
    let asks = [wave(10, WaveRowState::NeedsDecision(SafeText::line("no answer came")), None)];
    assert_eq!(why(&next_step(&campaign(&asks), &fine(), at(30))), "wave 1 needs a decision: no answer came");
    let asks = Campaign { judged_from: 1, ..campaign(&asks) };
    assert!(
        matches!(next_step(&asks, &fine(), at(30)), WaveStep::Pause(PauseCause::Row, _)),
        "it still asks"
    );
    let dropped = campaign(&[wave(10, WaveRowState::Dropped, None)]);
    assert_eq!(why(&next_step(&dropped, &fine(), at(30))), "wave 1 was undone");
    let dropped = Campaign { judged_from: 1, ..dropped };
    assert_eq!(next_step(&dropped, &fine(), at(30)), WaveStep::Send(1));
    let nameless = campaign(&[wave(10, WaveRowState::Sent(None), None)]);
    assert!(why(&next_step(&nameless, &fine(), at(30))).contains("results are unknown"));
}

#[test]
fn what_a_person_was_shown_is_not_held_against_it_again() {
    let cases = [
        (Some(PauseCause::Failures), sent(10, 9, 30, Some(29)), 1),
        (Some(PauseCause::Uncounted), wave(10, WaveRowState::Sent(None), None), 1),
        (Some(PauseCause::Row), wave(10, WaveRowState::Dropped, None), 1),
        // Only a decision was pending, so the results of the wave are still judged.
        (Some(PauseCause::Row), wave(10, WaveRowState::Sending, None), 0),
        (Some(PauseCause::Row), sent(10, 0, 30, None), 0),
        (Some(PauseCause::Person), sent(10, 9, 30, None), 0),
        (Some(PauseCause::Credits), sent(10, 0, 30, None), 0),
    ];
    for (cause, wave, judged_from) in cases {
        let stands = Campaign { pause_cause: cause, phase: CampaignPhase::Paused, ..campaign(&[wave]) };
        assert_eq!(stands.next_judged_wave(), judged_from, "{cause:?} {:?}", stands.waves[0].row_state);
    }
}

#[test]
fn what_the_account_forbids() {
    let ready = [sent(10, 0, 96, Some(36))];
    let mut poor = campaign(&ready);
    poor.plan.rules.floor = Some(500);
    let report = |credits| CampaignFacts { credits: Some(credits), ..fine() };
    assert_eq!(next_step(&poor, &report(610.0), at(96)), WaveStep::Send(1), "110 cost 110 and 500 stay");
    let told = next_step(&poor, &report(609.0), at(96));
    assert_eq!(why(&told), "609 credits are left; wave 2 would leave fewer than 500");
    // The maximum of a price range counts.
    let mut template = poor.clone();
    let greeting = FilledTemplate { name: "hello".to_owned(), language: "en".to_owned(), components: None };
    template.content = BroadcastContent::Template(greeting);
    let most = 500 + 110 * prices::MAX_TEMPLATE_CREDITS;
    let report_of = |credits: i64, charged| CampaignFacts { charged, ..report(credits as f64) };
    assert_eq!(next_step(&template, &report_of(most, None), at(96)), WaveStep::Send(1));
    assert!(matches!(
        next_step(&template, &report_of(most - 1, None), at(96)),
        WaveStep::Pause(PauseCause::Credits, _)
    ));
    let charged = Some(prices::TEMPLATE_CREDITS);
    let known = 500 + 110 * prices::TEMPLATE_CREDITS;
    assert_eq!(
        next_step(&template, &report_of(known, charged), at(96)),
        WaveStep::Send(1),
        "what it did cost"
    );
    assert!(matches!(next_step(&template, &report_of(known - 1, charged), at(96)), WaveStep::Pause(..)));
    let red = CampaignFacts { quality: Some(SafeText::line("RED")), ..fine() };
    let told = next_step(&campaign(&ready), &red, at(96));
    assert_eq!(why(&told), "the quality rating was GREEN and is RED");
    let unknown = CampaignFacts { quality: None, ..fine() };
    assert_eq!(next_step(&campaign(&ready), &unknown, at(96)), WaveStep::Send(1));
}

#[test]
fn a_test_key_is_not_counted_and_a_live_one_must_be() {
    let mut unknown = sent(10, 0, 30, None);
    unknown.reading = unknown.reading.map(|reading| WaveReading { is_unknown: true, ..reading });
    let stands = campaign(&[unknown]);
    assert!(why(&next_step(&stands, &fine(), at(31))).contains("has no record of wave 1"));
    assert_eq!(next_step(&stands, &CampaignFacts { is_test: true, ..fine() }, at(31)), WaveStep::Send(1));
}

#[test]
fn the_end() {
    let plan = WavePlan::suggest(1_000);
    let all: Vec<Wave> = plan.wave_sizes(1_000).into_iter().map(|size| sent(size, 0, 96, Some(36))).collect();
    assert_eq!(next_step(&campaign(&all), &fine(), at(96)), WaveStep::Finish);
    assert!(
        matches!(next_step(&campaign(&all), &fine(), at(40)), WaveStep::Poll(9, _)),
        "the wait counts there, too"
    );
    let mut failed = all.clone();
    failed[9] = sent(100, 90, 96, Some(36));
    assert_eq!(next_step(&campaign(&failed), &fine(), at(96)), WaveStep::Finish, "nothing is left to stop");
    for phase in CampaignPhase::ALL.into_iter().filter(|phase| *phase != CampaignPhase::Running) {
        let stands = Campaign { phase, ..campaign(&[]) };
        assert_eq!(next_step(&stands, &fine(), at(96)), WaveStep::Nothing, "{phase:?}");
        assert_eq!(CampaignPhase::from_word(phase.word()), Some(phase));
    }
    for cause in PauseCause::ALL {
        assert_eq!(PauseCause::from_word(cause.word()), Some(cause));
    }
}

#[test]
fn a_clock_that_was_set_back_begins_the_wait_anew() {
    let stands = campaign(&[sent(10, 0, 96, Some(36))]);
    assert_eq!(next_step(&stands, &fine(), at(-500)), WaveStep::Poll(0, "bc".into()));
    let before = stands.waves[0].reading;
    let again = update_reading(before.as_ref(), RecipientCounts::default(), true, at(-500));
    assert_eq!(again.finished_at, Some(at(-500)));
    let later = update_reading(Some(&again), RecipientCounts::default(), true, at(-490));
    assert_eq!(later.finished_at, Some(at(-500)), "the first look that saw its end");
    let far = Campaign { starts_at: at(90_000), ..campaign(&[]) };
    assert_eq!(next_step(&far, &fine(), at(0)), WaveStep::Send(0), "no hold is so long");
}

#[test]
fn nobody_is_never_everyone() {
    assert_eq!(FrozenContacts::from_ids([]), None);
    assert_eq!(FrozenContacts::from_ids([ContactId::default()]), None);
    assert_eq!(audience(Vec::new()), None);
    let ids = ["b", "a", "b"].map(ContactId::from);
    let (frozen, doubled) = FrozenContacts::from_ids(ids).expect("two");
    assert_eq!((frozen.ids(), doubled), (["b".into(), "a".into()].as_slice(), 1));
    assert_eq!(CampaignAudience::Contacts(frozen).confirmation_phrase(), None);
    assert_eq!(CampaignAudience::Everyone(2).confirmation_phrase().as_deref(), Some("SEND TO ALL 2"));
    let many =
        FrozenContacts::from_ids((0..101).map(|number| ContactId::new(number.to_string()))).expect("many").0;
    assert_eq!(CampaignAudience::Contacts(many).confirmation_phrase().as_deref(), Some("SEND 101"));
}

#[test]
fn the_sizes_of_waves() {
    let plan = |canary, wave| WavePlan { canary, wave, ..WavePlan::suggest(1_000) };
    let cases: [(WavePlan, usize, &[usize]); 7] = [
        (plan(10, 110), 1_000, &[10, 110, 110, 110, 110, 110, 110, 110, 110, 110]),
        (plan(0, 1_000), 2_500, &[1_000, 1_000, 500]),
        (plan(10, 1_000), 5, &[5]),
        (plan(10, 1_000), 10, &[10]),
        (plan(0, 5_000), 1_001, &[1_000, 1]),
        (plan(0, 0), 2, &[1, 1]),
        (plan(3, 2), 0, &[]),
    ];
    for (plan, count, sizes) in cases {
        assert_eq!(plan.wave_sizes(count), sizes, "{plan:?} of {count}");
    }
    assert_eq!(
        WavePlan::suggest(1_000).describe(1_000),
        "first 10, then 9 waves of 110 after 1m · pauses above 5 % failed, or if the quality changes"
    );
    assert_eq!(WavePlan::suggest(3).describe(3), "all in one wave");
    assert!(plan(0, 0).rejection_reason().is_some() && plan(10, 110).rejection_reason().is_none());
}

#[test]
fn who_pays_for_the_rest_is_told_before_it_runs_out() {
    let first = [sent(10, 0, 96, Some(36))];
    let with = |credits: f64| CampaignFacts { credits: Some(credits), ..fine() };
    let low = |report: &CampaignFacts| describe_low_balance(&campaign(&first), report);
    assert_eq!(low(&with(990.0)), None);
    assert_eq!(low(&with(989.0)).as_deref(), Some("989 credits; the remaining 990 cost 990 credits"));
    assert_eq!(low(&CampaignFacts { is_test: true, ..with(1.0) }), None, "a test key pays nothing");
    assert_eq!(low(&CampaignFacts { credits: None, ..fine() }), None);
    let mut ended = campaign(&first);
    ended.phase = CampaignPhase::Stopped;
    assert_eq!(describe_low_balance(&ended, &with(1.0)), None);
}
