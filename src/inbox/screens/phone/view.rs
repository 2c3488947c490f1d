//! The phone tab's forms and its one question: whom to write to, whom to
//! call, and whether to call now.

use ratatui::style::Style;

use crate::Inbox;
use crate::screens::phone::CallForm;
use crate::theme_view::Theme;
use model::outbox::Operation;
use model::phones;
use model::prices;
use model::text::SafeText;

type Lines = Vec<(String, Style)>;

/// A number that is being typed.
pub fn number(theme: Theme, typed: &str, wrong: Option<&str>) -> Lines {
    let mut lines = vec![field(theme, "To", typed, true), gap()];
    lines.extend(wrong.map(|it| (it.to_owned(), theme.error())));
    lines.push(("Enter opens the composer · Esc back".to_owned(), theme.strong()));
    lines
}

/// A call that is being filled in.
pub fn call(theme: Theme, form: &CallForm) -> Lines {
    let mut lines: Lines = CallForm::LABELS
        .iter()
        .zip(&form.fields)
        .enumerate()
        .map(|(index, (label, text))| field(theme, label, text, index == form.at))
        .collect();
    lines.push(gap());
    lines.push((
        "The AI speaks. Words for it leave as {\"note\": …}; a JSON object leaves as it is. The channel may \
         stay empty."
            .to_owned(),
        theme.dim(),
    ));
    lines.extend(form.wrong.as_ref().map(|it| (it.clone(), theme.error())));
    lines.push(gap());
    lines.push(("Enter asks whether to call · Tab next field · Esc back".to_owned(), theme.strong()));
    lines
}

/// Whether to call now: whom, what the AI is told, what time it is there, and
/// what is not known of the price.
pub fn ask(inbox: &Inbox, theme: Theme, operation: &Operation) -> Lines {
    let Operation::Call { to, via, context } = operation else { return Vec::new() };
    let line = |it: &str| SafeText::line(it).to_string();
    let mut lines = vec![plain(format!("An AI voice will CALL {}.", line(to)))];
    lines.extend(context.as_ref().map(|it| plain(format!("It is told: {}", line(&it.0)))));
    lines.extend(via.as_ref().map(|it| plain(format!("From the channel {}", line(it)))));
    lines.push(time_there(inbox, theme, to));
    let tab = inbox.tab();
    let price = match (&tab.account, tab.is_simulated()) {
        (_, true) => "TEST key: nothing rings and nothing is paid.".to_owned(),
        (Some(account), _) => format!(
            "The price of a minute is unknown: it is not published. {} are left.",
            prices::credits(account.credits)
        ),
        (None, _) => "The price of a minute is unknown: it is not published.".to_owned(),
    };
    lines.push(plain(price));
    lines.push(plain("A call cannot be ended or followed from here."));
    lines.push(gap());
    lines.push(("[y] CALL   [n] do not call, back to the form".to_owned(), theme.strong()));
    lines
}

/// What time it is there, as far as the number tells; a warning outside the
/// hours in which one calls.
fn time_there(inbox: &Inbox, theme: Theme, to: &str) -> (String, Style) {
    let there = phones::zone_of(to);
    let zone = there.as_ref().unwrap_or(&inbox.context.settings.zone);
    let clock = inbox.context.now.clock_face(zone);
    let words = match there {
        Some(_) => format!("There it is about {clock}"),
        None => format!("What time it is there is not known; here it is {clock}"),
    };
    if phones::is_unsocial(inbox.context.now, zone) {
        (format!("{words}: OUTSIDE 08–20, this may wake someone."), theme.error())
    } else {
        plain(format!("{words}."))
    }
}

fn field(theme: Theme, label: &str, text: &str, at: bool) -> (String, Style) {
    let mark = if at { "▏" } else { "" };
    let mark = if theme.ascii && at { "_" } else { mark };
    let words = format!("{label:<13} {}{mark}", SafeText::line(text));
    (words, if at { theme.strong() } else { Style::new() })
}

fn plain(words: impl Into<String>) -> (String, Style) {
    (words.into(), Style::new())
}

fn gap() -> (String, Style) {
    plain("")
}
