//! Saved views: a filter and an order with a name and a key. Some are built in, others come from
//! the configuration.

pub(crate) mod update;

use model::email::ThreadFilter;
use model::filter::{self, ConversationFilter, Sort};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    pub name: String,
    pub label: String,
    pub text: String,
    pub filter: ConversationFilter,
    pub sort: Sort,
    pub key: Option<char>,
}

/// Keys the menu itself uses.
pub const RESERVED_KEYS: &[char] = &['j', 'k', 'q'];

/// Built-in views; the first nine have the keys 1 to 9.
const BUILT_IN_VIEWS: &[(&str, &str, &str, Sort)] = &[
    ("Inbox", "inbox", "section:any", Sort::Queue),
    ("All open", "open", "status:open -is:snoozed -is:broadcast", Sort::Activity),
    ("Later", "later", "is:snoozed", Sort::Activity),
    ("Closed", "closed", "status:closed", Sort::Activity),
    ("Sent", "sent", "status:any has:sent", Sort::Activity),
    ("Unread", "unread", "status:open is:unread -is:snoozed", Sort::Activity),
    ("Paused by me", "paused by me", "is:paused", Sort::Waiting),
    ("Failed sends", "failed sends", "has:failed", Sort::Activity),
    ("Drafts", "drafts", "has:draft", Sort::Activity),
    ("Spam", "spam", "status:any folder:spam", Sort::Activity),
    ("Trash", "trash", "status:any folder:trash", Sort::Activity),
];

impl SavedView {
    /// A view from the configuration.
    pub fn new(name: &str, text: &str, sort: Sort, key: Option<char>) -> Self {
        let filter = filter::parse(text).filter;
        Self { name: name.to_owned(), label: name.to_owned(), text: text.to_owned(), filter, sort, key }
    }

    /// Initial view of every tab: mine, those who need a person, and the rest, in sections.
    pub fn inbox() -> Self {
        let first = built_in_views().into_iter().next();
        first.unwrap_or_else(|| Self::new("Inbox", "section:any", Sort::Queue, None))
    }

    pub fn all_open() -> Self {
        built_in_views()
            .into_iter()
            .nth(1)
            .unwrap_or_else(|| Self::new("All open", "status:open", Sort::Activity, None))
    }
}

impl SavedView {
    /// True if it shows a folder, which only mail has.
    pub(crate) fn shows_folder(&self) -> bool {
        ThreadFilter::from_filter_line(&self.text).folder.is_some()
    }
}

pub fn built_in_views() -> Vec<SavedView> {
    let keys = ('1'..='9').map(Some).chain(std::iter::repeat(None));
    let view = |((name, label, text, sort), key): (&(&str, &str, &str, Sort), Option<char>)| SavedView {
        label: (*label).to_owned(),
        ..SavedView::new(name, text, *sort, key)
    };
    BUILT_IN_VIEWS.iter().zip(keys).map(view).collect()
}

#[derive(Debug)]
pub(crate) struct ViewMenu {
    pub(crate) chosen: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_view_reads_and_the_first_have_a_digit() {
        let views = built_in_views();
        assert_eq!(views.len(), 11);
        for view in &views {
            assert_eq!(filter::parse(&view.text).mistakes, vec![], "{}", view.name);
        }
        assert_eq!(SavedView::all_open().name, "All open");
        assert_eq!(SavedView::inbox().name, "Inbox");
        assert_eq!((views[8].key, views[9].key), (Some('9'), None));
        assert!(views[10].shows_folder() && !views[8].shows_folder());
    }
}
