use super::*;
use crate::time::MINUTE;

const NOW: Timestamp = Timestamp::from_micros(20_000 * DAY);

fn ago(span: i64) -> Timestamp {
    NOW.plus(-span)
}

/// An open conversation that the AI has answered, with activity five minutes ago.
fn quiet() -> Facts {
    Facts { automation: Automation::On, last_activity: ago(5 * MINUTE), ..Facts::default() }
}

fn waiting(span: i64) -> Facts {
    Facts { waiting_since: Some(ago(span)), ..quiet() }
}

type Expected = (Option<(Section, u8, Timestamp)>, Option<Mark>);

fn check(name: &str, facts: &Facts, expected: Expected) {
    let place = place_of(facts, NOW).map(|place| (place.section, place.rank, place.time));
    assert_eq!((place, mark_of(facts, NOW)), expected, "{name}: {facts:?}");
}

#[test]
fn what_needs_a_person_has_a_rank_and_a_mark() {
    use Section::NeedsPerson;
    let hour = ago(HOUR);
    let off = || Facts { automation: Automation::Off, ..waiting(HOUR) };
    let troubled = |kind| Facts { trouble: Some(kind), ..waiting(HOUR) };
    let closes = |left: i64, facts: Facts| Facts { window_ends: Some(NOW.plus(left)), ..facts };
    let cases: [(&str, Facts, u8, Mark); 15] = [
        ("escalated", Facts { is_escalated: true, ..waiting(HOUR) }, 1, Mark::AskedForPerson),
        ("asked in words", troubled(TroubleKind::AsksForPerson), 1, Mark::AskedForPerson),
        ("window", closes(110 * MINUTE, waiting(HOUR)), 1, Mark::ReplyWindow(110 * MINUTE)),
        ("window in two hours", closes(2 * HOUR, waiting(HOUR)), 1, Mark::ReplyWindow(2 * HOUR)),
        ("window, AI off", closes(HOUR, off()), 1, Mark::AiOffWaiting),
        ("stopped", Facts { has_stopped_rows: true, ..waiting(HOUR) }, 2, Mark::NotSent),
        ("silent", Facts { ai_asked_at: Some(ago(MINUTE)), ..waiting(HOUR) }, 2, Mark::AiSilent),
        ("repeats", troubled(TroubleKind::RepeatedAnswer), 3, Mark::AiInTrouble(TroubleKind::RepeatedAnswer)),
        ("upset", troubled(TroubleKind::Upset), 3, Mark::AiInTrouble(TroubleKind::Upset)),
        ("off", off(), 4, Mark::AiOffWaiting),
        ("off, has a draft", Facts { has_draft: true, ..off() }, 4, Mark::AiOffWaiting),
        ("off, draft ready", Facts { has_ready_draft: true, ..off() }, 4, Mark::DraftReady),
        ("off, trouble before", Facts { trouble: Some(TroubleKind::Upset), ..off() }, 4, Mark::AiOffWaiting),
        ("pause", Facts { pause: Some((ago(DAY), NOW)), ..waiting(HOUR) }, 5, Mark::PauseExpired),
        ("proposal", Facts { proposed_at: Some(ago(MINUTE)), ..waiting(HOUR) }, 6, Mark::Proposal),
    ];
    for (name, facts, rank, mark) in cases {
        check(name, &facts, (Some((NeedsPerson, rank, hour)), Some(mark)));
    }
    let mail = Facts { automation: Automation::NotApplicable, ..waiting(HOUR) };
    check("mail waits", &mail, (Some((NeedsPerson, 4, hour)), None));
}

#[test]
fn without_a_wait_the_time_is_that_of_the_reason_or_of_the_newest_activity() {
    use Section::NeedsPerson;
    let active = ago(5 * MINUTE);
    let cases = [
        ("escalated", Facts { is_escalated: true, ..quiet() }, 1, active, Mark::AskedForPerson),
        ("stopped", Facts { has_stopped_rows: true, ..quiet() }, 2, active, Mark::NotSent),
        ("pause", Facts { pause: Some((ago(DAY), NOW)), ..quiet() }, 5, ago(DAY), Mark::PauseExpired),
        ("proposal", Facts { proposed_at: Some(ago(HOUR)), ..quiet() }, 6, ago(HOUR), Mark::OutdatedProposal),
    ];
    for (name, facts, rank, time, mark) in cases {
        check(name, &facts, (Some((NeedsPerson, rank, time)), Some(mark)));
    }
}

#[test]
fn the_rest_is_with_the_ai_those_who_wait_first() {
    use Section::WithAi;
    let active = ago(5 * MINUTE);
    let cases = [
        ("waits", waiting(HOUR), 0, None),
        ("unknown AI waits", Facts { automation: Automation::Unknown, ..waiting(HOUR) }, 0, None),
        ("answered", quiet(), 1, None),
        ("off, answered", Facts { automation: Automation::Off, ..quiet() }, 1, None),
        ("window, answered", Facts { window_ends: Some(NOW.plus(HOUR)), ..quiet() }, 1, None),
        ("window later", Facts { window_ends: Some(NOW.plus(2 * HOUR + 1)), ..waiting(HOUR) }, 0, None),
        ("window over", Facts { window_ends: Some(NOW), ..waiting(HOUR) }, 0, None),
        ("asked just now", Facts { ai_asked_at: Some(ago(MINUTE - 1)), ..waiting(HOUR) }, 0, None),
        ("pause", Facts { pause: Some((ago(HOUR), NOW.plus(1))), ..quiet() }, 1, None),
        ("draft", Facts { has_draft: true, ..quiet() }, 1, Some(Mark::Draft)),
    ];
    for (name, facts, rank, mark) in cases {
        check(name, &facts, (Some((WithAi, rank, active)), mark));
    }
}

#[test]
fn conversation_of_a_colleague_needs_nobody_else_until_they_are_late() {
    use Section::{NeedsPerson, WithAi};
    let ana = || SafeText::line("Ana");
    let of_ana = |claimed: i64, facts: Facts| Facts {
        colleague: Some(Assignment { agent: ana(), at: ago(claimed) }),
        ..facts
    };
    let off = |span: i64| Facts { automation: Automation::Off, ..waiting(span) };
    let closes = |facts: Facts| Facts { window_ends: Some(NOW.plus(HOUR)), ..facts };
    let (calm, late) = (Some(Mark::Colleague(ana())), Some(Mark::ColleagueLate(ana())));
    let active = ago(5 * MINUTE);
    let quiet_cases = [
        ("answered", of_ana(DAY, quiet())),
        ("waits", of_ana(DAY, off(COLLEAGUE_TIMEOUT - 1))),
        ("waits since before the claim", of_ana(COLLEAGUE_TIMEOUT - 1, off(DAY))),
        ("asked for a person", of_ana(MINUTE, Facts { is_escalated: true, ..off(DAY) })),
        ("window", of_ana(MINUTE, closes(off(DAY)))),
        ("AI in trouble", of_ana(MINUTE, Facts { trouble: Some(TroubleKind::Upset), ..waiting(DAY) })),
        ("silent", of_ana(MINUTE, Facts { ai_asked_at: Some(ago(HOUR)), ..waiting(DAY) })),
        ("pause", of_ana(MINUTE, Facts { pause: Some((ago(DAY), NOW)), ..quiet() })),
        ("proposal", of_ana(MINUTE, Facts { proposed_at: Some(NOW), ..quiet() })),
    ];
    for (name, facts) in quiet_cases {
        check(name, &facts, (Some((WithAi, 1, active)), calm.clone()));
    }
    let wait = COLLEAGUE_TIMEOUT;
    let late_cases = [
        ("late", of_ana(DAY, off(wait)), 4),
        ("late after the claim", of_ana(wait, off(DAY)), 4),
        ("asked for a person", of_ana(DAY, Facts { is_escalated: true, ..off(wait) }), 1),
        ("window", of_ana(DAY, closes(off(wait))), 1),
    ];
    for (name, facts, rank) in late_cases {
        let since = facts.waiting_since.expect("a wait");
        check(name, &facts, (Some((NeedsPerson, rank, since)), late.clone()));
    }
    let stopped = of_ana(MINUTE, Facts { has_stopped_rows: true, ..off(HOUR) });
    check("own message", &stopped, (Some((NeedsPerson, 2, ago(HOUR))), Some(Mark::NotSent)));
    let draft = of_ana(MINUTE, Facts { has_draft: true, ..off(HOUR) });
    check("own draft", &draft, (Some((WithAi, 1, active)), Some(Mark::Draft)));
    let closed = of_ana(DAY, Facts { is_closed: true, ..off(wait) });
    check("closed", &closed, (None, calm));
}

#[test]
fn a_claim_makes_it_mine_and_says_less() {
    use Section::Mine;
    let claimed = ago(3 * HOUR);
    let mine = |facts: Facts| Facts { claimed_here: Some(claimed), ..facts };
    let off = Facts { automation: Automation::Off, ..waiting(HOUR) };
    let cases = [
        ("waits", mine(off.clone()), None),
        ("escalated", mine(Facts { is_escalated: true, ..off.clone() }), None),
        ("broadcast", mine(Facts { is_broadcast_only: true, ..quiet() }), None),
        (
            "window",
            mine(Facts { window_ends: Some(NOW.plus(HOUR)), ..off.clone() }),
            Some(Mark::ReplyWindow(HOUR)),
        ),
        ("stopped", mine(Facts { has_stopped_rows: true, ..off.clone() }), Some(Mark::NotSent)),
        ("proposal", mine(Facts { proposed_at: Some(NOW), ..off }), Some(Mark::Proposal)),
        ("draft", mine(Facts { has_draft: true, ..quiet() }), Some(Mark::Draft)),
    ];
    for (name, facts, mark) in cases {
        check(name, &facts, (Some((Mine, 0, claimed)), mark));
    }
}

#[test]
fn closed_and_snoozed_ones_are_in_no_section_unless_a_send_asks() {
    let escalated = Facts { is_escalated: true, ..waiting(HOUR) };
    let aside: [fn(Facts) -> Facts; 3] = [
        |facts| Facts { is_closed: true, ..facts },
        |facts| Facts { is_asleep: true, ..facts },
        |facts| Facts { is_asleep: true, claimed_here: Some(NOW), ..facts },
    ];
    for put_aside in aside {
        check("put aside", &put_aside(escalated.clone()), (None, None));
        let stopped = put_aside(Facts { has_stopped_rows: true, ..escalated.clone() });
        check("stopped", &stopped, (Some((Section::NeedsPerson, 2, ago(HOUR))), Some(Mark::NotSent)));
    }
    let broadcast = Facts { is_broadcast_only: true, ..quiet() };
    check("broadcast only", &broadcast, (None, None));
}

#[test]
fn a_sort_key_keeps_order_and_place() {
    let place = |section, rank, time| Place { section, rank, time };
    let ordered = [
        place(Section::Mine, 0, NOW),
        place(Section::Mine, 0, ago(1)),
        place(Section::NeedsPerson, 1, ago(2)),
        place(Section::NeedsPerson, 1, ago(1)),
        place(Section::NeedsPerson, 6, ago(9)),
        place(Section::WithAi, 0, ago(5)),
        place(Section::WithAi, 1, ago(3)),
        place(Section::WithAi, 1, Timestamp::default()),
    ];
    assert!(ordered.is_sorted_by_key(Place::sort_key), "{ordered:?}");
    for place in ordered {
        assert_eq!(Place::from_sort_key(place.sort_key()), place);
        let (from, until) = place.section.sort_keys();
        assert!((from..until).contains(&place.sort_key()));
    }
}

#[test]
fn marks_are_said_in_words() {
    let left = 110 * MINUTE;
    assert_eq!(Mark::ReplyWindow(left).label(), "reply window 1h 50m");
    assert_eq!(Mark::AiInTrouble(TroubleKind::RepeatedAnswer).label(), "AI repeats itself");
    assert_eq!(Mark::Colleague(SafeText::line("Ana")).label(), "Ana");
}
