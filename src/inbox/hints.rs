//! The last line: keys of where one is, and what each does. Keys and words are
//! those of the command rows; how many there are is for the person to say.

use crate::Inbox;
use crate::command;
use crate::command::Command;
use crate::layout::Area;
use crate::overlays::guard::update as guard;
use crate::pages::PageKind;
use crate::screens::broadcasts;
use crate::screens::cards::is_deck;
use crate::screens::composer::ComposerMode;
use crate::screens::mail;
use crate::screens::mail::triage::Triage;
use crate::settings::Footer;
use crate::tab::Focus;
use crate::wrap;

/// Keys in a line that names few.
const FEW: usize = 3;

/// What a click on a hint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HintTarget {
    Keys(Command),
    Line(&'static str),
    /// Nothing: a popup is answered by keys alone.
    Nothing,
}

/// A key and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) key: String,
    pub(crate) word: String,
    pub(crate) target: HintTarget,
}

impl Hint {
    fn of(inbox: &Inbox, command: Command) -> Self {
        let key = inbox.context.settings.keymap.first(command);
        Self { key, word: word(inbox, command).to_owned(), target: HintTarget::Keys(command) }
    }

    /// Columns it takes, with the space in it.
    pub(crate) fn cells(&self) -> u16 {
        u16::try_from(wrap::cells(&self.key) + 1 + wrap::cells(&self.word)).unwrap_or(u16::MAX)
    }

    /// Whether it has room before all others: what does not fit is in the help.
    fn is_needed(&self) -> bool {
        matches!(self.target, HintTarget::Line(_)) || self.word == command::row(Command::Help).word
    }
}

/// The hints that have room between two columns, each with its first column.
pub(crate) fn placed(inbox: &Inbox, from: u16, end: u16) -> Vec<(u16, Hint)> {
    let hints = hints(inbox);
    let mut kept: u16 = hints.iter().filter(|hint| hint.is_needed()).map(|hint| hint.cells() + 2).sum();
    let (mut x, mut left_out, mut placed) = (from, false, Vec::new());
    for hint in hints {
        let wide = hint.cells();
        kept -= if hint.is_needed() { wide + 2 } else { 0 };
        if x + wide + kept > end || (left_out && !hint.is_needed()) {
            left_out = true;
            continue;
        }
        placed.push((x, hint));
        x += wide + 2;
    }
    placed
}

/// The columns of the line that are written in.
pub(crate) fn span(area: Area) -> (u16, u16) {
    (area.x + 1, area.x + area.width.saturating_sub(1))
}

/// What a click on a column of the line does.
pub(crate) fn target_at(inbox: &Inbox, area: Area, x: u16) -> HintTarget {
    if inbox.keyboard.tutor_line(&inbox.context).is_some() {
        return HintTarget::Nothing;
    }
    let (from, end) = span(area);
    let hit = |(first, hint): &(u16, Hint)| (*first..first + hint.cells()).contains(&x);
    placed(inbox, from, end).into_iter().find(hit).map_or(HintTarget::Nothing, |pair| pair.1.target)
}

/// Whether the line has something to say that belongs to what is going on: it
/// is seen wherever there is room, also where it is hidden.
pub(crate) fn is_wanted(inbox: &Inbox) -> bool {
    of_what_goes_on(inbox).is_some()
}

/// The keys of a popup, or of a sequence that was begun.
fn of_what_goes_on(inbox: &Inbox) -> Option<Vec<Hint>> {
    let shown = |(key, word): (String, String)| Hint { key, word, target: HintTarget::Nothing };
    if let Some(hints) = inbox.context.layers.last().and_then(|layer| layer.hints(inbox)) {
        return Some(hints.into_iter().map(shown).collect());
    }
    // A question takes its own keys alone.
    if let Some(answers) = guard::answers(inbox).filter(|answer| !answer.is_empty()) {
        return Some(answers.into_iter().map(|(key, word)| shown((key.to_string(), word))).collect());
    }
    // What can follow stands above, in the list of continuations.
    (!inbox.keyboard.pressed.is_empty()).then(|| vec![shown(("Esc".to_owned(), "cancel".to_owned()))])
}

/// Keys and words, most useful first.
fn hints(inbox: &Inbox) -> Vec<Hint> {
    if let Some(hints) = of_what_goes_on(inbox) {
        return hints;
    }
    let keymap = &inbox.context.settings.keymap;
    let acts = |command: &Command| {
        !keymap.keys(*command).is_empty() && !is_elsewhere(inbox, *command) && !is_idle(inbox, *command)
    };
    let mut commands: Vec<Command> = offered(inbox).iter().copied().filter(acts).collect();
    if inbox.context.settings.footer != Footer::Keys {
        commands = few(inbox, &commands);
    }
    let tutor = Hint {
        key: ":tutor".to_owned(),
        word: "teaches the keys".to_owned(),
        target: HintTarget::Line("tutor"),
    };
    // A person who wants to see many keys has learnt some.
    let is_short = inbox.context.settings.footer == Footer::Three;
    let is_offered = is_short && inbox.keyboard.offers_tutor(&inbox.context) && !inbox.desk.is_typing();
    let hints = commands.into_iter().map(|command| Hint::of(inbox, command));
    is_offered.then_some(tutor).into_iter().chain(hints).collect()
}

/// The first that can be done now, with what takes back before the last of
/// them, and the help.
fn few(inbox: &Inbox, commands: &[Command]) -> Vec<Command> {
    let is_help = |command: &Command| matches!(command, Command::Help | Command::HelpInText);
    let can = |command: &Command| !is_help(command) && inbox.enabled(*command).is_ok();
    let mut few: Vec<Command> = commands.iter().copied().filter(can).collect();
    if let Some(at) = few.iter().position(|command| *command == Command::Undo).filter(|number| *number >= FEW)
    {
        let undo = few.remove(at);
        few.insert(FEW - 1, undo);
    }
    few.truncate(FEW);
    few.extend(commands.iter().copied().filter(is_help));
    few
}

/// Whether there is nothing here for it to act on.
fn is_idle(inbox: &Inbox, command: Command) -> bool {
    command == Command::Open && inbox.desk.list().is_empty()
        || command == Command::RetryFailed && inbox.enabled(command).is_err()
}

/// Whether it never acts on this tab: its channel does not do it, or nothing
/// is changed from here.
fn is_elsewhere(inbox: &Inbox, command: Command) -> bool {
    use Command as C;
    let tab = inbox.desk.tab();
    let switches = matches!(command, C::PauseAi | C::HandBack);
    let takes_over = switches || command == C::Close;
    let sends = matches!(command, C::Reply | C::Write | C::WriteNumber | C::Call);
    let reacts = matches!(command, C::React | C::RemoveReaction);
    let cannot = tab.platform().is_some_and(|platform| platform.is_chat() && !platform.can_take_over());
    let has_switch =
        inbox.desk.current_conversation().is_some_and(|row| row.conversation.has_automation_switch());
    let is_off = (takes_over && cannot && !(switches && has_switch))
        || (tab.channel.read_only && (takes_over || sends || reacts));
    inbox.desk.page == PageKind::Inbox && !inbox.desk.everywhere && is_off
}

/// What a key does where it is pressed now.
fn word(inbox: &Inbox, command: Command) -> &'static str {
    let (is_mail, is_wall) = (inbox.desk.tab().is_mail(), inbox.desk.page == PageKind::Wall);
    let in_note = inbox.desk.is_typing() && inbox.desk.composer_mode() == ComposerMode::Note;
    let other = [
        // The last line is short of room; which undo is meant is plain in a text.
        (Command::UndoEdit, true, "undo"),
        (Command::Send, in_note, "keep"),
        (Command::SwitchMode, in_note, "answer"),
        (Command::Close, is_mail, "archive"),
        (Command::Unseen, is_mail, "unread"),
        (Command::GoToRow, is_wall, "what failed"),
    ];
    let here = other.into_iter().find(|(one, applies, _)| *applies && *one == command);
    here.map_or(command::row(command).word, |(_, _, word)| word)
}

/// What is offered where rows of the outbox or drafts are shown.
fn offered_of_rows(inbox: &Inbox, asks: bool) -> &'static [Command] {
    use Command as C;
    let several = inbox.enabled(C::DecideAll).is_ok();
    match inbox.desk.page {
        PageKind::Webhooks => {
            &[C::NewWebhook, C::RemoveWebhook, C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        PageKind::Account => &[C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        PageKind::Broadcasts => broadcasts::view::HINTS,
        PageKind::Wall => &[C::GoToRow, C::RowDown, C::RowUp, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        page if is_deck(page) => &[C::GoToRow, C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        PageKind::People => &[
            C::GoToRow,
            C::SearchRows,
            C::MarkPerson,
            C::BroadcastPeople,
            C::NewPerson,
            C::EditPerson,
            C::TagPerson,
            C::DeletePerson,
            C::LeaveRows,
            C::GoToTab,
            C::Help,
            C::Quit,
        ],
        PageKind::Proposals => &[
            C::AcceptProposal,
            C::EditProposal,
            C::DropProposal,
            C::GoToRow,
            C::AllTabs,
            C::LeaveRows,
            C::Undo,
            C::Help,
            C::Quit,
        ],
        PageKind::Reviews => {
            &[C::GoodAnswer, C::BadAnswer, C::GoToRow, C::AllTabs, C::LeaveRows, C::Undo, C::Help, C::Quit]
        }
        PageKind::Drafts => &[C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        _ if several => {
            &[C::DecideRow, C::DecideAll, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        _ if asks => &[C::DecideRow, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        _ => &[C::RowNow, C::RowBack, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
    }
}

/// The commands hints are given for, most useful first.
fn offered(inbox: &Inbox) -> &'static [Command] {
    use Command as C;
    let tab = inbox.desk.tab();
    let asks = matches!(inbox.outbox.current_row(&inbox.desk), Some(row) if row.is_stopped());
    match tab.focus {
        _ if inbox.desk.page != PageKind::Inbox => offered_of_rows(inbox, asks),
        _ if !tab.is_inbox() => &[C::NextTab, C::GoToTab, C::Refresh, C::Help, C::Quit],
        Focus::Composer if tab.writes_mail() => mail::view::WRITING_HINTS,
        _ if tab.triage().is_some_and(Triage::is_over) => mail::view::OVER_HINTS,
        Focus::List | Focus::History if tab.is_in_triage() => mail::view::TRIAGE_HINTS,
        Focus::List if tab.is_mail() && inbox.desk.acts_on_marks() => mail::view::MARKED_HINTS,
        Focus::List if tab.is_mail() => mail::view::LIST_HINTS,
        Focus::History if tab.is_mail() && !asks => mail::view::HISTORY_HINTS,
        Focus::List if tab.is_phone() => {
            &[C::Open, C::Write, C::WriteNumber, C::Call, C::Raw, C::Undo, C::Help, C::Quit]
        }
        Focus::History if tab.is_phone() && !asks => {
            &[C::Write, C::Call, C::WriteNumber, C::WriteNote, C::Undo, C::Raw, C::Back, C::Help]
        }
        Focus::List if inbox.desk.acts_on_marks() => &[
            C::Mark,
            C::PauseAi,
            C::HandBack,
            C::Close,
            C::Snooze,
            C::Tags,
            C::Broadcast,
            C::Claim,
            C::MarkAll,
            C::MarkNone,
            C::Help,
        ],
        Focus::List => &[
            C::Open,
            C::Reply,
            C::PauseAi,
            C::HandBack,
            C::Close,
            C::FilterList,
            C::NextWaiting,
            C::Snooze,
            C::Mark,
            C::ChooseView,
            C::Undo,
            C::GoToTab,
            C::Help,
            C::Quit,
            C::SearchAll,
            C::OpenPalette,
            C::CommandLine,
        ],
        Focus::History if asks => {
            &[C::Decide, C::Reply, C::PauseAi, C::HandBack, C::Undo, C::GoToOutbox, C::Back, C::Help]
        }
        Focus::History => &[
            C::Reply,
            C::WriteNote,
            C::PauseAi,
            C::HandBack,
            C::React,
            C::RemoveReaction,
            C::Close,
            C::Undo,
            C::NextConversation,
            C::Card,
            C::Back,
            C::Help,
            C::FindInHistory,
            C::SearchAll,
        ],
        Focus::Composer
            if tab.composer.as_ref().is_some_and(|composer| composer.mode == ComposerMode::Note) =>
        {
            &[C::Send, C::SwitchMode, C::NewLine, C::UndoEdit, C::DeleteWord, C::Leave, C::HelpInText]
        }
        Focus::Composer => {
            &[C::Send, C::SwitchMode, C::NewLine, C::UndoEdit, C::DeleteWord, C::Leave, C::HelpInText]
        }
    }
}
