//! The phone tab: texts to a number that is typed, and calls. A number's row
//! is its conversation here, also before the server lists it.

pub mod view;

use crate::Inbox;
use crate::commands::Command;
use crate::event::{Effect, Intent};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::bounds;
use model::conversations::{Conversation, ConversationRow};
use model::ids::{ChannelId, ConversationId};
use model::outbox::Operation;
use model::outbox::content::Json;
use model::queries::ConversationKey;
use model::text;
use model::time::SECOND;

/// Characters of a field at most.
const FIELD: usize = 2_000;

/// A call as it is filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallForm {
    /// What each of [`CallForm::LABELS`] holds.
    pub fields: [String; 3],
    /// The field with the cursor.
    pub at: usize,
    /// What is wrong with them, if anything.
    pub wrong: Option<String>,
}

impl CallForm {
    /// What the fields are for.
    pub const LABELS: [&'static str; 3] = ["To", "Tell the AI", "From channel"];

    /// The call, or what is wrong with the fields.
    fn operation(&self) -> Result<Operation, String> {
        let [to, told, via] = self.fields.each_ref().map(|it| it.trim());
        let to = number(to)?;
        let context = match told {
            "" => None,
            json if json.starts_with('{') => Some(Json(json.to_owned())),
            words => Some(Json(format!("{{\"note\":\"{}\"}}", escaped(words)))),
        };
        Ok(Operation::Call { to, via: (!via.is_empty()).then(|| via.to_owned()), context })
    }
}

/// A number as typed, without its blanks and brackets.
fn number(typed: &str) -> Result<String, String> {
    let number: String = typed.chars().filter(|it| !matches!(it, ' ' | '-' | '(' | ')' | '/')).collect();
    if bounds::is_e164(&number) {
        return Ok(number);
    }
    Err("a number is + and the country code, then 8 to 15 digits in all: +447700900517".to_owned())
}

/// A line of words inside a JSON text; it holds no control characters.
fn escaped(words: &str) -> String {
    words.replace('\\', "\\\\").replace('"', "\\\"")
}

/// What a key does to a line of text; false if it means nothing there.
fn edit(line: &mut String, key: KeyPress) -> bool {
    match (key.typed(), key.code) {
        (Some(it), _) if line.chars().count() < FIELD => line.push(it),
        (_, KeyCode::Backspace) => drop(line.pop()),
        (_, KeyCode::Char('u')) if key.ctrl => line.clear(),
        _ => return false,
    }
    true
}

/// The row of a number the server does not list yet.
fn row_of(channel: &ChannelId, number: &ConversationId) -> ConversationRow {
    let address = bounds::is_e164(number.as_str()).then(|| number.as_str().to_owned());
    let conversation = Conversation { address, ..Conversation::stand_in(number.clone(), false) };
    ConversationRow::bare(channel.clone(), conversation)
}

/// The row of a conversation on a phone tab, listed or not.
pub(crate) fn listed_or_new(
    listed: Option<ConversationRow>,
    channel: &ChannelId,
    id: &ConversationId,
) -> Option<ConversationRow> {
    listed.or_else(|| Some(row_of(channel, id)))
}

impl Tab {
    /// Whether it is a phone's: conversations are numbers, and what was said
    /// in them is told nowhere.
    pub fn is_phone(&self) -> bool {
        self.platform() == Some(&Platform::Voip)
    }
}

impl Inbox {
    /// Asks for a number to write to.
    pub(crate) fn ask_number(&mut self) {
        self.open_layer(Layer::Number { typed: String::new(), wrong: None });
    }

    /// Opens the call form: as it was left, or for the number at hand.
    pub(crate) fn ask_call(&mut self) {
        let at_hand = self.at_hand().and_then(|it| it.conversation.address.clone()).unwrap_or_default();
        let tab = self.tab_mut();
        let kept = tab.call.take().filter(|it| it.fields[0] == at_hand || at_hand.is_empty());
        let form = kept.unwrap_or_else(|| CallForm {
            at: usize::from(!at_hand.is_empty()),
            fields: [at_hand, String::new(), String::new()],
            wrong: None,
        });
        self.open_layer(Layer::Call(form));
    }

    /// A key while a number is typed.
    pub(crate) fn number_key(&mut self, mut typed: String, key: KeyPress) {
        match key.code {
            KeyCode::Esc => {}
            KeyCode::Enter => match number(&typed) {
                Ok(number) => self.write_to(&ConversationId::new(number)),
                Err(wrong) => self.layers.push(Layer::Number { typed, wrong: Some(wrong) }),
            },
            _ => {
                edit(&mut typed, key);
                self.layers.push(Layer::Number { typed, wrong: None });
            }
        }
    }

    /// A key while a call is filled in.
    pub(crate) fn call_key(&mut self, mut form: CallForm, key: KeyPress) {
        let count = form.fields.len();
        match key.code {
            KeyCode::Esc => {
                self.tab_mut().call = Some(form);
                return self.say("no call; C brings the form back as it was");
            }
            KeyCode::Tab | KeyCode::Down => form.at = (form.at + 1) % count,
            KeyCode::BackTab | KeyCode::Up => form.at = (form.at + count - 1) % count,
            KeyCode::Enter => match form.operation() {
                Ok(operation) => {
                    form.wrong = None;
                    return self.open_layer(Layer::AskCall { form, operation });
                }
                Err(wrong) => form.wrong = Some(wrong),
            },
            _ => {
                form.wrong = None;
                edit(&mut form.fields[form.at], key);
            }
        }
        self.layers.push(Layer::Call(form));
    }

    /// The call was agreed to: it waits in the outbox for its hold.
    pub(crate) fn place_call(&mut self, operation: Operation) {
        let hold = self.context.settings.hold;
        let tab = self.tab();
        let (Some(to), Some(platform)) = (operation.recipient(), tab.platform().cloned()) else { return };
        let conversation = ConversationId::new(to.to_owned());
        let channel = tab.channel.id.clone();
        self.tab_mut().call = None;
        self.show_number(&conversation, Focus::History);
        let intent =
            Intent { channel, platform, conversation, operation, hold, seen: None, planned_at: None };
        self.context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        match hold / SECOND {
            0 => self.say("calling"),
            seconds => {
                self.say(format!("calling in {seconds} s · {} stops it", self.key_of(Command::Undo)));
            }
        }
    }

    /// The call could not be queued: its form comes back.
    pub(crate) fn call_not_queued(&mut self, operation: &Operation) {
        if let Operation::Call { to, via, context } = operation {
            let told = context.as_ref().map(|it| it.0.clone()).unwrap_or_default();
            let fields = [to.clone(), told, via.clone().unwrap_or_default()];
            self.open_layer(Layer::Call(CallForm { fields, at: 1, wrong: None }));
        }
    }

    /// Pasted text goes into the field at hand; false if there is none.
    pub(crate) fn paste_into_field(&mut self, outside: &str) -> bool {
        let line = match self.layers.last_mut() {
            Some(Layer::Number { typed, .. }) => typed,
            Some(Layer::Call(form)) => &mut form.fields[form.at],
            Some(Layer::Wizard(wizard)) => {
                if let Some(line) = wizard.line() {
                    line.insert(text::pasted(outside).trim());
                }
                return true;
            }
            Some(Layer::Credential(form)) => {
                form.secret.0.insert(text::pasted(outside).trim());
                return true;
            }
            Some(Layer::EndpointForm(form)) => {
                if let Some(line) = form.values.get_mut(form.focus) {
                    line.insert(text::pasted(outside).trim());
                }
                return true;
            }
            Some(Layer::MailFile(line)) => {
                line.insert(text::pasted(outside).trim());
                return true;
            }
            _ => return false,
        };
        let room = FIELD.saturating_sub(line.chars().count());
        let clean = text::pasted(outside).replace('\n', " ");
        line.extend(clean.trim().chars().take(room));
        true
    }

    /// Opens the composer for a number, listed or not.
    fn write_to(&mut self, number: &ConversationId) {
        self.show_number(number, Focus::Composer);
    }

    fn show_number(&mut self, number: &ConversationId, focus: Focus) {
        let channel = self.tab().channel.id.clone();
        let key = ConversationKey { channel: channel.clone(), conversation: number.clone() };
        if self.list().page.rows.iter().any(|it| it.is(&key)) {
            return self.visit(&channel, number, focus);
        }
        self.show(&key);
        let tab = self.tab_mut();
        if let Some(history) = &mut tab.history {
            history.opened = true;
        }
        tab.focus = focus;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_a_call() {
        let form = |to: &str, told: &str| CallForm {
            fields: [to.to_owned(), told.to_owned(), String::new()],
            ..CallForm::default()
        };
        let context = |told| match form("+44 (7700) 900-517", told).operation() {
            Ok(Operation::Call { to, context, .. }) => {
                assert_eq!(to, "+447700900517");
                context.map(|it| it.0)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(context(""), None);
        assert_eq!(context(r#"his "bike" \o/"#).as_deref(), Some(r#"{"note":"his \"bike\" \\o/"}"#));
        assert_eq!(context(r#"{"order":1041}"#).as_deref(), Some(r#"{"order":1041}"#));
        for wrong in ["", "07700 900517", "+44", "+44770090051x"] {
            assert!(form(wrong, "").operation().is_err(), "{wrong}");
        }
    }
}
