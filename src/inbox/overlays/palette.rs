//! The palette: commands, views, tabs and conversations. Runs or goes; never sends a message.

use crate::context::Context;
use crate::overlays::line;
use crate::screens::conversations::saved_views::update as saved_views;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandRow, CommandScope, TABLE, VERBS, VerbRow};
use crate::components::list::filtered_selection_after_key;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::synonyms;
use crate::tab::Focus;
use model::queries::{ConversationKey, NamedConversation};

const MAX_MATCHES: usize = 100;
/// Bonus for a match in the name.
const NAME_MATCH_BONUS: u32 = 10_000;
/// Score of the beginning of a synonym; below every match in a name.
const SYNONYM_START_SCORE: u32 = 9_000;
/// Score of a whole synonym; above every match in a part of a name.
const SYNONYM_SCORE: u32 = 20_000;
/// Score of the whole name.
const WHOLE_NAME_SCORE: u32 = 30_000;
/// Commands of every place that only some tabs have; the menu of a place lists them there.
const TAB_COMMANDS: [Command; 5] = [
    Command::MailFolders,
    Command::ShowRules,
    Command::MailContacts,
    Command::ShowResults,
    Command::ShowUnreadable,
];
pub const VISIBLE_ROWS: usize = 14;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandPalette {
    pub text: TextLine,
    /// Matches, best first.
    pub matches: Vec<PaletteItem>,
    pub chosen: usize,
    /// True for the menu of commands that apply here.
    pub is_menu: bool,
    all_items: Vec<PaletteItem>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PaletteItem {
    pub action: PaletteAction,
    /// Matched by its letters.
    pub name: String,
    /// Other words a person may type for it.
    pub synonyms: &'static [&'static str],
    /// Description, matched by its words.
    pub doc: String,
    /// Text beside the name: keys, a filter, a number.
    pub detail: String,
    pub disabled_reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PaletteAction {
    Command(Command),
    /// Runs a `:` command, or asks for its argument.
    Verb(&'static VerbRow),
    View(usize),
    Tab(usize),
    Conversation(ConversationKey),
}

impl PaletteAction {
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
    /// Filters and sorts the entries.
    fn refresh(&mut self) {
        self.chosen = 0;
        let text = self.text.text().trim();
        if text.is_empty() {
            let (can, cannot): (Vec<&PaletteItem>, Vec<&PaletteItem>) =
                self.all_items.iter().partition(|palette_item| palette_item.disabled_reason.is_none());
            self.matches = can.into_iter().chain(cannot).take(MAX_MATCHES).cloned().collect();
            return;
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut scored: Vec<(u32, usize)> = Vec::new();
        let lower = text.to_lowercase();
        for (index, entry) in self.all_items.iter().enumerate() {
            let mut score = |line: &str| pattern.score(Utf32Str::new(line, &mut buffer), &mut matcher);
            // A match in the name outranks one in the text beside it.
            let by_name = score(&entry.name).map(|score| score + NAME_MATCH_BONUS);
            let by_name = by_name.max(entry.whole_word_score(&lower));
            let found = by_name.or_else(|| score(&entry.detail));
            let found = found.or_else(|| entry.doc.to_lowercase().contains(&lower).then_some(0));
            scored.extend(found.map(|number| (number, index)));
        }
        // Unavailable entries come last unless their full name was typed: then Enter gives the
        // reason.
        let is_off = |index: usize| {
            let item = &self.all_items[index];
            item.disabled_reason.is_some() && !item.is_named(&lower)
        };
        scored.sort_by_key(|(score, index)| (is_off(*index), std::cmp::Reverse(*score), *index));
        self.matches =
            scored.into_iter().take(MAX_MATCHES).map(|(_, index)| self.all_items[index].clone()).collect();
    }
}

impl PaletteItem {
    /// True if the text is the name, with or without the colon of a command with an argument. `text` is in
    /// lower case.
    fn is_named(&self, text: &str) -> bool {
        let name = self.name.to_lowercase();
        name == text || name.strip_prefix(':') == Some(text)
    }

    /// Score if the text is the whole name, a synonym or the start of one; `text` is in lower case.
    fn whole_word_score(&self, text: &str) -> Option<u32> {
        if self.is_named(text) {
            return Some(WHOLE_NAME_SCORE);
        }
        let begun = self.synonyms.iter().filter(|synonym| synonym.starts_with(text));
        begun.map(|synonym| if *synonym == text { SYNONYM_SCORE } else { SYNONYM_START_SCORE }).max()
    }
}

impl CommandPalette {
    fn run_selected(&self, inbox: &mut Inbox) -> KeyOutcome {
        let Some(entry) = self.matches.get(self.chosen) else { return KeyOutcome::Stay };
        if let Some(reason) = &entry.disabled_reason {
            inbox.context.show_warning(format!("{}: {reason}", entry.name));
            return KeyOutcome::Done;
        }
        match entry.action.clone() {
            PaletteAction::Command(command) => inbox.run_command(command, KeyPress::plain(KeyCode::Enter)),
            PaletteAction::Verb(verb) => run_verb(inbox, verb),
            PaletteAction::View(index) => saved_views::show_view(&mut inbox.desk, index, &mut inbox.context),
            PaletteAction::Tab(index) if index == inbox.desk.tabs.len() => {
                inbox.desk.go_to_all_tabs(&mut inbox.context)
            }
            PaletteAction::Tab(index) => inbox.keyboard.go_to_tab(index, &mut inbox.desk),
            PaletteAction::Conversation(key) => inbox.desk.open_conversation(
                &key.channel,
                &key.conversation,
                Focus::History,
                &mut inbox.context,
            ),
        }
        KeyOutcome::Done
    }
}

impl Overlay for CommandPalette {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if let Some(moved) = filtered_selection_after_key(key, self.chosen, self.matches.len(), VISIBLE_ROWS)
        {
            self.chosen = moved;
            return KeyOutcome::Stay;
        }
        match key.code {
            KeyCode::Esc => return KeyOutcome::Done,
            KeyCode::Char('c') if key.ctrl => return KeyOutcome::Done,
            KeyCode::Enter => return self.run_selected(inbox),
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

    fn shows_load(&self, load: &Load) -> bool {
        !self.is_menu && *load == Load::ConversationNames
    }
}

/// Opens the palette; the conversations are added once read.
pub(crate) fn open_palette(inbox: &mut Inbox) {
    let mut palette = CommandPalette { all_items: palette_entries(inbox), ..CommandPalette::default() };
    palette.refresh();
    inbox.context.open(palette);
    inbox.context.push(Effect::Load(Load::ConversationNames));
}

/// Opens the menu of commands that apply here, with the reason for those that are unavailable.
pub(crate) fn open_actions(inbox: &mut Inbox) {
    let places = inbox.desk.active_scopes();
    let is_here = |place: CommandScope| {
        places.contains(&place) && !matches!(place, CommandScope::List | CommandScope::Desk)
    };
    let mut all = command_entries(inbox, |row| is_here(row.place) && !is_movement(row.command));
    if all.is_empty() {
        return inbox.context.show_notice("No actions here");
    }
    all.extend(command_entries(inbox, |row| {
        TAB_COMMANDS.contains(&row.command) && inbox.check_enabled(row.command).is_ok()
    }));
    let mut palette = CommandPalette { all_items: all, is_menu: true, ..CommandPalette::default() };
    palette.refresh();
    inbox.context.open(palette);
}

/// All entries except conversations.
fn palette_entries(inbox: &Inbox) -> Vec<PaletteItem> {
    // Tabs have entries of their own.
    let mut entries = command_entries(inbox, |command_row| {
        command_row.place != CommandScope::Composer && command_row.command != Command::GoToTab
    });
    entries.extend(VERBS.iter().map(|verb| PaletteItem {
        action: PaletteAction::Verb(verb),
        name: format!(":{}", verb.name),
        synonyms: &[],
        doc: verb.doc.to_owned(),
        detail: verb.takes.to_owned(),
        disabled_reason: None,
    }));
    for (index, view) in inbox.desk.views.iter().enumerate() {
        entries.push(navigation_item(PaletteAction::View(index), &view.name, &view.text));
    }
    for (index, tab) in inbox.desk.tabs.iter().enumerate() {
        entries.push(navigation_item(PaletteAction::Tab(index), &tab.channel.name, &(index + 1).to_string()));
    }
    entries.push(navigation_item(PaletteAction::Tab(inbox.desk.tabs.len()), "All channels", "0"));
    entries
}

/// Entries of the wanted commands, without that of a link preview where the channel has none.
fn command_entries(inbox: &Inbox, is_wanted: impl Fn(&CommandRow) -> bool) -> Vec<PaletteItem> {
    let is_missing =
        |command: Command| command == Command::LinkPreview && !inbox.desk.tab().takes_link_preview();
    let entry = |row: &CommandRow| PaletteItem {
        action: PaletteAction::Command(row.command),
        name: command::name(row.command),
        synonyms: synonyms::of(row.command),
        doc: inbox.context.settings.keymap.doc_with_keys(row.command),
        detail: inbox.context.settings.keymap.key_names(row.command).join(", "),
        disabled_reason: inbox.disabled_reason(row.command),
    };
    TABLE.iter().filter(|row| is_wanted(row) && !is_missing(row.command)).map(entry).collect()
}

pub(crate) fn add_conversations(context: &mut Context, names: Vec<NamedConversation>) {
    let Some(palette) =
        context.overlays.all_of_mut::<CommandPalette>().find(|command_palette| !command_palette.is_menu)
    else {
        return;
    };
    palette.all_items.extend(names.into_iter().map(|named_conversation| PaletteItem {
        action: PaletteAction::Conversation(named_conversation.key),
        name: named_conversation.title.to_string(),
        detail: named_conversation.address.to_string(),
        synonyms: &[],
        doc: String::new(),
        disabled_reason: None,
    }));
    let chosen = palette.chosen;
    palette.refresh();
    palette.chosen = chosen.min(palette.matches.len().saturating_sub(1));
}

/// True for commands that only move and so have no effect from the palette.
fn is_movement(command: Command) -> bool {
    use Command as C;
    matches!(command, C::MessageDown | C::MessageUp | C::RowDown | C::RowUp | C::AllTabs | C::LeaveRows)
}

fn navigation_item(choice: PaletteAction, name: &str, beside: &str) -> PaletteItem {
    PaletteItem {
        action: choice,
        name: name.to_owned(),
        synonyms: &[],
        doc: String::new(),
        detail: beside.to_owned(),
        disabled_reason: None,
    }
}

/// Runs a `:` command, or opens the command line for its argument.
fn run_verb(inbox: &mut Inbox, verb: &VerbRow) {
    match verb.needs_argument() {
        true => line::open_command_line(&mut inbox.context, &format!("{} ", verb.name)),
        false => inbox.run_line(verb.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, doc: &str, beside: &str) -> PaletteItem {
        PaletteItem { doc: doc.to_owned(), ..navigation_item(PaletteAction::Tab(0), name, beside) }
    }

    #[test]
    fn names_come_before_what_stands_beside_them() {
        let all = vec![
            entry("choose-view", "Choose a saved view: closed, your own", "\\"),
            entry("Closed", "", "status:closed"),
            entry("next-urgent", "Go to the one who waits most", "w"),
            entry("João Pereira", "", "+351910000111"),
            entry("Paused by me", "", "is:paused"),
            PaletteItem { disabled_reason: Some("not here".to_owned()), ..entry("mark-again", "", "V r") },
            entry("Dimas Karasov", "", ""),
            PaletteItem { synonyms: &["resume", "unpause"], ..entry("hand-back", "", "P") },
            PaletteItem { synonyms: &["assign"], ..entry("claim", "", "o") },
            entry(":assign", "Hand the conversation over to a colleague", ""),
        ];
        let cases: &[(&str, &[&str])] = &[
            ("closed", &["Closed", "choose-view"]),
            ("nurg", &["next-urgent"]),
            ("joao", &["João Pereira"]),
            ("351910", &["João Pereira"]),
            ("is:pau", &["Paused by me"]),
            ("who waits", &["next-urgent"]),
            ("mar", &["Dimas Karasov", "mark-again"]),
            ("mark-again", &["mark-again"]),
            ("resu", &["hand-back"]),
            ("assign", &[":assign", "claim"]),
            (":assign", &[":assign"]),
            ("zzz", &[]),
        ];
        for (text, wanted) in cases {
            let mut palette = CommandPalette {
                all_items: all.clone(),
                text: TextLine::new(*text),
                ..CommandPalette::default()
            };
            palette.refresh();
            let found: Vec<&str> = palette.matches.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(&found, wanted, "{text}");
        }
    }
}
