//! A conversation as columns.
//!
//! Knows nothing of the facts of this desk beside it.

use rusqlite::{Row, ToSql};

use crate::model::conversations::{Automation, Conversation, Escalation, Referral, ServiceWindow, Status};
use crate::model::ids::ConversationId;
use crate::store::rows::{line, micros_of, optional_line, text_of, time};

/// The columns [`read`] expects, in order, of a table called `c`.
pub(crate) const COLUMNS: &str = "c.id, c.address, c.name, c.username, c.email, c.status, c.message_count, \
     c.preview, c.sort_at, c.created_at, c.has_referral, c.referral_type, c.referral_headline, \
     c.referral_body, c.referral_url, c.service_window, c.automation, c.raw, c.escalation";
/// How many they are.
pub(crate) const WIDTH: usize = 19;

/// Reads the columns above.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    let id: String = row.get(0)?;
    let status: String = row.get(5)?;
    let window: String = row.get(15)?;
    let automation: String = row.get(16)?;
    let has_referral: bool = row.get(10)?;
    Ok(Conversation {
        id: ConversationId::new(id),
        address: row.get(1)?,
        name: optional_line(row, 2)?,
        username: optional_line(row, 3)?,
        email: optional_line(row, 4)?,
        status: Status::from_word(&status),
        message_count: u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0),
        preview: line(row, 7)?,
        last_message_at: time(row, 8)?.filter(|at| at.micros() != 0),
        created_at: time(row, 9)?,
        referral: if has_referral { Some(read_referral(row)?) } else { None },
        window: window_from(&window),
        automation: automation_from(&automation),
        raw: row.get(17)?,
        escalation: optional_line(row, 18)?.map_or(Escalation::None, Escalation::Asks),
    })
}

fn read_referral(row: &Row<'_>) -> rusqlite::Result<Referral> {
    Ok(Referral {
        source_type: optional_line(row, 11)?,
        headline: optional_line(row, 12)?,
        body: optional_line(row, 13)?,
        source_url: optional_line(row, 14)?,
    })
}

/// The values a conversation is stored with, by parameter name. The preview
/// and the list's order are set apart: a message may know better.
pub(crate) fn parameters<R>(conversation: &Conversation, then: impl FnOnce(&[(&str, &dyn ToSql)]) -> R) -> R {
    let referral = conversation.referral.clone().unwrap_or_default();
    let is_closed = conversation.status == Status::Closed;
    then(&[
        (":id", &conversation.id.as_str()),
        (":status", &conversation.status.word()),
        (":is_closed", &is_closed),
        (":address", &conversation.address),
        (":name", &text_of(&conversation.name)),
        (":username", &text_of(&conversation.username)),
        (":email", &text_of(&conversation.email)),
        (":message_count", &i64::try_from(conversation.message_count).unwrap_or(i64::MAX)),
        (":preview", &conversation.preview.as_str()),
        (":last_message_at", &micros_of(conversation.last_message_at)),
        (":created_at", &micros_of(conversation.created_at)),
        (":has_referral", &conversation.referral.is_some()),
        (":referral_type", &text_of(&referral.source_type)),
        (":referral_headline", &text_of(&referral.headline)),
        (":referral_body", &text_of(&referral.body)),
        (":referral_url", &text_of(&referral.source_url)),
        (":service_window", &window_word(conversation.window)),
        (":automation", &automation_word(conversation.automation)),
        (":raw", &conversation.raw),
        (":escalation", &escalation_text(&conversation.escalation)),
    ])
}

/// Why the AI asks for a person, if it does.
pub(crate) fn escalation_text(escalation: &Escalation) -> Option<&str> {
    match escalation {
        Escalation::Asks(why) => Some(why.as_str()),
        Escalation::Untold | Escalation::None => None,
    }
}

fn window_from(word: &str) -> ServiceWindow {
    match word {
        "open" => ServiceWindow::Open,
        "closed" => ServiceWindow::Closed,
        "none" => ServiceWindow::NotApplicable,
        _ => ServiceWindow::Unknown,
    }
}

pub(crate) fn window_word(window: ServiceWindow) -> &'static str {
    match window {
        ServiceWindow::Open => "open",
        ServiceWindow::Closed => "closed",
        ServiceWindow::NotApplicable => "none",
        ServiceWindow::Unknown => "unknown",
    }
}

pub(crate) fn automation_from(word: &str) -> Automation {
    match word {
        "on" => Automation::On,
        "off" => Automation::Off,
        "none" => Automation::NotApplicable,
        _ => Automation::Unknown,
    }
}

pub(crate) fn automation_word(automation: Automation) -> &'static str {
    match automation {
        Automation::On => "on",
        Automation::Off => "off",
        Automation::NotApplicable => "none",
        Automation::Unknown => "unknown",
    }
}
