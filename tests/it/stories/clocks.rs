//! Local time: a desk uses the clocks of its zone, also on nights when they change while it runs.

use frontdesk::inbox::settings::NoticeSettings;
use serde_json::json;

use crate::binary::Binary;
use crate::desk::{Desk, direct};
use crate::pty::Terminal;
use portable_pty::CommandBuilder;

const MARIA: &str = "+34600111222";
const NEW_YORK: &str = "America/New_York";
const MINUTE: i64 = 60_000_000;
/// The evening before the clocks change, and the minutes until nine.
const FORWARD: (&str, i64) = ("2027-03-13T23:50:00", 8 * 60 + 10);
const BACK: (&str, i64) = ("2026-10-31T23:50:00", 10 * 60 + 10);

fn desk((evening, _): (&str, i64)) -> Desk {
    let mut desk = Desk::in_zone(80, 24, NEW_YORK, evening);
    direct(&mut desk.app.context.settings);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "in the evening");
    desk.settle();
    desk
}

#[test]
fn a_snooze_until_nine_ends_at_nine_on_the_morning_after_the_change() {
    for night in [FORWARD, BACK] {
        let mut desk = desk(night);
        desk.keys("s").shows("[t] until tomorrow 09:00").keys("t").hides("in the evening");
        desk.wait((night.1 - 2) * MINUTE);
        desk.settle().hides("in the evening");
        desk.wait(2 * MINUTE);
        desk.settle().shows("back from later");
    }
}

#[test]
fn a_message_planned_for_nine_leaves_at_nine_on_the_morning_after_the_change() {
    for night in [FORWARD, BACK] {
        let mut desk = desk(night);
        desk.keys("<Enter>i").types("Good morning").keys("<Ctrl-L>").types("tomorrow 9:00");
        desk.shows("sends tomorrow 09:00").keys("<Enter>").shows("scheduled for tomorrow 09:00");
        desk.wait((night.1 - 2) * MINUTE);
        desk.settle();
        assert_eq!(desk.outbound().len(), 0, "{night:?}");
        desk.wait(2 * MINUTE);
        desk.settle();
        assert_eq!(desk.outbound().len(), 1, "{night:?}");
    }
}

#[test]
fn quiet_hours_end_in_the_morning_after_the_change() {
    for night in [FORWARD, BACK] {
        let mut desk = desk(night);
        desk.app.context.settings.notice =
            NoticeSettings { quiet_hours: Some((22 * 60, 9 * 60)), ..NoticeSettings::default() };
        let bells = desk.bells;
        desk.wait((night.1 - 2) * MINUTE);
        desk.customer("whatsapp", "+351910000111", "João Pereira", "before nine");
        desk.settle();
        assert_eq!(desk.bells, bells, "{night:?}");
        desk.wait(2 * MINUTE);
        desk.customer("whatsapp", "+351910000222", "Rui Alves", "after nine");
        desk.settle();
        assert_eq!(desk.bells, bells + 1, "{night:?}");
    }
}

#[test]
fn each_message_stands_at_the_time_the_clocks_showed() {
    for (night, first, second, day) in
        [(FORWARD, "01:30", "03:30", "Sun 14 Mar"), (BACK, "01:30", "01:30", "Sun 01 Nov")]
    {
        let mut desk = desk(night);
        desk.keys("<Enter>");
        desk.wait(100 * MINUTE);
        desk.customer("whatsapp", MARIA, "Maria Lopez", "at half past one");
        desk.wait(60 * MINUTE);
        desk.customer("whatsapp", MARIA, "Maria Lopez", "an hour later");
        desk.settle().shows(day);
        let picture = desk.picture();
        let line =
            |text: &str| picture.lines().find(|line| line.contains(text)).unwrap_or_default().to_owned();
        assert!(line("in the evening").contains("23:50"), "{picture}");
        assert!(line("at half past one").contains(first), "{picture}");
        assert!(line("an hour later").contains(second), "{picture}");
    }
}

/// A real inbox at 01:10 New York time on 1 November 2026, before the clocks go back.
struct Night {
    desk: Desk,
    binary: Binary,
}

impl Night {
    fn new(zone: &str) -> Self {
        let desk = Desk::in_zone(80, 24, NEW_YORK, "2026-11-01T01:10:00");
        let mut binary = Binary::new();
        binary.configure(&format!(
            "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n\
             [polling]\nvisible_seconds = 1\n",
            desk.base_url
        ));
        binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
        binary.set("TZ", zone);
        desk.customer("whatsapp", MARIA, "Maria Lopez", "the first one");
        Self { desk, binary }
    }

    fn inbox(&self) -> Terminal {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
        self.binary.variables(|name, value| command.env(name, value));
        Terminal::run(tempfile::tempdir().expect("a folder"), command, 100, 30)
    }

    /// Advances the service by an hour and sends another message.
    fn an_hour_later(&self, text: &str) {
        self.desk.dev("clock", json!({"advance_seconds": 3_600}));
        self.desk.customer("whatsapp", MARIA, "Maria Lopez", text);
    }
}

/// Waits until the line of a message shows a time.
fn stands_at(terminal: &mut Terminal, text: &str, face: &str) {
    terminal.wait_for(&format!("{text:?} at {face}"), |screen| {
        screen.lines().any(|line| line.contains(face) && line.contains(text))
    });
}

#[test]
fn the_real_inbox_goes_by_its_zone_also_when_the_clocks_change_while_it_runs() {
    let cases = [
        (NEW_YORK, ["01:10", "01:10", "02:10"], "Sun 01 Nov"),
        ("Asia/Tokyo", ["14:10", "15:10", "16:10"], "Sun 01 Nov"),
        ("Pacific/Honolulu", ["19:10", "20:10", "21:10"], "Sat 31 Oct"),
    ];
    for (zone, faces, day) in cases {
        let night = Night::new(zone);
        let mut terminal = night.inbox();
        terminal.wait_for_text("Maria Lopez");
        terminal.keys("\r");
        stands_at(&mut terminal, "the first one", faces[0]);
        terminal.wait_for_text(day);
        night.an_hour_later("the second one");
        stands_at(&mut terminal, "the second one", faces[1]);
        night.an_hour_later("the third one");
        stands_at(&mut terminal, "the third one", faces[2]);
        terminal.kill();
    }
}

#[test]
fn scripts_and_exports_tell_the_time_of_their_zone() {
    let night = Night::new("Asia/Tokyo");
    night.an_hour_later("the second one");
    for format in ["text", "md"] {
        let out = night.binary.ok(&["export", MARIA, "--format", format], "");
        assert!(out.contains("2026-11-01 14:10:00 +09:00"), "{out}");
        assert!(out.contains("2026-11-01 15:10:00 +09:00"), "{out}");
    }
    assert!(night.binary.ok(&["show", MARIA], "").contains("\t2026-11-01 14:10:00 +09:00\t"));
    // Scripts get UTC in any zone.
    assert!(night.binary.ok(&["show", MARIA, "--json"], "").contains("2026-11-01T05:10:00.000Z"));
    let out = night.binary.run(&["doctor", "--offline"], "").out;
    assert!(out.contains("time zone      Asia/Tokyo, "), "{out}");
    let mut unknown = Binary::new();
    unknown.set("TZ", "Middle/Nowhere");
    let out = unknown.run(&["doctor", "--offline"], "").out;
    assert!(out.contains("times are shown in UTC"), "{out}");
}

/// Steps of the wall clock under a running desk.
const STEPS: [&[i64]; 3] = [&[59 * MINUTE], &[-59 * MINUTE], &[10 * SECOND, -365 * 24 * 60 * MINUTE]];
const SECOND: i64 = 1_000_000;

/// A desk with an answer that is about to be sent, after steps of the clock.
fn holding(steps: &[i64]) -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "When do you close?");
    desk.settle().keys("p").settle().keys("i").types("Until six").keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 0, "it is held");
    for step in steps {
        desk.clock.set_by(*step);
        desk.wait(SECOND);
        desk.settle();
        assert_eq!(desk.outbound().len(), 0, "it is still held: set by {steps:?}");
    }
    desk
}

#[test]
fn answer_leaves_after_its_hold_when_the_clock_is_set() {
    for steps in STEPS {
        let mut desk = holding(steps);
        desk.wait(5 * SECOND);
        desk.settle();
        assert_eq!(desk.outbound().len(), 1, "set by {steps:?}");
    }
}

#[test]
fn answer_can_be_taken_back_within_its_hold_when_the_clock_is_set() {
    for steps in STEPS {
        let mut desk = holding(steps);
        desk.keys("<Esc>z").settle();
        desk.wait(10 * SECOND);
        desk.settle();
        assert_eq!(desk.outbound().len(), 0, "set by {steps:?}");
        desk.shows("Until six");
    }
}

#[test]
fn ages_of_the_connection_are_true_when_the_clock_is_set() {
    for step in [59 * MINUTE, -59 * MINUTE] {
        let mut desk = Desk::new(100, 24);
        desk.customer("whatsapp", MARIA, "Maria Lopez", "When do you close?");
        desk.settle().is_connected().hides("No contact for");
        desk.clock.set_by(step);
        desk.wait(SECOND);
        desk.is_connected().hides("No contact for");
        desk.customer("whatsapp", MARIA, "Maria Lopez", "Are you there?");
        desk.settle().shows("Are you there?").is_connected().hides("No contact for");
        // The age of the last answer uses the steady clock.
        desk.wait(45 * SECOND);
        desk.shows("No contact for 45s");
    }
}
