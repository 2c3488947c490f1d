//! Converts threads, the mail account and correspondents to the model: a thread becomes a
//! conversation and its mail-specific fields.

use serde_json::value::RawValue;

use crate::email::{EmailAccountBody, EmailContactBody, EmailThreadBody};
use model::conversations::{Conversation, ConversationStatus, Escalation, PauseOrigin};
use model::email::addresses::is_address;
use model::email::{Correspondent, MailAccount, Thread};
use model::ids::ConversationId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

pub fn read_thread(raw: &RawValue) -> Result<(Conversation, Thread), serde_json::Error> {
    let mut body: EmailThreadBody = serde_json::from_str(&thread_without_mails(raw))?;
    body.messages = None;
    let line = |text: &Option<String>| SafeText::optional_line(text.as_deref());
    let thread = Thread {
        subject: line(&body.subject),
        is_read: body.is_read,
        is_starred: body.is_starred,
        category: line(&body.category),
        priority: line(&body.priority),
        folder: line(&body.folder),
        only_here: Vec::new(),
        by_rule: None,
    };
    let is_readable = |address: &String| is_plain(address) && is_address(address);
    // An address that cannot be parsed is shown instead of the name.
    let unreadable = body.contact_email.as_ref().filter(|text| !is_readable(text));
    let stands_for = unreadable.map(|text| if text.is_empty() { "(no sender)" } else { text.as_str() });
    let conversation = Conversation {
        name: line(&body.contact_name).or_else(|| SafeText::optional_line(stands_for)),
        address: body.contact_email.clone().filter(is_readable),
        email: line(&body.contact_email),
        status: if thread.is_archived() { ConversationStatus::Closed } else { ConversationStatus::Open },
        message_count: body.message_count.unwrap_or(0),
        preview: thread.subject.clone().unwrap_or_else(|| SafeText::line("(no subject)")),
        last_message_at: body.last_message_at.as_deref().and_then(Timestamp::parse_any),
        paused_by: PauseOrigin::from_words(body.paused_by.as_deref(), body.paused_from.as_deref()),
        escalation: Escalation::None,
        raw: thread_without_mails(raw),
        ..Conversation::stand_in(ConversationId::new(body.id), false)
    };
    Ok((conversation, thread))
}

/// Removes the mails, which may be many and are stored one by one.
fn thread_without_mails(raw: &RawValue) -> String {
    let Ok(mut fields) = serde_json::from_str::<std::collections::BTreeMap<String, Box<RawValue>>>(raw.get())
    else {
        return raw.get().to_owned();
    };
    let has_mails = ["messages", "emails", "mails", "threadMessages", "history"];
    let before = fields.len();
    fields.retain(|name, _| !has_mails.contains(&name.as_str()));
    if fields.len() == before {
        return raw.get().to_owned();
    }
    serde_json::to_string(&fields).unwrap_or_else(|_| "{}".to_owned())
}

pub fn account_from_body(body: EmailAccountBody) -> MailAccount {
    let line = |text: Option<String>| SafeText::optional_line(text.as_deref());
    MailAccount {
        address: SafeText::line(&body.email_address),
        display_name: line(body.display_name),
        provider: line(body.provider),
        sync_status: line(body.sync_status),
        last_sync_at: body.last_sync_at.as_deref().and_then(Timestamp::parse_any),
        ai_auto_reply: body.ai_auto_reply,
        aliases: body.aliases.iter().map(|alias| SafeText::line(alias)).collect(),
    }
}

pub fn correspondent_from_body(body: EmailContactBody) -> Correspondent {
    Correspondent {
        email: SafeText::line(&body.email),
        name: SafeText::optional_line(body.name.as_deref()),
        last_at: body.last_contact_date.as_deref().and_then(Timestamp::parse_any),
        count: body.message_count,
        phone: SafeText::optional_line(body.linked_whats_app_phone.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::messages::AnswerPlace;

    #[test]
    fn a_thread_becomes_a_conversation() {
        let json = r#"{"id":"t1","subject":"Order 1041","contactEmail":"ana@y.example","contactName":null,
            "lastMessageAt":"2026-11-20T09:00:00Z","messageCount":2,"isRead":false,"isStarred":"true",
            "category":"orders","priority":7,"folder":"archive","messages":[{"id":"m1","text":"Hi"}]}"#;
        let raw: Box<RawValue> = serde_json::from_str(json).expect("JSON");
        let (conversation, thread) = read_thread(&raw).expect("a thread");
        assert_eq!((conversation.title().as_str(), conversation.message_count), ("ana@y.example", 2));
        assert_eq!(
            (conversation.preview.as_str(), conversation.status),
            ("Order 1041", ConversationStatus::Closed)
        );
        assert_eq!((thread.is_read, thread.is_starred), (Some(false), Some(true)));
        assert_eq!(thread.priority.as_ref().map(SafeText::as_str), Some("7"));
        assert!(!conversation.raw.contains("messages"), "{}", conversation.raw);
        assert_eq!(conversation.paused_by, None);
        let raw = r#"{"id":"t1","pausedFrom":"mail program","messages":[]}"#;
        let raw: Box<RawValue> = serde_json::from_str(raw).expect("JSON");
        let (conversation, _) = read_thread(&raw).expect("a thread");
        assert_eq!(conversation.paused_by, Some(PauseOrigin::Answer(AnswerPlace::MailProgram)));
        assert!(conversation.raw.contains("pausedFrom"), "{}", conversation.raw);
        for (told, title) in
            [("Doe, John", "Doe, John"), ("", "(no sender)"), ("ann @a.example", "ann @a.example")]
        {
            let raw = serde_json::json!({"id": "t2", "contactEmail": told}).to_string();
            let raw: Box<RawValue> = serde_json::from_str(&raw).expect("JSON");
            let (conversation, _) = read_thread(&raw).expect("a thread");
            assert_eq!((conversation.title().as_str(), conversation.address), (title, None), "{told}");
        }
        for wrong in ["[]", "{}", "7", r#"{"subject":"x"}"#] {
            let raw: Box<RawValue> = serde_json::from_str(wrong).expect("JSON");
            assert!(read_thread(&raw).is_err(), "{wrong}");
        }
    }
}
