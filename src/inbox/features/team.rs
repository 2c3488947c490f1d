//! The team on the screen: who is here, who writes where, and handing a conversation over to a colleague.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{DialogLine, Tone};
use crate::components::spoken::SpokenPage;
use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, SyncOrder, TerminalOrder};
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::overlays::view::OverlayView;
use crate::screens::composer::{Composer, sending};
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::BulkAction;
use crate::screens::history::lines::{HistoryItem, ItemKey};
use crate::theme_view::Theme;
use crate::wrap;
use model::ids::{ChannelId, ConversationId, NoteId};
use model::notes::PrivateNote;
use model::replies::ReplyOrigin;
use model::team::{Activity, Presence, TeamPerson};
use model::text::SafeText;
use model::time::{MINUTE, Moment, SECOND, Timestamp, format_short_span};
use std::collections::BTreeMap;

/// Maximum width of the person's own text in a question, in cells.
const MAX_TEXT_CELLS: usize = 60;

/// State of the team apart from its conversations.
#[derive(Debug, Default)]
pub(crate) struct TeamKnowledge {
    /// Last activity that was reported to the team.
    told: Option<(ConversationId, Activity)>,
    /// People as the service last listed them, or why it did not; `None` until it has answered.
    people: Option<Result<Vec<TeamPerson>, SafeText>>,
}

impl TeamKnowledge {
    pub(crate) fn receive_people(&mut self, people: Result<Vec<TeamPerson>, SafeText>) {
        self.people = Some(people);
    }
}

/// The open conversation and its unsent reply.
type OpenText = Option<(ConversationId, String)>;

/// Returns the reply in the open conversation, for comparison after an update; a note is not for the customer.
/// `None` without a team.
pub(crate) fn open_text(inbox: &Inbox) -> OpenText {
    if !inbox.context.settings.is_in_team {
        return None;
    }
    let tab = inbox.desk.tab();
    let history = tab.history.as_ref()?;
    let text = tab.composer.as_ref().map(Composer::reply_text).unwrap_or_default();
    Some((history.conversation.clone(), text))
}

/// Reports the person's activity in the open conversation to the team, if it changed.
pub(crate) fn report_activity(inbox: &mut Inbox, before: OpenText) {
    let Some((conversation, text)) = open_text(inbox) else { return };
    let now = inbox.context.moment;
    let held = inbox.changes.held.iter().filter(|held| held.lane.conversation() == Some(&conversation));
    let held_until = held.map(|held| held.held_until).filter(|until| *until > now).max();
    // A draft that was read is not typed.
    let is_unsaved = inbox.desk.tab().composer.as_ref().is_some_and(|composer| !composer.is_saved());
    let is_changed =
        before.is_some_and(|(same, former)| same == conversation && former != text && !text.is_empty());
    let has_typed = is_unsaved && is_changed;
    let told = &mut inbox.features.team.told;
    let was_sending = *told == Some((conversation.clone(), Activity::Sending));
    let activity = match () {
        () if held_until.is_some() => Activity::Sending,
        () if has_typed => Activity::Typing,
        () if was_sending => Activity::Looking,
        () => return,
    };
    let is_repeat = *told == Some((conversation.clone(), activity));
    *told = Some((conversation, activity));
    if !is_repeat || activity == Activity::Typing {
        let leaves_at = held_until.map(|until| inbox.context.now.plus(until.since(now)));
        inbox.context.push(SyncOrder::SetActivity(activity, leaves_at));
    }
}

/// Next second of the countdown of a colleague's reply in the open conversation.
pub(crate) fn countdown_due(desk: &Desk, context: &Context) -> Option<Moment> {
    let open = desk.tab().history.as_ref().map(|history| &history.conversation);
    let here =
        desk.present.iter().filter(|presence| open.is_some() && presence.conversation.as_ref() == open);
    let left = here.filter_map(|presence| presence.remaining_hold(context.now)).min()?;
    let left = i64::try_from(left).unwrap_or(SECOND);
    Some(context.moment.plus((left - 1) % SECOND + 1))
}

/// Returns the most active colleague in a conversation, and the number of others as a word: empty or `+1`.
pub(crate) fn busiest_colleague<'a>(
    desk: &'a Desk,
    conversation: &ConversationId,
) -> Option<(&'a Presence, String)> {
    let here = desk.present.iter().filter(|presence| presence.conversation.as_ref() == Some(conversation));
    let busiest = here.clone().max_by_key(|presence| presence.activity)?;
    let others = here.count() - 1;
    Some((busiest, if others > 0 { format!("+{others}") } else { String::new() }))
}

/// Describes who else is in a conversation, such as `Ana is typing`.
pub(crate) fn describe_presence(inbox: &Inbox, conversation: &ConversationId) -> Option<String> {
    let (busiest, others) = busiest_colleague(&inbox.desk, conversation)?;
    Some(join_words([busiest.describe(inbox.context.now).as_str(), &others]))
}

/// [`describe_presence`] without the countdown of a reply.
pub(crate) fn describe_activity(inbox: &Inbox, conversation: &ConversationId) -> Option<String> {
    let (busiest, others) = busiest_colleague(&inbox.desk, conversation)?;
    let steady = Presence { leaves_at: None, ..busiest.clone() };
    Some(join_words([steady.describe(inbox.context.now).as_str(), &others]))
}

/// Joins words with spaces, without the empty ones.
pub(crate) fn join_words<const N: usize>(words: [&str; N]) -> String {
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the colleague whose reply is held or on its way in the open conversation.
fn sending_colleague(desk: &Desk) -> Option<&SafeText> {
    let conversation = &desk.tab().history.as_ref()?.conversation;
    let sends = |presence: &&Presence| {
        presence.conversation.as_ref() == Some(conversation) && presence.activity == Activity::Sending
    };
    desk.present.iter().find(sends).map(|presence| &presence.person)
}

/// Asks before a reply that follows one of a colleague. Returns false if nobody else replies.
pub(crate) fn ask_about_sending_colleague(desk: &Desk, context: &mut Context) -> bool {
    let Some(colleague) = sending_colleague(desk) else { return false };
    let text = desk.tab().composer.as_ref().map(|composer| composer.text()).unwrap_or_default();
    let text = wrap::cut(SafeText::line(&text).as_str(), MAX_TEXT_CELLS);
    let lines = vec![
        DialogLine::plain(format!("{colleague} is replying to this customer right now.")),
        DialogLine::blank(),
        DialogLine::new(format!("Yours: {text}"), Tone::Own),
    ];
    let send = |inbox: &mut Inbox| sending::send_confirmed(&mut inbox.desk, &mut inbox.context);
    let title = format!("{colleague} is sending a reply");
    context.open(Confirm::new(title, lines).answer('y', "send anyway", send).esc("keep editing"));
    true
}

/// Rings for a note that names this person.
pub(crate) fn report_mention(
    inbox: &mut Inbox,
    channel: &ChannelId,
    conversation: &ConversationId,
    author: &SafeText,
) {
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == *channel);
    let row = tab.and_then(|tab| tab.list.page.rows.iter().find(|row| row.conversation.id == *conversation));
    let about = row.map_or_else(String::new, |row| format!(" about {}", row.conversation.title()));
    let place = SafeText::line(tab.map_or("", |tab| tab.channel.name.as_str()));
    let context = &mut inbox.context;
    context.show_warning(format!("{author} mentions you in a note{about}"));
    if !context.settings.notice.is_quiet(context.now, &context.settings.zone) {
        // A notification may be seen by others.
        context.alert(TerminalOrder::Notify(place, SafeText::line(&format!("{author} mentions you"))));
    }
}

/// Claimed conversations of the loaded lists, by person.
fn held_by_person(desk: &Desk) -> BTreeMap<String, Vec<SafeText>> {
    let mut held: BTreeMap<String, Vec<SafeText>> = BTreeMap::new();
    for row in desk.tabs.iter().flat_map(|tab| &tab.list.page.rows) {
        if let Some(claim) = &row.local.claim {
            held.entry(claim.agent.to_string()).or_default().push(row.conversation.title());
        }
    }
    held
}

fn require_team(inbox: &Inbox) -> Result<(), String> {
    match inbox.context.settings.is_in_team {
        true => Ok(()),
        false => Err("This desk has joined no team; `frontdesk join URL` joins one".to_owned()),
    }
}

/// `:team`
pub(crate) fn show_team(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    require_team(inbox)?;
    inbox.context.push(SyncOrder::ReadPeople);
    inbox.context.open(TeamPage::default());
    Ok(())
}

/// People of the team, where they are and what each has.
#[derive(Debug, Default)]
struct TeamPage {
    first_visible: usize,
}

impl TeamPage {
    fn text(&self, inbox: &Inbox) -> TextView {
        TextView::fitted("Team", describe_team(inbox), self.first_visible)
    }
}

impl Overlay for TeamPage {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let mut text = self.text(inbox);
        let outcome = text.key(inbox, key);
        self.first_visible = text.first_visible;
        outcome
    }
}

impl OverlayView for TeamPage {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        self.text(inbox).describe(inbox)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        self.text(inbox).draw(inbox, theme, buffer)
    }
}

/// Describes the activity of a person, once per place.
fn describe_places(inbox: &Inbox, person: &SafeText) -> Vec<String> {
    let here = inbox.desk.present.iter().filter(|presence| presence.person == *person);
    let describe = |presence: &Presence| {
        let place = presence.conversation.as_ref().map(|id| {
            let mut rows = inbox.desk.tabs.iter().flat_map(|tab| &tab.list.page.rows);
            rows.find(|row| row.conversation.id == *id)
                .map_or_else(|| "another conversation".to_owned(), |row| row.conversation.title().to_string())
        });
        match (presence.activity, place) {
            (_, None) => "here".to_owned(),
            (Activity::Looking, Some(place)) => format!("looking at {place}"),
            (Activity::Typing, Some(place)) => format!("typing to {place}"),
            (Activity::Sending, Some(place)) => format!("replying to {place}"),
        }
    };
    here.map(describe).collect()
}

/// One line for each person. Until the service has answered, only the people and claims this desk has seen.
fn describe_team(inbox: &Inbox) -> Vec<SafeText> {
    let (me, now) = (&inbox.context.settings.agent, inbox.context.now);
    let (people, note) = match &inbox.features.team.people {
        Some(Ok(people)) => (people.clone(), None),
        Some(Err(why)) => (seen_people(inbox), Some(format!("Only what this desk has seen: {why}"))),
        None => (seen_people(inbox), Some("Reading…".to_owned())),
    };
    let line = |person: &TeamPerson| {
        let places = describe_places(inbox, &person.name);
        let place = match () {
            () if person.name == *me => "this desk".to_owned(),
            () if !places.is_empty() => places.join(", "),
            () if person.seen_at == Timestamp::default() => "away".to_owned(),
            () if now.since(person.seen_at) < MINUTE => "just left".to_owned(),
            () => format!("away for {}", format_short_span(now.since(person.seen_at).max(0))),
        };
        let held: Vec<&str> = person.held.iter().map(SafeText::as_str).collect();
        let more = usize::try_from(person.claim_count).unwrap_or(usize::MAX).saturating_sub(held.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let has = match held.as_slice() {
            [] => "has nothing".to_owned(),
            held => format!("has {}{more}", held.join(", ")),
        };
        SafeText::line(&format!("{} · {place} · {has}", person.name))
    };
    let note = note.map(|note| SafeText::line(&note));
    people.iter().map(line).chain(note).collect()
}

/// People whom this desk has seen, with their claims in the loaded lists.
fn seen_people(inbox: &Inbox) -> Vec<TeamPerson> {
    let mut held = held_by_person(&inbox.desk);
    held.entry(inbox.context.settings.agent.to_string()).or_default();
    for presence in &inbox.desk.present {
        held.entry(presence.person.to_string()).or_default();
    }
    let person = |(name, held): (String, Vec<SafeText>)| TeamPerson {
        name: SafeText::line(&name),
        seen_at: Timestamp::default(),
        claim_count: u32::try_from(held.len()).unwrap_or(u32::MAX),
        held,
    };
    held.into_iter().map(person).collect()
}

fn known_names(inbox: &Inbox) -> Vec<String> {
    let mut names: Vec<String> = seen_people(inbox).iter().map(|person| person.name.to_string()).collect();
    if let Some(Ok(people)) = &inbox.features.team.people {
        names.extend(people.iter().map(|person| person.name.to_string()));
    }
    names.sort();
    names.dedup();
    names
}

pub(crate) fn name_completions(inbox: &Inbox) -> Vec<String> {
    let me = &inbox.context.settings.agent;
    known_names(inbox).into_iter().filter(|name| name != me.as_str()).collect()
}

/// Splits a line into a person and a note. A known name may have spaces.
fn split_name(line: &str, known: &[String]) -> (String, String) {
    let line = line.trim();
    let fits = |name: &&String| {
        let rest = line.get(..name.len()).filter(|start| start.to_lowercase() == name.to_lowercase());
        rest.is_some() && line[name.len()..].chars().next().is_none_or(char::is_whitespace)
    };
    match known.iter().filter(fits).max_by_key(|name| name.len()) {
        Some(name) => (name.clone(), line[name.len()..].trim().to_owned()),
        None => {
            let (name, note) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            (name.to_owned(), note.trim().to_owned())
        }
    }
}

/// `:assign NAME [NOTE]`
pub(crate) fn assign(inbox: &mut Inbox, line: &str) -> Result<(), String> {
    require_team(inbox)?;
    let (name, note) = split_name(line, &known_names(inbox));
    if name.is_empty() {
        return Err("Name the colleague who gets the conversation".to_owned());
    }
    let note = (!note.is_empty()).then(|| format!("@{name} {note}"));
    let action = BulkAction::Assign { colleague: SafeText::line(&name), note };
    if bulk_actions::acts_on_marks(&inbox.desk) {
        inbox.changes.act_on_marked(action, &inbox.desk, &mut inbox.context);
        return Ok(());
    }
    let Some(row) = inbox.desk.current_conversation().cloned() else {
        return Err("No conversation is selected".to_owned());
    };
    inbox.changes.plan_bulk_action(action, vec![row], &mut inbox.desk, &mut inbox.context);
    Ok(())
}

/// Reloads the canned replies if they were loaded before.
pub(crate) fn refresh_replies(inbox: &mut Inbox) {
    if inbox.desk.canned.replies.is_some() {
        inbox.context.push(Effect::Request(OutsideRequest::Replies));
    }
}

fn change_reply(inbox: &mut Inbox, name: &str, is_shared: bool) -> Result<(), String> {
    require_team(inbox)?;
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err("Name the canned reply".to_owned());
    }
    inbox.context.push(Effect::Request(OutsideRequest::ShareReply { name, is_shared }));
    Ok(())
}

/// `:share-reply NAME`
pub(crate) fn share_reply(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    change_reply(inbox, name, true)
}

/// `:unshare-reply NAME`
pub(crate) fn unshare_reply(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    change_reply(inbox, name, false)
}

pub(crate) fn report_shared_reply(inbox: &mut Inbox, done: Result<String, String>) {
    match done {
        Ok(words) => {
            inbox.context.show_notice(words);
            inbox.context.push(SyncOrder::SendTeamChanges);
            refresh_replies(inbox);
        }
        Err(why) => inbox.context.show_warning(why),
    }
}

fn reply_names(inbox: &Inbox, is_wanted: impl Fn(&ReplyOrigin) -> bool) -> Vec<String> {
    let replies = inbox.desk.canned.replies.iter().flatten();
    replies.filter(|reply| is_wanted(&reply.origin)).map(|reply| reply.name.clone()).collect()
}

pub(crate) fn local_reply_names(inbox: &Inbox) -> Vec<String> {
    reply_names(inbox, |origin| !matches!(origin, ReplyOrigin::Shared(_)))
}

pub(crate) fn shared_reply_names(inbox: &Inbox) -> Vec<String> {
    reply_names(inbox, |origin| *origin != ReplyOrigin::Local)
}

/// Returns the selected note, or else the newest one, with its place. Notes of colleagues are refused.
fn own_note(inbox: &Inbox) -> Result<(ChannelId, ConversationId, NoteId), String> {
    let tab = inbox.desk.tab();
    let absent = || "No note is selected".to_owned();
    let history = tab.history.as_ref().ok_or_else(absent)?;
    let notes = || {
        history.items.iter().rev().filter_map(|item| match item {
            HistoryItem::Note(note) => Some(note),
            HistoryItem::Message(_) | HistoryItem::Outbox(..) => None,
        })
    };
    let is_selected = |note: &&PrivateNote| history.selected == Some(ItemKey::Note(note.id.clone()));
    let note = notes().find(is_selected).or_else(|| notes().next()).ok_or_else(absent)?;
    match &note.author {
        Some(author) if *author != inbox.context.settings.agent => Err(format!("{author} wrote this note")),
        _ => Ok((tab.channel.id.clone(), history.conversation.clone(), note.id.clone())),
    }
}

/// `:note-edit TEXT`
pub(crate) fn edit_note(inbox: &mut Inbox, line: &str) -> Result<(), String> {
    let (channel, conversation, note) = own_note(inbox)?;
    let text = line.trim();
    if text.is_empty() {
        return Err("Type the new text of the note".to_owned());
    }
    inbox.context.push(FileWrite::ChangeNote(channel, conversation, note, Some(text.to_owned())));
    inbox.context.show_notice("note changed");
    Ok(())
}

/// `:note-delete`
pub(crate) fn delete_note(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    let (channel, conversation, note) = own_note(inbox)?;
    inbox.context.push(FileWrite::ChangeNote(channel, conversation, note, None));
    inbox.context.show_notice("note deleted");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screens::composer::ComposerMode;
    use crate::screens::history::History;
    use crate::settings::{ChannelInfo, Settings};
    use model::queries::Draft;
    use model::time::ClockReading;

    #[test]
    fn only_a_typed_reply_is_reported_as_typing() {
        let channel = ChannelId::from("chat");
        let info =
            ChannelInfo { id: channel.clone(), name: "Chat".to_owned(), environment: None, read_only: false };
        let settings = Settings { is_in_team: true, ..Settings::default() };
        let mut inbox = Inbox::new(vec![info], settings, (120, 40), ClockReading::default());
        let conversation = ConversationId::from("c1");
        let tab = inbox.desk.tab_mut();
        tab.history = Some(History::new(channel, conversation.clone()));
        tab.composer = Some(Composer::new(conversation));
        let mut reports = |change: fn(&mut Composer)| {
            let before = open_text(&inbox);
            change(inbox.desk.tab_mut().composer.as_mut().expect("a composer"));
            inbox.context.effects.clear();
            report_activity(&mut inbox, before);
            !inbox.context.effects.is_empty()
        };
        let read = reports(|composer| {
            composer.receive_draft(Some(Draft { text: "Hi".to_owned(), ..Draft::default() }));
        });
        assert!(!read, "a stored draft");
        let noted = reports(|composer| {
            composer.mode = ComposerMode::Note;
            composer.paste("later", Moment::default());
        });
        assert!(!noted, "a note");
        assert!(!reports(|composer| composer.mode = ComposerMode::Reply));
        let typed = reports(|composer| {
            composer.paste(" there", Moment::default());
        });
        assert!(typed);
    }

    #[test]
    fn known_name_may_have_spaces() {
        let known = ["Ana".to_owned(), "Ana Ruiz".to_owned()];
        let cases = [
            ("ana ruiz call at 5", ("Ana Ruiz", "call at 5")),
            ("Ana", ("Ana", "")),
            ("Anabel please", ("Anabel", "please")),
            ("", ("", "")),
        ];
        for (line, (name, note)) in cases {
            assert_eq!(split_name(line, &known), (name.to_owned(), note.to_owned()), "{line}");
        }
    }
}
