//! Buttons or a list as JSON: written in the external editor, checked, and sent unchanged.

use crate::Inbox;
use crate::command::Command;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::keyboard::Keyboard;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::composer::rich_forms::update as rich_forms;
use model::bounds;
use model::interactive;
use model::json;
use model::outbox::content::{ChatContent, Json};
use model::text;
use model::text::SafeText;

/// Lines shown before and after an error.
const CONTEXT_LINES: usize = 2;
const MAX_LINE_CHARS: usize = 60;

#[derive(Debug)]
pub(crate) struct RawJson {
    pub(crate) text: String,
    /// Line, column and description of the error.
    pub(crate) error: Option<(usize, usize, &'static str)>,
}

impl Overlay for RawJson {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match key.typed() {
            Some('e') => inbox.keyboard.edit_json(&inbox.desk, &mut inbox.context),
            Some('y') if self.error.is_none() => {
                let content = ChatContent::Interactive(Json(self.text.clone()));
                return rich_forms::send_form_content(inbox, content, self);
            }
            _ if key.code == KeyCode::Esc => {
                let menu = inbox.context.key_of(Command::Menu);
                inbox.context.show_notice(format!("kept; {menu} r reopens it"));
            }
            _ => return KeyOutcome::Ignored,
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Answer
    }

    fn on_sent(&mut self, inbox: &mut Inbox) {
        inbox.desk.tab_mut().json = None;
    }
}

impl OverlayView for RawJson {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        self.build_dialog(inbox)
    }
}

impl RawJson {
    fn build_dialog(&self, inbox: &Inbox) -> Dialog {
        let all: Vec<&str> = self.text.lines().collect();
        let mut lines = Vec::new();
        let wrong = self.error.as_ref();
        let (from, to) = match wrong {
            Some((line, ..)) => {
                (line.saturating_sub(1 + CONTEXT_LINES), (line + CONTEXT_LINES).min(all.len()))
            }
            None => (0, all.len().min(12)),
        };
        for (number, line) in all.iter().enumerate().take(to).skip(from) {
            let at = wrong.is_some_and(|wrong| wrong.0 == number + 1);
            let tone = if at { Tone::Error } else { Tone::Plain };
            // Keep the error visible in a long line.
            let column = wrong.filter(|_| at).map_or(1, |wrong| wrong.1);
            let skip = column
                .saturating_sub(MAX_LINE_CHARS / 2)
                .min(bounds::count_chars(line).saturating_sub(MAX_LINE_CHARS));
            let part: String = line.chars().skip(skip).take(MAX_LINE_CHARS).collect();
            let blank = part.len() - part.trim_start().len();
            let text = format!("{}{}", " ".repeat(blank), SafeText::line(&part));
            lines.push(DialogLine::new(format!("{:>3}  {text}", number + 1), tone));
            if at {
                lines.push(DialogLine::error(format!("     {}^", " ".repeat(column - 1 - skip))));
            }
        }
        if to < all.len() {
            lines.push(DialogLine::dim(format!("     … and {} lines more", all.len() - to)));
        }
        lines.push(DialogLine::blank());
        match wrong {
            Some((line, column, why)) => {
                lines.push(DialogLine::error(format!("Line {line}, column {column}: {why}.")));
                lines.push(DialogLine::keys(&[("e", "edit it again"), ("Esc", "back, kept")]));
                Dialog::new("Not a JSON object", lines)
            }
            None => {
                let price = inbox.desk.tab().describe_price(rich_forms::form_price(inbox));
                lines.push(DialogLine::plain("Sent to the platform unchanged; the platform checks it."));
                let send = format!("SEND, {price}");
                lines.push(DialogLine::keys(&[
                    ("y", send.as_str()),
                    ("e", "edit it again"),
                    ("Esc", "back, kept"),
                ]));
                Dialog::new("Send this?", lines)
            }
        }
    }
}

impl Keyboard {
    pub(crate) fn edit_json(&mut self, desk: &Desk, context: &mut Context) {
        let kept = desk.tab().json.clone();
        self.edits_json = true;
        context.push(TerminalOrder::Edit(kept.unwrap_or_else(|| interactive::JSON_TEMPLATE.to_owned())));
    }
}

pub(crate) fn receive_edited_json(desk: &mut Desk, text: Result<String, String>, context: &mut Context) {
    match text {
        Ok(text) => {
            let text = text::clean_pasted(&text);
            let wrong = json::check(&text, '{').err();
            desk.tab_mut().json = Some(text.clone());
            context.open(RawJson { text, error: wrong });
        }
        Err(why) => context.show_warning(format!("the editor: {why}; nothing was sent")),
    }
}
