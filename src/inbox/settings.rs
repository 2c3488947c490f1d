//! How the desk behaves, as the configuration says.
//!
//! The edge reads them.

use crate::features::macros::recording::Fixed;
use crate::keymap::KeyMap;
use crate::screens::conversations::saved_views::SavedView;
use model::account::Environment;
use model::connections::Connection;
use model::email::compose::MailStyle;
use model::ids::ChannelId;
use model::messages::SenderAliases;
use model::model_costs::ModelCaps;
use model::pictures::Graphics;
use model::reviews::DEFAULT_SAMPLE_RATE;
use model::targets::{self, ResponseTargets};
use model::text::SafeText;
use model::time::{HOUR, MINUTE, Timestamp, Zone};

/// What sending does while the AI is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PauseOnReply {
    /// Ask: pause and send, send only, or back.
    #[default]
    Ask,
    /// Pause and send, and say so.
    Always,
    /// Send only.
    Never,
}

model::words! {
    /// What the last line says of the keys.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Footer {
        /// As many keys as there is room for.
        #[default]
        Keys = "keys",
        /// The three that are most useful where one is.
        Three = "three",
        /// Nothing: the line is a row of the screen like others.
        Off = "off",
    }
}

impl Footer {
    /// The one that comes after it.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Keys => Self::Three,
            Self::Three => Self::Off,
            Self::Off => Self::Keys,
        }
    }
}

/// When the desk makes itself heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noticing {
    /// Whether the bell rings for what nobody looks at.
    pub bell: bool,
    /// Whether a notification is shown while the terminal has not the focus.
    pub desktop: bool,
    /// Minutes of the day from and until which nothing is heard; may go over
    /// midnight.
    pub quiet: Option<(i64, i64)>,
}

impl Default for Noticing {
    fn default() -> Self {
        Self { bell: true, desktop: true, quiet: None }
    }
}

impl Noticing {
    /// Whether it is quiet now on the clocks of a zone. Each night is a span of
    /// its own, so that clocks put back neither end nor begin it again.
    pub fn is_quiet(&self, now: Timestamp, zone: &Zone) -> bool {
        let Some((from, until)) = self.quiet else { return false };
        let today = now.day_number(zone);
        let over_midnight = i64::from(until < from);
        (today - over_midnight..=today).any(|day| {
            let begins = zone.at(day, from * MINUTE);
            let ends = zone.at(day + over_midnight, until * MINUTE);
            begins <= now && now < ends
        })
    }
}

/// The desk's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What sending does while the AI is on.
    pub pause_on_reply: PauseOnReply,
    /// Microseconds a chat message or a close is held; 0 sends at once.
    pub hold: i64,
    /// Microseconds a mail is held: longer, because the server holds none.
    pub mail_hold: i64,
    /// Microseconds a broadcast is held before its first wave leaves.
    pub broadcast_hold: i64,
    /// Whether it opens as a wall: every channel in a line.
    pub wall: bool,
    /// The zone whose clocks the people of this desk go by.
    pub zone: Zone,
    /// When the desk makes itself heard.
    pub notice: Noticing,
    /// How the terminal shows pictures.
    pub graphics: Graphics,
    /// Channels whose pictures are fetched by themselves.
    pub pictures_of: Vec<ChannelId>,
    pub mail_styles: Vec<(ChannelId, MailStyle)>,
    /// Whether this is the demo, which the status line says.
    pub demo: bool,
    /// Whether it opens with the exercise.
    pub tutor: bool,
    /// What the last line says of the keys.
    pub footer: Footer,
    /// Who works here: claims bear this name.
    pub agent: SafeText,
    /// Microseconds after which a pause made here asks whether it shall go
    /// on; 0 never asks.
    pub pause_lease: i64,
    /// How soon customers shall be answered, by channel.
    pub targets: Vec<(ChannelId, ResponseTargets)>,
    /// Microseconds without a key after which somebody was away; 0: never.
    pub away: i64,
    /// Which keys call which command.
    pub keymap: KeyMap,
    pub senders: SenderAliases,
    pub macros: Vec<Fixed>,
    /// The business's own interfaces that can be asked.
    pub connections: Vec<Connection>,
    /// Whether connections can be added here.
    pub connects: bool,
    /// Whether pausing the AI shows a brief above the composer.
    pub brief_on_pause: bool,
    /// Of so many answers of the AI one is drawn for a review.
    pub review_one_in: u32,
    /// Whether a model writes voice notes down.
    pub transcribes: bool,
    /// What the model may take in a day, where one is configured, and the
    /// currency of its prices.
    pub model_caps: Option<(ModelCaps, SafeText)>,
    /// The view a list shows at first.
    pub first_view: SavedView,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pause_on_reply: PauseOnReply::Ask,
            hold: 5_000_000,
            mail_hold: 10_000_000,
            broadcast_hold: 15_000_000,
            wall: false,
            zone: Zone::UTC,
            mail_styles: Vec::new(),
            demo: false,
            tutor: false,
            footer: Footer::default(),
            agent: SafeText::line("me"),
            pause_lease: 4 * HOUR,
            targets: Vec::new(),
            away: 30 * MINUTE,
            notice: Noticing::default(),
            graphics: Graphics::Half,
            pictures_of: Vec::new(),
            keymap: KeyMap::default(),
            senders: SenderAliases::default(),
            macros: Vec::new(),
            connections: Vec::new(),
            connects: false,
            brief_on_pause: false,
            review_one_in: DEFAULT_SAMPLE_RATE,
            transcribes: false,
            model_caps: None,
            first_view: SavedView::needs_me(),
        }
    }
}

impl Settings {
    /// How soon customers of a channel shall be answered.
    pub fn targets_of(&self, channel: &ChannelId) -> ResponseTargets {
        targets::targets_of(&self.targets, channel)
    }
}

/// One tab as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelInfo {
    pub id: ChannelId,
    /// The configured name.
    pub name: String,
    /// What the key's prefix says, before the account has been read.
    pub environment: Option<Environment>,
    /// Whether nothing may be changed from here.
    pub read_only: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let at = |time: &str| Timestamp::parse(&format!("2026-11-20T{time}:00Z")).expect("a time");
        let night = Noticing { quiet: Some((22 * 60, 7 * 60)), ..Noticing::default() };
        let noon = Noticing { quiet: Some((12 * 60, 13 * 60)), ..Noticing::default() };
        let cases = [
            (night, "21:59", Zone::UTC, false),
            (night, "22:00", Zone::UTC, true),
            (night, "06:59", Zone::UTC, true),
            (night, "07:00", Zone::UTC, false),
            (night, "21:30", named("Europe/Berlin"), true),
            (noon, "12:30", Zone::UTC, true),
            (noon, "13:00", Zone::UTC, false),
            (Noticing::default(), "03:00", Zone::UTC, false),
        ];
        for (noticing, time, zone, quiet) in cases {
            assert_eq!(noticing.is_quiet(at(time), &zone), quiet, "{time} {zone:?}");
        }
    }

    #[test]
    fn quiet_hours_across_the_changes_of_the_clocks() {
        let zone = named("America/New_York");
        let quiet = |from: &str, until: &str| {
            let minute =
                |text: &str| text[..2].parse::<i64>().unwrap() * 60 + text[3..].parse::<i64>().unwrap();
            Noticing { quiet: Some((minute(from), minute(until))), ..Noticing::default() }
        };
        // Put forward at 02:00 on 14 March 2027, put back at 02:00 on 1
        // November 2026.
        let cases = [
            ("22:00", "07:00", "2027-03-14T02:59:00Z", false),
            ("22:00", "07:00", "2027-03-14T03:00:00Z", true),
            ("22:00", "07:00", "2027-03-14T10:59:00Z", true),
            ("22:00", "07:00", "2027-03-14T11:00:00Z", false),
            ("22:00", "07:00", "2027-03-15T01:59:00Z", false),
            ("22:00", "07:00", "2027-03-15T02:00:00Z", true),
            ("22:00", "07:00", "2026-11-01T01:59:00Z", false),
            ("22:00", "07:00", "2026-11-01T02:00:00Z", true),
            ("22:00", "07:00", "2026-11-01T11:59:00Z", true),
            ("22:00", "07:00", "2026-11-01T12:00:00Z", false),
            // A bound that the clocks skip is an hour later.
            ("22:00", "02:30", "2027-03-14T07:29:00Z", true),
            ("22:00", "02:30", "2027-03-14T07:30:00Z", false),
            // Of a bound that they show twice it is the first.
            ("22:00", "01:30", "2026-11-01T05:29:00Z", true),
            ("22:00", "01:30", "2026-11-01T05:30:00Z", false),
            ("22:00", "01:30", "2026-11-01T06:15:00Z", false),
            ("01:30", "07:00", "2026-11-01T05:29:00Z", false),
            ("01:30", "07:00", "2026-11-01T05:30:00Z", true),
            ("01:30", "07:00", "2026-11-01T06:15:00Z", true),
        ];
        for (from, until, now, expected) in cases {
            let now = Timestamp::parse(now).expect("a time");
            assert_eq!(quiet(from, until).is_quiet(now, &zone), expected, "{from} {until} {now}");
        }
    }

    fn named(name: &str) -> Zone {
        Zone::from(jiff::tz::TimeZone::get(name).expect("a zone of the database"))
    }
}
