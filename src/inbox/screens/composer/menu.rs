//! The composer's menu: what can be written or sent beside plain text, each
//! with the reason where it cannot.

use crate::Inbox;
use crate::command::Command;
use crate::components::list::turned;
use crate::context::Context;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::emoji;
use crate::screens::composer::rich_forms::FormKind;
use crate::screens::composer::send_later;
use crate::screens::composer::sending;
use crate::screens::composer::suggesting::update as suggesting;
use model::suggestions::SuggestionKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComposerMenuItem {
    /// An approved template instead.
    Template,
    /// A file or a link with the text as its caption.
    Attach,
    /// A place on a map.
    Location,
    Buttons,
    List,
    /// Buttons or a list as JSON, in the person's editor.
    Json,
    /// The text at a time.
    Later,
    /// How the text is to be read.
    Markup,
    /// A canned reply at the cursor.
    Canned,
    Suggested,
    /// The text in the customer's language.
    Translated,
    Emoji,
    /// The text in the person's editor.
    Editor,
    /// A private note instead.
    Note,
}

impl ComposerMenuItem {
    /// All of them, in the order they stand.
    pub const ALL: [Self; 14] = [
        Self::Template,
        Self::Attach,
        Self::Location,
        Self::Buttons,
        Self::List,
        Self::Json,
        Self::Later,
        Self::Markup,
        Self::Canned,
        Self::Suggested,
        Self::Translated,
        Self::Emoji,
        Self::Editor,
        Self::Note,
    ];

    /// The key in the menu and the words.
    pub fn key_and_label(self) -> (char, &'static str) {
        match self {
            Self::Template => ('t', "approved template"),
            Self::Attach => ('a', "file or link"),
            Self::Location => ('l', "location"),
            Self::Buttons => ('b', "buttons"),
            Self::List => ('i', "list to choose from"),
            Self::Json => ('r', "raw JSON in your editor"),
            Self::Later => ('w', "send at a time"),
            Self::Markup => ('m', "plain text, HTML or MarkdownV2"),
            Self::Canned => ('c', "canned reply"),
            Self::Suggested => ('d', "suggested draft"),
            Self::Translated => ('x', "your text in the customer's language"),
            Self::Emoji => ('e', "emoji"),
            Self::Editor => ('g', "edit in your editor"),
            Self::Note => ('n', "private note"),
        }
    }
}

/// What can be written or sent beside plain text.
#[derive(Debug)]
pub(crate) struct ComposerMenu {
    pub(crate) chosen: usize,
}

impl Overlay for ComposerMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let lettered = key.typed().and_then(|character| {
            ComposerMenuItem::ALL.into_iter().find(|entry| entry.key_and_label().0 == character)
        });
        let entry = match key.code {
            KeyCode::Enter => ComposerMenuItem::ALL.get(self.chosen).copied(),
            _ => lettered,
        };
        let Some(entry) = entry else {
            let key = match key.code {
                KeyCode::Esc => return KeyOutcome::Done,
                KeyCode::Char('j') => KeyPress::plain(KeyCode::Down),
                KeyCode::Char('k') => KeyPress::plain(KeyCode::Up),
                _ => key,
            };
            self.chosen = turned(key, self.chosen, ComposerMenuItem::ALL.len()).unwrap_or(self.chosen);
            return KeyOutcome::Stay;
        };
        if let Some(why) = entry_is_off(inbox, entry) {
            inbox.context.warn(format!("{}: {why}", entry.key_and_label().1));
            return KeyOutcome::Stay;
        }
        choose_entry(inbox, entry);
        KeyOutcome::Done
    }
}

pub(crate) fn open_menu(context: &mut Context) {
    context.open(ComposerMenu { chosen: 0 });
}

/// Why an entry cannot be chosen now.
pub fn entry_is_off(inbox: &Inbox, entry: ComposerMenuItem) -> Option<String> {
    match entry {
        ComposerMenuItem::Template => inbox.enabled(Command::Template).err(),
        ComposerMenuItem::Attach => inbox.enabled(Command::Attach).err(),
        ComposerMenuItem::Location
        | ComposerMenuItem::Buttons
        | ComposerMenuItem::List
        | ComposerMenuItem::Json => sending::may_send_content(inbox).err(),
        ComposerMenuItem::Markup if !inbox.desk.tab().has_markup() => {
            Some("bot-chat alone has them".to_owned())
        }
        ComposerMenuItem::Later => inbox.enabled(Command::Write).err(),
        ComposerMenuItem::Suggested => inbox.enabled(Command::SuggestDraft).err(),
        ComposerMenuItem::Translated => inbox.enabled(Command::TranslateText).err(),
        ComposerMenuItem::Markup
        | ComposerMenuItem::Canned
        | ComposerMenuItem::Emoji
        | ComposerMenuItem::Editor
        | ComposerMenuItem::Note => None,
    }
}

fn choose_entry(inbox: &mut Inbox, entry: ComposerMenuItem) {
    match entry {
        ComposerMenuItem::Template => inbox.desk.pick_template(&mut inbox.context),
        ComposerMenuItem::Attach => inbox.desk.open_attach(&mut inbox.context),
        ComposerMenuItem::Location => inbox.desk.open_form(FormKind::Place, &mut inbox.context),
        ComposerMenuItem::Buttons => inbox.desk.open_form(FormKind::Buttons, &mut inbox.context),
        ComposerMenuItem::List => inbox.desk.open_form(FormKind::List, &mut inbox.context),
        ComposerMenuItem::Json => inbox.keyboard.edit_json(&inbox.desk, &mut inbox.context),
        ComposerMenuItem::Later => send_later::ask_when(inbox),
        ComposerMenuItem::Markup => inbox.desk.turn_markup(&mut inbox.context),
        ComposerMenuItem::Canned => canned::pick_reply(&mut inbox.context, ""),
        ComposerMenuItem::Suggested => suggesting::ask(inbox, SuggestionKind::Draft),
        ComposerMenuItem::Translated => suggesting::ask(inbox, SuggestionKind::OwnText),
        ComposerMenuItem::Emoji => emoji::pick_emoji(&mut inbox.context),
        ComposerMenuItem::Editor => inbox.desk.edit_outside(&mut inbox.context),
        ComposerMenuItem::Note => inbox.desk.switch_mode(),
    }
}
