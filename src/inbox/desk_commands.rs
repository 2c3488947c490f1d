//! Commands of the desk itself: pages, tabs, panes, and search.

use crate::Inbox;
use crate::actions;
use crate::command::{Reason, find_by_prefix};
use crate::display;
use crate::event::{Effect, Load, TerminalOrder};
use crate::keys::KeyPress;
use crate::notice::update as notice;
use crate::outside::OutsideRequest;
use crate::overlays::line;
use crate::overlays::palette;
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::broadcasts::commands as broadcasts;
use crate::screens::people::commands as people;
use crate::screens::proposals::commands as proposals;
use crate::screens::reviews::commands as reviews;
use crate::scrolling;
use crate::scrolling::ScrollCommand;
use crate::settings::Footer;
use model::selector::Selector;

pub(crate) fn go_to_inbox(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Inbox);
}

pub(crate) fn go_to_outbox(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Outbox);
}

pub(crate) fn go_to_drafts(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Drafts);
}

pub(crate) fn show_proposals(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Proposals);
}

pub(crate) fn show_reviews(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Reviews);
}

pub(crate) fn go_to_templates(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Templates);
}

pub(crate) fn go_to_events(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Events);
}

pub(crate) fn go_to_webhooks(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Webhooks);
}

pub(crate) fn go_to_account(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Account);
}

pub(crate) fn go_to_people(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::People);
}

pub(crate) fn go_to_broadcasts(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Broadcasts);
}

pub(crate) fn go_to_wall(inbox: &mut Inbox, _: KeyPress) {
    inbox.overview.open(&mut inbox.desk);
}

pub(crate) fn next_tab(inbox: &mut Inbox, _: KeyPress) {
    inbox.keyboard.go_to_tab((inbox.desk.active + 1) % inbox.desk.tabs.len(), &mut inbox.desk);
}

pub(crate) fn previous_tab(inbox: &mut Inbox, _: KeyPress) {
    inbox
        .keyboard
        .go_to_tab((inbox.desk.active + inbox.desk.tabs.len() - 1) % inbox.desk.tabs.len(), &mut inbox.desk);
}

pub(crate) fn go_to_all(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.go_to_all_tabs(&mut inbox.context);
}

pub(crate) fn go_to_tab(inbox: &mut Inbox, key: KeyPress) {
    inbox.keyboard.go_to_numbered_tab(key, &mut inbox.desk, &mut inbox.context);
}

pub(crate) fn row_down(inbox: &mut Inbox, _: KeyPress) {
    pages::move_row_selection(inbox, 1);
}

pub(crate) fn row_up(inbox: &mut Inbox, _: KeyPress) {
    pages::move_row_selection(inbox, -1);
}

pub(crate) fn may_go_to_row(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.page {
        PageKind::Outbox if inbox.outbox.rows.chosen().is_none() => Err("the outbox is empty".into()),
        PageKind::Drafts if inbox.outbox.drafts.chosen().is_none() => Err("there are no drafts".into()),
        PageKind::Proposals => proposals::is_chosen(inbox),
        PageKind::Reviews => reviews::is_chosen(inbox),
        PageKind::People => people::may_go_to(inbox),
        PageKind::Broadcasts => broadcasts::is_chosen(inbox),
        PageKind::Inbox
        | PageKind::Outbox
        | PageKind::Drafts
        | PageKind::Events
        | PageKind::Webhooks
        | PageKind::Templates
        | PageKind::Account
        | PageKind::Wall => Ok(()),
    }
}

pub(crate) fn go_to_row(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_row(inbox);
}

pub(crate) fn may_search_rows(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.page == PageKind::People {
        true => people::has_people(inbox),
        false => Ok(()),
    }
}

pub(crate) fn search_rows(inbox: &mut Inbox, _: KeyPress) {
    line::open_row_search(inbox);
}

pub(crate) fn may_show_all_tabs(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.page {
        PageKind::Outbox
        | PageKind::Drafts
        | PageKind::Proposals
        | PageKind::Reviews
        | PageKind::Broadcasts => Ok(()),
        _ => Err("this page shows one channel; {next-tab} next channel".into()),
    }
}

pub(crate) fn all_tabs(inbox: &mut Inbox, _: KeyPress) {
    pages::toggle_all_tabs(inbox);
}

pub(crate) fn leave_rows(inbox: &mut Inbox, _: KeyPress) {
    pages::go_to_page(inbox, PageKind::Inbox);
}

pub(crate) fn half_down(inbox: &mut Inbox, _: KeyPress) {
    scrolling::scroll(inbox, ScrollCommand::HalfDown);
}

pub(crate) fn half_up(inbox: &mut Inbox, _: KeyPress) {
    scrolling::scroll(inbox, ScrollCommand::HalfUp);
}

pub(crate) fn page_down(inbox: &mut Inbox, _: KeyPress) {
    scrolling::scroll(inbox, ScrollCommand::PageDown);
}

pub(crate) fn page_up(inbox: &mut Inbox, _: KeyPress) {
    scrolling::scroll(inbox, ScrollCommand::PageUp);
}

pub(crate) fn top(inbox: &mut Inbox, _: KeyPress) {
    scrolling::scroll(inbox, ScrollCommand::Top);
}

pub(crate) fn bottom(inbox: &mut Inbox, _: KeyPress) {
    scrolling::scroll(inbox, ScrollCommand::Bottom);
}

pub(crate) fn next_pane(inbox: &mut Inbox, _: KeyPress) {
    actions::focus_adjacent_pane(&mut inbox.desk, 1, &mut inbox.context);
}

pub(crate) fn previous_pane(inbox: &mut Inbox, _: KeyPress) {
    actions::focus_adjacent_pane(&mut inbox.desk, -1, &mut inbox.context);
}

pub(crate) fn zoom(inbox: &mut Inbox, _: KeyPress) {
    display::zoom(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn narrower(inbox: &mut Inbox, _: KeyPress) {
    display::move_divider(&mut inbox.desk, false, &mut inbox.context);
}

pub(crate) fn wider(inbox: &mut Inbox, _: KeyPress) {
    display::move_divider(&mut inbox.desk, true, &mut inbox.context);
}

pub(crate) fn mouse(inbox: &mut Inbox, _: KeyPress) {
    display::toggle_mouse(&mut inbox.desk, &mut inbox.context);
}

/// The footer setting is also stored in the configuration.
pub(crate) fn footer(inbox: &mut Inbox, _: KeyPress) {
    let footer = inbox.context.settings.footer.next();
    inbox.context.settings.footer = footer;
    let said = match footer {
        Footer::Keys => "The last line shows five keys",
        Footer::Three => "The last line shows three keys",
        Footer::Off => "The last line shows no keys; {footer} shows them again",
    };
    inbox.context.show_notice(inbox.context.fill_in_keys(said));
    inbox.context.push(Effect::Request(OutsideRequest::SaveFooter(footer)));
}

pub(crate) fn search_all(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.search.open_search("", &inbox.desk, &mut inbox.context);
}

pub(crate) fn open_palette(inbox: &mut Inbox, _: KeyPress) {
    palette::open_palette(inbox);
}

pub(crate) fn show_actions(inbox: &mut Inbox, _: KeyPress) {
    palette::open_actions(inbox);
}

pub(crate) fn command_line(inbox: &mut Inbox, _: KeyPress) {
    line::open_command_line(&mut inbox.context, "");
}

pub(crate) fn show_calls(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.request_log.show_requests(&mut inbox.context);
}

pub(crate) fn copy_curl(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.request_log.copy_newest_request(&mut inbox.context);
}

pub(crate) fn help(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.open(crate::overlays::help::Help::default());
}

pub(crate) fn refresh(inbox: &mut Inbox, _: KeyPress) {
    notice::request_refresh(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn redraw(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.push(TerminalOrder::Redraw);
}

pub(crate) fn suspend(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.push(TerminalOrder::Suspend);
}

/// Quits once the counts of open work are read anew.
pub(crate) fn quit(inbox: &mut Inbox, _: KeyPress) {
    let channels = inbox.desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect();
    inbox.context.push(Effect::Load(Load::OpenWork(channels)));
}

pub(crate) fn interrupt(inbox: &mut Inbox, _: KeyPress) {
    actions::interrupt(inbox);
}

pub(crate) fn tab_name_completions(inbox: &Inbox) -> Vec<String> {
    inbox.desk.tabs.iter().map(|tab| tab.channel.name.clone()).chain(["All".to_owned()]).collect()
}

pub(crate) fn show_tab(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    let number = name.parse().ok().filter(|number| (1..=inbox.desk.tabs.len()).contains(number));
    let index = match number {
        Some(number) => number - 1,
        None => find_by_prefix("tab", name, &tab_name_completions(inbox))?,
    };
    if index == inbox.desk.tabs.len() {
        inbox.desk.go_to_all_tabs(&mut inbox.context)
    } else {
        inbox.keyboard.go_to_tab(index, &mut inbox.desk)
    }
    Ok(())
}

pub(crate) fn open_by_selector(inbox: &mut Inbox, who: &str) -> Result<(), String> {
    inbox.context.push(Effect::Load(Load::Lookup(Selector::from_command_line(who))));
    Ok(())
}

pub(crate) fn search_for(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    inbox.features.search.open_search(words, &inbox.desk, &mut inbox.context);
    Ok(())
}
