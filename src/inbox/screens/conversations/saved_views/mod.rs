//! Saved views: a filter and an order under a name and a key. Some come with
//! the program, people write further ones into the configuration.

pub(crate) mod update;

use model::email::ThreadFilter;
use model::filter::{self, ConversationFilter, Sort};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    pub name: String,
    pub label: String,
    /// The filter as written.
    pub text: String,
    pub filter: ConversationFilter,
    /// The order it begins with.
    pub sort: Sort,
    /// The key that chooses it in the menu.
    pub key: Option<char>,
}

/// Keys of the menu itself.
pub const TAKEN: &[char] = &['j', 'k', 'q'];

/// The views that come with the program, the first under 1 to 9.
const SHIPPED: &[(&str, &str, &str, Sort)] = &[
    ("Needs me", "needs me", "is:needed -is:snoozed", Sort::Urgency),
    ("AI failing", "AI failing", "is:failing", Sort::Activity),
    ("Window < 2 h", "window < 2 h", "status:open window:<2h", Sort::Window),
    ("Snoozed", "snoozed", "is:snoozed", Sort::Activity),
    ("Paused by me", "paused by me", "is:paused", Sort::Waiting),
    ("Failed sends", "failed sends", "has:failed", Sort::Activity),
    ("Drafts", "drafts", "has:draft", Sort::Activity),
    ("All open", "open", "status:open -is:snoozed -is:broadcast", Sort::Activity),
    ("Closed", "closed", "status:closed", Sort::Activity),
    ("Spam", "spam", "status:any folder:spam", Sort::Activity),
    ("Trash", "trash", "status:any folder:trash", Sort::Activity),
];

impl SavedView {
    /// A view of its own name, as the configuration writes it.
    pub fn new(name: &str, text: &str, sort: Sort, key: Option<char>) -> Self {
        let filter = filter::parse(text).filter;
        Self { name: name.to_owned(), label: name.to_owned(), text: text.to_owned(), filter, sort, key }
    }

    /// What a list shows at first: who needs a person, most urgent first.
    pub fn needs_me() -> Self {
        let first = shipped().into_iter().next();
        first.unwrap_or_else(|| Self::new("Needs me", "is:needed", Sort::Urgency, None))
    }

    /// All that goes on: the first view of mail and phone, where nobody is
    /// taken over from an AI.
    pub fn all_open() -> Self {
        shipped()
            .into_iter()
            .nth(7)
            .unwrap_or_else(|| Self::new("All open", "status:open", Sort::Activity, None))
    }
}

impl SavedView {
    /// Whether it shows a folder, which only mail has.
    pub(crate) fn is_of_folder(&self) -> bool {
        ThreadFilter::from_filter_line(&self.text).folder.is_some()
    }
}

/// The views that come with the program.
pub fn shipped() -> Vec<SavedView> {
    let keys = ('1'..='9').map(Some).chain(std::iter::repeat(None));
    let view = |((name, label, text, sort), key): (&(&str, &str, &str, Sort), Option<char>)| SavedView {
        label: (*label).to_owned(),
        ..SavedView::new(name, text, *sort, key)
    };
    SHIPPED.iter().zip(keys).map(view).collect()
}

/// The menu of saved views.
#[derive(Debug)]
pub(crate) struct ViewMenu {
    pub(crate) chosen: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_view_reads_and_the_first_have_a_digit() {
        let views = shipped();
        assert_eq!(views.len(), 11);
        for view in &views {
            assert_eq!(filter::parse(&view.text).mistakes, vec![], "{}", view.name);
        }
        assert_eq!(SavedView::all_open().name, "All open");
        assert_eq!(SavedView::needs_me().name, "Needs me");
        assert_eq!((views[8].key, views[9].key), (Some('9'), None));
        assert!(views[10].is_of_folder() && !views[8].is_of_folder());
    }
}
