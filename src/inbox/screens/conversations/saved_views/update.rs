use crate::Inbox;
use crate::components::list::selection_after_key;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::conversations::saved_views::ViewMenu;
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
                    selection_after_key(key, self.chosen, inbox.desk.views.len(), 1).unwrap_or(self.chosen);
                return KeyOutcome::Stay;
            }
        }
        KeyOutcome::Done
    }
}

impl Desk {
    pub(crate) fn open_view_menu(&mut self, context: &mut Context) {
        let no_mail = |tab: &Tab| tab.account.is_some() && !tab.is_mail();
        if self.tabs.iter().all(no_mail) {
            self.views.retain(|view| !view.shows_folder());
        }
        let current = &self.list().view;
        let chosen = self.views.iter().position(|view| view == current).unwrap_or(0);
        self.view_counts = None;
        let filters = self.views.iter().map(|view| view.filter.clone()).collect();
        let of = (!self.shows_all_tabs).then(|| self.tab().channel.id.clone());
        context.push(Effect::Load(Load::ViewCounts(of, filters, context.now)));
        context.open(ViewMenu { chosen });
    }

    /// Shows a view in the current list and drops the typed filter.
    pub(crate) fn show_view(&mut self, index: usize, context: &mut Context) {
        let Some(view) = self.views.get(index).cloned() else { return };
        self.go_to_list(context);
        let folder = ThreadFilter::from_filter_line(&view.text);
        self.list_mut().set_view(view);
        if folder.folder.is_some() && self.tab().is_mail() && !self.shows_all_tabs {
            self.fetch_mail(MailQuery::Threads(folder), context);
        }
    }

    pub(crate) fn show_snoozed(&mut self, context: &mut Context) {
        let snoozed = ConversationFilter::of_subject(FilterSubject::Is(IsFilter::Snoozed));
        if let Some(index) = self.views.iter().position(|view| view.filter == snoozed) {
            self.show_view(index, context);
        }
    }

    pub(crate) fn set_sort(&mut self, sort: Sort, context: &mut Context) {
        self.go_to_list(context);
        self.list_mut().set_sort(sort);
        context.show_notice(match sort {
            Sort::Activity => "newest activity first",
            Sort::Queue => "by section",
            Sort::Waiting => "who has waited longest first",
            Sort::Urgency => "who needs you most first",
            Sort::Window => "the window that closes next first, by estimate",
            Sort::Name => "by name",
            Sort::Category => "by category",
            Sort::Priority => "the most urgent first",
        });
    }
}
