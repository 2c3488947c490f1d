//! The people page: the list, and the selected person beside or below it.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::spoken::{SpokenPage, SpokenRow, count_rows};
use crate::layout::Area;
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::pages::update as pages;
use crate::resource::LoadState;
use crate::screens::outbox::view::SEPARATOR;
use crate::screens::people::marks::MarkedPeople;
use crate::screens::people::update as people;
use crate::theme_view::Theme;
use crate::wrap;
use model::contacts::Person;
use model::outbox::{Operation, OutboxRow, RowState};
use model::text::SafeText;
use model::time::{format_ago, format_short_span};
use model::unreadable::{self, UnreadableList};

const PHONE_WIDTH: u16 = 17;
const LABEL_WIDTH: u16 = 10;

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (list, detail) = pages::page_areas(inbox);
    draw_frame(inbox, theme, area, buffer);
    let place = Area { x: list.x + 1, width: list.width.saturating_sub(2), ..list };
    if let Some(words) = empty_text(inbox) {
        paint_view::paragraph(buffer, place, &words, theme.dim());
        return;
    }
    let (rows, people) = (&inbox.people.rows, &inbox.people);
    let chosen = rows.index();
    for (index, person) in
        rows.rows.iter().enumerate().skip(rows.first_visible).take(usize::from(list.height))
    {
        let y = list.y + u16::try_from(index - rows.first_visible).unwrap_or(0);
        let place = Area { y, height: 1, ..list };
        draw_row(inbox, theme, person, place, buffer);
        if people.marked.contains(&person.phone) {
            let mark = if theme.ascii { "*" } else { "●" };
            paint_view::text(buffer, place.x + 1, y, 1, mark, theme.strong());
        }
        if chosen == Some(index) {
            paint_view::stripe(buffer, place, theme.selected());
            paint_view::text(buffer, place.x, y, 1, theme.selection_mark(), theme.strong());
        }
    }
    if let (Some(area), Some(person)) = (detail, rows.chosen()) {
        draw_divider(theme, list, area, buffer);
        draw_details(inbox, theme, person, area, buffer);
    }
}

/// Returns the text of the page for plain mode.
pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let people = &inbox.people;
    let FrameTitles { title, search, marked, asking, count } = frame_titles(inbox);
    let count = if count.is_empty() { count } else { count_rows(&count) };
    let trim = |text: &str| text.trim_end_matches(SEPARATOR).to_owned();
    let page = SpokenPage::new([title + &search, trim(&marked), trim(asking), count]);
    let page = page.text(empty_text(inbox).unwrap_or_default());
    let rows = people.rows.rows.iter().filter(|_| people::has_people(&inbox.desk)).map(|person| {
        let change = inbox.outbox.change_of(&person.phone, &inbox.desk);
        let facts = [
            if people.marked.contains(&person.phone) { "marked".to_owned() } else { String::new() },
            person.title().to_string(),
            SafeText::line(&person.phone).to_string(),
            tags_text(person),
            change.map(|row| change_label(row, Theme::PLAIN).0).unwrap_or_default(),
        ];
        SpokenRow::new(facts).with_times(last_age(inbox, person))
    });
    let page = page.rows(rows, people.rows.index());
    let chosen = people.rows.chosen().filter(|_| people::has_people(&inbox.desk));
    let lines = chosen.map(|person| detail_lines(inbox, Theme::PLAIN, person)).unwrap_or_default();
    lines.into_iter().fold(page, |page, (label, words, _)| page.detail(format!("{label} {words}")))
}

/// Texts on the frame, empty or with a separator towards the next.
struct FrameTitles {
    title: String,
    search: String,
    marked: String,
    asking: &'static str,
    count: String,
}

fn frame_titles(inbox: &Inbox) -> FrameTitles {
    let people = &inbox.people;
    let channel = &inbox.desk.tab().channel.id;
    let search = SafeText::line(people.search.trim());
    let title = format!("People · {}", inbox.desk.tab().channel.name);
    let looks = if search.is_empty() { String::new() } else { format!(" · {search}") };
    let more = people.has_more(channel);
    let asks = if people.is_searching(channel) { "asking the server · " } else { "" };
    let count = if people::has_people(&inbox.desk) {
        format!("{}{}", people.total, if more { "+" } else { "" })
    } else {
        String::new()
    };
    let marked = people.marked.describe().map(|text| match (&people.marked, more) {
        // The count beside it covers only the local store.
        (MarkedPeople::All(_), true) => format!("{text}, also on the server · "),
        (MarkedPeople::All(_) | MarkedPeople::Phones(_), _) => format!("{text} · "),
    });
    FrameTitles { title, search: looks, marked: marked.unwrap_or_default(), asking: asks, count }
}

fn draw_frame(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let FrameTitles { title, search, marked, asking, count } = frame_titles(inbox);
    let titles = [(title.as_str(), theme.strong()), (search.as_str(), theme.strong())];
    let right = [(marked.as_str(), theme.strong()), (asking, theme.dim()), (count.as_str(), Style::new())];
    paint_view::frame(buffer, area, theme, inbox.context.overlays.is_empty(), Sides::All, (&titles, &right));
    if loads::pane_state(inbox, Pane::Page) != LoadState::Current {
        return;
    }
    let (words, style) = match inbox.desk.tab().unreadable.get(&UnreadableList::Contacts).map_or(0, Vec::len)
    {
        0 => (" contacts without a phone number are not listed ".to_owned(), theme.dim()),
        count => {
            let open = inbox.context.key_of(Command::ShowUnreadable);
            (format!(" {}: {open} ", unreadable::describe_unreadable(count)), theme.soon())
        }
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 2, y, area.width.saturating_sub(4), &words, style);
}

fn empty_text(inbox: &Inbox) -> Option<String> {
    let people = &inbox.people;
    if !people::has_people(&inbox.desk) {
        let label = inbox.desk.tab().platform().map_or("this channel", model::account::Platform::label);
        return Some(format!("No contacts for {label}. Business chat channels have them."));
    }
    if !people.rows.rows.is_empty() {
        return None;
    }
    let asking = people.is_searching(&inbox.desk.tab().channel.id);
    Some(match (people.rows.loaded, people.search.trim().is_empty(), asking) {
        (false, ..) => loading_view::empty_pane_text(inbox, Pane::Page),
        (_, _, true) => "No match on this desk; asking the server…".to_owned(),
        (_, true, _) => inbox.context.fill_in_keys(
            "No contacts yet. Customers are added when they write; {new-person} adds one, :import FILE adds \
             many.",
        ),
        (_, false, _) => "No match on this desk or the server.".to_owned(),
    })
}

fn draw_row(inbox: &Inbox, theme: Theme, person: &Person, area: Area, buffer: &mut Buffer) {
    let (x, width) = (area.x + 2, area.width.saturating_sub(3));
    let name_wide = (width.saturating_sub(PHONE_WIDTH) * 2 / 5).max(8);
    let state =
        inbox.outbox.change_of(&person.phone, &inbox.desk).map(|row_about| change_label(row_about, theme));
    let gone = inbox
        .outbox
        .change_of(&person.phone, &inbox.desk)
        .is_some_and(|row_about| matches!(row_about.operation, Operation::DeleteContact { .. }));
    let name = if gone { theme.dim() } else { theme.strong() };
    paint_view::text(buffer, x, area.y, name_wide, person.title().as_str(), name);
    let phone = SafeText::line(&person.phone);
    paint_view::text(buffer, x + name_wide + 1, area.y, PHONE_WIDTH, phone.as_str(), Style::new());
    let at = name_wide + 1 + PHONE_WIDTH + 1;
    let room = width.saturating_sub(at);
    let last = last_age(inbox, person);
    let right = match &state {
        Some((words, style)) => paint_view::runs_right(buffer, x + at, area.y, room, &[(words, *style)]),
        None => paint_view::runs_right(buffer, x + at, area.y, room, &[(&last, theme.dim())]),
    };
    let tags = tags_text(person);
    paint_view::text(buffer, x + at, area.y, room.saturating_sub(right + 1), &tags, theme.dim());
}

fn last_age(inbox: &Inbox, person: &Person) -> String {
    person.last_at.map(|time| format_short_span(inbox.context.now.since(time))).unwrap_or_default()
}

fn tags_text(person: &Person) -> String {
    person.contact.tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(" ")
}

fn change_label(row: &OutboxRow, theme: Theme) -> (String, Style) {
    let deletes = matches!(row.operation, Operation::DeleteContact { .. });
    match &row.state {
        RowState::Stopped(..) if deletes => ("NOT DELETED".to_owned(), theme.urgent()),
        RowState::Stopped(..) => ("NOT SAVED".to_owned(), theme.urgent()),
        _ if deletes => ("deleting…".to_owned(), theme.strong()),
        _ => ("saving…".to_owned(), theme.strong()),
    }
}

pub fn draw_divider(theme: Theme, list: Area, detail: Area, buffer: &mut Buffer) {
    let [_, _, _, _, across, down] = theme.border_set();
    if detail.x > list.x {
        for y in detail.y..detail.y + detail.height {
            paint_view::text(buffer, detail.x - 1, y, 1, down, theme.dim());
        }
    } else {
        for x in detail.x..detail.x + detail.width {
            paint_view::text(buffer, x, detail.y, 1, across, theme.dim());
        }
    }
}

/// Facts about a person: label, text and style.
fn detail_lines(inbox: &Inbox, theme: Theme, person: &Person) -> Vec<(String, String, Style)> {
    let contact = &person.contact;
    let mut lines: Vec<(String, String, Style)> = Vec::new();
    let mut add = |label: &str, words: String, style| lines.push((label.to_owned(), words, style));
    if let Some(row) = inbox.outbox.change_of(&person.phone, &inbox.desk) {
        let (word, style) = change_label(row, theme);
        let why = match &row.state {
            RowState::Stopped(_, why) => {
                inbox.context.fill_in_keys(&format!("{why} · {{edit-person}} opens it again"))
            }
            _ => row.operation.summary().to_string(),
        };
        add(&word.to_lowercase(), why, style);
    }
    add("name", person.title().to_string(), theme.strong());
    add("phone", SafeText::line(&person.phone).to_string(), Style::new());
    add("email", contact.email.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string), Style::new());
    let tags = tags_text(person);
    add("tags", if tags.is_empty() { "-".to_owned() } else { tags }, Style::new());
    for (name, value) in &contact.metadata {
        add(name.as_str(), value.to_string(), Style::new());
    }
    let said = match (&person.conversation, person.last_at) {
        (Some(_), Some(at)) => inbox.context.fill_in_keys(&format!(
            "last said {} · {{go-to-row}} opens it",
            format_ago(inbox.context.now.since(at))
        )),
        (Some(_), None) => inbox.context.fill_in_keys("{go-to-row} opens it"),
        (None, _) => "none; only a template or a broadcast can be sent".to_owned(),
    };
    add("talks", said, theme.dim());
    add("read", format_ago(inbox.context.now.since(contact.read_at)), theme.dim());
    lines
}

fn draw_details(inbox: &Inbox, theme: Theme, person: &Person, area: Area, buffer: &mut Buffer) {
    let below = area.x <= inbox.desk.areas(&inbox.context).body.inner().x;
    let top = area.y + u16::from(below);
    let place = Area {
        x: area.x + 1,
        y: top,
        width: area.width.saturating_sub(2),
        height: (area.y + area.height).saturating_sub(top),
    };
    let mut y = place.y;
    for (label, words, style) in detail_lines(inbox, theme, person) {
        if y >= place.y + place.height {
            return;
        }
        let used =
            paint_view::text(buffer, place.x, y, LABEL_WIDTH.max(place.width / 4), &label, theme.dim());
        let indent = (used + 1).max(LABEL_WIDTH);
        let room = Area {
            x: place.x + indent,
            y,
            width: place.width.saturating_sub(indent),
            height: (place.y + place.height).saturating_sub(y).min(if below { 1 } else { 3 }),
        };
        let words = if below { wrap::cut(&words, usize::from(room.width)) } else { words };
        y += paint_view::paragraph(buffer, room, &words, style).max(1);
    }
}
