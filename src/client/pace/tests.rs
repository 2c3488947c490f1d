//! The budget between polling and a person, between tabs and between machines.

use super::*;

const POLL: RequestKind = RequestKind::Read(ReadPriority::Background);
const PERSON: RequestKind = RequestKind::Read(ReadPriority::Person);

fn at(micros: i64) -> Moment {
    Moment::from_micros(1_000 * MINUTE + micros)
}

/// Asks every `gap` until refused; returns the number of successes and the wait.
fn ask_until_refused(pace: &mut RateBudget, kind: RequestKind, start: i64, gap: i64) -> (i64, i64) {
    for count in 0.. {
        if let Err(wait) = pace.acquire(kind, 0, at(start + count * gap)) {
            return (count, wait);
        }
    }
    unreachable!()
}

/// Asks as often as permitted during `span`; returns the number of successes.
fn ask_all_along(pace: &mut RateBudget, kind: RequestKind, start: i64, span: i64) -> usize {
    let (mut now, mut count) = (start, 0);
    while now < start + span {
        match pace.acquire(kind, 0, at(now)) {
            Ok(()) => count += 1,
            Err(wait) => now += wait,
        }
    }
    count
}

#[test]
fn a_quarter_is_left_to_the_person() {
    let mut pace = RateBudget::default();
    assert_eq!(ask_all_along(&mut pace, POLL, 0, MINUTE), 225);
    assert_eq!(ask_until_refused(&mut pace, PERSON, MINUTE - 8 * SECOND, SECOND / 10).0, 70);
    assert_eq!(pace.percent_used(at(3 * MINUTE)), 0);
    assert_eq!(ask_all_along(&mut pace, POLL, 3 * MINUTE, 10 * MINUTE), 2250, "and minute after minute");
}

#[test]
fn a_burst_is_spread() {
    let mut pace = RateBudget::default();
    assert_eq!(ask_until_refused(&mut pace, POLL, 0, 0), (12, SECOND));
    assert_eq!(ask_until_refused(&mut pace, PERSON, 0, 0).0, 6);
    assert!(pace.acquire(POLL, 0, at(SECOND)).is_ok());
}

#[test]
fn sends_have_their_own_minute() {
    let mut pace = RateBudget::default();
    assert_eq!(ask_until_refused(&mut pace, RequestKind::Send, 0, SECOND / 10).0, 95);
    assert!(pace.acquire(POLL, 0, at(10 * SECOND)).is_ok());
}

#[test]
fn the_server_is_heard() {
    let mut pace = RateBudget::default();
    let rate = |remaining, reset| Rate { limit: 300, remaining, reset_in: Some(reset) };
    pace.record_rate(POLL, rate(20, SECOND), at(0));
    assert_eq!(pace.percent_used(at(0)), 93);
    assert!(pace.acquire(POLL, 0, at(0)).is_ok());
    pace.record_rate(POLL, rate(0, 7 * SECOND), at(SECOND));
    assert_eq!(pace.acquire(PERSON, 0, at(SECOND)), Err(7 * SECOND));
    pace.record_refusal(RequestKind::Send, 9 * SECOND, at(SECOND));
    assert_eq!(pace.acquire(RequestKind::Send, 0, at(2 * SECOND)), Err(8 * SECOND));
    pace.record_rate(POLL, Rate { limit: 20, remaining: 3, reset_in: None }, at(20 * SECOND));
    assert_eq!(pace.percent_used(at(20 * SECOND)), 0, "the burst's numbers say nothing of the minute");
}

#[test]
fn polling_gives_way_by_halves_and_comes_back_slowly() {
    let little = |remaining| Rate { limit: 300, remaining, reset_in: None };
    let cases: [(&str, i64, u32, usize); 4] = [
        ("plenty", 0, 46, 225),
        ("little, used by others", 0, 44, 225),
        ("little, used by this desk", 140, 44, 112),
        ("very little", 0, 29, 112),
    ];
    for (name, asked, remaining, rate) in cases {
        let mut pace = RateBudget::default();
        for count in 0..asked {
            pace.acquire(POLL, 0, at(count * SECOND / 3)).expect("a place");
        }
        pace.record_rate(POLL, little(remaining), at(50 * SECOND));
        assert_eq!(pace.rate, rate, "{name}");
    }
    let mut pace = RateBudget::default();
    pace.record_refusal(POLL, SECOND, at(0));
    pace.record_refusal(POLL, SECOND, at(SECOND));
    assert_eq!(pace.rate, 112, "once a minute at most");
    pace.record_rate(POLL, little(29), at(MINUTE));
    assert_eq!(pace.rate, 56);
    for (minutes, rate) in [(2, 57), (12, 67), (1_000, 225)] {
        pace.percent_used(at(minutes * MINUTE));
        assert_eq!(pace.rate, rate, "{minutes}");
    }
    for refusal in 0..20 {
        pace.record_refusal(POLL, SECOND, at((2_000 + refusal) * MINUTE));
    }
    assert_eq!(pace.rate, MIN_BACKGROUND_READS, "never to nothing");
}

#[test]
fn a_clock_set_back_does_not_block() {
    let mut pace = RateBudget::default();
    ask_all_along(&mut pace, POLL, 0, MINUTE);
    pace.record_refusal(POLL, MINUTE, at(MINUTE));
    assert!(pace.acquire(POLL, 0, at(-100 * MINUTE)).is_ok());
}

#[test]
fn a_busy_tab_leaves_the_others_their_part() {
    let mut pace = RateBudget::default();
    let (mut now, mut busy, mut refused) = (0, 0, 0);
    while now < 10 * MINUTE {
        busy += usize::from(pace.acquire(POLL, 1, at(now)).is_ok());
        // The other tab asks occasionally.
        if now % (3 * SECOND) == 0
            && let Err(wait) = pace.acquire(POLL, 2, at(now))
        {
            assert!(now < MINUTE || wait <= SECOND, "{} s: {wait}", now / SECOND);
            refused += 1;
        }
        now += SECOND / 20;
    }
    assert!(refused <= 20, "{refused}");
    assert!(busy >= 1_900, "{busy}: what the others leave is used");
}

/// The service's limiter: exact sliding minute and second.
#[derive(Default)]
struct Limiter(VecDeque<i64>);

impl Limiter {
    fn admit_one(&mut self, now: i64) -> Result<u32, i64> {
        self.0.retain(|number| now - number < MINUTE);
        let last_second = self.0.iter().filter(|number| now - **number < SECOND).count();
        if self.0.len() >= READS_PER_MINUTE || last_second >= REQUESTS_PER_SECOND {
            return Err(SECOND);
        }
        self.0.push_back(now);
        Ok(u32::try_from(READS_PER_MINUTE - self.0.len()).unwrap_or(0))
    }
}

/// Simulates two machines with one key. Returns the reads of each per ten minutes and the number of
/// refusals.
fn two_machines(gaps: [i64; 2], second_joins: i64, hours: i64) -> (Vec<[u32; 2]>, u32) {
    let mut limiter = Limiter::default();
    let mut paces = [RateBudget::default(), RateBudget::default()];
    let mut next = [0, second_joins];
    let (mut made, mut refused) = (vec![[0; 2]], 0);
    loop {
        let who = usize::from(next[1] < next[0]);
        let now = next[who];
        if now >= hours * 60 * MINUTE {
            return (made, refused);
        }
        let span = usize::try_from(now / (10 * MINUTE)).unwrap_or(0);
        made.resize(span + 1, [0; 2]);
        match paces[who].acquire(POLL, 0, at(now)) {
            Err(wait) => next[who] = now + wait,
            Ok(()) => {
                match limiter.admit_one(now) {
                    Ok(remaining) => {
                        made[span][who] += 1;
                        paces[who].record_rate(POLL, Rate { limit: 300, remaining, reset_in: None }, at(now));
                    }
                    Err(wait) => {
                        refused += 1;
                        paces[who].record_refusal(POLL, wait, at(now));
                    }
                }
                next[who] = now + gaps[who];
            }
        }
    }
}

#[test]
fn two_machines_on_one_key_settle_without_starving_each_other() {
    let cases = [
        ("alike", [50_000, 50_000], 0),
        ("one is slower", [20_000, 190_000], 0),
        ("one comes a minute later", [50_000, 70_000], MINUTE + 7_000),
        ("one comes an hour later", [31_000, 53_000], 60 * MINUTE),
    ];
    for (name, gaps, joins) in cases {
        let (made, refused) = two_machines(gaps, joins, 4);
        let total: u32 = made.iter().flatten().sum();
        // Refused only if both have saved a burst for the same second.
        assert!(refused * 1_000 <= total, "{name}: {refused} of {total} were refused");
        for (span, [one, other]) in made.iter().enumerate().skip(made.len() / 2) {
            assert!(one * 3 >= *other && other * 3 >= *one, "{name}, {span}: {one} and {other}");
        }
        let settled: u32 = made[made.len() / 2..].iter().flatten().sum();
        let minutes = u32::try_from(made.len() - made.len() / 2).unwrap_or(1) * 10;
        assert!(settled / minutes > 150, "{name}: {} a minute is a waste", settled / minutes);
    }
}

#[test]
fn each_kind_of_write_has_its_own_minute() {
    use model::outbox::{PreparedRequest, WriteMethod};
    let kinds = [
        (WriteMethod::Post, "/messages/send", RequestKind::Send),
        (WriteMethod::Patch, "/conversations/broadcast", RequestKind::Send),
        (WriteMethod::Delete, "/contacts/ct_1", RequestKind::Send),
        (WriteMethod::Post, "/contacts", RequestKind::Contact),
        (WriteMethod::Post, "/broadcast", RequestKind::Broadcast),
        (WriteMethod::Post, "/webhooks", RequestKind::Webhook),
        (WriteMethod::Delete, "/email/webhooks/wh_1", RequestKind::Webhook),
        (WriteMethod::Post, "/email/send", RequestKind::Send),
    ];
    for (method, path, kind) in kinds {
        assert_eq!(RequestKind::of_write(&PreparedRequest::without_body(method, path)), kind, "{path}");
    }
    let mut pace = RateBudget::default();
    let mut start = 0;
    for (kind, most) in [
        (RequestKind::Broadcast, 9),
        (RequestKind::Webhook, 19),
        (RequestKind::Contact, 195),
        (RequestKind::Send, 95),
    ] {
        assert_eq!(ask_until_refused(&mut pace, kind, start, SECOND / 10).0, most, "{kind:?}");
        start += most * SECOND / 10;
    }
    pace.record_refusal(RequestKind::Broadcast, 3 * MINUTE, at(MINUTE));
    assert_eq!(pace.acquire(RequestKind::Broadcast, 0, at(2 * MINUTE)), Err(2 * MINUTE));
    assert!(pace.acquire(RequestKind::Webhook, 0, at(2 * MINUTE)).is_ok(), "the others do not count");
}
