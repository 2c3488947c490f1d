//! Settings of the desk, filled from the configuration in `src/cli/desk.rs`.

use crate::features::macros::Macro;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PauseOnReply {
    /// Ask: pause and send, send only, or back.
    #[default]
    Ask,
    /// Pause and send, and show a notice.
    Always,
    /// Send only.
    Never,
}

model::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Footer {
        /// The five most useful keys.
        #[default]
        Keys = "keys",
        /// The three most useful keys.
        Three = "three",
        /// No keys: the line is for notices and news.
        Off = "off",
    }
}

impl Footer {
    /// The next value in the cycle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Keys => Self::Three,
            Self::Three => Self::Off,
            Self::Off => Self::Keys,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoticeSettings {
    /// Rings the bell for messages nobody is looking at.
    pub bell: bool,
    /// Shows desktop notifications while the terminal lacks the focus.
    pub desktop: bool,
    /// Quiet hours: start and end in minutes of the day; may span midnight.
    pub quiet_hours: Option<(i64, i64)>,
}

impl Default for NoticeSettings {
    fn default() -> Self {
        Self { bell: true, desktop: true, quiet_hours: None }
    }
}

impl NoticeSettings {
    /// True during quiet hours. Each night is one span: clocks put back neither end nor restart it.
    pub fn is_quiet(&self, now: Timestamp, zone: &Zone) -> bool {
        let Some((from, until)) = self.quiet_hours else { return false };
        let today = now.day_number(zone);
        let over_midnight = i64::from(until < from);
        (today - over_midnight..=today).any(|day| {
            let begins = zone.at(day, from * MINUTE);
            let ends = zone.at(day + over_midnight, until * MINUTE);
            begins <= now && now < ends
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub pause_on_reply: PauseOnReply,
    /// Hold of a chat message or a close, in microseconds; 0 sends at once.
    pub hold: i64,
    /// Hold of a mail, in microseconds; longer because the server holds none.
    pub mail_hold: i64,
    /// Hold of a broadcast before its first wave, in microseconds.
    pub broadcast_hold: i64,
    /// Opens the wall: one line for each channel.
    pub wall: bool,
    pub zone: Zone,
    pub notice: NoticeSettings,
    /// Command that records a voice note; empty if there is none.
    pub record_command: Vec<String>,
    /// Picture protocol of the terminal.
    pub graphics: Graphics,
    /// Channels whose pictures are fetched automatically.
    pub pictures_of: Vec<ChannelId>,
    pub mail_styles: Vec<(ChannelId, MailStyle)>,
    /// True in the demo; shown in the title of the window.
    pub demo: bool,
    /// True in plain mode, where a text has no keys: messages name the word of a command instead.
    pub is_plain: bool,
    pub tutor: bool,
    /// End of the time in which the tutor is offered; `None` if it is not offered.
    pub tutor_offered_until: Option<Timestamp>,
    pub footer: Footer,
    /// Name of the person at this desk, used for claims.
    pub agent: SafeText,
    pub is_in_team: bool,
    /// Microseconds after which a pause made here asks whether to continue; 0 never asks.
    pub pause_lease: i64,
    pub targets: Vec<(ChannelId, ResponseTargets)>,
    /// Microseconds without a key that count as an absence; 0 turns absences off.
    pub absence_after: i64,
    pub keymap: KeyMap,
    pub senders: SenderAliases,
    pub macros: Vec<Macro>,
    /// The business's own interfaces that can be queried.
    pub connections: Vec<Connection>,
    /// Shows a brief above the composer when the AI is paused.
    pub brief_on_pause: bool,
    /// True shows a preview of the first link in texts, false none; `None` leaves it to the channel.
    pub link_preview: Option<bool>,
    /// One in so many answers of the AI is drawn for review.
    pub review_one_in: u32,
    /// True if a model transcribes voice notes.
    pub transcribes: bool,
    /// Daily limits of the model, if one is configured, and the currency of its prices.
    pub model_caps: Option<(ModelCaps, SafeText)>,
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
            is_plain: false,
            tutor: false,
            tutor_offered_until: None,
            footer: Footer::default(),
            agent: SafeText::line("me"),
            is_in_team: false,
            pause_lease: 4 * HOUR,
            targets: Vec::new(),
            absence_after: 30 * MINUTE,
            notice: NoticeSettings::default(),
            record_command: Vec::new(),
            graphics: Graphics::Half,
            pictures_of: Vec::new(),
            keymap: KeyMap::default(),
            senders: SenderAliases::default(),
            macros: Vec::new(),
            connections: Vec::new(),
            brief_on_pause: false,
            link_preview: None,
            review_one_in: DEFAULT_SAMPLE_RATE,
            transcribes: false,
            model_caps: None,
            first_view: SavedView::inbox(),
        }
    }
}

impl Settings {
    pub fn targets_of(&self, channel: &ChannelId) -> ResponseTargets {
        targets::targets_of(&self.targets, channel)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelInfo {
    pub id: ChannelId,
    pub name: String,
    /// Environment in the key's prefix, known before the account is read.
    pub environment: Option<Environment>,
    /// True if nothing may be changed from this desk.
    pub read_only: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let at = |time: &str| Timestamp::parse(&format!("2026-11-20T{time}:00Z")).expect("a time");
        let night = NoticeSettings { quiet_hours: Some((22 * 60, 7 * 60)), ..NoticeSettings::default() };
        let noon = NoticeSettings { quiet_hours: Some((12 * 60, 13 * 60)), ..NoticeSettings::default() };
        let cases = [
            (night, "21:59", Zone::UTC, false),
            (night, "22:00", Zone::UTC, true),
            (night, "06:59", Zone::UTC, true),
            (night, "07:00", Zone::UTC, false),
            (night, "21:30", named("Europe/Berlin"), true),
            (noon, "12:30", Zone::UTC, true),
            (noon, "13:00", Zone::UTC, false),
            (NoticeSettings::default(), "03:00", Zone::UTC, false),
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
            NoticeSettings { quiet_hours: Some((minute(from), minute(until))), ..NoticeSettings::default() }
        };
        // Clocks go forward at 02:00 on 14 March 2027 and back at 02:00 on 1 November 2026.
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
            // A bound in the skipped hour moves an hour later.
            ("22:00", "02:30", "2027-03-14T07:29:00Z", true),
            ("22:00", "02:30", "2027-03-14T07:30:00Z", false),
            // A bound that occurs twice counts at its first occurrence.
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
