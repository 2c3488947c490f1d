//! Converts conversations from and to columns.

use rusqlite::ToSql;
use serde_json::Value;

use model::conversations::{
    Automation, Conversation, ConversationStatus, Escalation, NoMessagesReason, PauseOrigin, Referral,
    ServiceWindow,
};
use model::time::Timestamp;
use sqlite::{Row, read_row};

/// Columns for [`read`], of a table with alias `c`.
pub(crate) const COLUMNS: &str = "c.id, c.address, c.name, c.username, c.email, c.status, c.message_count, \
     c.preview, c.sort_at, c.created_at, c.first_message_at, c.has_referral, c.referral_type, c.referral_headline, \
     c.referral_body, c.referral_url, c.service_window, c.automation, c.raw, c.escalation";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    let has_referral: bool = row.get("has_referral")?;
    Ok(read_row!(row, Conversation {
        id, address, name: optional_line, username: optional_line, email: optional_line, message_count: number,
        preview: line, created_at, first_message_at, raw;
        status: row.parse_word("status", ConversationStatus::from_word)?,
        last_message_at: row.get::<Option<Timestamp>>("sort_at")?.filter(|at| at.micros() != 0),
        referral: if has_referral { Some(read_referral(row)?) } else { None },
        closed_at: parse_closed_at(&row.get::<String>("status")?, &row.get::<String>("raw")?),
        takes_no_messages: parse_no_messages(&row.get::<String>("raw")?),
        paused_by: match row.parse_word("automation", parse_automation)? {
            Automation::Off | Automation::NotApplicable => parse_pause_origin(&row.get::<String>("raw")?),
            Automation::On | Automation::Unknown => None,
        },
        window: row.parse_word("service_window", parse_window)?,
        automation: row.parse_word("automation", parse_automation)?,
        escalation: row.optional_line("escalation")?.map_or(Escalation::None, Escalation::Requested)
    }))
}

/// Returns the time from the raw form of a closed conversation; open ones have none.
pub(crate) fn parse_closed_at(status: &str, raw: &str) -> Option<Timestamp> {
    if status != ConversationStatus::Closed.word() {
        return None;
    }
    let raw: Value = serde_json::from_str(raw).ok()?;
    Timestamp::parse_any(raw["closedAt"].as_str()?)
}

/// Returns from the raw form why the customer takes no messages.
pub(crate) fn parse_no_messages(raw: &str) -> Option<NoMessagesReason> {
    if !raw.contains("\"takesNoMessages\"") {
        return None;
    }
    let raw: Value = serde_json::from_str(raw).ok()?;
    NoMessagesReason::parse(raw["takesNoMessages"].as_str()?)
}

/// Returns the origin of a pause from the raw form of a conversation.
pub(crate) fn parse_pause_origin(raw: &str) -> Option<PauseOrigin> {
    if !raw.contains("\"paused") {
        return None;
    }
    let raw: Value = serde_json::from_str(raw).ok()?;
    PauseOrigin::from_words(raw["pausedBy"].as_str(), raw["pausedFrom"].as_str())
}

fn read_referral(row: &Row<'_>) -> rusqlite::Result<Referral> {
    Ok(read_row!(row, Referral {
        source_type = referral_type: optional_line, headline = referral_headline: optional_line,
        body = referral_body: optional_line, source_url = referral_url: optional_line
    }))
}

/// Passes the stored values by parameter name. The sort key and the preview may be replaced by
/// those of a newer message.
pub(crate) fn with_parameters<R>(
    conversation: &Conversation,
    then: impl FnOnce(&[(&str, &dyn ToSql)]) -> R,
) -> R {
    let referral = conversation.referral.clone().unwrap_or_default();
    let is_closed = conversation.status == ConversationStatus::Closed;
    then(&[
        (":id", &conversation.id.as_str()),
        (":status", &conversation.status.word()),
        (":is_closed", &is_closed),
        (":address", &conversation.address),
        (":name", &conversation.name),
        (":username", &conversation.username),
        (":email", &conversation.email),
        (":message_count", &i64::try_from(conversation.message_count).unwrap_or(i64::MAX)),
        (":preview", &conversation.preview.as_str()),
        (":last_message_at", &conversation.last_message_at),
        (":created_at", &conversation.created_at),
        (":first_message_at", &conversation.first_message_at),
        (":has_referral", &conversation.referral.is_some()),
        (":referral_type", &referral.source_type),
        (":referral_headline", &referral.headline),
        (":referral_body", &referral.body),
        (":referral_url", &referral.source_url),
        (":service_window", &window_word(conversation.window)),
        (":automation", &automation_word(conversation.automation)),
        (":raw", &conversation.raw),
        (":escalation", &escalation_text(&conversation.escalation)),
    ])
}

pub(crate) fn escalation_text(escalation: &Escalation) -> Option<&str> {
    match escalation {
        Escalation::Requested(why) => Some(why.as_str()),
        Escalation::Unknown | Escalation::None => None,
    }
}

fn parse_window(word: &str) -> ServiceWindow {
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

pub(crate) fn parse_automation(word: &str) -> Automation {
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
