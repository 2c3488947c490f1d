//! Mail rules: one is made from a thread, confirmed with its effect, and listed with what it did.

pub(crate) mod update;

use crate::screens::mail::thread_filing::{ThreadFiling, folder_of};
use model::conversations::ConversationRow;
use model::email::rules::{MailRule, RuleAction, RulesPage};
use model::ids::ChannelId;
use model::text::SafeText;

/// A rule being made: its sender, and the rule it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleDraft {
    pub(crate) sender: String,
    pub(crate) replaces: Option<MailRule>,
}

#[derive(Debug)]
pub(crate) struct RuleList {
    pub(crate) channel: ChannelId,
    /// `None` until loaded.
    pub(crate) page: Option<RulesPage>,
    pub(crate) chosen: usize,
}

impl RuleList {
    pub(crate) fn chosen(&self) -> Option<&MailRule> {
        self.page.as_ref()?.rules.get(self.chosen)
    }
}

/// Actions to offer, starting with those already applied to this thread.
pub(crate) fn suggest_actions(
    row: Option<&ConversationRow>,
    categories: &[String],
    folders: &[String],
) -> Vec<RuleAction> {
    let folder = |text: &str| RuleAction::Folder(text.to_owned());
    let thread = row.and_then(|row| row.thread.as_deref());
    let mut all = Vec::new();
    match row.map(folder_of) {
        None | Some("inbox") => {}
        Some("archive") => all.push(RuleAction::Archive),
        Some(other) => all.push(folder(other)),
    }
    if thread.is_some_and(|thread| thread.is_starred == Some(true)) {
        all.push(RuleAction::Star);
    }
    all.extend([RuleAction::Archive, RuleAction::Read, RuleAction::Star, folder("trash"), folder("spam")]);
    let own = thread.and_then(|thread| thread.category.as_ref()).map(SafeText::to_string);
    all.extend(own.iter().chain(categories).map(|text| RuleAction::Category(text.clone())));
    let usual = ["inbox", "sent", "archive"];
    all.extend(folders.iter().filter(|folder| !usual.contains(&folder.as_str())).map(|text| folder(text)));
    let mut seen: Vec<RuleAction> = Vec::new();
    for action in all {
        if !seen.contains(&action) {
            seen.push(action);
        }
    }
    seen
}

pub(crate) fn to_filing(action: &RuleAction) -> ThreadFiling {
    match action {
        RuleAction::Archive => ThreadFiling::Archived(true),
        RuleAction::Read => ThreadFiling::Read(true),
        RuleAction::Star => ThreadFiling::Starred(true),
        RuleAction::Category(category) => ThreadFiling::Category(category.clone()),
        RuleAction::Folder(folder) => ThreadFiling::Moved(folder.clone()),
    }
}

/// Filing that undoes the action; `None` if the previous value is unknown.
fn undo_filing(action: &RuleAction) -> Option<ThreadFiling> {
    match action {
        RuleAction::Archive => Some(ThreadFiling::Archived(false)),
        RuleAction::Read => Some(ThreadFiling::Read(false)),
        RuleAction::Star => Some(ThreadFiling::Starred(false)),
        RuleAction::Folder(_) => Some(ThreadFiling::Moved("inbox".to_owned())),
        RuleAction::Category(_) => None,
    }
}
