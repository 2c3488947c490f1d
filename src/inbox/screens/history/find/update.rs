use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::overlays::line::{LinePrompt, LinePromptKind};
use crate::screens::history::find::{Find, MAX_HITS};
use crate::screens::history::lines::ItemKey;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::search::{SearchPage, SearchQuery};

pub(crate) fn open_find(desk: &mut Desk, context: &mut Context) {
    let Some(history) = &desk.tab().history else { return };
    let kind = LinePromptKind::FindInHistory(history.selected.clone());
    context.open(LinePrompt { kind, text: TextLine::default() });
}

pub(crate) fn start_find(desk: &mut Desk, text: &str, context: &mut Context) {
    if let Some(history) = &mut desk.tab_mut().history {
        history.find = Find::new(text);
    }
    request_hits(desk, context);
}

pub(crate) fn request_hits(desk: &mut Desk, context: &mut Context) {
    let channel = desk.tab().channel.id.clone();
    let Some(history) = &desk.tab().history else { return };
    let Some(find) = &history.find else { return };
    let query = SearchQuery {
        text: find.text.clone(),
        channel: Some(channel),
        conversation: Some(history.conversation.clone()),
        limit: MAX_HITS,
        ..SearchQuery::default()
    };
    context.push(Effect::Load(Load::Search(query)));
}

/// Ends the search and returns to the item selected before.
pub(crate) fn end_find(desk: &mut Desk, before: Option<&ItemKey>) {
    let Some(history) = &mut desk.tab_mut().history else { return };
    history.find = None;
    match before {
        Some(key) => history.select_key(key),
        None => history.follow_newest(),
    }
}

/// Takes the hits and goes to the first one, unless the user is already at a hit.
pub(crate) fn receive_hits(desk: &mut Desk, query: &SearchQuery, page: SearchPage, context: &mut Context) {
    let Some(channel) = &query.channel else { return };
    let Some(history) = desk.tab_of(channel).and_then(|tab| tab.history.as_mut()) else { return };
    if Some(&history.conversation) != query.conversation.as_ref() {
        return;
    }
    let Some(find) = history.find.as_mut().filter(|find| find.text == query.text) else { return };
    // Stay at the current hit if it is among the new ones.
    let current = find.hits.take().and_then(|hit| hit.into_iter().nth(find.at));
    let hits: Vec<MessageId> = page.hits.into_iter().map(|hit| hit.message).collect();
    let at = hits.iter().position(|hit| Some(hit) == current.as_ref());
    (find.at, find.hits) = (at.unwrap_or(0), Some(hits));
    if at.is_none() {
        go_to_hit(desk, context);
    }
}

/// Goes to the next older or newer hit, wrapping around.
pub(crate) fn next_hit(desk: &mut Desk, older: bool, context: &mut Context) {
    let Some(find) = desk.tab_mut().history.as_mut().and_then(|history| history.find.as_mut()) else {
        return;
    };
    let count = find.hits.as_ref().map_or(0, Vec::len).max(1);
    find.at = if older { (find.at + 1) % count } else { (find.at + count - 1) % count };
    let words = format!("{} · {}", find.text, find.position_label());
    context.show_notice(words);
    go_to_hit(desk, context);
}

fn go_to_hit(desk: &mut Desk, context: &mut Context) {
    let found = desk.tab().history.as_ref().and_then(|history| {
        let find = history.find.as_ref()?;
        find.hits.as_ref()?.get(find.at).cloned()
    });
    if let Some(message) = found {
        seek_message(desk, message, context);
    }
}

/// Shows a message of the current conversation, however far back.
pub(crate) fn seek_message(desk: &mut Desk, message: MessageId, context: &mut Context) {
    let channel = desk.tab().channel.id.clone();
    let Some(history) = &mut desk.tab_mut().history else { return };
    let conversation = history.conversation.clone();
    if !history.seek(&ItemKey::Message(message.clone())) {
        context.push(Effect::Load(Load::NewerMessages(channel, conversation, message)));
    }
}

/// Loads the history as far back as a sought message, if it is within the limit.
pub(crate) fn receive_depth(
    desk: &mut Desk,
    channel: &ChannelId,
    conversation: &ConversationId,
    depth: Option<u32>,
    context: &mut Context,
) {
    let history = desk.tab_of(channel).and_then(|tab| tab.history.as_mut());
    let Some(history) = history.filter(|history| history.conversation == *conversation) else { return };
    match depth {
        Some(depth) if history.extend_to(depth) => (),
        Some(depth) => context.show_warning(format!("that message is {depth} back: too far to show")),
        None => context.show_warning("that message is no longer stored"),
    }
}
