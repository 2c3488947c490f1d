//! The words of the questions that lie over the desk: what is asked, what
//! each answer does, and the keys.

use ratatui::style::Style;

use crate::Inbox;
use crate::event::Intent;
use crate::overlays::Layer;
use crate::overlays::menus_view;
use crate::screens::broadcasts;
use crate::screens::composer::attachments_view;
use crate::screens::composer::rich_forms_view;
use crate::screens::connections;
use crate::screens::mail;
use crate::screens::outbox::decisions;
use crate::screens::people;
use crate::screens::phone;
use crate::screens::webhooks::form_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::bounds;
use model::ids::RowId;
use model::messages::{Message, Sender};
use model::outbox::{LookResult, RowState, Stop};
use model::queries::OutboxEntry;
use model::text::SafeText;

/// Messages a question shows; older ones are counted.
const SHOWN: usize = 4;
/// Cells of a message or a text a question shows.
const CUT: usize = 240;

pub(crate) type Lines = Vec<(String, Style)>;
/// Characters of the start and of the end of a part a question shows.
const SPLIT_END: usize = 24;

/// Title and lines of a question; `None` for other layers.
pub fn words(inbox: &Inbox, theme: Theme, layer: &Layer) -> Option<(String, Lines)> {
    Some(match layer {
        Layer::AskQuit { open, paused } => ("Quit frontdesk?".to_owned(), quit(theme, open, *paused)),
        Layer::AskPause { sends, .. } => ("The AI is on".to_owned(), pause(theme, sends)),
        Layer::AskSplit { parts, length, most, price } => {
            ("Too long for one message".to_owned(), split(theme, parts, (*length, *most), price))
        }
        Layer::AskCrossed { crossed, text } => {
            (crossed_title(crossed).to_owned(), crossing(inbox, theme, crossed, text))
        }
        Layer::Decide { entry, answers } => {
            (decisions::question(&entry.row).to_owned(), decide(inbox, theme, entry, answers))
        }
        Layer::Number { typed, wrong } => {
            ("Write to a number".to_owned(), phone::view::number(theme, typed, wrong.as_deref()))
        }
        Layer::Call(form) => ("Call".to_owned(), phone::view::call(theme, form)),
        Layer::AskCall { operation, .. } => {
            ("CALL now?".to_owned(), phone::view::ask(inbox, theme, operation))
        }
        Layer::AskSame { what, count, from } => {
            ("The same for all?".to_owned(), mail::view::same(inbox, theme, *what, *count, from))
        }
        Layer::MailDoubt { doubts } => ("Send it so?".to_owned(), mail::view::doubt(theme, doubts)),
        Layer::MailFile(line) => ("Attach".to_owned(), mail::view::file(theme, line)),
        Layer::AskBrowser { .. } => ("Open in the browser?".to_owned(), mail::view::browser(theme)),
        Layer::Attach(form) => {
            ("Attach a file or a link".to_owned(), attachments_view::form(inbox, theme, form))
        }
        Layer::Later { typed } => ("Send when?".to_owned(), menus_view::later(inbox, theme, typed)),
        Layer::Json { text, wrong } => rich_forms_view::json(inbox, theme, text, wrong.as_ref()),
        Layer::AskWebhook(form) => ("REGISTER this webhook?".to_owned(), form_view::ask(theme, form)),
        Layer::AskRemoveWebhook(it) => ("REMOVE this webhook?".to_owned(), form_view::removing(theme, it)),
        Layer::EndpointForm(form) => connections::view::form(theme, form),
        Layer::Wizard(wizard) => connections::view::wizard(theme, wizard),
        Layer::Credential(form) => connections::view::credential(theme, form),
        Layer::AskRemoveConnection(name) => {
            ("REMOVE this connection?".to_owned(), connections::view::removing(theme, name))
        }
        Layer::Answer { slot } => {
            let name = format!("{} · {}", slot.connection, slot.endpoint);
            ("Asking".to_owned(), connections::view::waiting(theme, &name))
        }
        Layer::AskContinue(asked) => {
            ("Continue the broadcast?".to_owned(), broadcasts::view::ask_continue(theme, asked))
        }
        Layer::AskStop { left, leaves, .. } => {
            ("STOP the broadcast?".to_owned(), broadcasts::view::ask_stop(theme, *left, *leaves))
        }
        Layer::AskDeletePerson(asked) => {
            ("DELETE this person?".to_owned(), people::form_view::deleting(theme, asked))
        }
        Layer::AskImport { source, found } => {
            ("Import these people?".to_owned(), people::importing_view::ask(theme, source, found))
        }
        Layer::AskOpen { url, host } => ("Open outside?".to_owned(), open(theme, url, host)),
        Layer::AskPipe { command, what, .. } => ("Run this command?".to_owned(), pipe(theme, command, what)),
        Layer::AskPicture { url, host } => ("Show the picture here?".to_owned(), picture(theme, url, host)),
        Layer::DecideAll { go, look, price } => {
            ("Send what waited?".to_owned(), all(theme, go, *look, price.as_deref()))
        }
        Layer::Snooze { rows, typed, stays } => {
            (menus_view::snooze_title(rows), menus_view::snooze(inbox, theme, rows, typed.as_ref(), *stays))
        }
        Layer::Tags { rows, line, .. } => {
            (menus_view::tags_title(rows), menus_view::tags(inbox, theme, rows, line))
        }
        Layer::AskLease { over } => ("Paused for long".to_owned(), menus_view::lease(inbox, theme, over)),
        Layer::AskBulk { plan, .. } => (menus_view::bulk_title(plan), menus_view::bulk(inbox, theme, plan)),
        _ => return None,
    })
}

pub(crate) fn plain(words: impl Into<String>) -> (String, Style) {
    (words.into(), Style::new())
}

pub(crate) fn gap() -> (String, Style) {
    plain("")
}

fn quit(theme: Theme, open: &[String], paused: u32) -> Lines {
    let mut lines: Lines = open.iter().map(|it| plain(it.as_str())).collect();
    lines.push(gap());
    let keys = if paused > 0 {
        "[y] quit, keep them paused   [h] hand all back, then quit   [Esc] stay"
    } else {
        "[y] quit   [Esc] stay"
    };
    lines.push((keys.to_owned(), theme.strong()));
    lines
}

fn picture(theme: Theme, url: &str, host: &str) -> Lines {
    let mut lines = whither("It would be fetched from", theme, url, host);
    let words = "Whoever runs it learns that it was looked at, and from where. Later ones of this host are \
                 fetched without asking, until frontdesk ends.";
    lines.push(plain(words));
    lines.push(gap());
    lines.push(("[y] FETCH and show   [n] not".to_owned(), theme.strong()));
    lines
}

fn open(theme: Theme, url: &str, host: &str) -> Lines {
    let mut lines = whither("It leads to", theme, url, host);
    lines.push(plain("Whoever runs it learns that it was opened, and from where."));
    lines.push(gap());
    lines.push(("[y] OPEN outside   [n] stay".to_owned(), theme.strong()));
    lines
}

fn pipe(theme: Theme, command: &str, what: &str) -> Lines {
    vec![
        (SafeText::line(command).to_string(), theme.strong()),
        plain(format!("It gets the {} as JSON, as the server sent it.", SafeText::line(what))),
        plain("It runs in your shell, with your rights, for 10 s at most, and is not asked about again."),
        gap(),
        ("[y] RUN it   [n] not".to_owned(), theme.strong()),
    ]
}

/// Where an address leads, so that it cannot look like another.
fn whither(words: &str, theme: Theme, url: &str, host: &str) -> Lines {
    let mut lines = vec![(format!("{words} {}", SafeText::line(host)), theme.strong())];
    if !host.is_ascii() {
        let words = "Letters of other alphabets are in this name: it may only look like one you know.";
        lines.push((words.to_owned(), theme.error()));
    }
    lines.push((SafeText::line(url).to_string(), theme.dim()));
    lines
}

fn split(theme: Theme, parts: &[SafeText], (length, most): (usize, usize), price: &str) -> Lines {
    let count = parts.len();
    let mut lines = vec![plain(format!("{length} characters as they are counted; {most} fit.")), gap()];
    for (index, part) in parts.iter().take(SHOWN).enumerate() {
        let size = bounds::length(part.as_str());
        let ends: String = part.as_str().chars().skip(size.saturating_sub(SPLIT_END)).collect();
        let starts: String = part.as_str().chars().take(SPLIT_END).collect();
        lines.push((format!("{} of {count}: {starts} … {ends}", index + 1), theme.dim()));
    }
    if count > SHOWN {
        lines.push((format!("… and {} more", count - SHOWN), theme.dim()));
    }
    lines.push(gap());
    let keys = format!("[y] split into {count} messages, sent in this order · {price}");
    lines.push((keys, theme.strong()));
    lines.push(("[Esc] keep editing".to_owned(), theme.strong()));
    lines
}

fn pause(theme: Theme, sends: &[Intent]) -> Lines {
    let text = sends.first().map(|it| SafeText::line(it.operation.summary().as_str())).unwrap_or_default();
    let more = if sends.len() > 1 { format!(" (and {} more)", sends.len() - 1) } else { String::new() };
    let text = format!("{}{more}", wrap::cut(text.as_str(), 200));
    vec![
        plain("The AI may answer this customer too."),
        (text, theme.dim()),
        gap(),
        ("[y] pause the AI and send   [s] send only   [Esc] back".to_owned(), theme.strong()),
    ]
}

/// Who answered, as a title.
fn crossed_title(crossed: &[Message]) -> &'static str {
    let ai = crossed.iter().any(|it| it.sender == Sender::Ai);
    let other = crossed.iter().any(|it| it.sender != Sender::Ai);
    match (ai, other) {
        (true, true) => "The AI and a colleague answered while you wrote",
        (true, false) => "The AI answered while you wrote",
        _ => "A colleague answered while you wrote",
    }
}

fn crossing(inbox: &Inbox, theme: Theme, crossed: &[Message], text: &SafeText) -> Lines {
    let mut lines = said(inbox, theme, crossed);
    lines.push(gap());
    lines.push((format!("Yours: {}", wrap::cut(text.as_str(), CUT)), theme.own()));
    lines.push(gap());
    lines.push(("[y] send anyway   [Esc] keep editing".to_owned(), theme.strong()));
    lines
}

/// Who, when, and what was said; the newest few.
fn said(inbox: &Inbox, theme: Theme, messages: &[Message]) -> Lines {
    let skipped = messages.len().saturating_sub(SHOWN);
    let mut lines = Lines::new();
    if skipped > 0 {
        lines.push((format!("… and {skipped} before"), theme.dim()));
    }
    for message in &messages[skipped..] {
        let at =
            message.created_at.map_or("--:--".to_owned(), |it| it.clock_face(&inbox.context.settings.zone));
        let text = SafeText::line(message.content.as_str());
        let text = if text.is_empty() { format!("[{}]", message.content_type) } else { text.to_string() };
        let text = wrap::cut(&SafeText::line(&text).to_string(), CUT);
        let (who, style) = speaker(theme, message);
        lines.push((format!("{who} {at}  {text}"), style));
    }
    lines
}

/// Who said something, as a question names them.
pub fn speaker(theme: Theme, message: &Message) -> (String, Style) {
    match &message.sender {
        Sender::Customer => ("Customer".to_owned(), theme.customer()),
        Sender::Ai => ("AI".to_owned(), theme.ai_on()),
        Sender::Human => ("Colleague".to_owned(), Style::new()),
        Sender::Api => ("Elsewhere".to_owned(), Style::new()),
        Sender::Unknown(word) => (format!("?{word}"), Style::new()),
    }
}

fn decide(inbox: &Inbox, theme: Theme, entry: &OutboxEntry, answers: &[decisions::DecisionOption]) -> Lines {
    let row = &entry.row;
    let mut lines = Lines::new();
    if let RowState::Stopped(stop, why) = &row.state
        && *stop != Stop::Crossed
        && !why.is_empty()
    {
        lines.push((why.to_string(), theme.error()));
    }
    lines.extend(finding(theme, entry));
    lines.extend(said(inbox, theme, &entry.crossed));
    lines.push(gap());
    let what = SafeText::line(row.operation.summary().as_str());
    lines.push((format!("To {}: {}", entry.title, wrap::cut(what.as_str(), CUT)), theme.own()));
    lines.push(gap());
    for answer in answers {
        lines.push((format!("[{}] {}: {}", answer.key, answer.word, answer.effect), theme.strong()));
    }
    lines.push(("[Esc] leave it for later".to_owned(), theme.strong()));
    lines
}

/// What looking for it in the history told.
fn finding(theme: Theme, entry: &OutboxEntry) -> Option<(String, Style)> {
    let words = match &entry.row.finding {
        LookResult::Nothing => return None,
        LookResult::Absent => {
            "Looked for twice in the conversation and not found: probably not sent.".to_owned()
        }
        LookResult::Several(found) => format!("{} messages of the conversation could be it.", found.len()),
    };
    Some((words, theme.waiting()))
}

fn all(theme: Theme, go: &[(RowId, SafeText)], look: usize, price: Option<&str>) -> Lines {
    let total = go.len() + look;
    let mut plan = format!("{} of {total} can go as they are", go.len());
    match look {
        0 => (),
        1 => plan.push_str("; 1 thread has moved: look at it"),
        look => plan.push_str(&format!("; {look} threads have moved: look at them")),
    }
    let mut lines = vec![plain(format!("{plan}.")), gap()];
    if let Some(price) = price {
        let words =
            format!("They waited for credits and cost {price}; they leave in the order they were written.");
        lines[0] = plain(words);
    }
    let names: Vec<&str> = go.iter().take(SHOWN).map(|(_, name)| name.as_str()).collect();
    let rest = go.len().saturating_sub(SHOWN);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    lines.push((wrap::cut(&format!("To {}{rest}", names.join(", ")), CUT), theme.own()));
    lines.push(gap());
    let count = if go.len() == 1 { "1".to_owned() } else { format!("these {}", go.len()) };
    lines.push((format!("[y] send {count} now   [Esc] leave them"), theme.strong()));
    lines
}
