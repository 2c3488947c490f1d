//! Messages as a question shows them: who, when, and what was said.

use crate::Inbox;
use crate::components::dialog::{DialogLine, Tone};
use crate::wrap;
use model::messages::{Message, Sender};
use model::text::SafeText;

/// Messages a question shows; older ones are counted.
pub(crate) const SHOWN: usize = 4;
/// Cells of a message or a text a question shows.
pub(crate) const CUT: usize = 240;

/// The newest few.
pub(crate) fn quoted(inbox: &Inbox, messages: &[Message]) -> Vec<DialogLine> {
    let skipped = messages.len().saturating_sub(SHOWN);
    let mut lines = Vec::new();
    if skipped > 0 {
        lines.push(DialogLine::dim(format!("… and {skipped} before")));
    }
    for message in &messages[skipped..] {
        let at = message
            .created_at
            .map_or("--:--".to_owned(), |time| time.hour_and_minute(&inbox.context.settings.zone));
        let text = SafeText::line(message.content.as_str());
        let text = if text.is_empty() { format!("[{}]", message.content_type) } else { text.to_string() };
        let text = wrap::cut(&SafeText::line(&text).to_string(), CUT);
        let (who, tone) = speaker(message);
        lines.push(DialogLine::new(format!("{who} {at}  {text}"), tone));
    }
    lines
}

/// Who said something.
pub fn speaker(message: &Message) -> (String, Tone) {
    match &message.sender {
        Sender::Customer => ("Customer".to_owned(), Tone::Customer),
        Sender::Ai => ("AI".to_owned(), Tone::Ai),
        Sender::Human => ("Colleague".to_owned(), Tone::Plain),
        Sender::Api => ("Elsewhere".to_owned(), Tone::Plain),
        Sender::Broadcast => ("Broadcast".to_owned(), Tone::Plain),
        Sender::Unknown(word) => (format!("?{word}"), Tone::Plain),
    }
}
