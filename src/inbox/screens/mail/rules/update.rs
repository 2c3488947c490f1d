//! Makes, shows, lists and changes mail rules.

use crate::Inbox;
use crate::command::Command;
use crate::components::confirm::Confirm;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::list::selection_after_key;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load};
use crate::features::undo::UndoTarget;
use crate::keymap::update as keymap;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::overlays::view::OverlayView;
use crate::screens::composer::sending;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan};
use crate::screens::mail::menus::MailMenu;
use crate::screens::mail::rules::{RuleDraft, RuleList, suggest_actions, to_filing, undo_filing};
use model::conversations::ConversationRow;
use model::email::rules::{MailRule, RuleAction, RulesPage, RulesQuery, rule_address};
use model::ids::ChannelId;
use model::local::LocalChange;
use model::text::SafeText;

const MAX_NAMED_THREADS: usize = 4;

const RULES_TITLE: &str = "Rules for mail";
const RULES_KEYS: [&str; 2] =
    ["Enter on or off · e edit · d remove", "u undo its actions · z undo · Esc back"];

fn describe_rule(rule: &MailRule) -> String {
    let threads = match rule.applied_count {
        0 => "nothing yet".to_owned(),
        1 => "1 thread".to_owned(),
        count => format!("{count} threads"),
    };
    let is_on = if rule.is_on { "on " } else { "off" };
    format!("{is_on}  {}  always {} · {threads}", rule.sender, rule.action.describe())
}

impl OverlayView for RuleList {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let Some(page) = self.page.as_ref().filter(|page| !page.rules.is_empty()) else {
            return self.dialog(inbox).describe();
        };
        let rows = page.rules.iter().map(|rule| SpokenRow::new([describe_rule(rule)]));
        let page = SpokenPage::new([RULES_TITLE]).rows(rows, Some(self.chosen));
        RULES_KEYS.iter().fold(page, |page, keys| page.keys(keys))
    }

    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let line = |(at, rule): (usize, &MailRule)| {
            let words = describe_rule(rule);
            let tone = match (at == self.chosen, rule.is_on) {
                (true, _) => Tone::Selected,
                (false, true) => Tone::Plain,
                (false, false) => Tone::Dim,
            };
            DialogLine::new(SafeText::line(&words).to_string(), tone)
        };
        let mut lines: Vec<DialogLine> = match &self.page {
            None => vec![DialogLine::dim("Reading…")],
            Some(page) if page.rules.is_empty() => {
                let key = inbox.context.key_of(Command::MakeRule);
                vec![DialogLine::plain(format!("No rules yet. On a thread, {key} makes one for its sender."))]
            }
            Some(page) => page.rules.iter().enumerate().map(line).collect(),
        };
        if self.chosen().is_some() {
            lines.push(DialogLine::blank());
            lines.extend(RULES_KEYS.map(DialogLine::strong));
        }
        Dialog { title: RULES_TITLE.to_owned(), lines }
    }
}

impl Overlay for RuleList {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let count = self.page.as_ref().map_or(0, |page| page.rules.len());
        match (key.code, self.chosen().cloned()) {
            (KeyCode::Esc | KeyCode::Char('q'), _) => return KeyOutcome::Done,
            (KeyCode::Char('z'), _) if !key.ctrl => sending::undo_last(inbox),
            (KeyCode::Enter | KeyCode::Char(' '), Some(rule)) => self.toggle_rule(inbox, rule),
            (KeyCode::Char('d'), Some(rule)) if !key.ctrl => {
                let words = format!("removed the rule: always {} {}", rule.action.describe(), rule.sender);
                save_rule(inbox, &self.channel, &words, (rule.clone(), false), (rule, true));
            }
            (KeyCode::Char('u'), Some(rule)) if !key.ctrl => {
                let done_by = Some((rule.sender, rule.action));
                let query = RulesQuery { channel: self.channel.clone(), example: None, applied: done_by };
                inbox.context.push(Effect::Load(Load::Rules(query)));
                return KeyOutcome::Done;
            }
            (KeyCode::Char('e'), Some(rule)) => {
                let draft = RuleDraft { sender: rule.sender.clone(), replaces: Some(rule) };
                choose_rule(&mut inbox.desk, draft, None, &mut inbox.context);
                return KeyOutcome::Done;
            }
            _ => match selection_after_key(key, self.chosen, count, 10) {
                Some(chosen) => self.chosen = chosen,
                None => return KeyOutcome::Ignored,
            },
        }
        KeyOutcome::Stay
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::Rules(_))
    }
}

impl RuleList {
    fn toggle_rule(&self, inbox: &mut Inbox, before: MailRule) {
        // Threads that arrived while it was off stay as they are.
        let newest = self.page.as_ref().map_or(before.after, |page| page.newest);
        let rule = MailRule { is_on: !before.is_on, after: newest.max(before.after), ..before.clone() };
        let turned = if rule.is_on { "on" } else { "off" };
        let words = format!("turned {turned} the rule: always {} {}", rule.action.describe(), rule.sender);
        save_rule(inbox, &self.channel, &words, (rule, true), (before, true));
    }
}

/// Stores or deletes a rule and records its undo.
fn save_rule(
    inbox: &mut Inbox,
    channel: &ChannelId,
    words: &str,
    (rule, is_kept): (MailRule, bool),
    (before, was_kept): (MailRule, bool),
) {
    let target = UndoTarget::Local(LocalChange::Rule(before, was_kept));
    inbox.changes.record_change(channel.clone(), words, target, &inbox.context);
    inbox.context.show_notice(format!("{words} · {}", keymap::undo_hint(&inbox.desk, &inbox.context)));
    inbox.context.push(FileWrite::ChangeLocal(channel.clone(), LocalChange::Rule(rule, is_kept)));
}

pub(crate) fn start_rule(inbox: &mut Inbox) {
    let Some(row) = inbox.desk.current_conversation().cloned() else { return };
    let Some(sender) = row.conversation.address.as_deref().map(rule_address) else { return };
    let draft = RuleDraft { sender, replaces: None };
    choose_rule(&mut inbox.desk, draft, Some(&row), &mut inbox.context);
}

fn choose_rule(desk: &mut Desk, draft: RuleDraft, row: Option<&ConversationRow>, context: &mut Context) {
    let [folders, categories] = &desk.tab().mail.folders_and_categories;
    context.open(MailMenu::for_rules(&suggest_actions(row, categories, folders)));
    desk.tab_mut().mail.rule_draft = Some(draft);
}

/// Loads the threads the chosen rule would match.
pub(crate) fn load_matching_threads(inbox: &mut Inbox, action: RuleAction) {
    let Some(draft) = inbox.desk.tab().mail.rule_draft.clone() else { return };
    let channel = inbox.desk.tab().channel.id.clone();
    let query = RulesQuery { channel, example: Some((draft.sender, action)), applied: None };
    inbox.context.push(Effect::Load(Load::Rules(query)));
}

pub(crate) fn open_rule_list(inbox: &mut Inbox) {
    let channel = inbox.desk.tab().channel.id.clone();
    inbox.context.open(RuleList { channel: channel.clone(), page: None, chosen: 0 });
    inbox.context.push(Effect::Load(Load::Rules(RulesQuery { channel, example: None, applied: None })));
}

pub(crate) fn reload_rules(inbox: &mut Inbox, channel: &ChannelId) {
    if inbox.context.overlays.all_of::<RuleList>().any(|rule_list| rule_list.channel == *channel) {
        let query = RulesQuery { channel: channel.clone(), example: None, applied: None };
        inbox.context.push(Effect::Load(Load::Rules(query)));
    }
}

pub(crate) fn receive_rules(inbox: &mut Inbox, query: RulesQuery, page: RulesPage) {
    let is_here = inbox.desk.tab().channel.id == query.channel;
    match (query.example, query.applied) {
        (Some(example), _) if is_here => confirm_rule(inbox, example, page),
        (None, Some((_, action))) if is_here => undo_rule(inbox, &action, page),
        (None, None) => {
            for list in inbox.context.overlays.all_of_mut::<RuleList>() {
                list.chosen = list.chosen.min(page.rules.len().saturating_sub(1));
                list.page = Some(page.clone());
            }
        }
        _ => (),
    }
}

/// Undoes what a rule did, as a bulk action.
fn undo_rule(inbox: &mut Inbox, action: &RuleAction, page: RulesPage) {
    let Some(filing) = undo_filing(action) else {
        return inbox.context.show_warning("the earlier categories are unknown; set each one again");
    };
    let rows: Vec<ConversationRow> = page.threads.into_iter().map(|thread| thread.0).collect();
    if rows.is_empty() {
        return inbox.context.show_notice("the rule has done nothing yet");
    }
    inbox.changes.plan_bulk_action(BulkAction::File(filing), rows, &mut inbox.desk, &mut inbox.context);
}

/// Asks for confirmation, with the threads the rule applies to now.
fn confirm_rule(inbox: &mut Inbox, (sender, action): (String, RuleAction), page: RulesPage) {
    let Some(draft) = inbox.desk.tab_mut().mail.rule_draft.take_if(|rule| rule.sender == sender) else {
        return;
    };
    if page.rules.iter().any(|rule| rule.is_for(&sender, &action) && rule.is_on) {
        let words = format!("there is a rule already: always {} {sender}", action.describe());
        return inbox.context.show_notice(words);
    }
    let rule = MailRule {
        sender: sender.clone(),
        action: action.clone(),
        is_on: true,
        made_at: inbox.context.now,
        after: page.newest,
        applied_count: 0,
    };
    let (fits, others): (Vec<_>, Vec<_>) = page.threads.into_iter().partition(|thread| thread.1.is_none());
    let rows: Vec<ConversationRow> = fits.into_iter().map(|pair| pair.0).collect();
    let reasons: Vec<SafeText> = others.into_iter().filter_map(|pair| pair.1).collect();
    let lines = confirmation_lines(&sender, &action, &rows, &reasons);
    let title = format!("ALWAYS {} {}?", action.describe().to_uppercase(), SafeText::line(&sender));
    let (alone, with, count) = (rule.clone(), rule, rows.len());
    let replaced = draft.replaces.clone();
    let mut question = Confirm::new(title, lines)
        .answer('y', "from now on", move |inbox| create_rule(inbox, alone, draft.replaces));
    if count > 0 {
        let words = format!("from now on, and the {count} thread{} here", if count == 1 { "" } else { "s" });
        question = question.answer('a', words, move |inbox| {
            apply_to_rows(inbox, &action, rows);
            create_rule(inbox, with, replaced);
        });
    }
    inbox.context.open(question.no("cancel"));
}

fn confirmation_lines(
    sender: &str,
    action: &RuleAction,
    rows: &[ConversationRow],
    reasons: &[SafeText],
) -> Vec<DialogLine> {
    let all = rows.len() + reasons.len();
    let now = match (all, rows.len()) {
        (0, _) => "No mail of this sender in the inbox now.".to_owned(),
        (all, fits) => format!("{fits} of the {all} here now would be {}.", action.describe_done()),
    };
    let mut lines = vec![
        DialogLine::plain(format!(
            "Mail from {}: the rule matches the address, not the name.",
            SafeText::line(sender)
        )),
        DialogLine::plain(now),
    ];
    let named: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.thread.as_ref()?.subject.as_ref().map(SafeText::as_str))
        .take(MAX_NAMED_THREADS)
        .collect();
    if !named.is_empty() {
        let rest = rows.len().saturating_sub(named.len());
        let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        lines.push(DialogLine::dim(format!("{}{rest}", named.join(", "))));
    }
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for why in reasons {
        match counted.iter_mut().find(|entry| entry.1 == why.as_str()) {
            Some(found) => found.0 += 1,
            None => counted.push((1, why.as_str())),
        }
    }
    if !counted.is_empty() {
        let words: Vec<String> = counted.iter().map(|(count, why)| format!("{count} {why}")).collect();
        lines.push(DialogLine::dim(format!("Left alone: {}", words.join(", "))));
    }
    lines.push(DialogLine::blank());
    lines.push(DialogLine::dim(format!(
        "Threads already read, answered or handled, or that need a person, are never {}.",
        action.describe_done()
    )));
    lines
}

fn create_rule(inbox: &mut Inbox, rule: MailRule, replaces: Option<MailRule>) {
    let channel = inbox.desk.tab().channel.id.clone();
    if let Some(before) = replaces {
        inbox.context.push(FileWrite::ChangeLocal(channel.clone(), LocalChange::Rule(before, false)));
    }
    let words = format!("made a rule: always {} {}", rule.action.describe(), rule.sender);
    save_rule(inbox, &channel, &words, (rule.clone(), true), (rule, false));
}

fn apply_to_rows(inbox: &mut Inbox, action: &RuleAction, rows: Vec<ConversationRow>) {
    let may = |_: &ConversationRow| conditions::check_tab_writable(inbox.desk.tab());
    let plan = BulkPlan::new(BulkAction::File(to_filing(action)), rows, may);
    if !plan.apply.is_empty() {
        inbox.changes.run_plan(&plan, &mut inbox.desk, &mut inbox.context);
    }
}
