//! The composer's menu: what can be written or sent besides plain text.

use crate::Inbox;
use crate::command::Command;
use crate::components::list::wrapped_selection_after_key;
use crate::context::Context;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::attachments;
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::editor;
use crate::screens::composer::emoji;
use crate::screens::composer::link_preview;
use crate::screens::composer::markup;
use crate::screens::composer::notes;
use crate::screens::composer::rich_forms::RichFormKind;
use crate::screens::composer::rich_forms::update as rich_forms;
use crate::screens::composer::send_later;
use crate::screens::composer::sending;
use crate::screens::composer::suggestions::update as suggesting;
use crate::screens::templates::form;
use model::suggestions::SuggestionKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComposerMenuItem {
    Template,
    /// A file or link with the text as caption.
    Attach,
    Location,
    Contact,
    Buttons,
    List,
    /// Buttons or a list as JSON, in the external editor.
    Json,
    /// The text at a set time.
    Later,
    Markup,
    /// The link preview of the text on or off.
    Preview,
    Canned,
    Suggested,
    /// The text translated into the customer's language.
    Translated,
    Emoji,
    /// The text in the external editor.
    Editor,
    Note,
}

impl ComposerMenuItem {
    pub const ALL: [Self; 16] = [
        Self::Template,
        Self::Attach,
        Self::Location,
        Self::Contact,
        Self::Buttons,
        Self::List,
        Self::Json,
        Self::Later,
        Self::Markup,
        Self::Preview,
        Self::Canned,
        Self::Suggested,
        Self::Translated,
        Self::Emoji,
        Self::Editor,
        Self::Note,
    ];

    pub fn key_and_label(self) -> (char, &'static str) {
        match self {
            Self::Template => ('t', "approved template"),
            Self::Attach => ('a', "file or link"),
            Self::Location => ('l', "location"),
            Self::Contact => ('p', "contact card"),
            Self::Buttons => ('b', "buttons"),
            Self::List => ('i', "list to choose from"),
            Self::Json => ('r', "raw JSON in your editor"),
            Self::Later => ('w', "send at a time"),
            Self::Markup => ('m', "plain text, HTML or MarkdownV2"),
            Self::Preview => ('v', "link preview on or off"),
            Self::Canned => ('c', "canned reply"),
            Self::Suggested => ('d', "suggested draft"),
            Self::Translated => ('x', "your text in the customer's language"),
            Self::Emoji => ('e', "emoji"),
            Self::Editor => ('g', "edit in your editor"),
            Self::Note => ('n', "private note"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct ComposerMenu {
    pub(crate) chosen: usize,
}

impl Overlay for ComposerMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let items = shown_items(inbox);
        let lettered = key
            .typed()
            .and_then(|character| items.iter().copied().find(|entry| entry.key_and_label().0 == character));
        let entry = match key.code {
            KeyCode::Enter => items.get(self.chosen).copied(),
            _ => lettered,
        };
        let Some(entry) = entry else {
            let key = match key.code {
                KeyCode::Esc => return KeyOutcome::Done,
                KeyCode::Char('j') => KeyPress::plain(KeyCode::Down),
                KeyCode::Char('k') => KeyPress::plain(KeyCode::Up),
                _ => key,
            };
            self.chosen = wrapped_selection_after_key(key, self.chosen, items.len()).unwrap_or(self.chosen);
            return KeyOutcome::Stay;
        };
        if let Some(why) = unavailable_reason(inbox, entry) {
            inbox.context.show_warning(format!("{}: {why}", entry.key_and_label().1));
            return KeyOutcome::Stay;
        }
        choose_entry(inbox, entry);
        KeyOutcome::Done
    }
}

pub(crate) fn open_menu(context: &mut Context) {
    context.open(ComposerMenu { chosen: 0 });
}

/// Entries in their order; the link preview only where the channel has one.
pub(crate) fn shown_items(inbox: &Inbox) -> Vec<ComposerMenuItem> {
    let is_shown =
        |item: &ComposerMenuItem| *item != ComposerMenuItem::Preview || inbox.desk.tab().takes_link_preview();
    ComposerMenuItem::ALL.into_iter().filter(is_shown).collect()
}

/// Returns the reason why an entry is unavailable now.
pub fn unavailable_reason(inbox: &Inbox, entry: ComposerMenuItem) -> Option<String> {
    match entry {
        ComposerMenuItem::Template => inbox.check_enabled(Command::Template).err(),
        ComposerMenuItem::Attach => inbox.check_enabled(Command::Attach).err(),
        ComposerMenuItem::Location | ComposerMenuItem::Json => sending::check_may_send_content(inbox).err(),
        ComposerMenuItem::Contact => inbox.check_enabled(Command::SendContact).err(),
        ComposerMenuItem::Buttons | ComposerMenuItem::List => sending::check_may_send_choices(inbox).err(),
        ComposerMenuItem::Markup if !inbox.desk.tab().has_markup() => Some("bot-chat only".to_owned()),
        ComposerMenuItem::Preview => inbox.check_enabled(Command::LinkPreview).err(),
        ComposerMenuItem::Later => inbox.check_enabled(Command::Write).err(),
        ComposerMenuItem::Suggested => inbox.check_enabled(Command::SuggestDraft).err(),
        ComposerMenuItem::Translated => inbox.check_enabled(Command::TranslateText).err(),
        ComposerMenuItem::Markup
        | ComposerMenuItem::Canned
        | ComposerMenuItem::Emoji
        | ComposerMenuItem::Editor
        | ComposerMenuItem::Note => None,
    }
}

fn choose_entry(inbox: &mut Inbox, entry: ComposerMenuItem) {
    match entry {
        ComposerMenuItem::Template => form::pick_template(&mut inbox.desk, &mut inbox.context),
        ComposerMenuItem::Attach => attachments::open_attach_form(&mut inbox.desk, &mut inbox.context),
        ComposerMenuItem::Location => {
            rich_forms::open_form(&mut inbox.desk, RichFormKind::Location, &mut inbox.context)
        }
        ComposerMenuItem::Contact => {
            rich_forms::open_form(&mut inbox.desk, RichFormKind::Contact, &mut inbox.context)
        }
        ComposerMenuItem::Buttons => {
            rich_forms::open_form(&mut inbox.desk, RichFormKind::Buttons, &mut inbox.context)
        }
        ComposerMenuItem::List => {
            rich_forms::open_form(&mut inbox.desk, RichFormKind::List, &mut inbox.context)
        }
        ComposerMenuItem::Json => inbox.keyboard.edit_json(&inbox.desk, &mut inbox.context),
        ComposerMenuItem::Later => send_later::ask_send_time(inbox),
        ComposerMenuItem::Markup => markup::cycle_markup(&mut inbox.desk, &mut inbox.context),
        ComposerMenuItem::Preview => link_preview::switch_preview(inbox),
        ComposerMenuItem::Canned => canned::open_reply_picker(&mut inbox.context, ""),
        ComposerMenuItem::Suggested => suggesting::open_suggestion(inbox, SuggestionKind::Draft),
        ComposerMenuItem::Translated => suggesting::open_suggestion(inbox, SuggestionKind::OwnText),
        ComposerMenuItem::Emoji => emoji::open_emoji_picker(&mut inbox.context),
        ComposerMenuItem::Editor => editor::edit_outside(&mut inbox.desk, &mut inbox.context),
        ComposerMenuItem::Note => notes::switch_mode(&mut inbox.desk),
    }
}
