//! The conversation list: two lines a row, from the current window.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::loads::Pane;
use crate::overlays::line::LinePrompt;
use crate::screens::conversations::ConversationList;
use crate::screens::conversations::draft_only::view as draft_view;
use crate::screens::conversations::promises;
use crate::screens::history::view::paused_by;
use crate::screens::mail;
use crate::tab::Focus;
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::conversations::{Automation, ConversationRow, ConversationStatus, ServiceWindow};
use model::filter;
use model::news::Health;
use model::queries::TabCounts;
use model::service_window::window_label;
use model::targets::TargetState;
use model::time::{Timestamp, short_span};

/// Columns below which a list's title says less.
const NARROW: u16 = 50;
/// Columns of a tab's name before a row of the list over all tabs.
const TAB_NAME: usize = 12;

/// Draws the list with its frame.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (tab, list) = (inbox.desk.tab(), inbox.desk.list());
    let typing = inbox.context.layers.top::<LinePrompt>().is_some();
    let focused = tab.focus == Focus::List && (inbox.context.layers.is_empty() || typing);
    let title = title(inbox);
    let typed = typed(list, theme);
    let marked = match list.marks.len() {
        0 => String::new(),
        marked => format!("{marked} marked · "),
    };
    let up = above(inbox, list, focused, area.width);
    let has_room = up.is_empty() && list.typed.is_empty();
    let count = format!("{}{}", aside(inbox, has_room), count(list));
    let typed = typed.iter().map(|(words, style)| (words.as_str(), *style));
    let left: Vec<paint_view::Run<'_>> =
        [(title.as_str(), theme.strong())].into_iter().chain(typed).collect();
    let titles = (
        left,
        [
            (up.as_str(), theme.needs_a_person()),
            (marked.as_str(), theme.strong()),
            (count.as_str(), Style::new()),
        ],
    );
    let line = match inbox.desk.everywhere {
        true => ((theme.border_set(), theme.joints()), theme.border(focused)),
        false => tabs_view::line(inbox.desk.tab(), theme, focused),
    };
    paint_view::frame_of(buffer, area, line, Sides::All, (&titles.0, &titles.1));
    let inner = area.inner();
    if list.page.rows.is_empty() {
        paint_view::paragraph(buffer, padded(inner), &empty_words(inbox), theme.quiet());
        return;
    }
    let rows = list.page.rows.iter().skip(list.first).take(usize::from(inner.height / 2).max(1));
    for (index, row) in rows.enumerate() {
        let y = inner.y + u16::try_from(index * 2).unwrap_or(0);
        let place = Area { y, height: 2.min(inner.y + inner.height - y), ..inner };
        let selected = list.selected.as_ref().is_some_and(|it| row.is(it));
        draw_row(inbox, theme, row, place, buffer);
        if selected {
            paint_view::stripe(buffer, place, if focused { theme.selected() } else { theme.strong() });
            paint_view::text(buffer, place.x, y, 1, theme.mark(), theme.strong());
            paint_view::text(buffer, place.x, y + 1, 1, theme.mark(), theme.strong());
        }
    }
}

/// What stands above the screen or came to stand above the cursor, and the key
/// that goes there.
fn above(inbox: &Inbox, list: &ConversationList, focused: bool, width: u16) -> String {
    let (new, need) = list.arrived();
    if new == 0 {
        return if list.more_above() { "↑ more  ".to_owned() } else { String::new() };
    }
    let key = if focused { format!(" · {}", inbox.context.key_of(Command::Top)) } else { String::new() };
    let verb = if need == 1 { "needs" } else { "need" };
    match need {
        0 => format!("↑ {new} new{key}  "),
        _ if width < NARROW => format!("↑ {new} new, {need} for you{key}  "),
        _ => format!("↑ {new} new, {need} {verb} you{key}  "),
    }
}

fn padded(area: Area) -> Area {
    Area { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}

/// How many were put aside or are nothing but a broadcast, where they are not
/// what is shown; the second only where nothing more urgent needs the room.
fn aside(inbox: &Inbox, has_room: bool) -> String {
    let list = inbox.desk.list();
    let snoozed = count_of(inbox, |it| it.snoozed);
    let broadcast_only = count_of(inbox, |it| it.broadcast_only);
    let mut words = String::new();
    if has_room && broadcast_only > 0 && list.leaves_out_broadcasts() {
        words.push_str(&format!("{broadcast_only} broadcast only · "));
    }
    if snoozed > 0 && !list.is_showing_snoozed() {
        words.push_str(&format!("{snoozed} snoozed · "));
    }
    words
}

/// A count of the tab on screen, or of all where all are shown.
fn count_of(inbox: &Inbox, count: fn(&TabCounts) -> u32) -> u32 {
    match inbox.desk.everywhere {
        true => inbox.desk.tabs.iter().map(|it| count(&it.counts)).sum(),
        false => count(&inbox.desk.tab().counts),
    }
}

/// How many there are, as far as is known.
fn count(list: &ConversationList) -> String {
    let rows = list.page.rows.len();
    match list.page.total {
        Some(total) => total.to_string(),
        None if list.page.reaches_bottom && list.page.reaches_top => rows.to_string(),
        None => format!("{rows}+"),
    }
}

/// What an empty list says: why, and what to do.
fn empty_words(inbox: &Inbox) -> String {
    let (tab, list) = (inbox.desk.tab(), inbox.desk.list());
    if inbox.desk.everywhere || !list.typed.is_empty() {
        return if list.loaded { nothing_found(inbox, list) } else { loading_view::words(inbox, Pane::List) };
    }
    match &tab.health {
        _ if list.resource.has_failed() => loading_view::words(inbox, Pane::List),
        Health::Refused { code, why } => {
            format!(
                "The key of this tab is not taken: {code}. {why}\n\nDrafts and the outbox are kept. Put a valid key \
                 into the configuration and start again."
            )
        }
        Health::Misconfigured { why } => format!("This tab cannot work as configured: {why}"),
        Health::Offline { why, .. } => {
            format!(
                "The server cannot be reached: {why}\n\nAsking again by itself; nothing is lost meanwhile."
            )
        }
        Health::Trouble { why, .. } => {
            format!("The server answers, but not as it should: {why}\n\nAsking again by itself.")
        }
        _ if tab.note.is_some() => tab.note.as_ref().map_or_else(String::new, |it| it.why().to_string()),
        Health::Connecting => "Asking the server…".to_owned(),
        _ if !list.loaded => loading_view::words(inbox, Pane::List),
        _ => nothing_found(inbox, list),
    }
}

/// Why nothing is found, and where the others are.
fn nothing_found(inbox: &Inbox, list: &ConversationList) -> String {
    let label = &list.view.label;
    if !list.typed.is_empty() {
        let words = "is found by this filter. {filter-list} changes it, {choose-view} shows other views.";
        return format!("Nothing in \"{label}\" {}", inbox.context.keyed(words));
    }
    match list.view.name.as_str() {
        "All open" => {
            let closed = inbox.desk.views.iter().find(|it| it.name == "Closed").and_then(|it| it.key);
            let closed = closed.map_or_else(String::new, |it| format!(" {it}"));
            let words = "No open conversations. They appear here when customers write; {choose-view}";
            let words = format!("{}{closed} shows closed ones.", inbox.context.keyed(words));
            match count_of(inbox, |it| it.broadcast_only) {
                0 => words,
                many => {
                    let finds = inbox.context.keyed("{filter-list} is:broadcast");
                    format!("{words}\n\n{many} got nothing but a broadcast so far: {finds} shows them.")
                }
            }
        }
        "Snoozed" => inbox.context.keyed(
            "Nothing is snoozed. {snooze} puts a conversation aside; {choose-view} shows other views.",
        ),
        "Needs me" => {
            let all = inbox.desk.views.iter().find(|it| it.name == "All open").and_then(|it| it.key);
            let all = all.map_or_else(String::new, |it| format!(" {it}"));
            let words =
                inbox.context.keyed("No one needs you now. They appear here when they do; {choose-view}");
            format!("{words}{all} shows all open conversations.")
        }
        _ => format!(
            "No conversations in \"{label}\". {}",
            inbox.context.keyed("{choose-view} shows other views.")
        ),
    }
}

/// What the list shows.
fn title(inbox: &Inbox) -> String {
    let list = inbox.desk.list();
    let place = if inbox.desk.everywhere { "All tabs" } else { "Inbox" };
    let order = if list.sort == list.view.sort { String::new() } else { format!(" by {}", list.sort.word()) };
    format!("{place} · {}{order}", list.view.label)
}

/// What was typed to narrow the list; what of it is not known does not, and
/// says so.
fn typed(list: &ConversationList, theme: Theme) -> Vec<(String, Style)> {
    let typed = &list.typed;
    if typed.is_empty() {
        return Vec::new();
    }
    let mistakes = filter::parse(typed).mistakes;
    let mut runs = vec![(" /".to_owned(), theme.strong())];
    let mut at = 0;
    for mistake in &mistakes {
        runs.push((typed[at..mistake.at.start].to_owned(), theme.strong()));
        runs.push((format!("!{}", &typed[mistake.at.clone()]), theme.error()));
        at = mistake.at.end;
    }
    runs.push((typed[at..].to_owned(), theme.strong()));
    let told = match mistakes.len() {
        0 => "",
        1 => " is not known",
        _ => " are not known",
    };
    // The words stand behind the wrong word where that is the last.
    runs.push((told.to_owned(), theme.error()));
    runs
}

fn draw_row(inbox: &Inbox, theme: Theme, row: &ConversationRow, area: Area, buffer: &mut Buffer) {
    if let Some(thread) = &row.thread {
        return mail::view::row(inbox, theme, row, thread, area, buffer);
    }
    let conversation = &row.conversation;
    let unread = row.unread > 0;
    let mark = if unread { theme.mark() } else { " " };
    for y in area.y..area.y + area.height {
        paint_view::text(buffer, area.x, y, 1, mark, theme.strong());
    }
    let (mut left, mut width) = (area.x + 1, area.width.saturating_sub(2));
    if !inbox.desk.list().marks.is_empty() {
        // A column of its own, while anything is marked.
        let marked = inbox.desk.list().marks.contains(&row.key());
        paint_view::text(buffer, left, area.y, 1, if marked { theme.chosen() } else { " " }, theme.strong());
        (left, width) = (left + 2, width.saturating_sub(2));
    }
    let [(why, why_style), (span, span_style)] = age(inbox, theme, row);
    let aged = paint_view::runs_right(buffer, left, area.y, width, &[(&why, why_style), (&span, span_style)]);
    let title_style = if unread { theme.strong() } else { Style::new() };
    let title = conversation.title();
    let count = if unread { format!(" ({})", row.unread) } else { String::new() };
    let room = width.saturating_sub(aged + 1);
    let title_room = room.saturating_sub(u16::try_from(count.len()).unwrap_or(0));
    let mut used = paint_view::text(buffer, left, area.y, title_room, title.as_str(), title_style);
    used += paint_view::text(buffer, left + used, area.y, room - used, &count, theme.strong());
    paint_view::text(buffer, left + used, area.y, room - used, &labels(inbox, row), theme.quiet());
    if area.height < 2 {
        return;
    }
    let (ai, ai_style) = ai(inbox, theme, row, area.width);
    let window = window(inbox, row);
    let window = if window.is_empty() { window } else { format!(" {window:>6}") };
    let state = paint_view::runs_right(
        buffer,
        left,
        area.y + 1,
        width,
        &[(&ai, ai_style), (&window, window_style(theme, row, &window))],
    );
    let trouble = row.trouble_words(inbox.context.shown_at());
    let troubled = trouble.is_some();
    let preview = trouble.unwrap_or_else(|| preview(row));
    let room = width.saturating_sub(state + 2);
    let style = match (troubled, unread) {
        // Its age says in colour that it needs a person.
        (true, _) | (_, true) => Style::new(),
        (false, false) => theme.quiet(),
    };
    let tag = tab_name(inbox, row);
    paint_view::runs(buffer, left + 1, area.y + 1, room, &[(&tag, theme.strong()), (&preview, style)]);
}

/// In the list over all tabs, the name of the row's tab.
pub(crate) fn tab_name(inbox: &Inbox, row: &ConversationRow) -> String {
    let tab = inbox.desk.tabs.iter().find(|it| inbox.desk.everywhere && it.channel.id == row.channel);
    tab.map_or_else(String::new, |it| format!("{} · ", wrap::cut(&it.channel.name, TAB_NAME)))
}

/// Who has claimed it, what was promised, its tags, and a thread's draft.
pub(crate) fn labels(inbox: &Inbox, row: &ConversationRow) -> String {
    let claim = row.local.claim.iter().map(|it| format!(" @{}", it.agent));
    let promised = promises::label(row, inbox.context.shown_at(), &inbox.context.settings.zone);
    // A thread has no line for the AI's state.
    let drafts = row.thread.iter().filter_map(|_| draft_view::words(row)).map(|it| format!(" {it}"));
    let tags = row.local.tags.iter().map(|it| format!(" #{}", it.word));
    claim.chain([promised]).chain(tags).chain(drafts).collect()
}

/// Why the row needs a person, and for how long; else how old the newest
/// message is. Only the word has a colour.
pub(crate) fn age(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> [(String, Style); 2] {
    let now = inbox.context.shown_at();
    let since = |word: &str, style, at: Option<Timestamp>| {
        let span = at.map_or_else(String::new, |it| format!(" {}", short_span(now.since(it))));
        [(word.to_owned(), style), (span, Style::new())]
    };
    let plain = |words: String| [(words, theme.quiet()), (String::new(), Style::new())];
    if row.local.is_asleep()
        && let Some(snooze) = &row.local.snooze
        && row.stuck == 0
    {
        return plain(snooze.words(now, &inbox.context.settings.zone));
    }
    if row.stuck > 0 {
        return since("needs you", theme.error(), None);
    }
    if let Some(silent) = row.unanswered_since(now) {
        return since("AI silent", theme.error(), Some(silent));
    }
    if let Some(late) = row.local.promise.as_ref().filter(|it| it.is_late(now)) {
        return since("promise late", theme.error(), Some(late.due));
    }
    let open = row.conversation.status != ConversationStatus::Closed;
    if row.is_failing() {
        return since("AI failing", theme.error(), row.waiting_since.or(row.conversation.last_message_at));
    }
    let left = |word: String, style| [(word, style), (String::new(), Style::new())];
    match row.target_state(now, inbox.context.settings.targets_of(&row.channel)) {
        Some(TargetState::Left(span)) => {
            return left(format!("{} left", short_span(span)), theme.needs_a_person());
        }
        Some(TargetState::Near(span)) => return left(format!("{} left!", short_span(span)), theme.error()),
        Some(TargetState::Missed(span)) => return left(format!("late {}", short_span(span)), theme.error()),
        None => (),
    }
    match (row.waiting_since.filter(|_| open), row.conversation.last_message_at) {
        (Some(at), _) => since("waits", theme.needs_a_person(), Some(at)),
        (None, Some(at)) => plain(short_span(now.since(at))),
        (None, None) => plain(String::new()),
    }
}

/// The AI's state, and what is on its way.
fn ai(inbox: &Inbox, theme: Theme, row: &ConversationRow, width: u16) -> (String, Style) {
    if row.close_pending {
        return ("closing".to_owned(), theme.under_way());
    }
    if row.conversation.status == ConversationStatus::Closed {
        return ("closed".to_owned(), theme.quiet());
    }
    match (row.automation_pending, row.conversation.automation) {
        (Some(false), _) => ("AI pausing".to_owned(), theme.under_way()),
        (Some(true), _) => ("AI waking".to_owned(), theme.under_way()),
        (None, Automation::Off | Automation::NotApplicable) if row.local.draft_only.is_some() => {
            draft_view::state(theme, row)
        }
        (None, state @ Automation::On) => (state.label().to_owned(), theme.ai_on()),
        (None, Automation::Off) => {
            let by = paused_by(inbox, row);
            // A narrow list keeps the room for what was said.
            let words = match (width < 60, row.paused_here) {
                (false, _) => format!("AI OFF by {by}"),
                (true, true) => format!("OFF {by}"),
                (true, false) => "OFF elsewhere".to_owned(),
            };
            (words, theme.ai_off(row.paused_here))
        }
        (None, state @ Automation::Unknown) => (state.label().to_owned(), theme.quiet()),
        (None, Automation::NotApplicable) => (String::new(), theme.quiet()),
    }
}

fn window(inbox: &Inbox, row: &ConversationRow) -> String {
    window_label(row.conversation.window, row.last_inbound_at, inbox.context.shown_at())
}

fn window_style(theme: Theme, row: &ConversationRow, label: &str) -> Style {
    let near = label.contains('~') || label.contains('<');
    match row.conversation.window {
        ServiceWindow::Closed => Style::new(),
        _ if near => theme.needs_a_person(),
        _ => theme.quiet(),
    }
}

/// The newest message, or how the draft begins that waits.
fn preview(row: &ConversationRow) -> String {
    let preview = row.conversation.preview.as_str();
    let words = if preview.is_empty() { "[no text]" } else { preview };
    let words = row.draft.as_ref().map_or_else(|| words.to_owned(), |draft| format!("[draft] {draft}"));
    let back = row.local.snooze.as_ref().is_some_and(|it| !it.is_asleep());
    let words = if back { format!("[back] {words}") } else { words };
    wrap::cut(&words, 200)
}
