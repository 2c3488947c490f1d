//! The palette: commands, views, tabs and conversations under one line of
//! text, found by letters in their order.
//!
//! Enter runs or goes; nothing here sends a text.

use crate::context::Context;
use crate::overlays::line;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandRow, CommandScope, TABLE, VERBS, VerbRow};
use crate::components::list::narrowed_after;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
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
    pub chosen: usize,
    /// Whether it holds only what can be done here.
    pub is_menu: bool,
    all: Vec<PaletteItem>,
}

/// One thing that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct PaletteItem {
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
    Command(Command),
    /// Does what is typed after `:`, or asks for what follows it.
    Verb(&'static VerbRow),
    View(usize),
    Tab(usize),
    Conversation(ConversationKey),
}

impl PaletteAction {
    /// Its kind, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) | Self::Verb(_) => "command",
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
                self.all.iter().partition(|palette_item| palette_item.off.is_none());
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
            let by_name = score(&entry.name).map(|score| score + NAMED);
            let found = by_name.or_else(|| score(&entry.beside));
            let found = found.or_else(|| entry.doc.to_lowercase().contains(&lower).then_some(0));
            scored.extend(found.map(|number| (number, index)));
        }
        // What cannot be done now comes last, however well it fits, unless just
        // that was typed: then Enter says why. Of equals, the first in the
        // palette's own order.
        let is_off = |index: usize| self.all[index].off.is_some() && self.all[index].name != lower;
        scored.sort_by_key(|(score, index)| (is_off(*index), std::cmp::Reverse(*score), *index));
        self.rows = scored.into_iter().take(MOST).map(|(_, index)| self.all[index].clone()).collect();
    }
}

impl CommandPalette {
    fn choose(&self, inbox: &mut Inbox) -> KeyOutcome {
        let Some(entry) = self.rows.get(self.chosen) else { return KeyOutcome::Stay };
        if let Some(reason) = &entry.off {
            inbox.context.warn(format!("{}: {reason}", entry.name));
            return KeyOutcome::Done;
        }
        match entry.choice.clone() {
            PaletteAction::Command(command) => inbox.call(command, KeyPress::plain(KeyCode::Enter)),
            PaletteAction::Verb(verb) => choose_verb(inbox, verb),
            PaletteAction::View(index) => inbox.desk.show_view(index, &mut inbox.context),
            PaletteAction::Tab(index) if index == inbox.desk.tabs.len() => {
                inbox.desk.go_everywhere(&mut inbox.context)
            }
            PaletteAction::Tab(index) => inbox.keyboard.go_to_tab(index, &mut inbox.desk),
            PaletteAction::Conversation(key) => {
                inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context)
            }
        }
        KeyOutcome::Done
    }
}

impl Overlay for CommandPalette {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if let Some(moved) = narrowed_after(key, self.chosen, self.rows.len(), SHOWN) {
            self.chosen = moved;
            return KeyOutcome::Stay;
        }
        match key.code {
            KeyCode::Esc => return KeyOutcome::Done,
            KeyCode::Char('c') if key.ctrl => return KeyOutcome::Done,
            KeyCode::Enter => return self.choose(inbox),
            _ => {
                if self.text.key(key) {
                    self.refresh();
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, text: &str) -> bool {
        self.text.insert(text.trim_end());
        self.refresh();
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn is_recorded(&self) -> bool {
        false
    }

    fn shows(&self, load: &Load) -> bool {
        !self.is_menu && *load == Load::Names
    }

    fn is_read_out(&self) -> bool {
        false
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        for row in self.rows.iter().filter(|row| matches!(row.choice, PaletteAction::Conversation(_))) {
            names.add(&row.name);
            if row.beside.starts_with('@') {
                names.add_user(&row.beside);
            }
        }
    }
}

/// Opens the palette; the conversations join it when they have been read.
pub(crate) fn open_palette(inbox: &mut Inbox) {
    let mut palette = CommandPalette { all: palette_entries(inbox), ..CommandPalette::default() };
    palette.refresh();
    inbox.context.open(palette);
    inbox.context.push(Effect::Load(Load::Names));
}

/// Opens the menu of what can be done here; what cannot be
/// done says why.
pub(crate) fn open_actions(inbox: &mut Inbox) {
    let places = inbox.desk.places();
    let is_here = |place: CommandScope| {
        places.contains(&place) && !matches!(place, CommandScope::List | CommandScope::Desk)
    };
    let all = command_entries(inbox, |row| is_here(row.place) && !moves(row.command));
    if all.is_empty() {
        return inbox.context.say("nothing can be done here");
    }
    let mut palette = CommandPalette { all, is_menu: true, ..CommandPalette::default() };
    palette.refresh();
    inbox.context.open(palette);
}

/// All but the conversations.
fn palette_entries(inbox: &Inbox) -> Vec<PaletteItem> {
    // Tabs have entries of their own.
    let mut entries = command_entries(inbox, |command_row| {
        command_row.place != CommandScope::Composer && command_row.command != Command::GoToTab
    });
    entries.extend(VERBS.iter().map(|verb| PaletteItem {
        choice: PaletteAction::Verb(verb),
        name: format!(":{}", verb.name),
        doc: verb.doc.to_owned(),
        beside: verb.takes.to_owned(),
        off: None,
    }));
    for (index, view) in inbox.desk.views.iter().enumerate() {
        entries.push(going(PaletteAction::View(index), &view.name, &view.text));
    }
    for (index, tab) in inbox.desk.tabs.iter().enumerate() {
        entries.push(going(PaletteAction::Tab(index), &tab.channel.name, &(index + 1).to_string()));
    }
    entries.push(going(PaletteAction::Tab(inbox.desk.tabs.len()), "All tabs", "0"));
    entries
}

/// The commands that are wanted, in the table's order.
fn command_entries(inbox: &Inbox, is_wanted: impl Fn(&CommandRow) -> bool) -> Vec<PaletteItem> {
    let entry = |row: &CommandRow| PaletteItem {
        choice: PaletteAction::Command(row.command),
        name: command::name(row.command),
        doc: inbox.context.settings.keymap.doc(row.command),
        beside: inbox.context.settings.keymap.all(row.command).join(", "),
        off: inbox.why_disabled(row.command),
    };
    TABLE.iter().filter(|command_row| is_wanted(command_row)).map(entry).collect()
}

/// The names of conversations have been read.
pub(crate) fn names_known(context: &mut Context, names: Vec<NamedConversation>) {
    let Some(palette) =
        context.layers.of_mut::<CommandPalette>().find(|command_palette| !command_palette.is_menu)
    else {
        return;
    };
    palette.all.extend(names.into_iter().map(|named_conversation| PaletteItem {
        choice: PaletteAction::Conversation(named_conversation.key),
        name: named_conversation.title.to_string(),
        beside: named_conversation.address.to_string(),
        doc: String::new(),
        off: None,
    }));
    let chosen = palette.chosen;
    palette.refresh();
    palette.chosen = chosen.min(palette.rows.len().saturating_sub(1));
}

/// Whether a command only moves, and so does nothing here.
fn moves(command: Command) -> bool {
    use Command as C;
    matches!(command, C::MessageDown | C::MessageUp | C::RowDown | C::RowUp | C::AllTabs | C::LeaveRows)
}

/// An entry that goes somewhere.
fn going(choice: PaletteAction, name: &str, beside: &str) -> PaletteItem {
    PaletteItem { choice, name: name.to_owned(), doc: String::new(), beside: beside.to_owned(), off: None }
}

/// Does a command of the line that was chosen, or asks for what follows it.
fn choose_verb(inbox: &mut Inbox, verb: &VerbRow) {
    match verb.needs_words() {
        true => line::open_command_line(&mut inbox.context, &format!("{} ", verb.name)),
        false => inbox.run_line(verb.name),
    }
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
            let found: Vec<&str> = palette.rows.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(&found, wanted, "{text}");
        }
    }
}
