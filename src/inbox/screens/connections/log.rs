//! The log of connection calls as a list.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::outside::OutsideRequest;
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::connections::requests::ConnectionRequest;
use model::connections::{CallLine, CallResult};
use model::queries::NamedConversation;
use model::text::SafeText;

/// Opens or reloads the list, which does not update by itself.
pub(crate) fn show_connection_calls(context: &mut Context) {
    context.push(Effect::Request(OutsideRequest::Connections(Box::new(ConnectionRequest::Log))));
    context.push(Effect::Load(Load::ConversationNames));
    if !listing::shows_list(context, ListKind::Connections) {
        listing::show_list(context, ListKind::Connections);
    }
}

impl ConnectionAnswers {
    pub(crate) fn set_contact_names(&mut self, names: &[NamedConversation], context: &Context) {
        if listing::shows_list(context, ListKind::Connections) {
            let named = |named_conversation: &NamedConversation| {
                (named_conversation.key.conversation.to_string(), named_conversation.title.to_string())
            };
            self.names = names.iter().map(named).collect();
        }
    }

    /// Names of the contacts of the listed calls, without those that have none.
    pub fn named_contacts(&self, desk: &Desk) -> Vec<String> {
        let calls = self.calls.iter();
        let named = calls.map(|call| (&call.contact, self.contact_label(&call.contact, desk)));
        named.filter(|(contact, name)| *contact != name).map(|pair| pair.1).collect()
    }

    /// Name of a contact if a conversation of any tab has one, else its id.
    fn contact_label(&self, contact: &str, desk: &Desk) -> String {
        let mut rows = desk.tabs.iter().flat_map(|tab| &tab.list.page.rows);
        let found = rows.find(|row| row.conversation.id.as_str() == contact);
        let known = || self.names.get(contact).cloned();
        let title =
            found.map(|conversation_row| conversation_row.conversation.title().to_string()).or_else(known);
        title.unwrap_or_else(|| contact.to_owned())
    }

    pub(crate) fn call_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let zone = &context.settings.zone;
        let line = |call_line: &CallLine| {
            let seconds = call_line.at.micros().div_euclid(1_000_000).rem_euclid(60);
            let (status, why) = match &call_line.result {
                CallResult::Status(status) => (status.to_string(), String::new()),
                CallResult::Failed(why) => ("none".to_owned(), format!(" · {why}")),
            };
            let about = self.contact_label(&call_line.contact, desk);
            let good = call_line.result.is_success();
            ListLine {
                name: SafeText::line(&format!(
                    "{}:{seconds:02} {} · {}",
                    call_line.at.hour_and_minute(zone),
                    call_line.connection,
                    call_line.endpoint
                )),
                text: SafeText::line(&format!("{about}{why}")),
                trailing: format!("{status} {:>5} ms {:>7} B", call_line.millis, call_line.bytes),
                is_urgent: !good,
                dim: good,
                target: None,
            }
        };
        self.calls.iter().map(line).collect()
    }
}
