//! Saved views: a filter and an order under a name and a key. Some come with
//! the program, people write further ones into the configuration.

use crate::Inbox;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use model::filter::{self, ConversationFilter, FilterSubject, Is, Sort};

/// A saved view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    /// Its name in the menu.
    pub name: String,
    /// Its name in the list's title.
    pub label: String,
    /// The filter as written.
    pub text: String,
    /// The filter as read.
    pub filter: ConversationFilter,
    /// The order it begins with.
    pub sort: Sort,
    /// The key that chooses it in the menu.
    pub key: Option<char>,
}

/// Keys of the menu itself.
pub const TAKEN: &[char] = &['j', 'k', 'q'];

/// The views that come with the program, under 1 to 9.
const SHIPPED: &[(&str, &str, &str, Sort)] = &[
    ("Needs me", "needs me", "is:needed -is:snoozed", Sort::Urgency),
    ("AI failing", "AI failing", "is:failing", Sort::Activity),
    ("Window < 2 h", "window < 2 h", "status:open window:<2h", Sort::Window),
    ("Snoozed", "snoozed", "is:snoozed", Sort::Activity),
    ("Paused by me", "paused by me", "is:paused", Sort::Waiting),
    ("Failed sends", "failed sends", "has:failed", Sort::Activity),
    ("Drafts", "drafts", "has:draft", Sort::Activity),
    ("All open", "open", "status:open -is:snoozed", Sort::Activity),
    ("Closed", "closed", "status:closed", Sort::Activity),
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

/// The views that come with the program.
pub fn shipped() -> Vec<SavedView> {
    let view = |((name, label, text, sort), key): (&(&str, &str, &str, Sort), char)| SavedView {
        label: (*label).to_owned(),
        ..SavedView::new(name, text, *sort, Some(key))
    };
    SHIPPED.iter().zip('1'..='9').map(view).collect()
}

impl Inbox {
    /// Opens the menu at the view of the list on screen.
    pub(crate) fn choose_view(&mut self) {
        let current = &self.list().view;
        let chosen = self.views.iter().position(|it| it == current).unwrap_or(0);
        self.counted = None;
        let filters = self.views.iter().map(|it| it.filter.clone()).collect();
        let of = (!self.everywhere).then(|| self.tab().channel.id.clone());
        self.context.push(Effect::Load(Load::ViewCounts(of, filters, self.context.now)));
        self.open_layer(Layer::Views { chosen });
    }

    /// A key in the menu of views.
    pub(crate) fn views_key(&mut self, chosen: usize, key: KeyPress) {
        let last = self.views.len().saturating_sub(1);
        let by_key = key.typed().and_then(|it| self.views.iter().position(|view| view.key == Some(it)));
        let moved = match (key.code, by_key) {
            (KeyCode::Enter, _) => return self.show_view(chosen),
            (_, Some(index)) => return self.show_view(index),
            (KeyCode::Esc | KeyCode::Char('q'), _) => return,
            (KeyCode::Down | KeyCode::Char('j'), _) => (chosen + 1).min(last),
            (KeyCode::Up | KeyCode::Char('k'), _) => chosen.saturating_sub(1),
            _ => chosen,
        };
        self.layers.push(Layer::Views { chosen: moved });
    }

    /// Until a person chooses another view, a tab shows who needs one; mail and
    /// phone, where nobody is taken over from an AI, show all that goes on.
    pub(crate) fn choose_first_views(&mut self) {
        let first = self.context.settings.first_view.clone();
        for tab in self.tabs.iter_mut().filter(|it| !it.has_first_view) {
            let Some(account) = &tab.account else { continue };
            tab.has_first_view = true;
            if tab.list.view == first && !account.platform.is_chat() {
                tab.list.set_view(SavedView::all_open());
            }
        }
    }

    /// Shows a view in the list on screen, without what was typed before.
    pub(crate) fn show_view(&mut self, index: usize) {
        let Some(view) = self.views.get(index).cloned() else { return };
        self.bring_list();
        self.list_mut().set_view(view);
    }

    /// Shows what was put aside.
    pub(crate) fn show_snoozed(&mut self) {
        let snoozed = ConversationFilter::one(FilterSubject::Is(Is::Snoozed));
        if let Some(index) = self.views.iter().position(|it| it.filter == snoozed) {
            self.show_view(index);
        }
    }

    /// Shows the list's rows in another order.
    pub(crate) fn sort(&mut self, sort: Sort) {
        self.bring_list();
        self.list_mut().set_sort(sort);
        self.say(match sort {
            Sort::Activity => "newest activity first",
            Sort::Waiting => "who has waited longest first",
            Sort::Urgency => "who needs you most first",
            Sort::Window => "the window that closes next first, by estimate",
            Sort::Name => "by name",
            Sort::Category => "by category",
            Sort::Priority => "the most urgent first",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_view_reads_and_has_a_digit() {
        let views = shipped();
        assert_eq!(views.len(), 9);
        for view in &views {
            assert_eq!(filter::parse(&view.text).mistakes, vec![], "{}", view.name);
        }
        assert_eq!(SavedView::all_open().name, "All open");
        assert_eq!(SavedView::needs_me().name, "Needs me");
        assert_eq!(views[8].key, Some('9'));
    }
}
