//! Copying to the clipboard, and its messages.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::outside::CopyMethod;
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use crate::screens::webhooks::form::WebhookQuestion;
use crate::settings::Settings;
use model::messages::SenderAliases;
use model::outbox::RowState;
use model::text::SafeText;
use model::time::Zone;

#[derive(Debug, Clone, Copy)]
pub(crate) enum CopyTarget {
    Address,
    Id,
    History(CopiedPart),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum CopiedPart {
    Text,
    Link,
    Error,
    Transcript,
}

pub(crate) fn copy(desk: &mut Desk, wanted: CopyTarget, context: &mut Context) {
    match find_text_to_copy(desk, wanted, context) {
        Ok((what, text)) => {
            let count = text.chars().count();
            let letters = if count == 1 { "character" } else { "characters" };
            context.push(TerminalOrder::Copy(text, format!("{what}, {count} {letters}")));
        }
        Err(why) => context.show_warning(why),
    }
}

fn find_text_to_copy(
    desk: &Desk,
    wanted: CopyTarget,
    context: &Context,
) -> Result<(&'static str, String), &'static str> {
    let tab = desk.tab();
    let row = desk.current_conversation().ok_or("no conversation is selected")?;
    match wanted {
        CopyTarget::Address => {
            let address = row.conversation.address.clone();
            let found = address.or_else(|| row.conversation.email.as_ref().map(ToString::to_string));
            Ok(("the address", join_lines(&found.ok_or("this conversation has no address")?)))
        }
        CopyTarget::Id => Ok(("the conversation's id", join_lines(row.conversation.id.as_str()))),
        CopyTarget::History(part) => {
            let history = tab.history.as_ref().filter(|history| history.loaded);
            history_text(part, history.ok_or("open the conversation first")?, &context.settings)
        }
    }
}

pub(crate) fn report_copied(context: &mut Context, what: &str, copied: Result<CopyMethod, String>) {
    match copied {
        Ok(CopyMethod::Program) => context.show_notice(format!("copied {what}")),
        Ok(CopyMethod::Terminal) => context.show_notice(format!("sent to the terminal's clipboard: {what}")),
        Err(why) => return context.show_warning(format!("not copied: {why}")),
    }
    if let Some(question) = context.overlays.top_mut::<WebhookQuestion>() {
        question.form.copied = true;
    }
}

/// Keeps a single line single when pasted.
fn join_lines(text: &str) -> String {
    SafeText::line(text).to_string()
}

fn history_text(
    part: CopiedPart,
    history: &History,
    settings: &Settings,
) -> Result<(&'static str, String), &'static str> {
    let item = history.selected_item().ok_or("no message here")?;
    match part {
        CopiedPart::Text => match item.text() {
            "" => Err("this message has no text; y l copies its link"),
            text => Ok(("the text", text.to_owned())),
        },
        CopiedPart::Link => match item {
            HistoryItem::Message(row) if row.message.media_url.is_some() => {
                Ok(("the link", row.message.media_url.as_ref().map(ToString::to_string).unwrap_or_default()))
            }
            _ => Err("this message has no file"),
        },
        CopiedPart::Error => match item {
            HistoryItem::Outbox(row, _) => match &row.state {
                RowState::Stopped(stop, why) => Ok(("the error", format!("{}: {why}", stop.word()))),
                _ => Err("no error: the message was not stopped"),
            },
            HistoryItem::Note(_) => Err("no error: notes are not sent"),
            HistoryItem::Message(_) => Err("no error: the message was sent"),
        },
        CopiedPart::Transcript => {
            Ok(("the loaded messages", transcript(history, &settings.senders, &settings.zone)))
        }
    }
}

/// The loaded messages, oldest first. Without private notes, as a transcript goes to others.
fn transcript(history: &History, aliases: &SenderAliases, zone: &Zone) -> String {
    let customer = history.customer();
    let mut lines = Vec::new();
    for item in history.items.iter().filter(|item| !matches!(item, HistoryItem::Note(_))) {
        let at = item.at().map(|entry| entry.local_timestamp(zone)).unwrap_or_default();
        lines.push(format!("{at}  {}: {}", item.sender(customer.as_str(), aliases), item.text()));
    }
    lines.join("\n")
}
