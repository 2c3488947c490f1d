//! Links, quoted messages, and the same person in other tabs.

use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::overlays::outside_link;
use crate::screens::history::message_of;
use crate::tab::Focus;
use model::links;
use model::queries::ConversationKey;

/// Asks whether to open the selected message's file or link, and shows its target.
pub(crate) fn ask_open_link(desk: &mut Desk, context: &mut Context) {
    match current_link(desk) {
        Ok((url, host)) => outside_link::ask_to_open_link(context, url, &host),
        Err(why) => context.show_warning(why),
    }
}

fn current_link(desk: &Desk) -> Result<(String, String), &'static str> {
    let history =
        desk.tab().history.as_ref().filter(|history| history.loaded).ok_or("open the conversation first")?;
    let row = match history.selected_item().and_then(message_of) {
        Some(row) => Some(row),
        None => history.items.iter().rev().find_map(message_of),
    };
    let message = &row.ok_or("no message here")?.message;
    let file = message.media_url.as_ref().map(ToString::to_string);
    let url = file
        .or_else(|| links::first_link(message.content.as_str()).map(str::to_owned))
        .ok_or("no file or link in this message")?;
    let host = links::host_of(&url).ok_or("not opened: only http and https links are allowed")?;
    Ok((url, host))
}

/// Goes to the message the selected one quotes, if it is loaded.
pub(crate) fn go_to_quoted(desk: &mut Desk, context: &mut Context) {
    let Some(history) = &mut desk.tab_mut().history else { return };
    let quoted = history.selected_item().and_then(|selected_item| selected_item.quotes().cloned());
    let said = match quoted {
        None => Some("no quoted message here"),
        Some(id) if history.go_to(&id) => None,
        Some(_) => Some("the quoted message is not loaded; {top} loads older messages"),
    };
    if let Some(said) = said {
        context.show_notice(context.fill_in_keys(said));
    }
}

pub(crate) fn find_other_conversations(desk: &mut Desk, context: &mut Context) {
    if let Some(row) = desk.current_conversation() {
        context.push(Effect::Load(Load::SamePerson(row.key())));
    }
}

/// Goes to the person's next conversation in another tab.
pub(crate) fn go_to_other_conversation(
    desk: &mut Desk,
    asked: &ConversationKey,
    found: &[ConversationKey],
    context: &mut Context,
) {
    if desk.current_conversation().is_none_or(|current_conversation| !current_conversation.has_key(asked)) {
        return;
    }
    // Wrap around after the last one.
    let after = found.iter().find(|conversation_key| {
        (&conversation_key.channel, &conversation_key.conversation) > (&asked.channel, &asked.conversation)
    });
    let Some(next) = after.or_else(|| found.first()).cloned() else {
        return context.show_notice("no conversation with this number or address on other channels");
    };
    desk.open_conversation(&next.channel, &next.conversation, Focus::History, context);
    if let Some(name) = desk.tab_of(&next.channel).map(|tab| tab.channel.name.clone()) {
        context
            .show_notice(format!("the same person on {name}; {} next", context.key_of(Command::Elsewhere)));
    }
}
