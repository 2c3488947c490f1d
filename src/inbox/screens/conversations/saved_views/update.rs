use crate::Inbox;
use crate::components::list::selection_after_key;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::conversations::saved_views::ViewMenu;
use crate::screens::mail::update as mail;
use crate::tab::Tab;
use model::email::{MailQuery, ThreadFilter};
use model::filter::{ConversationFilter, FilterSubject, IsFilter, Sort};

impl Overlay for ViewMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let by_key = key
            .typed()
            .and_then(|character| inbox.desk.views.iter().position(|view| view.key == Some(character)));
        match (key.code, by_key) {
            (KeyCode::Enter, _) => show_view(&mut inbox.desk, self.chosen, &mut inbox.context),
            (_, Some(index)) => show_view(&mut inbox.desk, index, &mut inbox.context),
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

pub(crate) fn open_view_menu(desk: &mut Desk, context: &mut Context) {
    let no_mail = |tab: &Tab| tab.account.is_some() && !tab.is_mail();
    if desk.tabs.iter().all(no_mail) {
        desk.views.retain(|view| !view.shows_folder());
    }
    let current = &desk.list().view;
    let chosen = desk.views.iter().position(|view| view == current).unwrap_or(0);
    desk.view_counts = None;
    let filters = desk.views.iter().map(|view| view.filter.clone()).collect();
    let of = (!desk.shows_all_tabs).then(|| desk.tab().channel.id.clone());
    context.push(Effect::Load(Load::ViewCounts(of, filters, context.now)));
    context.open(ViewMenu { chosen });
}

/// Shows a view in the current list and drops the typed filter.
pub(crate) fn show_view(desk: &mut Desk, index: usize, context: &mut Context) {
    let Some(view) = desk.views.get(index).cloned() else { return };
    desk.go_to_list(context);
    let folder = ThreadFilter::from_filter_line(&view.text);
    desk.list_mut().set_view(view);
    if folder.folder.is_some() && desk.tab().is_mail() && !desk.shows_all_tabs {
        mail::fetch_mail(desk, MailQuery::Threads(folder), context);
    }
}

pub(crate) fn show_snoozed(desk: &mut Desk, context: &mut Context) {
    let snoozed = ConversationFilter::of_subject(FilterSubject::Is(IsFilter::Snoozed));
    if let Some(index) = desk.views.iter().position(|view| view.filter == snoozed) {
        show_view(desk, index, context);
    }
}

pub(crate) fn set_sort(desk: &mut Desk, sort: Sort, context: &mut Context) {
    desk.go_to_list(context);
    desk.list_mut().set_sort(sort);
    context.show_notice(match sort {
        Sort::Activity => "newest activity first",
        Sort::Queue => "by section",
        Sort::Waiting => "longest wait first",
        Sort::Urgency => "most urgent first",
        Sort::Window => "reply window that closes next first (estimate)",
        Sort::Name => "by name",
        Sort::Category => "by category",
        Sort::Priority => "highest priority first",
    });
}
