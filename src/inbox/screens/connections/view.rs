//! Connections on screen: their answers on the card, the picker of endpoints,
//! the form of one, and the wizard of a new one.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::picker::Picker;
use crate::overlays::questions_view::{Lines, gap, plain};
use crate::screens::composer::pickers_view;
use crate::screens::composer::pickers_view::Words;
use crate::screens::connections::asking::EndpointForm;
use crate::screens::connections::upkeep::CredentialForm;
use crate::screens::connections::wizard::{Wizard, WizardStep};
use crate::theme_view::Theme;
use crate::wrap;
use model::connections::{ShownValue, mapping::Mapped};
use model::conversations::ConversationRow;
use model::text::SafeText;
use model::time::ago;

/// Picks that are seen at a time.
const PICKS: usize = 10;
/// Cells of a label on the card.
const LABEL: usize = 9;

/// Label, words and style of a line of the card; no words makes a heading.
type Fact = (String, String, Style);

/// What connections told about a conversation's contact.
pub fn facts(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (connection, endpoint, answer) in inbox.connected(row) {
        let age = match (&answer.mapped, answer.waits) {
            (_, true) => "asking…".to_owned(),
            (Some(mapped), _) => ago(inbox.context.now.since(mapped.at)),
            (None, _) => String::new(),
        };
        let name = SafeText::line(&format!("{connection} · {endpoint}"));
        facts.push((format!("{name}  {age}").trim_end().to_owned(), String::new(), Style::new()));
        facts.extend(answer.mapped.iter().flat_map(|it| mapped_facts(theme, it)));
        if let Some(why) = answer.failed.as_ref().filter(|_| !answer.waits) {
            facts.push(("not now".to_owned(), why.to_string(), theme.error()));
        }
    }
    facts
}

fn mapped_facts(theme: Theme, mapped: &Mapped) -> Vec<Fact> {
    let cut = |it: &str| wrap::cut(it, LABEL);
    let mut facts = Vec::new();
    if mapped.fields.is_empty() {
        facts.push((String::new(), "nothing is known there".to_owned(), theme.dim()));
    }
    for it in &mapped.fields {
        match &it.value {
            ShownValue::Line(text) => facts.push((cut(it.label.as_str()), text.to_string(), Style::new())),
            ShownValue::Table(_, rows, more) => {
                for row in rows {
                    let mut cells = row.iter().map(SafeText::as_str).filter(|it| !it.is_empty());
                    let first = cells.next().unwrap_or("");
                    let rest: Vec<&str> = cells.collect();
                    let rest = if rest.is_empty() { it.label.to_string() } else { rest.join(" · ") };
                    facts.push((cut(first), rest, Style::new()));
                }
                if *more > 0 {
                    facts.push((String::new(), format!("and {more} more"), theme.dim()));
                }
            }
        }
    }
    facts
}

/// The picker of endpoints.
pub fn endpoints(inbox: &Inbox, theme: Theme, picker: &Picker, buffer: &mut Buffer) {
    let found = inbox.endpoints(&picker.query);
    let line = |it: &str| SafeText::line(it).to_string();
    let entries: Vec<(String, String)> = found
        .iter()
        .map(|(connection, endpoint)| {
            let words = match endpoint.instructions.trim() {
                "" => format!("{} {}", endpoint.method.word(), endpoint.path),
                told => told.to_owned(),
            };
            (line(&format!("{} · {}", connection.name, endpoint.name)), line(&words))
        })
        .collect();
    let none = match inbox.context.settings.connections.is_empty() {
        true => "No connections yet. :connection add makes one.",
        false => "Nothing has all these words.",
    };
    let hint = "Enter asks · type to find · Esc back";
    let words = Words { title: "Ask a connection", hint, none, entries: &entries };
    let place = pickers_view::list(inbox, theme, picker, &words, buffer);
    if let Some((_, endpoint)) = found.get(picker.chosen.min(found.len().saturating_sub(1)))
        && place.height > 0
    {
        let words = line(&format!("{} {}", endpoint.method.word(), endpoint.path));
        crate::components::paint_view::paragraph(buffer, place, &words, theme.dim());
    }
}

/// What an endpoint asks for.
pub fn form(theme: Theme, form: &EndpointForm) -> (String, Lines) {
    let title = SafeText::line(&format!("{} · {}", form.connection, form.endpoint.name)).to_string();
    let mut lines: Lines = Vec::new();
    if !form.endpoint.instructions.is_empty() {
        lines.push((SafeText::line(&form.endpoint.instructions).to_string(), theme.dim()));
        lines.push(gap());
    }
    for (place, ((label, kind), value)) in form.labels().iter().zip(&form.values).enumerate() {
        let label = SafeText::line(label);
        let (before, after) = (value.before(), value.after());
        let here = place == form.focus;
        lines.push(field(theme, &format!("{label} ({kind})"), (before, after), 30, here));
    }
    if form.changes() {
        lines.push(gap());
        let words = format!("{} CHANGES something there.", form.endpoint.method.word());
        lines.push((words, theme.error()));
    }
    lines.extend(form.wrong.iter().map(|it| (SafeText::line(it).to_string(), theme.error())));
    lines.push(gap());
    lines.push(("Enter asks · Tab next field · Esc back".to_owned(), theme.strong()));
    (title, lines)
}

fn field(
    theme: Theme,
    label: &str,
    (before, after): (&str, &str),
    width: usize,
    here: bool,
) -> (String, Style) {
    let mark = match (here, theme.ascii) {
        (true, true) => "_",
        (true, false) => "▏",
        (false, _) => "",
    };
    let label = wrap::cut(label, width);
    let pad = " ".repeat(width.saturating_sub(wrap::cells(&label)) + 1);
    let words = format!("{label}{pad}{}{mark}{}", SafeText::line(before), SafeText::line(after));
    (words, if here { theme.strong() } else { Style::new() })
}

/// A call by hand that is on its way.
pub fn waiting(theme: Theme, name: &str) -> Lines {
    let words = format!("{} is being asked.", SafeText::line(name));
    vec![plain(words), gap(), ("Esc lets it go on alone".to_owned(), theme.strong())]
}

/// The wizard of a new connection.
pub fn wizard(theme: Theme, wizard: &Wizard) -> (String, Lines) {
    match &wizard.step {
        WizardStep::Picking { status, picks, taken, chosen } => {
            let title = format!("New connection: it answered with status {status}");
            let mut lines = vec![plain("What shall the card show? Lists of objects become tables."), gap()];
            let first = (chosen + 1).saturating_sub(PICKS);
            for (place, (pick, taken)) in picks.iter().zip(taken).enumerate().skip(first).take(PICKS) {
                let mark = if *taken { "[x]" } else { "[ ]" };
                let path = pick.path.to_string();
                let words = match pick.columns.is_empty() {
                    true => format!("{mark} {path} = {}", pick.sample),
                    false => {
                        let heads: Vec<&str> = pick.columns.iter().map(|it| it.label.as_str()).collect();
                        format!("{mark} {path}: {} of {}", pick.sample, heads.join(", "))
                    }
                };
                let words = wrap::cut(SafeText::line(&words).as_str(), 68);
                lines.push((words, if place == *chosen { theme.selected() } else { Style::new() }));
            }
            if picks.len() > PICKS {
                lines.push((format!("{} of {}", chosen + 1, picks.len()), theme.dim()));
            }
            if picks.is_empty() {
                lines.push(plain("The answer holds nothing that could be shown."));
            }
            lines.push(gap());
            let itself = if wizard.automatic { "[x]" } else { "[ ]" };
            lines.push(plain(format!("{itself} a: ask by itself when a conversation is opened")));
            lines.extend(wizard.wrong.iter().map(|it| (SafeText::line(it).to_string(), theme.error())));
            lines.push(gap());
            lines.push(("Space picks · Enter keeps it · Esc back to the form".to_owned(), theme.strong()));
            (title, lines)
        }
        step => {
            let mut lines: Lines = Vec::new();
            for entry in wizard.entries() {
                let (before, after) = wizard.shown(entry);
                let here = *step == WizardStep::Filling && entry == wizard.focus;
                lines.push(field(theme, wizard.label(entry), (&before, &after), 15, here));
            }
            lines.push(gap());
            lines.push((wizard.focus.help().to_owned(), theme.dim()));
            lines.extend(wizard.wrong.iter().map(|it| (SafeText::line(it).to_string(), theme.error())));
            lines.push(gap());
            lines.push(match step {
                WizardStep::Trying => ("asking it now…".to_owned(), theme.strong()),
                WizardStep::Saving => ("keeping it…".to_owned(), theme.strong()),
                _ => {
                    let with = SafeText::line(&wizard.with);
                    let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
                    (format!("Enter tries it{with} · Tab next · Esc leaves it for later"), theme.strong())
                }
            });
            ("New connection".to_owned(), lines)
        }
    }
}

/// Another credential for a connection.
pub fn credential(theme: Theme, form: &CredentialForm) -> (String, Lines) {
    let title = SafeText::line(&format!("Credential of {}", form.connection)).to_string();
    let dots = |it: &str| "•".repeat(it.chars().count());
    let (before, after) = (dots(form.secret.0.before()), dots(form.secret.0.after()));
    let mut lines = vec![field(theme, form.label, (&before, &after), 15, !form.waits), gap()];
    lines.push(("Not shown, kept sealed once it was taken, and never shown again.".to_owned(), theme.dim()));
    lines.extend(form.wrong.iter().map(|it| (SafeText::line(it).to_string(), theme.error())));
    lines.push(gap());
    let with = SafeText::line(&form.with);
    let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
    let keys = match form.waits {
        true => "asking it now…".to_owned(),
        false => format!("Enter tries it{with} · Esc back, nothing changes"),
    };
    lines.push((keys, theme.strong()));
    (title, lines)
}

/// Whether to remove a connection.
pub fn removing(theme: Theme, name: &str) -> Lines {
    vec![
        plain(SafeText::line(name).to_string()),
        gap(),
        plain("It is taken out of connections.toml, and its credential is forgotten."),
        plain("Canned replies that name its fields leave them to be filled in."),
        gap(),
        ("[y] remove it   [n] keep it".to_owned(), theme.strong()),
    ]
}
