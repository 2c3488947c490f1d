//! The `[notify]` table: sounds and notifications.

use crate::config::reading::Section;
use crate::config::{ConfigError, Mistakes};
use crate::shell::notify::{Notifier, NotifyMethod, refusal};
use inbox::settings::NoticeSettings;

/// Reads the table; a mistaken value counts as absent.
pub(crate) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> (NoticeSettings, Notifier) {
    mistakes.all(section.unknown());
    let mut noticing = NoticeSettings::default();
    noticing.bell = mistakes.value(section.boolean("bell")).unwrap_or(noticing.bell);
    let way = mistakes.value(section.word("desktop")).and_then(|text| NotifyMethod::from_word(&text));
    let way = way.unwrap_or_default();
    let command = mistakes.value(section.strings("command").and_then(|command| {
        match command.as_deref().and_then(refusal) {
            Some(why) => Err(section.error("command", &why)),
            None => Ok(command),
        }
    }));
    let command = command.unwrap_or_default();
    noticing.desktop = way != NotifyMethod::Off || !command.is_empty();
    noticing.quiet_hours = mistakes.value(quiet(section));
    (noticing, Notifier { way, command })
}

/// Parses `"22:00-07:00"` into minutes of the day.
fn quiet(section: &Section<'_>) -> Result<Option<(i64, i64)>, ConfigError> {
    let Some(text) = section.string("quiet")? else { return Ok(None) };
    let spans = text.split_once('-').and_then(|(from, until)| Some((minute(from)?, minute(until)?)));
    let wrong = || {
        section.error("quiet", &format!("quiet = {text:?} is not a time span; write it as \"22:00-07:00\""))
    };
    spans.map(Some).ok_or_else(wrong)
}

fn minute(text: &str) -> Option<i64> {
    let (hour, minute) = text.trim().split_once(':')?;
    let (hour, minute): (i64, i64) = (hour.parse().ok()?, minute.parse().ok()?);
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some(hour * 60 + minute)
}
