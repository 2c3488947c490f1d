//! Tags: kept with the server's contact where there is one, else on this desk.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::dialog::{Dialog, DialogLine};
use crate::components::word_boundaries;
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan, apply_tags};
use crate::wrap;
use model::account::Platform;
use model::bounds;
use model::conversations::ConversationRow;
use model::local::{LocalChange, Tag, TagLocation};
use model::outbox::Operation;
use model::text::SafeText;

const MAX_LINE_CHARS: usize = 200;
const MAX_TAG_CHARS: usize = 40;
const MAX_COMPLETIONS: usize = 8;
/// Tags in use to load.
pub(crate) const MAX_KNOWN_TAGS: u32 = 500;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagLine {
    /// Tags separated by commas; `+tag` and `-tag` for several conversations.
    pub text: String,
    /// Tags in use anywhere, most used first.
    pub known: Vec<SafeText>,
}

impl TagLine {
    fn word(&self) -> &str {
        let word = self.text.rsplit(',').next().unwrap_or("").trim_start();
        word.trim_start_matches(['+', '-'])
    }

    /// Tags in use that start with the last word and are not in the line yet.
    pub fn completions(&self) -> Vec<&SafeText> {
        let word = self.word().to_lowercase();
        let typed: Vec<&str> =
            self.text.split(',').map(|part| part.trim().trim_start_matches(['+', '-'])).collect();
        let fits = |text: &&SafeText| {
            text.as_str().to_lowercase().starts_with(&word) && !typed.contains(&text.as_str())
        };
        self.known.iter().filter(fits).collect()
    }

    fn complete(&mut self) {
        if let Some(offer) = self.completions().first().map(|offer| offer.to_string()) {
            let keep = self.text.len() - self.word().len();
            self.text.truncate(keep);
            self.text.push_str(&offer);
            self.text.push_str(", ");
        }
    }

    fn desired_tags(&self) -> Vec<SafeText> {
        clean_tags(self.text.split(','))
    }
}

/// Trims and cuts the tags and drops duplicates.
fn clean_tags<'a>(raw: impl Iterator<Item = &'a str>) -> Vec<SafeText> {
    let mut words: Vec<SafeText> = Vec::new();
    for text in raw {
        let word: String = text.trim().chars().take(MAX_TAG_CHARS).collect();
        let word = SafeText::line(word.trim());
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

#[derive(Debug)]
pub(crate) struct TagEditor {
    rows: Vec<ConversationRow>,
    line: TagLine,
}

impl TagEditor {
    fn lines(&self, inbox: &Inbox) -> Vec<DialogLine> {
        let (rows, line) = (&self.rows, &self.line);
        let offers: Vec<&str> =
            line.completions().into_iter().take(MAX_COMPLETIONS).map(SafeText::as_str).collect();
        let offers = match offers.as_slice() {
            [] => "separate tags with commas".to_owned(),
            offers => format!("Tab: {}", offers.join(", ")),
        };
        let text = DialogLine { cursor: Some(line.text.len()), ..DialogLine::plain(line.text.as_str()) };
        let mut lines = vec![text, DialogLine::dim(offers)];
        if rows.len() > 1 {
            lines.push(DialogLine::dim("tag or +tag adds, -tag removes"));
        }
        let place = match rows.iter().filter(|row| are_tags_sent(&inbox.desk, row)).count() {
            0 => local_only_reason(inbox, rows),
            all if all == rows.len() => {
                "Saved with the contact: visible to colleagues and the AI.".to_owned()
            }
            some => format!("{some} saved with the contact, {} on this desk only.", rows.len() - some),
        };
        lines.push(DialogLine::dim(place));
        lines.push(DialogLine::blank());
        lines.push(DialogLine::keys(&[("Enter", "keep"), ("Tab", "complete"), ("Esc", "back")]));
        lines
    }
}

fn local_only_reason(inbox: &Inbox, rows: &[ConversationRow]) -> String {
    let tabs = rows.iter().filter_map(|row| inbox.desk.tabs.iter().find(|tab| tab.channel.id == row.channel));
    let why = match tabs.into_iter().any(|tab| tab.channel.read_only) {
        true => "this channel is read-only",
        false => "this channel has no tags",
    };
    format!("Kept on this desk only: {why}.")
}

impl Overlay for TagEditor {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let line = &mut self.line;
        match (key.code, key.typed()) {
            (KeyCode::Esc, _) => return KeyOutcome::Done,
            (KeyCode::Enter, _) => {
                let wish = tag_action(&self.rows, line);
                inbox.changes.plan_bulk_action(
                    wish,
                    std::mem::take(&mut self.rows),
                    &mut inbox.desk,
                    &mut inbox.context,
                );
                return KeyOutcome::Done;
            }
            (KeyCode::Tab, _) => line.complete(),
            (KeyCode::Backspace, _) if key.ctrl || key.alt => {
                word_boundaries::delete_last_word(&mut line.text)
            }
            (KeyCode::Backspace, _) => drop(line.text.pop()),
            (KeyCode::Char('u'), _) if key.ctrl => line.text.clear(),
            (_, Some(character)) if line.text.chars().count() < MAX_LINE_CHARS => line.text.push(character),
            _ => (),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Letters
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::Tags(_))
    }
}

impl OverlayView for TagEditor {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let title = match self.rows.as_slice() {
            [one] => format!("Tags of {}", wrap::cut(one.conversation.title().as_str(), 40)),
            many => format!("Tags of {} conversations", many.len()),
        };
        Dialog::new(title, self.lines(inbox))
    }
}

impl Changes {
    pub(crate) fn edit_tags(&mut self, desk: &Desk, context: &mut Context) {
        if bulk_actions::acts_on_marks(desk) {
            return self.tag_marked(desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        open_tag_editor(context, vec![row]);
    }

    /// Applies a tag plan: through the outbox where the server keeps contacts, locally elsewhere.
    pub(crate) fn apply_tag_plan(&mut self, plan: &BulkPlan, desk: &Desk, context: &mut Context) {
        let BulkAction::Tag { add, remove } = &plan.action else { return };
        let (far, near): (Vec<_>, Vec<_>) =
            plan.apply.iter().cloned().partition(|conversation_row| are_tags_sent(desk, conversation_row));
        let intents: Vec<Intent> = far
            .iter()
            .filter_map(|conversation_row| tag_intent(desk, conversation_row, add, remove))
            .collect();
        if !intents.is_empty() {
            context.push(FileWrite::Enqueue { intents, clears_draft: false });
        }
        // On the server's contacts, only removals of local tags are applied here.
        let forgets = |tag: &Tag| tag.location == TagLocation::Local && remove.contains(&tag.word);
        let forgetful =
            far.into_iter().filter(|conversation_row| conversation_row.local.tags.iter().any(forgets));
        let kept = BulkPlan { apply: near.iter().cloned().chain(forgetful).collect(), ..plan.clone() };
        let wanted = |row: &ConversationRow| {
            let stays = near.iter().any(|conversation_row| conversation_row.has_key(&row.key()));
            apply_tags(&row.local.tags, if stays { add } else { &[] }, remove)
        };
        if !kept.apply.is_empty() {
            self.store_local_changes(&kept, wanted, |row| row.local.tags.clone(), LocalChange::Tags, context);
        }
    }
}

pub(crate) fn open_tag_editor(context: &mut Context, rows: Vec<ConversationRow>) {
    let mut line = TagLine::default();
    if let [one] = rows.as_slice() {
        for tag in &one.local.tags {
            line.text.push_str(&format!("{}, ", tag.word));
        }
    }
    context.open(TagEditor { rows, line });
    context.push(Effect::Load(Load::Tags(MAX_KNOWN_TAGS)));
}

pub(crate) fn receive_known_tags(context: &mut Context, known: Vec<SafeText>) {
    if let Some(editor) = context.overlays.top_mut::<TagEditor>() {
        editor.line.known = known;
    }
}

/// True if the tags of a conversation are kept with a contact on the server.
pub fn are_tags_sent(desk: &Desk, row: &ConversationRow) -> bool {
    let has_number = row.conversation.address.as_deref().is_some_and(bounds::is_e164);
    has_number
        && desk.tabs.iter().any(|tab| {
            tab.channel.id == row.channel
                && tab.platform().is_some_and(Platform::has_contacts)
                && conditions::check_tab_writable(tab).is_ok()
        })
}

/// Returns the change to send for one conversation; `None` if the server has it already.
fn tag_intent(desk: &Desk, row: &ConversationRow, add: &[SafeText], remove: &[SafeText]) -> Option<Intent> {
    let phone = row.conversation.address.clone()?;
    let has = |word: &SafeText| {
        row.local.tags.iter().any(|tag| tag.word == *word && tag.location != TagLocation::Local)
    };
    let add: Vec<String> = add.iter().filter(|text| !has(text)).map(ToString::to_string).collect();
    let remove: Vec<String> = remove.iter().filter(|text| has(text)).map(ToString::to_string).collect();
    if add.is_empty() && remove.is_empty() {
        return None;
    }
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
    Some(Intent {
        channel: row.channel.clone(),
        platform: tab.platform()?.clone(),
        conversation: row.conversation.id.clone(),
        operation: Operation::ChangeTags { phone, add, remove },
        hold: 0,
        seen: None,
        planned_at: None,
    })
}

/// Returns the change a line describes: the wanted tags of one conversation, additions and removals
/// for several.
fn tag_action(rows: &[ConversationRow], line: &TagLine) -> BulkAction {
    if let [one] = rows {
        let wanted = line.desired_tags();
        let gone = one.local.tags.iter().map(|tag| tag.word.clone()).filter(|text| !wanted.contains(text));
        let remove = gone.collect();
        return BulkAction::Tag { add: wanted, remove };
    }
    let signed = |sign: bool| {
        let parts = line.text.split(',').map(str::trim).filter(move |text| text.starts_with('-') == sign);
        clean_tags(parts.map(|part| part.trim_start_matches(['+', '-'])))
    };
    BulkAction::Tag { add: signed(false), remove: signed(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<SafeText> {
        words.iter().map(|word| SafeText::line(word)).collect()
    }

    #[test]
    fn completion_takes_the_most_used_tag_that_begins_so() {
        let mut line = TagLine { text: "vip, re".into(), known: texts(&["vip", "refund", "repair"]) };
        assert_eq!(line.completions(), texts(&["refund", "repair"]).iter().collect::<Vec<_>>());
        line.complete();
        assert_eq!(line.text, "vip, refund, ");
        assert_eq!(line.completions(), texts(&["repair"]).iter().collect::<Vec<_>>());
        line.text = "+Rep".into();
        line.complete();
        assert_eq!(line.text, "+repair, ");
    }

    #[test]
    fn words_are_clean_and_stand_once() {
        let line = TagLine { text: " vip,,vip ,\u{1b}[31mred, ".into(), known: Vec::new() };
        let wanted = line.desired_tags();
        assert_eq!(wanted.len(), 2, "{wanted:?}");
        assert_eq!(wanted[0].as_str(), "vip");
    }
}
