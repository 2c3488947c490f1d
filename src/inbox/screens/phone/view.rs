//! The phone tab's forms and its one question: whom to write to, whom to
//! call, and whether to call now.

use ratatui::style::Style;

use crate::screens::phone::CallForm;
use crate::theme_view::Theme;
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
