//! Conversion of mail rows to the schemas of the interface.

use std::collections::HashMap;

use crate::database::correspondents::CorrespondentRow;
use crate::database::emails::{self, EmailRow};
use crate::database::thread_automation::ThreadPause;
use crate::database::threads::ThreadRow;
use crate::mail::{dates, earlier, identities, invitations};
use crate::sending::mail::{AGENT_KEY, PLACE_KEY};
use api::email::{EmailBody, EmailContactBody, EmailThreadBody, InvitationBody};
use api::messages::MessageBody;
use model::time::Timestamp;
use platforms::mail::answer_target::AnswerTarget;
use platforms::mail::readable_text;
use serde_json::{Map, Value};

const MAX_CONTENT_CHARS: usize = 65_536;

fn format_time(at: Timestamp) -> Option<String> {
    Some(at.to_string())
}

pub fn thread_body((row, pause): (ThreadRow, ThreadPause)) -> EmailThreadBody {
    EmailThreadBody {
        id: row.id,
        subject: Some(row.subject),
        contact_email: Some(row.contact_email),
        contact_name: row.contact_name,
        last_message_at: format_time(row.last_at),
        message_count: u64::try_from(row.message_count).ok(),
        is_read: Some(row.is_read),
        is_starred: Some(row.is_starred),
        category: row.category,
        priority: Some(row.priority),
        folder: None,
        paused_by: pause.by,
        paused_from: pause.from,
        messages: None,
    }
}

/// Thread with its folder.
pub fn filed_thread_body((row, pause): (ThreadRow, ThreadPause)) -> EmailThreadBody {
    EmailThreadBody { folder: Some(row.folder.clone()), ..thread_body((row, pause)) }
}

/// Thread with its mails and the invitations in them. Relative attachment URLs are prefixed with `base`.
pub fn full_thread_body(
    thread: (ThreadRow, ThreadPause),
    mails: Vec<EmailRow>,
    mut invitations: HashMap<String, InvitationBody>,
    base: &str,
) -> EmailThreadBody {
    let messages = mails
        .into_iter()
        .map(|mail| {
            let invitation = invitations.remove(&mail.id);
            EmailBody { invitation, ..email_body(mail, base) }
        })
        .collect();
    EmailThreadBody { messages: Some(messages), ..filed_thread_body(thread) }
}

fn email_body(mut row: EmailRow, base: &str) -> EmailBody {
    for url in row.attachments.iter_mut().filter_map(|attachment| attachment.url.as_mut()) {
        if url.starts_with('/') {
            url.insert_str(0, base);
        }
    }
    let is_inbound = row.direction == "inbound";
    let by_assistant = !is_inbound && emails::has_automatic_header(&row.headers);
    let headers: Map<String, Value> = serde_json::from_str(&row.headers).unwrap_or_default();
    let answers_go_to = AnswerTarget::read_from(&headers);
    let is_unreadable = matches!(answers_go_to, AnswerTarget::Nobody { .. });
    EmailBody {
        sender: headers.get("Sender").and_then(Value::as_str).filter(|_| is_inbound).map(str::to_owned),
        can_be_answered: is_unreadable.then_some(false),
        reply_to: match answers_go_to {
            AnswerTarget::Author => Vec::new(),
            AnswerTarget::Others { to, .. } => to,
            AnswerTarget::Nobody { shown } if shown.is_empty() || shown == row.sender => Vec::new(),
            AnswerTarget::Nobody { shown } => vec![shown],
        },
        imported: headers.contains_key(earlier::EARLIER_KEY).then_some(true),
        sender_type: by_assistant.then(|| "ai".to_owned()),
        id: row.id,
        direction: Some(row.direction),
        from: Some(row.sender),
        from_name: row.sender_name,
        to: row.recipients,
        cc: row.copies,
        bcc: row.blind_copies,
        subject: Some(row.subject),
        text: row.text,
        html: row.html,
        attachments: row.attachments,
        status: Some(row.status),
        message_id: Some(row.header_id),
        in_reply_to: row.in_reply_to,
        created_at: format_time(row.created_at),
        sent_at: row.sent_at.and_then(format_time),
        dated_at: dates::read_claimed_date(&headers).map(str::to_owned),
        opened_at: row.opened_at.and_then(format_time),
        agent: headers.get(AGENT_KEY).and_then(|agent| serde_json::from_value(agent.clone()).ok()),
        sent_from: headers.get(PLACE_KEY).and_then(Value::as_str).map(str::to_owned),
        delivered_to: identities::read_delivery(&headers).map(str::to_owned),
        invitation: None,
        invitation_response: invitations::read_answer(&headers),
    }
}

/// Converts a received mail to a message for `pollNewMessages`, with its thread as the conversation.
pub fn message_body(row: &EmailRow) -> MessageBody<'_> {
    let content = readable_text(row.text.as_deref(), row.html.as_deref());
    MessageBody {
        id: row.id.as_str().into(),
        conversation_id: Some(row.thread.as_str().into()),
        direction: Some(row.direction.as_str().into()),
        sender_type: Some("customer".into()),
        content: Some(content.chars().take(MAX_CONTENT_CHARS).collect()),
        content_type: Some("text".into()),
        status: Some(row.status.as_str().into()),
        created_at: Some(row.created_at),
        ..MessageBody::default()
    }
}

pub fn contact_body(row: CorrespondentRow) -> EmailContactBody {
    EmailContactBody {
        email: row.email,
        name: row.name,
        last_contact_date: format_time(row.last_at),
        message_count: u64::try_from(row.message_count).ok(),
        linked_whats_app_phone: row.phone,
    }
}
