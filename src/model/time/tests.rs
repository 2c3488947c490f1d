use super::*;

#[test]
fn reads_and_writes_iso_8601() {
    let stamp = Timestamp::parse("2026-11-20T10:02:03.456Z").expect("valid");
    assert_eq!(stamp.to_string(), "2026-11-20T10:02:03.456Z");
    assert_eq!(Timestamp::parse("2026-11-20T11:02:03.456+01:00"), Some(stamp));
    for bad in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-11-20T10:02:03"] {
        assert_eq!(Timestamp::parse(bad), None, "{bad}");
    }
}

#[test]
fn writes_what_the_library_writes() {
    let (mut micros, mut step) = (-62_167_219_200 * SECOND, 1_i64);
    while micros < 253_402_207_200 * SECOND {
        let library = jiff::Timestamp::from_microsecond(micros.div_euclid(1_000) * 1_000).expect("in range");
        assert_eq!(Timestamp(micros).to_string(), format!("{library:.3}"));
        step = step * 31 % 1_000_003;
        micros += step * 7_919 * SECOND / 13 + step;
    }
    assert_eq!(Timestamp(i64::MAX).to_string(), "1970-01-01T00:00:00.000Z");
    assert_eq!(Timestamp(i64::MIN).to_string(), "1970-01-01T00:00:00.000Z");
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a time")
}

fn named(name: &str) -> Zone {
    Zone::from(jiff::tz::TimeZone::get(name).expect("a zone of the database"))
}

#[test]
fn names_days_and_faces() {
    let berlin = named("Europe/Berlin");
    let cases = [
        (
            "2026-11-20T23:30:00Z",
            Zone::UTC,
            "Fri 20 Nov",
            "20 Nov 2026",
            "23:30",
            "2026-11-20 23:30:00 +00:00",
        ),
        (
            "2026-11-20T23:30:00Z",
            berlin.clone(),
            "Sat 21 Nov",
            "21 Nov 2026",
            "00:30",
            "2026-11-21 00:30:00 +01:00",
        ),
        ("2026-06-30T22:00:01Z", berlin, "Wed 01 Jul", "01 Jul 2026", "00:00", "2026-07-01 00:00:01 +02:00"),
        (
            "2027-01-01T02:00:00Z",
            named("America/New_York"),
            "Thu 31 Dec",
            "31 Dec 2026",
            "21:00",
            "2026-12-31 21:00:00 -05:00",
        ),
        (
            "2026-11-20T10:00:00Z",
            named("Asia/Kathmandu"),
            "Fri 20 Nov",
            "20 Nov 2026",
            "15:45",
            "2026-11-20 15:45:00 +05:45",
        ),
        (
            "2026-11-20T10:00:00Z",
            named("America/St_Johns"),
            "Fri 20 Nov",
            "20 Nov 2026",
            "06:30",
            "2026-11-20 06:30:00 -03:30",
        ),
    ];
    for (time, zone, day, date, face, stamp) in cases {
        let time = at(time);
        assert_eq!(time.day_name(&zone), day);
        assert_eq!(time.date(&zone), date);
        assert_eq!(time.hour_and_minute(&zone), face);
        assert_eq!(time.local_timestamp(&zone), stamp);
    }
    for edge in [i64::MIN, i64::MAX] {
        assert!(!Timestamp(edge).local_timestamp(&Zone::UTC).is_empty());
    }
}

#[test]
fn a_zone_follows_its_summer_time() {
    let new_york = named("America/New_York");
    let cases = [
        ("2027-03-14T06:59:00Z", "01:59", "-05:00"),
        ("2027-03-14T07:00:00Z", "03:00", "-04:00"),
        ("2026-11-01T05:30:00Z", "01:30", "-04:00"),
        ("2026-11-01T06:30:00Z", "01:30", "-05:00"),
    ];
    for (time, face, offset) in cases {
        assert_eq!(at(time).hour_and_minute(&new_york), face, "{time}");
        assert_eq!(new_york.offset_name(at(time)), offset, "{time}");
    }
}

#[test]
fn skipped_times_are_later_and_doubled_ones_the_first_to_come() {
    let new_york = named("America/New_York");
    let spring = at("2027-03-14T12:00:00Z").day_number(&new_york);
    let autumn = at("2026-11-01T12:00:00Z").day_number(&new_york);
    let cases = [
        (spring, 90, "2027-03-14T00:00:00Z", "2027-03-14T06:30:00Z"),
        (spring, 150, "2027-03-14T00:00:00Z", "2027-03-14T07:30:00Z"),
        (spring, 180, "2027-03-14T00:00:00Z", "2027-03-14T07:00:00Z"),
        (autumn, 90, "2026-11-01T00:00:00Z", "2026-11-01T05:30:00Z"),
        (autumn, 90, "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"),
        (autumn, 90, "2026-11-01T09:00:00Z", "2026-11-01T06:30:00Z"),
        (autumn, 120, "2026-11-01T00:00:00Z", "2026-11-01T07:00:00Z"),
    ];
    for (day, minute, now, expected) in cases {
        assert_eq!(new_york.next_at(day, minute * MINUTE, at(now)), at(expected), "{minute} {now}");
    }
    assert_eq!(new_york.at(autumn, 90 * MINUTE), at("2026-11-01T05:30:00Z"));
}

#[test]
fn spans_are_short() {
    let cases = [
        (-5, "now"),
        (59 * SECOND, "now"),
        (MINUTE, "1m"),
        (HOUR, "1h"),
        (25 * HOUR, "1d"),
        (400 * DAY, "57w"),
    ];
    for (span, word) in cases {
        assert_eq!(format_short_span(span), word);
    }
}

#[test]
fn a_span_until_something_is_the_nearest_one() {
    let cases = [
        (2 * HOUR - SECOND, "2h"),
        (90 * MINUTE - 1, "1h"),
        (HOUR - SECOND, "1h"),
        (59 * MINUTE, "59m"),
        (DAY - SECOND, "1d"),
        (30 * SECOND, "now"),
    ];
    for (span, words) in cases {
        assert_eq!(format_span_ahead(span), words, "{span}");
    }
}

#[test]
fn step_of_the_wall_clock_is_told_from_time_that_passes() {
    let first = ClockReading { now: Timestamp::from_micros(9 * HOUR), moment: Moment::from_micros(7) };
    let cases = [
        ("nothing passed", 0, 0, 0),
        ("an hour passed, asleep or not", HOUR, HOUR, 0),
        ("slewed", HOUR + MIN_CLOCK_STEP - 1, HOUR, 0),
        ("set forwards", HOUR + MINUTE, MINUTE, HOUR),
        ("set back", MINUTE - HOUR, MINUTE, -HOUR),
        ("set back while hours passed", -HOUR, 3 * HOUR, -4 * HOUR),
    ];
    for (name, wall, passed, step) in cases {
        let later = ClockReading { now: first.now.plus(wall), moment: first.moment.plus(passed) };
        assert_eq!(first.clock_step(later), step, "{name}");
        assert_eq!(first.wall_time_at(later.moment), first.now.plus(passed), "{name}");
    }
}

#[test]
fn pause_between_two_readings_is_no_step() {
    // The process pauses for a minute between its first two readings.
    let readings = std::cell::RefCell::new(vec![2 * MINUTE + 2, 2 * MINUTE + 1, 2 * MINUTE, MINUTE]);
    let next = || readings.borrow_mut().pop().unwrap_or_default();
    let times = ClockReading::read(|| Timestamp::from_micros(next()), || Moment::from_micros(next()));
    assert_eq!(ClockReading::default().clock_step(times), 0, "{times:?}");
}
