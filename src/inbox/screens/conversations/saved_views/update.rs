//! Shows, keeps and forgets saved views.

use crate::Inbox;
use crate::components::list::chosen_after;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::conversations::saved_views::{SavedView, ViewMenu};
use crate::tab::Tab;
use model::email::{MailQuery, ThreadFilter};
use model::filter::{ConversationFilter, FilterSubject, IsFilter, Sort};

impl Overlay for ViewMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let by_key = key
            .typed()
            .and_then(|character| inbox.desk.views.iter().position(|view| view.key == Some(character)));
        match (key.code, by_key) {
            (KeyCode::Enter, _) => inbox.desk.show_view(self.chosen, &mut inbox.context),
            (_, Some(index)) => inbox.desk.show_view(index, &mut inbox.context),
            (KeyCode::Esc | KeyCode::Char('q'), _) => (),
            _ => {
                self.chosen =
                    chosen_after(key, self.chosen, inbox.desk.views.len(), 1).unwrap_or(self.chosen);
                return KeyOutcome::Stay;
            }
        }
        KeyOutcome::Done
    }
}

impl Desk {
    /// Opens the menu at the view of the list on screen.
    pub(crate) fn choose_view(&mut self, context: &mut Context) {
        let no_mail = |tab: &Tab| tab.account.is_some() && !tab.is_mail();
        if self.tabs.iter().all(no_mail) {
            self.views.retain(|view| !view.is_of_folder());
        }
        let current = &self.list().view;
        let chosen = self.views.iter().position(|view| view == current).unwrap_or(0);
        self.counted = None;
        let filters = self.views.iter().map(|view| view.filter.clone()).collect();
        let of = (!self.everywhere).then(|| self.tab().channel.id.clone());
        context.push(Effect::Load(Load::ViewCounts(of, filters, context.now)));
        context.open(ViewMenu { chosen });
    }

    /// Until a person chooses another view, a tab shows who needs one; mail and
    /// phone, where nobody is taken over from an AI, show all that goes on.
    pub(crate) fn choose_first_views(&mut self, context: &Context) {
        let first = context.settings.first_view.clone();
        for tab in self.tabs.iter_mut().filter(|tab| !tab.has_first_view) {
            let Some(account) = &tab.account else { continue };
            tab.has_first_view = true;
            if tab.list.view == first && !account.platform.is_chat() {
                tab.list.set_view(SavedView::all_open());
            }
        }
    }

    /// Shows a view in the list on screen, without what was typed before.
    pub(crate) fn show_view(&mut self, index: usize, context: &mut Context) {
        let Some(view) = self.views.get(index).cloned() else { return };
        self.bring_list(context);
        let folder = ThreadFilter::from_filter_line(&view.text);
        self.list_mut().set_view(view);
        if folder.folder.is_some() && self.tab().is_mail() && !self.everywhere {
            self.fetch_mail(MailQuery::Threads(folder), context);
        }
    }

    /// Shows what was put aside.
    pub(crate) fn show_snoozed(&mut self, context: &mut Context) {
        let snoozed = ConversationFilter::of_subject(FilterSubject::Is(IsFilter::Snoozed));
        if let Some(index) = self.views.iter().position(|view| view.filter == snoozed) {
            self.show_view(index, context);
        }
    }

    /// Shows the list's rows in another order.
    pub(crate) fn sort(&mut self, sort: Sort, context: &mut Context) {
        self.bring_list(context);
        self.list_mut().set_sort(sort);
        context.say(match sort {
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
