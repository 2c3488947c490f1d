//! Makes rules for mail, shows what they would match, lists and changes them.

use crate::Inbox;
use crate::command::Command;
use crate::components::confirm::Confirm;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::list::chosen_after;
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load};
use crate::features::privacy::names::NameIndex;
use crate::features::undo::UndoTarget;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::overlays::view::OverlayView;
use crate::screens::composer::sending;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use crate::screens::mail::menus::Menu;
use crate::screens::mail::rules::{RuleDraft, RuleList, back, examples, filing};
use model::conversations::ConversationRow;
use model::email::rules::{MailRule, RuleAction, RulesPage, RulesQuery, rule_address};
use model::ids::ChannelId;
use model::local::LocalChange;
use model::text::SafeText;

/// Threads of a sender that a question names.
const NAMED: usize = 4;

impl OverlayView for RuleList {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let line = |(at, rule): (usize, &MailRule)| {
            let threads = match rule.applied_count {
                0 => "nothing yet".to_owned(),
                1 => "1 thread".to_owned(),
                count => format!("{count} threads"),
            };
            let is_on = if rule.is_on { "on " } else { "off" };
            let words = format!("{is_on}  {}  always {} · {threads}", rule.sender, rule.action.describe());
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
                vec![DialogLine::plain(format!(
                    "There are none. On a thread, {key} makes one for its sender."
                ))]
            }
            Some(page) => page.rules.iter().enumerate().map(line).collect(),
        };
        if self.chosen().is_some() {
            lines.push(DialogLine::gap());
            lines.push(DialogLine::strong("Enter on or off · e what it does · d remove"));
            lines.push(DialogLine::strong("u take back what it did · z undo · Esc back"));
        }
        Dialog { title: "Rules for mail".to_owned(), lines }
    }
}

impl Overlay for RuleList {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let count = self.page.as_ref().map_or(0, |page| page.rules.len());
        match (key.code, self.chosen().cloned()) {
            (KeyCode::Esc | KeyCode::Char('q'), _) => return KeyOutcome::Done,
            (KeyCode::Char('z'), _) if !key.ctrl => sending::undo(inbox),
            (KeyCode::Enter | KeyCode::Char(' '), Some(rule)) => self.switch(inbox, rule),
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
                inbox.desk.choose_rule(draft, None, &mut inbox.context);
                return KeyOutcome::Done;
            }
            _ => match chosen_after(key, self.chosen, count, 10) {
                Some(chosen) => self.chosen = chosen,
                None => return KeyOutcome::Ignored,
            },
        }
        KeyOutcome::Stay
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        self.page
            .iter()
            .flat_map(|rules_page| &rules_page.rules)
            .for_each(|mail_rule| names.add(&mail_rule.sender));
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Rules(_))
    }
}

impl RuleList {
    fn switch(&self, inbox: &mut Inbox, before: MailRule) {
        // What came while it was off stays as it is.
        let newest = self.page.as_ref().map_or(before.after, |page| page.newest);
        let rule = MailRule { is_on: !before.is_on, after: newest.max(before.after), ..before.clone() };
        let turned = if rule.is_on { "on" } else { "off" };
        let words = format!("turned {turned} the rule: always {} {}", rule.action.describe(), rule.sender);
        save_rule(inbox, &self.channel, &words, (rule, true), (before, true));
    }
}

/// Keeps a rule, or forgets it, and notes what takes that back.
fn save_rule(
    inbox: &mut Inbox,
    channel: &ChannelId,
    words: &str,
    (rule, is_kept): (MailRule, bool),
    (before, was_kept): (MailRule, bool),
) {
    let target = UndoTarget::Keep(LocalChange::Rule(before, was_kept));
    inbox.changes.note_done(channel.clone(), words, target, &inbox.context);
    inbox.context.say(format!("{words} · {} undoes", inbox.context.key_of(Command::Undo)));
    inbox.context.push(FileWrite::Keep(channel.clone(), LocalChange::Rule(rule, is_kept)));
}

/// Asks what is always to be done with the sender of the current thread.
pub(crate) fn begin(inbox: &mut Inbox) {
    let Some(row) = inbox.desk.current_conversation().cloned() else { return };
    let Some(sender) = row.conversation.address.as_deref().map(rule_address) else { return };
    let draft = RuleDraft { sender, replaces: None };
    inbox.desk.choose_rule(draft, Some(&row), &mut inbox.context);
}

impl Desk {
    fn choose_rule(&mut self, draft: RuleDraft, row: Option<&ConversationRow>, context: &mut Context) {
        let [folders, categories] = &self.tab().mail.words;
        context.open(Menu::of_rules(&examples(row, categories, folders)));
        self.tab_mut().mail.rule = Some(draft);
    }
}

/// An action was chosen: what the rule would match is read before it is asked.
pub(crate) fn review(inbox: &mut Inbox, action: RuleAction) {
    let Some(draft) = inbox.desk.tab().mail.rule.clone() else { return };
    let channel = inbox.desk.tab().channel.id.clone();
    let query = RulesQuery { channel, example: Some((draft.sender, action)), applied: None };
    inbox.context.push(Effect::Load(Load::Rules(query)));
}

/// Shows the rules of the tab.
pub(crate) fn show(inbox: &mut Inbox) {
    let channel = inbox.desk.tab().channel.id.clone();
    inbox.context.open(RuleList { channel: channel.clone(), page: None, chosen: 0 });
    inbox.context.push(Effect::Load(Load::Rules(RulesQuery { channel, example: None, applied: None })));
}

/// What is kept has changed: an open list is read anew.
pub(crate) fn changed(inbox: &mut Inbox, channel: &ChannelId) {
    if inbox.context.layers.of::<RuleList>().any(|rule_list| rule_list.channel == *channel) {
        let query = RulesQuery { channel: channel.clone(), example: None, applied: None };
        inbox.context.push(Effect::Load(Load::Rules(query)));
    }
}

/// Rules have come, with the threads that were asked for.
pub(crate) fn loaded(inbox: &mut Inbox, query: RulesQuery, page: RulesPage) {
    let is_here = inbox.desk.tab().channel.id == query.channel;
    match (query.example, query.applied) {
        (Some(example), _) if is_here => ask(inbox, example, page),
        (None, Some((_, action))) if is_here => take_back(inbox, &action, page),
        (None, None) => {
            for list in inbox.context.layers.of_mut::<RuleList>() {
                list.chosen = list.chosen.min(page.rules.len().saturating_sub(1));
                list.page = Some(page.clone());
            }
        }
        _ => (),
    }
}

/// Takes back what a rule did, after the plan for many.
fn take_back(inbox: &mut Inbox, action: &RuleAction, page: RulesPage) {
    let Some(filing) = back(action) else {
        return inbox.context.warn("what they were about before is not known; set each one's category");
    };
    let rows: Vec<ConversationRow> = page.threads.into_iter().map(|thread| thread.0).collect();
    if rows.is_empty() {
        return inbox.context.say("the rule has done nothing yet");
    }
    inbox.changes.plan(BulkWish::File(filing), rows, &mut inbox.desk, &mut inbox.context);
}

/// Asks whether the rule is meant, with what it would do now.
fn ask(inbox: &mut Inbox, (sender, action): (String, RuleAction), page: RulesPage) {
    let Some(draft) = inbox.desk.tab_mut().mail.rule.take_if(|rule| rule.sender == sender) else { return };
    if page.rules.iter().any(|rule| rule.is_for(&sender, &action) && rule.is_on) {
        let words = format!("there is a rule already: always {} {sender}", action.describe());
        return inbox.context.say(words);
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
    let lines = lines(&sender, &action, &rows, &reasons);
    let title = format!("ALWAYS {} {}?", action.describe().to_uppercase(), SafeText::line(&sender));
    let (alone, with, count) = (rule.clone(), rule, rows.len());
    let replaced = draft.replaces.clone();
    let mut question = Confirm::new(title, lines)
        .answer('y', "from now on", move |inbox| make(inbox, alone, draft.replaces));
    if count > 0 {
        let words =
            format!("from now on, and the {count} that lie{} here", if count == 1 { "s" } else { "" });
        question = question.answer('a', words, move |inbox| {
            file_now(inbox, &action, rows);
            make(inbox, with, replaced);
        });
    }
    inbox.context.open(question.no("make no rule").naming(move |names| names.add(&sender)));
}

fn lines(
    sender: &str,
    action: &RuleAction,
    rows: &[ConversationRow],
    reasons: &[SafeText],
) -> Vec<DialogLine> {
    let all = rows.len() + reasons.len();
    let now = match (all, rows.len()) {
        (0, _) => "Nothing of it lies in the inbox now.".to_owned(),
        (all, fits) => format!("{fits} of the {all} that lie here now would be {}.", action.describe_done()),
    };
    let mut lines = vec![
        DialogLine::plain(format!("Mail from {}: the address counts, not a name.", SafeText::line(sender))),
        DialogLine::plain(now),
    ];
    let named: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.thread.as_ref()?.subject.as_ref().map(SafeText::as_str))
        .take(NAMED)
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
    lines.push(DialogLine::gap());
    lines.push(DialogLine::dim(format!(
        "A thread that somebody has read, answered or handled, or that needs a person, is never {}.",
        action.describe_done()
    )));
    lines
}

/// Keeps a rule that was looked over, in place of another.
fn make(inbox: &mut Inbox, rule: MailRule, replaces: Option<MailRule>) {
    let channel = inbox.desk.tab().channel.id.clone();
    if let Some(before) = replaces {
        inbox.context.push(FileWrite::Keep(channel.clone(), LocalChange::Rule(before, false)));
    }
    let words = format!("made a rule: always {} {}", rule.action.describe(), rule.sender);
    save_rule(inbox, &channel, &words, (rule.clone(), true), (rule, false));
}

/// Files what lies here now as the rule will.
fn file_now(inbox: &mut Inbox, action: &RuleAction, rows: Vec<ConversationRow>) {
    let may = |_: &ConversationRow| conditions::tab_writable(inbox.desk.tab());
    let plan = BulkPlan::new(BulkWish::File(filing(action)), rows, may);
    if !plan.apply.is_empty() {
        inbox.changes.carry_out(&plan, &mut inbox.desk, &mut inbox.context);
    }
}
