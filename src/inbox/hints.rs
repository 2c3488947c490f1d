//! Keys of the current place in the last line, from the command rows.

use crate::Inbox;
use crate::command;
use crate::command::Command;
use crate::layout::Area;
use crate::overlays::prompt_guard::update as guard;
use crate::pages::PageKind;
use crate::screens::broadcasts;
use crate::screens::cards::is_card_page;
use crate::screens::composer::ComposerMode;
use crate::screens::composer::sending;
use crate::screens::composer::typing;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::card::update as card;
use crate::screens::mail;
use crate::settings::Footer;
use crate::status::{self, BALANCE_MIN_WIDTH, LineStart, SEPARATOR_CELLS};
use crate::tab::Focus;
use crate::wrap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HintTarget {
    Command(Command),
    Line(&'static str),
    /// A popup is answered by keys alone.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) key: String,
    pub(crate) word: String,
    pub(crate) target: HintTarget,
}

impl Hint {
    fn of(inbox: &Inbox, command: Command) -> Self {
        let key = inbox.context.settings.keymap.first_key_name(command);
        Self { key, word: hint_word(inbox, command).to_owned(), target: HintTarget::Command(command) }
    }

    /// Columns, including the space.
    pub(crate) fn cells(&self) -> u16 {
        u16::try_from(wrap::cells(&self.key) + 1 + wrap::cells(&self.word)).unwrap_or(u16::MAX)
    }

    /// True for hints that get room before the others.
    fn is_required(&self) -> bool {
        matches!(self.target, HintTarget::Line(_)) || self.word == command::row(Command::Help).word
    }
}

/// Cells of the hints that get room before the news, and of all hints. A popup also shows its keys itself.
pub(crate) fn line_cells(hints: &[Hint]) -> (u16, u16) {
    let cells = |hints: &mut dyn Iterator<Item = &Hint>| {
        hints.map(|hint| hint.cells() + SEPARATOR_CELLS).sum::<u16>().saturating_sub(SEPARATOR_CELLS)
    };
    (cells(&mut hints.iter().filter(|hint| hint.is_required())), cells(&mut hints.iter()))
}

/// Hints that fit between two columns, each with its first column.
pub(crate) fn place_hints(hints: Vec<Hint>, from: u16, end: u16) -> Vec<(u16, Hint)> {
    let required = hints.iter().filter(|hint| hint.is_required());
    let mut kept: u16 = required.map(|hint| hint.cells() + SEPARATOR_CELLS).sum();
    let (mut x, mut left_out, mut placed) = (from, false, Vec::new());
    for hint in hints {
        let wide = hint.cells();
        kept -= if hint.is_required() { wide + SEPARATOR_CELLS } else { 0 };
        if x + wide + kept > end || (left_out && !hint.is_required()) {
            left_out = true;
            continue;
        }
        placed.push((x, hint));
        x += wide + SEPARATOR_CELLS;
    }
    placed
}

pub(crate) fn target_at(inbox: &Inbox, area: Area, x: u16) -> HintTarget {
    let LineStart::Keys(placed) = status::status_line(inbox, area).start else {
        return HintTarget::Nothing;
    };
    let hit = |(first, hint): &(u16, Hint)| (*first..first + hint.cells()).contains(&x);
    placed.into_iter().find(hit).map_or(HintTarget::Nothing, |pair| pair.1.target)
}

/// True if the line has hints for a popup or a key sequence, which show even if keys are hidden.
pub(crate) fn has_pressing_hints(inbox: &Inbox) -> bool {
    pressing_hints(inbox).is_some()
}

/// Hints of a popup, or of a key sequence that was begun.
fn pressing_hints(inbox: &Inbox) -> Option<Vec<Hint>> {
    let shown = |(key, word): (String, String)| Hint { key, word, target: HintTarget::Nothing };
    if let Some(hints) = inbox.context.overlays.last().and_then(|layer| layer.hints(inbox)) {
        return Some(hints.into_iter().map(shown).collect());
    }
    // A question takes only its own keys.
    if let Some(answers) = guard::question_answers(inbox).filter(|answer| !answer.is_empty()) {
        return Some(answers.into_iter().map(|(key, word)| shown((key.to_string(), word))).collect());
    }
    // The list of continuations is shown above.
    (!inbox.keyboard.pressed.is_empty()).then(|| vec![shown(("Esc".to_owned(), "cancel".to_owned()))])
}

/// Hints of the line, most useful first.
pub(crate) fn line_hints(inbox: &Inbox) -> Vec<Hint> {
    if let Some(hints) = pressing_hints(inbox) {
        return hints;
    }
    let limit = match inbox.context.settings.footer {
        Footer::Keys => 5,
        Footer::Three => 3,
        Footer::Off => return Vec::new(),
    };
    let keymap = &inbox.context.settings.keymap;
    let acts = |command: &Command| {
        !keymap.keys(*command).is_empty()
            && !is_never_available(inbox, *command)
            && !has_no_target(inbox, *command)
    };
    let commands: Vec<Command> = place_commands(inbox).iter().copied().filter(acts).collect();
    let has_room = inbox.context.size.0 >= BALANCE_MIN_WIDTH;
    let word = if has_room { "teaches the keys" } else { "teaches" };
    let tutor = Hint { key: ":tutor".to_owned(), word: word.to_owned(), target: HintTarget::Line("tutor") };
    let is_offered = inbox.keyboard.offers_tutor(&inbox.context) && !inbox.desk.is_typing();
    let hints = first_available(inbox, &commands, limit).into_iter().map(|command| Hint::of(inbox, command));
    is_offered.then_some(tutor).into_iter().chain(hints).collect()
}

/// The first available commands and the help; undo is second if there is something to undo.
fn first_available(inbox: &Inbox, commands: &[Command], limit: usize) -> Vec<Command> {
    let is_help = |command: &Command| matches!(command, Command::Help | Command::HelpInText);
    let can = |command: &Command| !is_help(command) && inbox.check_enabled(*command).is_ok();
    let mut few: Vec<Command> = commands.iter().copied().filter(can).collect();
    if let Some(at) = few.iter().position(|command| *command == Command::Undo) {
        let undo = few.remove(at);
        few.insert(1.min(few.len()), undo);
    }
    few.truncate(limit);
    few.extend(commands.iter().copied().filter(is_help));
    few
}

/// True if the command has no target here.
fn has_no_target(inbox: &Inbox, command: Command) -> bool {
    command == Command::Open && inbox.desk.list().is_empty()
        || command == Command::RetryFailed && inbox.check_enabled(command).is_err()
}

/// True if the command never works in this tab: the channel lacks it, or the tab is read-only.
fn is_never_available(inbox: &Inbox, command: Command) -> bool {
    use Command as C;
    let tab = inbox.desk.tab();
    let switches = matches!(command, C::PauseAi | C::HandBack);
    let takes_over = switches;
    let sends = matches!(command, C::Reply | C::Write | C::WriteNumber | C::Call);
    let reacts = matches!(command, C::React | C::RemoveReaction);
    let cannot = tab.platform().is_some_and(|platform| platform.is_chat() && !platform.can_take_over());
    let has_switch =
        inbox.desk.current_conversation().is_some_and(|row| row.conversation.has_automation_switch());
    let is_off = (takes_over && cannot && !(switches && has_switch))
        || (tab.channel.read_only && (takes_over || sends || reacts));
    inbox.desk.page == PageKind::Inbox && !inbox.desk.shows_all_tabs && is_off
}

pub(crate) fn hint_word(inbox: &Inbox, command: Command) -> &'static str {
    let (is_mail, is_wall) = (inbox.desk.tab().is_mail(), inbox.desk.page == PageKind::Wall);
    let is_in_triage = inbox.desk.page == PageKind::Inbox && inbox.desk.tab().is_in_triage();
    let in_note = inbox.desk.is_typing() && typing::composer_mode(&inbox.desk) == ComposerMode::Note;
    let other = [
        // The last line is short of room, and in a text the meaning of undo is clear.
        (Command::UndoEdit, true, "undo"),
        (Command::UndoInText, true, "undo"),
        (Command::Send, in_note, "keep"),
        (Command::SwitchMode, in_note, "answer"),
        (Command::Take, is_in_triage, "answer"),
        (Command::Done, is_mail, "archive"),
        (Command::Unseen, is_mail, "unread"),
        (Command::GoToRow, is_wall, "what failed"),
    ];
    let here = other.into_iter().find(|(one, applies, _)| *applies && *one == command);
    here.map_or(command::row(command).word, |(_, _, word)| word)
}

/// Commands of a page other than the inbox, most useful first.
fn page_commands(inbox: &Inbox, asks: bool) -> &'static [Command] {
    use Command as C;
    match inbox.desk.page {
        PageKind::Webhooks => {
            &[C::NewWebhook, C::RemoveWebhook, C::ShowEvents, C::SearchRows, C::LeaveRows, C::Help]
        }
        PageKind::Templates => &[C::GoToRow, C::SearchRows, C::NewTemplate, C::LeaveRows, C::Help],
        PageKind::Account => &[C::SearchRows, C::LeaveRows, C::Help],
        PageKind::Broadcasts => broadcasts::view::HINTS,
        PageKind::Wall => &[C::GoToRow, C::RowDown, C::RowUp, C::LeaveRows, C::Help],
        page if is_card_page(page) => &[C::GoToRow, C::SearchRows, C::LeaveRows, C::Help],
        PageKind::People => &[C::GoToRow, C::SearchRows, C::MarkPerson, C::NewPerson, C::EditPerson, C::Help],
        PageKind::Proposals => {
            &[C::AcceptProposal, C::EditProposal, C::DropProposal, C::GoToRow, C::LeaveRows, C::Undo, C::Help]
        }
        PageKind::Reviews => &[C::GoodAnswer, C::BadAnswer, C::GoToRow, C::LeaveRows, C::Undo, C::Help],
        PageKind::Drafts => &[C::GoToRow, C::AllTabs, C::LeaveRows, C::Help],
        _ if asks => &[C::DecideRow, C::DecideAll, C::GoToRow, C::AllTabs, C::LeaveRows, C::Help],
        _ => &[C::RowNow, C::RowBack, C::DecideAll, C::GoToRow, C::AllTabs, C::LeaveRows, C::Help],
    }
}

/// Commands of the current place, most useful first; the line shows the first that are available.
pub(crate) fn place_commands(inbox: &Inbox) -> &'static [Command] {
    use Command as C;
    let tab = inbox.desk.tab();
    let asks = matches!(inbox.outbox.current_row(&inbox.desk), Some(row) if row.is_stopped());
    match tab.focus {
        _ if inbox.desk.page != PageKind::Inbox => page_commands(inbox, asks),
        _ if !tab.is_inbox() => &[C::NextTab, C::GoToTab, C::Refresh, C::Help],
        Focus::Composer if tab.is_writing_mail() => mail::view::WRITING_HINTS,
        _ if tab.has_finished_triage() => mail::view::SUMMARY_HINTS,
        Focus::History if card::has_focus(&inbox.desk) => {
            &[C::CardOpen, C::CardBack, C::Take, C::Done, C::Later, C::Undo, C::Help]
        }
        Focus::List | Focus::History if tab.is_in_triage() => mail::view::TRIAGE_HINTS,
        Focus::List if tab.is_mail() && bulk_actions::acts_on_marks(&inbox.desk) => mail::view::MARKED_HINTS,
        Focus::List if tab.is_mail() => mail::view::LIST_HINTS,
        Focus::History if tab.is_mail() && !asks => mail::view::HISTORY_HINTS,
        Focus::List if tab.is_phone() => &[C::Open, C::Take, C::Done, C::Later, C::Call, C::Undo, C::Help],
        Focus::History if tab.is_phone() && !asks => {
            &[C::Take, C::Done, C::Later, C::Call, C::WriteNote, C::Back, C::Undo, C::Help]
        }
        Focus::List if bulk_actions::acts_on_marks(&inbox.desk) => {
            &[C::Mark, C::Take, C::Done, C::Later, C::MarkNone, C::Undo, C::Help]
        }
        Focus::List => &[
            C::Open,
            C::Take,
            C::Done,
            C::Later,
            C::SearchAll,
            C::FilterList,
            C::Undo,
            C::NextTab,
            C::OpenPalette,
            C::Help,
        ],
        Focus::History if asks => &[C::Decide, C::Take, C::Reply, C::Done, C::Back, C::Undo, C::Help],
        Focus::History => {
            &[C::Take, C::Done, C::Later, C::Reply, C::SearchAll, C::FindInHistory, C::Undo, C::Help]
        }
        Focus::Composer
            if typing::composer_mode(&inbox.desk) == ComposerMode::Reply
                && sending::is_window_closed(&inbox.desk) =>
        {
            &[C::Menu, C::SwitchMode, C::Leave, C::HelpInText]
        }
        Focus::Composer if typing::composer_mode(&inbox.desk) == ComposerMode::Note => {
            &[C::Send, C::SwitchMode, C::NewLine, C::Leave, C::HelpInText]
        }
        Focus::Composer => &[
            C::Send,
            C::UndoInText,
            C::DoneInText,
            C::Menu,
            C::Leave,
            C::SwitchMode,
            C::NewLine,
            C::TurnMarkup,
            C::HelpInText,
        ],
    }
}
