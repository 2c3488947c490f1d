//! The palette: commands, views, tabs and conversations under one line of
//! text, found by letters in their order.
//!
//! Enter runs or goes; nothing here sends a text.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::Inbox;
use crate::availability;
use crate::commands;
use crate::commands::{Command, CommandRow, CommandScope, TABLE};
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::tab::Focus;
use model::queries::{ConversationKey, NamedConversation};

/// Rows kept of what fits.
const MOST: usize = 100;
/// What a match in the name counts for beside one elsewhere.
const NAMED: u32 = 10_000;
/// Rows shown.
pub const SHOWN: usize = 14;

/// The palette's state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandPalette {
    /// What was typed.
    pub text: TextLine,
    /// What fits, best first.
    pub rows: Vec<PaletteItem>,
    /// The chosen row.
    pub chosen: usize,
    /// Whether it holds only what can be done with what is at hand.
    pub is_menu: bool,
    all: Vec<PaletteItem>,
}

/// One thing that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct PaletteItem {
    /// What choosing it does.
    pub choice: PaletteAction,
    /// Its name, found by its letters.
    pub name: String,
    /// What it does; found by its words.
    pub doc: String,
    /// What stands beside it: keys, a filter, a number.
    pub beside: String,
    /// Why it cannot be chosen now.
    pub off: Option<String>,
}

/// What choosing does.
#[derive(Debug, Clone, PartialEq)]
pub enum PaletteAction {
    /// Runs a command.
    Command(Command),
    /// Shows a view.
    View(usize),
    /// Goes to a tab.
    Tab(usize),
    /// Opens a conversation.
    Conversation(ConversationKey),
}

impl PaletteAction {
    /// Its kind, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::View(_) => "view",
            Self::Tab(_) => "tab",
            Self::Conversation(_) => "person",
        }
    }
}

impl CommandPalette {
    /// Finds again what fits what was typed.
    fn refresh(&mut self) {
        self.chosen = 0;
        let text = self.text.text().trim();
        if text.is_empty() {
            let (can, cannot): (Vec<&PaletteItem>, Vec<&PaletteItem>) =
                self.all.iter().partition(|it| it.off.is_none());
            self.rows = can.into_iter().chain(cannot).take(MOST).cloned().collect();
            return;
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut scored: Vec<(u32, usize)> = Vec::new();
        let lower = text.to_lowercase();
        for (index, entry) in self.all.iter().enumerate() {
            let mut score = |line: &str| pattern.score(Utf32Str::new(line, &mut buffer), &mut matcher);
            // A name counts for more than what stands beside it.
            let by_name = score(&entry.name).map(|it| it + NAMED);
            let found = by_name.or_else(|| score(&entry.beside));
            let found = found.or_else(|| entry.doc.to_lowercase().contains(&lower).then_some(0));
            scored.extend(found.map(|it| (it, index)));
        }
        // What cannot be done now comes last, however well it fits, unless just
        // that was typed: then Enter says why. Of equals, the first in the
        // palette's own order.
        let is_off = |index: usize| self.all[index].off.is_some() && self.all[index].name != lower;
        scored.sort_by_key(|(score, index)| (is_off(*index), std::cmp::Reverse(*score), *index));
        self.rows = scored.into_iter().take(MOST).map(|(_, index)| self.all[index].clone()).collect();
    }
}

impl Inbox {
    /// Opens the palette; the conversations join it when they have been read.
    pub(crate) fn open_palette(&mut self) {
        let mut palette = CommandPalette { all: self.palette_entries(), ..CommandPalette::default() };
        palette.refresh();
        self.open_layer(Layer::Palette(Box::new(palette)));
        self.context.push(Effect::Load(Load::Names));
    }

    /// Opens the menu of what can be done with what is at hand; what cannot be
    /// done says why.
    pub(crate) fn open_actions(&mut self) {
        let places = self.places();
        let is_here = |place: CommandScope| {
            places.contains(&place) && !matches!(place, CommandScope::List | CommandScope::Desk)
        };
        let all = self.command_entries(|row| is_here(row.place) && !moves(row.command));
        if all.is_empty() {
            return self.say("nothing is at hand here");
        }
        let mut palette = CommandPalette { all, is_menu: true, ..CommandPalette::default() };
        palette.refresh();
        self.open_layer(Layer::Palette(Box::new(palette)));
    }

    /// The names of conversations have been read.
    pub(crate) fn names_known(&mut self, names: Vec<NamedConversation>) {
        let Some(Layer::Palette(palette)) =
            self.layers.iter_mut().find(|it| matches!(it, Layer::Palette(it) if !it.is_menu))
        else {
            return;
        };
        palette.all.extend(names.into_iter().map(|it| PaletteItem {
            choice: PaletteAction::Conversation(it.key),
            name: it.title.to_string(),
            beside: it.address.to_string(),
            doc: String::new(),
            off: None,
        }));
        let chosen = palette.chosen;
        palette.refresh();
        palette.chosen = chosen.min(palette.rows.len().saturating_sub(1));
    }

    /// A key in the palette.
    pub(crate) fn palette_key(&mut self, mut palette: Box<CommandPalette>, key: KeyPress) {
        let last = palette.rows.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Char('c') if key.ctrl => return,
            KeyCode::Enter => return self.choose(*palette),
            KeyCode::Down | KeyCode::Tab => palette.chosen = (palette.chosen + 1).min(last),
            KeyCode::Up | KeyCode::BackTab => palette.chosen = palette.chosen.saturating_sub(1),
            KeyCode::Char('n') if key.ctrl => palette.chosen = (palette.chosen + 1).min(last),
            KeyCode::Char('p') if key.ctrl => palette.chosen = palette.chosen.saturating_sub(1),
            KeyCode::PageDown => palette.chosen = (palette.chosen + SHOWN).min(last),
            KeyCode::PageUp => palette.chosen = palette.chosen.saturating_sub(SHOWN),
            _ => {
                if palette.text.key(key) {
                    palette.refresh();
                }
            }
        }
        self.layers.push(Layer::Palette(palette));
    }

    /// Text was pasted into the palette.
    pub(crate) fn paste_into_palette(&mut self, mut palette: Box<CommandPalette>, text: &str) {
        palette.text.insert(text.trim_end());
        palette.refresh();
        self.layers.push(Layer::Palette(palette));
    }

    fn choose(&mut self, palette: CommandPalette) {
        let Some(entry) = palette.rows.get(palette.chosen) else {
            self.layers.push(Layer::Palette(Box::new(palette)));
            return;
        };
        if let Some(reason) = &entry.off {
            let words = format!("{}: {reason}", entry.name);
            return self.warn(words);
        }
        match entry.choice.clone() {
            PaletteAction::Command(command) => self.call(command, KeyPress::plain(KeyCode::Enter)),
            PaletteAction::View(index) => self.show_view(index),
            PaletteAction::Tab(index) if index == self.tabs.len() => self.go_everywhere(),
            PaletteAction::Tab(index) => self.go_to_tab(index),
            PaletteAction::Conversation(key) => {
                self.visit(&key.channel, &key.conversation, Focus::History);
            }
        }
    }

    /// All but the conversations.
    fn palette_entries(&self) -> Vec<PaletteItem> {
        // Tabs have entries of their own.
        let mut entries =
            self.command_entries(|it| it.place != CommandScope::Composer && it.command != Command::GoToTab);
        for (index, view) in self.views.iter().enumerate() {
            entries.push(going(PaletteAction::View(index), &view.name, &view.text));
        }
        for (index, tab) in self.tabs.iter().enumerate() {
            entries.push(going(PaletteAction::Tab(index), &tab.channel.name, &(index + 1).to_string()));
        }
        entries.push(going(PaletteAction::Tab(self.tabs.len()), "All tabs", "0"));
        entries
    }

    /// The commands that are wanted, in the table's order.
    fn command_entries(&self, is_wanted: impl Fn(&CommandRow) -> bool) -> Vec<PaletteItem> {
        let entry = |row: &CommandRow| PaletteItem {
            choice: PaletteAction::Command(row.command),
            name: commands::name(row.command),
            doc: self.context.settings.keymap.doc(row.command),
            beside: self.context.settings.keymap.all(row.command).join(", "),
            off: self.why_off(row.command),
        };
        TABLE.iter().filter(|it| is_wanted(it)).map(entry).collect()
    }

    /// Why a command cannot be run from where the person is.
    pub(crate) fn why_off(&self, command: Command) -> Option<String> {
        let place = commands::row(command).place;
        if !self.places().contains(&place) && !self.is_typing() {
            return Some(format!("it is for another place: {}", place.heading().to_lowercase()));
        }
        availability::check(self, command).err()
    }
}

/// Whether a command only moves, and so does nothing with what is at hand.
fn moves(command: Command) -> bool {
    use Command as C;
    matches!(command, C::MessageDown | C::MessageUp | C::RowDown | C::RowUp | C::AllTabs | C::LeaveRows)
}

/// An entry that goes somewhere.
fn going(choice: PaletteAction, name: &str, beside: &str) -> PaletteItem {
    PaletteItem { choice, name: name.to_owned(), doc: String::new(), beside: beside.to_owned(), off: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, doc: &str, beside: &str) -> PaletteItem {
        PaletteItem { doc: doc.to_owned(), ..going(PaletteAction::Tab(0), name, beside) }
    }

    #[test]
    fn names_come_before_what_stands_beside_them() {
        let all = vec![
            entry("choose-view", "Choose a saved view: closed, your own", "\\"),
            entry("Closed", "", "status:closed"),
            entry("next-waiting", "Go to the next one who waits", "w"),
            entry("João Pereira", "", "+351910000111"),
            entry("Paused by me", "", "is:paused"),
            PaletteItem { off: Some("not here".to_owned()), ..entry("mark-again", "", "V r") },
            entry("Dimas Karasov", "", ""),
        ];
        let cases: &[(&str, &[&str])] = &[
            ("closed", &["Closed", "choose-view"]),
            ("nwait", &["next-waiting"]),
            ("joao", &["João Pereira"]),
            ("351910", &["João Pereira"]),
            ("is:pau", &["Paused by me"]),
            ("who waits", &["next-waiting"]),
            ("mar", &["Dimas Karasov", "mark-again"]),
            ("mark-again", &["mark-again"]),
            ("zzz", &[]),
        ];
        for (text, wanted) in cases {
            let mut palette =
                CommandPalette { all: all.clone(), text: TextLine::new(*text), ..CommandPalette::default() };
            palette.refresh();
            let found: Vec<&str> = palette.rows.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(&found, wanted, "{text}");
        }
    }
}
