//! The composer's menu: what can be written or sent beside plain text, each
//! with the reason where it cannot.

use crate::Inbox;
use crate::availability;
use crate::commands::Command;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::composer::rich_forms::FormKind;

/// An entry of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComposerMenuItem {
    /// An approved template instead.
    Template,
    /// A file or a link with the text as its caption.
    Attach,
    /// A place on a map.
    Location,
    /// Buttons to choose from.
    Buttons,
    /// A list to choose from.
    List,
    /// Buttons or a list as JSON, in the person's editor.
    Json,
    /// The text at a time.
    Later,
    /// How the text is to be read.
    Markup,
    /// A canned reply at the cursor.
    Canned,
    /// An emoji at the cursor.
    Emoji,
    /// The text in the person's editor.
    Editor,
    /// A private note instead.
    Note,
}

impl ComposerMenuItem {
    /// All of them, in the order they stand.
    pub const ALL: [Self; 12] = [
        Self::Template,
        Self::Attach,
        Self::Location,
        Self::Buttons,
        Self::List,
        Self::Json,
        Self::Later,
        Self::Markup,
        Self::Canned,
        Self::Emoji,
        Self::Editor,
        Self::Note,
    ];

    /// The key in the menu and the words.
    pub fn words(self) -> (char, &'static str) {
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
            Self::Emoji => ('e', "emoji"),
            Self::Editor => ('g', "edit in your editor"),
            Self::Note => ('n', "private note"),
        }
    }
}

impl Inbox {
    /// Opens the menu.
    pub(crate) fn open_menu(&mut self) {
        self.open_layer(Layer::Menu { chosen: 0 });
    }

    /// Why an entry cannot be chosen now.
    pub fn entry_is_off(&self, entry: ComposerMenuItem) -> Option<String> {
        match entry {
            ComposerMenuItem::Template => availability::check(self, Command::Template).err(),
            ComposerMenuItem::Attach => availability::check(self, Command::Attach).err(),
            ComposerMenuItem::Location
            | ComposerMenuItem::Buttons
            | ComposerMenuItem::List
            | ComposerMenuItem::Json => self.may_send_content().err(),
            ComposerMenuItem::Markup if !self.tab().has_markup() => {
                Some("bot-chat alone has them".to_owned())
            }
            ComposerMenuItem::Later => availability::check(self, Command::Write).err(),
            ComposerMenuItem::Markup
            | ComposerMenuItem::Canned
            | ComposerMenuItem::Emoji
            | ComposerMenuItem::Editor
            | ComposerMenuItem::Note => None,
        }
    }

    /// A key in the menu.
    pub(crate) fn menu_key(&mut self, chosen: usize, key: KeyPress) {
        let count = ComposerMenuItem::ALL.len();
        let moved = match key.code {
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => Some((chosen + count - 1) % count),
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => Some((chosen + 1) % count),
            _ => None,
        };
        let lettered =
            key.typed().and_then(|it| ComposerMenuItem::ALL.into_iter().find(|entry| entry.words().0 == it));
        let entry =
            if key.code == KeyCode::Enter { ComposerMenuItem::ALL.get(chosen).copied() } else { lettered };
        match (entry, moved) {
            (Some(entry), _) => match self.entry_is_off(entry) {
                None => self.choose_entry(entry),
                Some(why) => {
                    self.warn(format!("{}: {why}", entry.words().1));
                    self.layers.push(Layer::Menu { chosen });
                }
            },
            (None, Some(chosen)) => self.layers.push(Layer::Menu { chosen }),
            (None, None) if key.code == KeyCode::Esc => (),
            (None, None) => self.layers.push(Layer::Menu { chosen }),
        }
    }

    fn choose_entry(&mut self, entry: ComposerMenuItem) {
        match entry {
            ComposerMenuItem::Template => self.pick_template(),
            ComposerMenuItem::Attach => self.open_attach(),
            ComposerMenuItem::Location => self.open_form(FormKind::Place),
            ComposerMenuItem::Buttons => self.open_form(FormKind::Buttons),
            ComposerMenuItem::List => self.open_form(FormKind::List),
            ComposerMenuItem::Json => self.edit_json(),
            ComposerMenuItem::Later => self.ask_when(),
            ComposerMenuItem::Markup => self.turn_markup(),
            ComposerMenuItem::Canned => self.pick_reply(""),
            ComposerMenuItem::Emoji => self.pick_emoji(),
            ComposerMenuItem::Editor => self.edit_outside(),
            ComposerMenuItem::Note => self.switch_mode(),
        }
    }
}
