//! Messages in a question: sender, time and text.

use crate::Inbox;
use crate::components::dialog::{DialogLine, Tone};
use crate::wrap;
use model::messages::{Message, Sender};
use model::text::SafeText;

/// Maximum number of messages; older ones are counted.
pub(crate) const MAX_SHOWN_MESSAGES: usize = 4;
pub(crate) const MAX_MESSAGE_CELLS: usize = 240;

pub(crate) fn quote_lines(inbox: &Inbox, messages: &[Message]) -> Vec<DialogLine> {
    let skipped = messages.len().saturating_sub(MAX_SHOWN_MESSAGES);
    let mut lines = Vec::new();
    if skipped > 0 {
        lines.push(DialogLine::dim(format!("… and {skipped} before")));
    }
    for message in &messages[skipped..] {
        let at = message
            .created_at
            .map_or("--:--".to_owned(), |time| time.hour_and_minute(&inbox.context.settings.zone));
        let text = SafeText::line(message.content.as_str());
        let text = if text.is_empty() { format!("[{}]", message.kind_label()) } else { text.to_string() };
        let text = wrap::cut(&SafeText::line(&text).to_string(), MAX_MESSAGE_CELLS);
        let (who, tone) = sender_name(message);
        lines.push(DialogLine::new(format!("{who} {at}  {text}"), tone));
    }
    lines
}

pub fn sender_name(message: &Message) -> (String, Tone) {
    if let Some(agent) = &message.agent {
        return (agent.label().to_owned(), if agent.is_self { Tone::Own } else { Tone::Plain });
    }
    if let Some(place) = message.answer_place() {
        return (place.label().to_owned(), Tone::Plain);
    }
    match &message.sender {
        Sender::Customer => ("Customer".to_owned(), Tone::Customer),
        Sender::Ai => ("AI".to_owned(), Tone::Dim),
        Sender::Human => ("Colleague".to_owned(), Tone::Plain),
        Sender::Api => ("Elsewhere".to_owned(), Tone::Plain),
        Sender::Broadcast => ("Broadcast".to_owned(), Tone::Plain),
        Sender::Unknown(word) => (format!("?{word}"), Tone::Plain),
    }
}
