//! Submission of a template for review: by a form of the templates page, or `:submit-template`.

use crate::Inbox;
use crate::command::Reason;
use crate::components::dialog::Dialog;
use crate::components::form::{FormFields, FormKey};
use crate::components::text_line::TextLine;
use crate::conditions::check_tab_writable;
use crate::context::Context;
use crate::event::FileWrite;
use crate::intent::Intent;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::tab::Tab;
use model::account::Platform;
use model::ids::ConversationId;
use model::outbox::Operation;
use model::templates::{NewTemplate, NewTemplateCategory};
use model::text;

const USAGE: &str = "submit-template takes a name, a language such as en, a category (utility, marketing or \
                     authentication) and the text";

const LABEL_WIDTH: usize = 9;
/// Field of the category in [`NewTemplateForm::FIELD_LABELS`].
const CATEGORY_FIELD: usize = 2;
const DEFAULT_LANGUAGE: &str = "en";

/// Template being written. A text without variables is all that it can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTemplateForm {
    /// Values in the order of [`NewTemplateForm::FIELD_LABELS`].
    pub fields: [TextLine; 4],
    pub at: usize,
    pub error: Option<String>,
}

impl NewTemplateForm {
    pub const FIELD_LABELS: [&'static str; 4] = ["Name", "Language", "Category", "Text"];

    /// Creates a form with the language of the channel's other templates.
    fn new(tab: &Tab) -> Self {
        let language = tab.templates.all.first().map_or(DEFAULT_LANGUAGE, |other| other.language.as_str());
        let fields = ["", language, NewTemplateCategory::Utility.word(), ""].map(TextLine::new);
        Self { fields, at: 0, error: None }
    }

    fn template(&self) -> Result<NewTemplate, Reason> {
        let [name, language, category, text] = self.fields.each_ref().map(|field| field.text().trim());
        match NewTemplateCategory::from_word(&category.to_lowercase()) {
            Some(category) => make_template(name, language, category, text),
            None => Err("the category must be utility, marketing or authentication".to_owned()),
        }
    }
}

impl Overlay for NewTemplateForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.at, 0..self.fields.len()) {
            FormKey::Leave => {
                inbox.desk.tab_mut().new_template = Some(self.clone());
                let words = inbox.context.fill_in_keys("not submitted; {new-template} reopens the form");
                inbox.context.show_notice(words);
                return KeyOutcome::Done;
            }
            FormKey::FocusMoved => (),
            FormKey::Submit => {
                let submitted = self
                    .template()
                    .and_then(|template| submit(inbox.desk.tab(), template, &mut inbox.context));
                match submitted {
                    Ok(()) => {
                        inbox.desk.tab_mut().new_template = None;
                        inbox.context.show_notice("submitting the template; its state will be on this page");
                        return KeyOutcome::Done;
                    }
                    Err(why) => self.error = Some(why),
                }
            }
            FormKey::FieldInput => {
                self.error = None;
                self.fields[self.at].key(key);
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        self.fields[self.at].insert(text::clean_pasted(outside).trim());
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl OverlayView for NewTemplateForm {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let form = FormFields {
            labels: &Self::FIELD_LABELS,
            label_width: LABEL_WIDTH,
            fields: &self.fields,
            focus: self.at,
            error: self.error.as_deref(),
        };
        let hint = match self.at {
            CATEGORY_FIELD => {
                "utility follows up on an order, marketing advertises, authentication sends a code"
            }
            _ => {
                "A text without variables. frontdesk submit-template --components submits any other template."
            }
        };
        form.dialog("New template", hint, "Enter submit · Tab next field · Esc back")
    }
}

pub(crate) fn may_submit(inbox: &Inbox) -> Result<(), Reason> {
    check_may_submit(inbox.desk.tab()).map(drop)
}

/// Opens the form of the templates page: the one that was begun, or an empty one.
pub(crate) fn new_template(inbox: &mut Inbox, _: KeyPress) {
    let tab = inbox.desk.tab_mut();
    let form = tab.new_template.take().unwrap_or_else(|| NewTemplateForm::new(tab));
    inbox.context.open(form);
}

/// `:submit-template NAME LANGUAGE CATEGORY TEXT`
pub(crate) fn submit_template(inbox: &mut Inbox, words: &str) -> Result<(), Reason> {
    let template = read_template(words)?;
    submit(inbox.desk.tab(), template, &mut inbox.context)?;
    let words = inbox.context.fill_in_keys("submitting the template; {go-to-templates} shows its state");
    inbox.context.show_notice(words);
    Ok(())
}

fn check_may_submit(tab: &Tab) -> Result<Platform, Reason> {
    check_tab_writable(tab)?;
    match tab.platform() {
        Some(Platform::Whatsapp) => Ok(Platform::Whatsapp),
        Some(_) => Err("templates are for business chat only".to_owned()),
        None => Err("the channel has not answered yet".to_owned()),
    }
}

/// Queues the submission.
fn submit(tab: &Tab, template: NewTemplate, context: &mut Context) -> Result<(), Reason> {
    let platform = check_may_submit(tab)?;
    let intent = Intent {
        channel: tab.channel.id.clone(),
        platform,
        conversation: ConversationId::new("templates"),
        operation: Operation::SubmitTemplate(Box::new(template)),
        hold: 0,
        seen: None,
        planned_at: None,
    };
    context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    Ok(())
}

fn read_template(words: &str) -> Result<NewTemplate, Reason> {
    let mut rest = words.trim();
    let mut next = || {
        let (word, left) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = left.trim_start();
        word
    };
    let (name, language, category) = (next(), next(), next());
    let category = NewTemplateCategory::from_word(category).filter(|_| !rest.is_empty());
    make_template(name, language, category.ok_or(USAGE)?, rest)
}

/// Makes a template of a text, unless the platform would certainly refuse it.
fn make_template(
    name: &str,
    language: &str,
    category: NewTemplateCategory,
    text: &str,
) -> Result<NewTemplate, Reason> {
    let template = NewTemplate::of_text(name, language, category, text);
    if let Some(problem) = template.problem() {
        return Err(problem.to_owned());
    }
    if text.is_empty() {
        return Err("the text is empty".to_owned());
    }
    if text.contains("{{") {
        return Err("variables need example values: use frontdesk submit-template --components".to_owned());
    }
    Ok(template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_all_that_follows_the_category() {
        let template = read_template("order_ready  en utility Your \"order\" is ready.").expect("a template");
        assert_eq!((template.name.as_str(), template.language.as_str()), ("order_ready", "en"));
        assert_eq!(template.components.0, r#"[{"type":"BODY","text":"Your \"order\" is ready."}]"#);
        for (words, why) in [
            ("", "takes a name"),
            ("order_ready en utility", "takes a name"),
            ("order_ready en Your order", "takes a name"),
            ("order_ready en utility Order {{1}}", "example values"),
            ("Order en utility Hi", "lower-case letters"),
            ("order e-n utility Hi", "must be a code"),
        ] {
            let said = read_template(words).expect_err("refused");
            assert!(said.contains(why), "{words}: {said}");
        }
    }
}
