//! Text of the current place: the popup on top, or the page below it.

use std::any::{Any, TypeId};

use crate::Inbox;
use crate::components::spoken::{MAX_ROWS, SpokenPage, SpokenRow, join_facts};
use crate::hints;
use crate::overlays::overlay::Overlay;
use crate::pages::PageKind;
use crate::plain::describe_conversation;
use crate::screens::{broadcasts, cards, conversations, outbox, overview, people, proposals, reviews};

/// The popup on top. Its depth and type tell if it is the one that was read out before.
#[derive(Debug)]
pub(super) struct SpokenPopup {
    depth: usize,
    kind: TypeId,
    pub(super) page: SpokenPage,
    pub(super) accepts_text: bool,
}

impl SpokenPopup {
    pub(super) fn of(inbox: &Inbox) -> Option<Self> {
        let popup: &dyn Overlay = inbox.context.overlays.last()?;
        let kind = Any::type_id(popup);
        let (depth, accepts_text) = (inbox.context.overlays.len(), popup.accepts_text());
        Some(Self { depth, kind, page: popup.describe(inbox), accepts_text })
    }

    /// Returns the lines that differ from the popup that was read out before.
    pub(super) fn new_lines(&self, before: Option<&Self>) -> Vec<String> {
        match before.filter(|before| (before.depth, before.kind) == (self.depth, self.kind)) {
            Some(before) => self.page.changes_since(&before.page),
            None => self.page.to_lines(),
        }
    }
}

/// Returns the whole text of the current place.
pub fn place_lines(inbox: &Inbox) -> Vec<String> {
    let popup = SpokenPopup::of(inbox).map(|popup| popup.page);
    popup.unwrap_or_else(|| describe_page(inbox)).to_lines()
}

pub(super) fn describe_page(inbox: &Inbox) -> SpokenPage {
    let page = match inbox.desk.page {
        PageKind::Inbox if inbox.desk.is_inbox_shown() => describe_list(inbox),
        PageKind::Inbox => crate::pages_view::describe(inbox),
        PageKind::Outbox => outbox::view::describe_outbox(inbox),
        PageKind::Drafts => outbox::view::describe_drafts(inbox),
        PageKind::Proposals => proposals::view::describe(inbox),
        PageKind::Reviews => reviews::view::describe(inbox),
        PageKind::People => people::view::describe(inbox),
        PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account => {
            cards::view::describe(inbox)
        }
        PageKind::Broadcasts => broadcasts::view::describe(inbox),
        PageKind::Wall => overview::view::describe(inbox),
    };
    page.key_line(describe_commands(inbox))
}

/// Returns the conversations with their numbers, by section.
pub(super) fn describe_list(inbox: &Inbox) -> SpokenPage {
    let list = inbox.desk.list();
    let rows = &list.page.rows;
    let mut page = SpokenPage::new([conversations::view::list_title(inbox)]);
    for (index, row) in rows.iter().enumerate().take(MAX_ROWS) {
        let section = list.section_of(index);
        let is_first = index == 0 || section != list.section_of(index - 1);
        if let Some(section) = section.filter(|_| is_first) {
            let (name, count) = conversations::view::section_texts(inbox, section);
            page = page.text(join_facts([name, count.as_str()]));
        }
        let text = format!("{} {}", index + 1, describe_conversation(row, inbox));
        page = page.row(SpokenRow::new([text]), list.index() == Some(index));
    }
    let empty = if rows.is_empty() { conversations::view::empty_text(inbox) } else { String::new() };
    page.text(empty).with_rest(rows.len().saturating_sub(MAX_ROWS))
}

/// Returns the commands of the place that can be called now, each with its key.
fn describe_commands(inbox: &Inbox) -> String {
    let keymap = &inbox.context.settings.keymap;
    let commands = hints::place_commands(inbox).iter().copied();
    let enabled = commands.filter(|command| inbox.check_enabled(*command).is_ok());
    let named = enabled.map(|command| {
        let word = hints::hint_word(inbox, command);
        match keymap.first_key_name(command).as_str() {
            "" => word.to_owned(),
            key => format!("{word} ({key})"),
        }
    });
    format!("Commands: {}", named.collect::<Vec<_>>().join(", "))
}
