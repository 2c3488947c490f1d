//! Descriptions of operations for the outbox, errors and the undo list.

use crate::files;
use crate::interactive;
use crate::outbox::Operation;
use crate::outbox::content::{
    Audience, BroadcastContent, ChatContent, FileToSend, Mail, MailAttachmentSource, ThreadChange,
    ThreadPlace,
};
use crate::text::SafeText;

impl Operation {
    pub fn summary(&self) -> SafeText {
        match self {
            Self::SendText { text, .. } => SafeText::block(text),
            Self::SendContent { content, .. } => content_summary(content),
            Self::SendSms { body, .. } => SafeText::block(body),
            Self::SendFile(file) => file_summary(file),
            _ => SafeText::line(&self.change_summary()),
        }
    }

    /// Progressive form, for error messages.
    pub fn describe_doing(&self) -> &'static str {
        match self {
            Self::SendText { .. } | Self::SendContent { .. } | Self::SendFile(_) | Self::SendSms { .. } => {
                "sending"
            }
            Self::SendMail(_) => "sending the mail",
            Self::Broadcast { .. } => "sending the broadcast",
            Self::Call { .. } => "placing the call",
            Self::React { .. } => "reacting",
            Self::SetAutomation { enabled: false } => "pausing the AI",
            Self::SetAutomation { enabled: true } => "handing back to the AI",
            Self::Close => "closing",
            Self::ChangeThread { .. } => "changing the thread",
            Self::ChangeTags { .. } => "changing the tags",
            Self::SaveContact(_) | Self::ChangeContact(_) => "saving the contact",
            Self::DeleteContact { .. } => "deleting the contact",
            Self::AddWebhook { .. } => "registering the webhook",
            Self::RemoveWebhook { .. } => "removing the webhook",
            Self::SubmitTemplate(_) => "submitting the template",
            Self::Upload { .. } => "uploading",
        }
    }

    /// Past form, for the undo list.
    pub fn describe_done(&self) -> &'static str {
        match self {
            Self::SendText { .. } | Self::SendContent { .. } | Self::SendFile(_) => "sent a message",
            Self::SendMail(_) => "sent a mail",
            Self::React { emoji, .. } if emoji.is_empty() => "removed a reaction",
            Self::React { .. } => "reacted",
            Self::SetAutomation { enabled: false } => "paused the AI",
            Self::SetAutomation { enabled: true } => "handed back",
            Self::Close => "closed",
            Self::ChangeTags { .. } => "changed the tags",
            Self::SaveContact(_) | Self::ChangeContact(_) => "changed the contact",
            Self::DeleteContact { .. } => "deleted the contact",
            Self::SubmitTemplate(_) => "submitted a template",
            Self::SendSms { .. }
            | Self::Call { .. }
            | Self::ChangeThread { .. }
            | Self::Broadcast { .. }
            | Self::AddWebhook { .. }
            | Self::RemoveWebhook { .. }
            | Self::Upload { .. } => "changed something",
        }
    }

    /// Explains why the operation cannot be undone after sending, and the alternative.
    pub fn describe_irrevocable(&self) -> &'static str {
        match self {
            Self::Close => "sent; cannot be reopened",
            Self::SendText { .. } | Self::SendContent { .. } | Self::SendFile(_) | Self::SendMail(_) => {
                "sent; cannot be unsent"
            }
            Self::React { emoji, .. } if emoji.is_empty() => "sent; react again",
            Self::React { .. } => "sent; - removes it",
            Self::SubmitTemplate(_) => "sent; the platform reviews it",
            Self::SetAutomation { .. }
            | Self::ChangeThread { .. }
            | Self::SendSms { .. }
            | Self::Call { .. }
            | Self::Broadcast { .. }
            | Self::SaveContact(_)
            | Self::ChangeTags { .. }
            | Self::ChangeContact(_)
            | Self::DeleteContact { .. }
            | Self::AddWebhook { .. }
            | Self::RemoveWebhook { .. }
            | Self::Upload { .. } => "sent",
        }
    }

    fn change_summary(&self) -> String {
        match self {
            Self::SendText { text, .. } | Self::SendSms { body: text, .. } => text.clone(),
            Self::SendContent { content, .. } => content_summary(content).to_string(),
            Self::React { emoji, .. } if emoji.is_empty() => "Remove the reaction".to_owned(),
            Self::React { emoji, .. } => format!("Reaction {emoji}"),
            Self::SetAutomation { enabled: false } => "Pause the AI".to_owned(),
            Self::SetAutomation { enabled: true } => "Hand back to the AI".to_owned(),
            Self::Close => "Close this conversation".to_owned(),
            Self::SendMail(mail) => mail_summary(mail),
            Self::ChangeThread { change, .. } => format!("Change the thread: {}", thread_summary(change)),
            Self::Call { to, .. } => format!("Let the AI call {to}"),
            Self::Broadcast { to, content } => {
                let whom = match to {
                    Audience::Everyone => "everyone".to_owned(),
                    Audience::Contacts(ids) => format!("{} contacts", ids.len()),
                };
                let what = match content {
                    BroadcastContent::Text(text) => text.clone(),
                    BroadcastContent::Image(link) => format!("[image] {link}"),
                    BroadcastContent::Template(template) => format!("[template] {}", template.name),
                };
                format!("Broadcast to {whom}: {what}")
            }
            Self::SaveContact(wish) => match &wish.name {
                Some(name) => format!("Save the contact {name} · {}", wish.phone),
                None => format!("Save the contact {}", wish.phone),
            },
            Self::ChangeTags { phone, add, remove } => {
                let signed = |sign: char, words: &[String]| {
                    words.iter().map(|word| format!("{sign}{word}")).collect::<Vec<_>>()
                };
                let words = [signed('+', add), signed('-', remove)].concat();
                format!("Tags of {phone}: {}", words.join(" "))
            }
            Self::ChangeContact(change) if change.is_empty() => format!("Save the contact {}", change.phone),
            Self::ChangeContact(change) => format!("Contact {}: {}", change.phone, change.describe()),
            Self::DeleteContact { phone, .. } => format!("Delete the contact {phone} and its history"),
            Self::AddWebhook { url, .. } => format!("Register the webhook {url}"),
            Self::RemoveWebhook { url, .. } => format!("Remove the webhook {url}"),
            Self::SubmitTemplate(new) => format!("Submit the template {} ({})", new.name, new.language),
            Self::SendFile(file) => file_summary(file).to_string(),
            Self::Upload { filename, size, .. } => format!("Upload {filename} ({size} bytes)"),
        }
    }
}

fn content_summary(content: &ChatContent) -> SafeText {
    match content {
        ChatContent::Marked { text, .. } => SafeText::block(text),
        ChatContent::Media(media) => {
            let kind = media.kind.label();
            let name = media.filename.as_deref().unwrap_or(&media.link);
            let caption = media.caption.as_deref().unwrap_or("");
            let line = if caption.is_empty() { "" } else { "\n" };
            SafeText::block(&format!("[{kind}] {name}{line}{caption}"))
        }
        ChatContent::Template(template) => {
            SafeText::line(&format!("[template] {} ({})", template.name, template.language))
        }
        ChatContent::Interactive(object) => SafeText::line(
            format!("[interactive] {}", interactive::describe_interactive(&object.0)).trim_end(),
        ),
        ChatContent::Location(place) => {
            let (latitude, longitude) = (place.latitude.as_f64(), place.longitude.as_f64());
            let name = place.name.as_deref().or(place.address.as_deref()).unwrap_or("");
            SafeText::line(&format!("[location] {latitude}, {longitude} {name}"))
        }
        ChatContent::Text(written) => SafeText::block(&written.text),
        ChatContent::Contact(card) => SafeText::line(&format!("[contact] {}", card.describe())),
    }
}

fn file_summary(file: &FileToSend) -> SafeText {
    let caption = file.caption.as_deref().unwrap_or("");
    let line = if caption.is_empty() { "" } else { "\n" };
    let (kind, size) = (file.kind.label(), files::format_size(file.size));
    SafeText::block(&format!("[{kind}] {} · {size}{line}{caption}", file.name))
}

fn mail_summary(mail: &Mail) -> String {
    let mut words = format!("Mail to {}: {}", mail.to.join(", "), mail.subject);
    let enclosed: u64 = mail
        .attachments
        .iter()
        .map(|attachment| match attachment.source {
            MailAttachmentSource::Enclosed(size) => size,
            MailAttachmentSource::Link(_)
            | MailAttachmentSource::File(_)
            | MailAttachmentSource::Received(..) => 0,
        })
        .sum();
    match mail.attachments.len() {
        0 => {}
        count => words.push_str(&format!(" (attachments: {count}, {enclosed} bytes enclosed)")),
    }
    words
}

fn thread_summary(change: &ThreadChange) -> String {
    let choose = |flag: bool, yes: &str, no: &str| if flag { yes.to_owned() } else { no.to_owned() };
    let words = [
        change.is_read.map(|flag| choose(flag, "read", "unread")),
        change.is_starred.map(|flag| choose(flag, "starred", "not starred")),
        change.place.as_ref().map(|place| match place {
            ThreadPlace::Archived(place) => choose(*place, "archived", "not archived"),
            ThreadPlace::Folder(name) => format!("in {name}"),
        }),
        change.category.as_ref().map(|category| format!("category {category}")),
        change.priority.as_ref().map(|priority| format!("priority {priority}")),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
