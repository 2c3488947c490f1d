//! The words of menus and plans: until when to put aside, what is about to be
//! done with many.

use ratatui::style::Style;

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::overlays::questions_view::{Lines, gap, plain};
use crate::screens::composer::send_later;
use crate::screens::conversations::bulk_plan::BulkPlan;
use crate::screens::conversations::tags::TagLine;
use crate::theme_view::Theme;
use crate::wrap;
use model::conversations::ConversationRow;
use model::queries::PausedEntry;
use model::snooze;
use model::text::SafeText;
use model::time::{Timestamp, Zone, short_span};

/// Names a plan shows.
const SHOWN: usize = 6;
/// Tags in use that are offered.
const OFFERS: usize = 8;

/// Whom the menu is about.
pub fn snooze_title(rows: &[ConversationRow]) -> String {
    match rows {
        [one] => format!("Snooze {}", wrap::cut(one.conversation.title().as_str(), 40)),
        many => format!("Snooze {} conversations", many.len()),
    }
}

/// Until when.
pub fn snooze(
    inbox: &Inbox,
    theme: Theme,
    rows: &[ConversationRow],
    typed: Option<&TextLine>,
    stays: bool,
) -> Lines {
    let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
    let moment = |at| snooze::moment(at, now, zone);
    if let Some(typed) = typed {
        let named = snooze::parse(typed.text(), now, zone).map(|at| format!("comes back {}", moment(at)));
        let keys = "[Enter] snooze   [Esc] back";
        return wish(theme, "Until", typed, (named, "2h, 45m, 3d, 14:30, fri 9:00, tomorrow 14:00"), keys);
    }
    let mut lines = vec![
        plain("[r] until the customer writes"),
        plain(format!("[h] for an hour, until {}", moment(snooze::in_an_hour(now)))),
        plain(format!("[t] until {}", moment(snooze::tomorrow(now, zone)))),
        plain(format!("[m] until {}", monday(now, zone))),
        plain("[c] until another time"),
    ];
    if let Some(at) = inbox.snooze_again(rows) {
        lines.insert(0, plain(format!("[s] the same again, until {}", moment(at))));
    }
    if rows.iter().any(|it| it.local.is_asleep()) {
        lines.push(plain("[x] wake now"));
    }
    lines.push(gap());
    let (stay, style) = match stays {
        true => ("[k] back also when the customer writes before: NO", theme.waiting()),
        false => ("[k] back also when the customer writes before: yes", Style::new()),
    };
    lines.push((stay.to_owned(), style));
    lines.push(("Kept on this desk only.".to_owned(), theme.dim()));
    lines
}

/// When a message shall leave.
pub fn later(inbox: &Inbox, theme: Theme, typed: &TextLine) -> Lines {
    let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
    let moment = |at| snooze::moment(at, now, zone);
    let named = send_later::when(typed.text(), now, zone).map(|at| format!("leaves {}", moment(at)));
    let keys = "[Enter] send then   [Esc] back";
    let mut lines =
        wish(theme, "When", typed, (named, "in 2h, 45m, 14:30, tuesday 14:00, tomorrow 9:00"), keys);
    let needs = "It leaves only while frontdesk runs. It asks instead if its time has passed by more than two \
                 minutes, if the conversation has moved, or if the window has closed.";
    let short = format!(
        "h in an hour, {}   t {}   m {}",
        moment(snooze::in_an_hour(now)),
        moment(snooze::tomorrow(now, zone)),
        monday(now, zone)
    );
    lines.splice(2..2, [plain(short), gap(), (needs.to_owned(), theme.dim())]);
    lines
}

/// A time being typed: what it names, or that it names none, with examples.
fn wish(
    theme: Theme,
    prompt: &str,
    typed: &TextLine,
    (named, examples): (Option<String>, &str),
    keys: &str,
) -> Lines {
    let answer = match named {
        Some(named) => (named, theme.strong()),
        None if typed.is_empty() => (examples.to_owned(), theme.dim()),
        None => (format!("not a time yet: {examples}"), theme.waiting()),
    };
    let field = format!("{prompt}: {}{}{}", typed.before(), cursor(theme), typed.after());
    vec![plain(field), answer, gap(), (keys.to_owned(), theme.strong())]
}

/// The next Monday by its date, which tells it from tomorrow on a Sunday.
fn monday(now: Timestamp, zone: &Zone) -> String {
    let at = snooze::monday(now, zone);
    format!("Monday {} {}", &at.day_name(zone)[4..], at.clock_face(zone))
}

/// Whose tags are edited.
pub fn tags_title(rows: &[ConversationRow]) -> String {
    match rows {
        [one] => format!("Tags of {}", wrap::cut(one.conversation.title().as_str(), 40)),
        many => format!("Tags of {} conversations", many.len()),
    }
}

/// The line, and the tags in use that fit.
pub fn tags(inbox: &Inbox, theme: Theme, rows: &[ConversationRow], line: &TagLine) -> Lines {
    let offers: Vec<&str> = line.offers().into_iter().take(OFFERS).map(SafeText::as_str).collect();
    let offers = match offers.as_slice() {
        [] => "separate tags with commas".to_owned(),
        offers => format!("Tab: {}", offers.join(", ")),
    };
    let how = if rows.len() == 1 { "" } else { "tag or +tag adds, -tag takes away" };
    let mut lines = vec![plain(format!("{}{}", line.text, cursor(theme))), (offers, theme.dim())];
    if !how.is_empty() {
        lines.push((how.to_owned(), theme.dim()));
    }
    let place = match rows.iter().filter(|it| inbox.tags_leave(it)).count() {
        0 => not_sent(inbox, rows),
        all if all == rows.len() => "Kept with the contact: colleagues and the AI may see them.".to_owned(),
        some => format!("{some} kept with the contact, {} on this desk only.", rows.len() - some),
    };
    lines.push((place, theme.dim()));
    lines.push(gap());
    lines.push(("[Enter] keep   [Tab] complete   [Esc] back".to_owned(), theme.strong()));
    lines
}

/// Why tags of conversations stay on this desk.
fn not_sent(inbox: &Inbox, rows: &[ConversationRow]) -> String {
    let tabs = rows.iter().filter_map(|row| inbox.tabs.iter().find(|it| it.channel.id == row.channel));
    let why = match tabs.into_iter().any(|it| it.channel.read_only) {
        true => "this tab is read-only",
        false => "this channel has no tags",
    };
    format!("Kept on this desk only: {why}.")
}

fn cursor(theme: Theme) -> &'static str {
    if theme.ascii { "_" } else { "▏" }
}

/// What a plan is about.
pub fn bulk_title(plan: &BulkPlan) -> String {
    let verb = plan.wish.verb().to_uppercase();
    format!("{verb} {} conversations?", plan.apply.len())
}

/// Whom a plan applies to, and why not the others.
pub fn bulk(inbox: &Inbox, theme: Theme, plan: &BulkPlan) -> Lines {
    let names = |rows: &mut dyn Iterator<Item = &ConversationRow>, total: usize| {
        let shown: Vec<String> = rows.take(SHOWN).map(|it| it.conversation.title().to_string()).collect();
        let rest = total.saturating_sub(SHOWN);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    };
    let mut lines = vec![plain(format!("{}.", plan.words()))];
    lines.push((names(&mut plan.apply.iter(), plan.apply.len()), theme.own()));
    if !plan.skipped.is_empty() {
        let skipped = names(&mut plan.skipped.iter().map(|it| &it.0), plan.skipped.len());
        lines.push((format!("Left out: {skipped}"), theme.dim()));
    }
    lines.push(gap());
    if plan.wish.leaves() {
        let words = "They leave one by one, as the rate limit allows. {show-results} shows each, and x there stops \
             the rest.";
        lines.push(plain(inbox.keyed(words)));
        lines.push(gap());
    }
    let verb = plan.wish.verb().to_uppercase();
    lines.push((format!("[y] {verb} {}   [n] leave them", plan.apply.len()), theme.strong()));
    lines
}

/// Which pauses have gone on for long.
pub fn lease(inbox: &Inbox, theme: Theme, over: &[PausedEntry]) -> Lines {
    let mut lines = vec![plain("You paused the AI here and have neither handed back nor closed:")];
    for it in over.iter().take(SHOWN) {
        let name = it.title.as_ref().map_or(it.conversation.as_str(), SafeText::as_str);
        let waits = it
            .waiting_since
            .map(|since| format!(" · customer waits {}", short_span(inbox.context.now.since(since))));
        let style = if waits.is_some() { theme.waiting() } else { theme.own() };
        let words = format!(
            "{} · {}{}",
            wrap::cut(name, 40),
            short_span(inbox.context.now.since(it.since)),
            waits.unwrap_or_default()
        );
        lines.push((words, style));
    }
    if over.len() > SHOWN {
        lines.push((format!("and {} more", over.len() - SHOWN), theme.dim()));
    }
    lines.push(gap());
    let count = if over.len() == 1 { "it" } else { "all" };
    let keys = format!("[h] hand {count} back   [e] extend   [Esc] ask again in 15 min");
    lines.push((keys, theme.strong()));
    lines
}
