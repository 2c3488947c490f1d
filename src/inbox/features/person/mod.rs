//! What was said with one person on every tab, in the order of time, and the
//! ways to reach them.

pub(crate) mod update;
pub(crate) mod view;

use crate::tab::Tab;
use crate::wrap;
use model::ids::MessageId;
use model::person::{PersonPage, PersonQuery};
use model::queries::ConversationKey;
use model::time::Zone;

/// Messages asked for at first and with each further step back.
const STEP: u32 = 100;
/// Messages at most.
const MOST: u32 = 5_000;
/// Lines of one message at most; all of it stands in its conversation.
const LINES: usize = 4;
/// Columns before a message's words: its time, its tab, its sender.
const BEFORE: usize = 2 + 6 + 13 + 13;

/// A way that is to be written on, once it is known which costs least.
#[derive(Debug, Default)]
pub(crate) struct CheapestWay {
    wanted: Option<PersonQuery>,
}

/// One line of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TimelineLine {
    Day(String),
    /// Something said of the timeline itself.
    Note(String),
    /// A part of a message; the first has its time, tab and sender before it.
    Text {
        item: usize,
        first: bool,
        words: String,
    },
}

/// The timeline over the screen.
#[derive(Debug)]
pub(crate) struct PersonTimeline {
    query: PersonQuery,
    stale: bool,
    /// None until it has come.
    page: Option<PersonPage>,
    /// The chosen message; none follows the newest.
    chosen: Option<(ConversationKey, MessageId)>,
    /// Its lines, for this many columns.
    lines: Vec<TimelineLine>,
    columns: usize,
    /// First line on screen.
    first: usize,
    /// How many messages there were when the servers were asked for older
    /// ones.
    asked_at: Option<usize>,
}

impl PersonTimeline {
    fn new(key: ConversationKey) -> Self {
        Self {
            query: PersonQuery { key, limit: STEP },
            stale: true,
            page: None,
            chosen: None,
            lines: Vec::new(),
            columns: 0,
            first: 0,
            asked_at: None,
        }
    }

    /// The place of the chosen message.
    fn index(&self) -> usize {
        let Some(page) = &self.page else { return 0 };
        let is_chosen = |person_message: &model::person::PersonMessage| {
            self.chosen.as_ref().is_some_and(|(key, id)| {
                person_message.row.message.id == *id
                    && page.conversations[person_message.conversation].row.is(key)
            })
        };
        page.messages.iter().position(is_chosen).unwrap_or(page.messages.len().saturating_sub(1))
    }

    /// Makes the lines for so many columns.
    fn lay_out(&mut self, columns: usize, zone: &Zone, tabs: &[Tab]) {
        self.columns = columns;
        self.lines = self.page.as_ref().map(|page| lines(page, columns, zone, tabs)).unwrap_or_default();
    }

    /// Scrolls so that the chosen message is among so many rows.
    fn reveal(&mut self, rows: usize) {
        let index = self.index();
        let of = |timeline_line: &TimelineLine| matches!(timeline_line, TimelineLine::Text { item, .. } if *item == index);
        let start = self.lines.iter().position(of).unwrap_or(0);
        let end = self.lines.iter().rposition(of).map_or(0, |rposition| rposition + 1);
        // The day above the first message is seen with it.
        let start = if index == 0 { 0 } else { start };
        self.first = self.first.max(end.saturating_sub(rows)).min(start);
        self.first = self.first.min(self.lines.len().saturating_sub(rows));
    }
}

/// The lines of a page, oldest first.
fn lines(page: &PersonPage, columns: usize, zone: &Zone, tabs: &[Tab]) -> Vec<TimelineLine> {
    let mut lines: Vec<TimelineLine> = head(page, tabs).into_iter().map(TimelineLine::Note).collect();
    let width = columns.saturating_sub(BEFORE).max(10);
    let mut day = None;
    for (item, message) in page.messages.iter().enumerate() {
        let number = message.at.day_number(zone);
        if day.replace(number) != Some(number) {
            lines.push(TimelineLine::Day(message.at.day_name(zone)));
        }
        let label = crate::screens::history::lines::media_label(&message.row);
        let text = match (message.row.message.content.as_str().trim(), label) {
            ("", Some(label)) => label,
            (text, Some(label)) => format!("{text} {label}"),
            (text, None) => text.to_owned(),
        };
        let parts = wrap::wrap(&text, width);
        let more = parts.len() > LINES;
        for (at, part) in parts.into_iter().take(LINES).enumerate() {
            let mut words = text[part].trim_end().to_owned();
            if more && at + 1 == LINES {
                words = wrap::cut(&format!("{words} …"), width);
            }
            lines.push(TimelineLine::Text { item, first: at == 0, words });
        }
    }
    lines
}

/// What is said above the oldest message.
fn head(page: &PersonPage, tabs: &[Tab]) -> Vec<String> {
    if page.more_stored {
        return vec!["older messages load as you go up".to_owned()];
    }
    let missing = page.conversations.iter().filter(|conversation| conversation.more_on_server);
    let mut names: Vec<String> =
        missing.map(|person_conversation| name_of(tabs, &person_conversation.row.key())).collect();
    names.dedup();
    if !names.is_empty() {
        return vec![format!("older messages may be on the server: {}", names.join(", "))];
    }
    vec![match page.messages.is_empty() {
        true => "no messages yet".to_owned(),
        false => "start of all conversations".to_owned(),
    }]
}

/// What the tab of a conversation is called.
fn name_of(tabs: &[Tab], key: &ConversationKey) -> String {
    let tab = tabs.iter().find(|tab| tab.channel.id == key.channel);
    tab.map_or_else(|| key.channel.to_string(), |tab| tab.channel.name.clone())
}
