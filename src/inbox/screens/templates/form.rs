//! Templates in the inbox: pick one, fill in its variables, send it. The draft reply stays in the
//! composer.

use crate::Inbox;
use crate::actions;
use crate::command::Command;
use crate::components::form::FormKey;
use crate::components::picker::{Picker, PickerOutcome};
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::pages::PageKind;
use crate::screens::composer::sending;
use crate::screens::connections::ConnectionAnswers;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::fetches::{Fetch, FetchOutcome};
use model::ids::ChannelId;
use model::json;
use model::outbox::Operation;
use model::outbox::content::{ChatContent, FilledTemplate, Json};
use model::prices::{self, Price};
use model::templates::{MessageTemplate, TemplateVariable, Templates};
use model::time::MINUTE;

/// Age at which the list is read again when it is shown.
const REFRESH_INTERVAL: i64 = 5 * MINUTE;

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateForm {
    pub template: MessageTemplate,
    /// Variables to fill in; a single slot for the JSON if the template's parts are unknown.
    pub slots: Vec<TemplateVariable>,
    pub values: Vec<TextLine>,
    pub focus: usize,
    /// True if it was opened from the templates page, which Esc returns to.
    from_page: bool,
}

impl TemplateForm {
    /// Creates a form filled with the stored examples and the customer's first name.
    fn new(template: MessageTemplate, first_name: Option<&str>) -> Self {
        let mut slots = template.slots();
        if template.parts.is_none() {
            let label = "components".to_owned();
            slots = vec![TemplateVariable {
                part: 0,
                name: String::new(),
                label,
                example: None,
                before: String::new(),
            }];
        }
        let value = |slot: &TemplateVariable| match (slot.is_greeting_name(), first_name) {
            _ if template.parts.is_none() => TextLine::new(template.raw.as_str()),
            (true, Some(name)) => TextLine::new(name),
            _ => TextLine::new(slot.example.clone().unwrap_or_default()),
        };
        let values: Vec<TextLine> = slots.iter().map(value).collect();
        let focus = values.iter().position(TextLine::is_empty).unwrap_or(0);
        Self { template, slots, values, focus, from_page: false }
    }

    pub fn variable_texts(&self) -> Vec<&str> {
        self.values.iter().map(|value| value.text().trim()).collect()
    }

    pub fn missing_value_error(&self) -> Option<String> {
        let texts = self.variable_texts();
        if self.template.parts.is_none() {
            let checked = json::check(texts.first().copied().unwrap_or(""), '[');
            return checked
                .err()
                .map(|(line, _, why)| format!("the components are not a JSON array: line {line}: {why}"));
        }
        let empty = texts.iter().filter(|text| text.is_empty()).count();
        let link =
            self.slots.iter().zip(&texts).find(|(slot, text)| {
                slot.name.is_empty() && !text.is_empty() && !text.starts_with("https://")
            });
        match (empty, link) {
            (0, Some((slot, _))) => Some(format!("the {} must begin with https://", slot.label)),
            (0, None) => None,
            (1, _) => Some("1 field is empty".to_owned()),
            (count, _) => Some(format!("{count} fields are empty")),
        }
    }

    fn filled_template(&self) -> FilledTemplate {
        let texts = self.variable_texts();
        let components = match &self.template.parts {
            Some(_) => self.template.components(&self.slots, &texts),
            None => texts.first().map(|text| Json((*text).to_owned())),
        };
        FilledTemplate {
            name: self.template.name.clone(),
            language: self.template.language.clone(),
            components,
        }
    }
}

impl Tab {
    /// Price of a template: the amount last charged, or the documented range.
    pub fn template_price(&self) -> Price {
        let stated = Price { min: prices::TEMPLATE_CREDITS, max: prices::MAX_TEMPLATE_CREDITS };
        self.templates.charged.map_or(stated, Price::exactly)
    }

    /// Templates that match all words of the query, sorted by name and language.
    pub fn search_templates(&self, query: &str) -> Vec<&MessageTemplate> {
        let query = query.to_lowercase();
        let all = |template: &&MessageTemplate| {
            let words =
                format!("{} {} {}", template.name, template.language, template.category).to_lowercase();
            query.split_whitespace().all(|word| words.contains(word))
        };
        let mut found: Vec<&MessageTemplate> = self.templates.all.iter().filter(all).collect();
        found.sort_by(|a, b| (&a.name, &a.language).cmp(&(&b.name, &b.language)));
        found
    }
}

#[derive(Debug, Default)]
pub(crate) struct TemplatePicker {
    pub(crate) picker: Picker,
}

impl Overlay for TemplatePicker {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if inbox.context.settings.keymap.key_in_text(Command::Refresh) == Some(key) {
            let channel = inbox.desk.tab().channel.id.clone();
            fetch_templates(&mut inbox.desk, &channel, &mut inbox.context);
            inbox.context.show_notice("asking for the templates");
            return KeyOutcome::Stay;
        }
        let found = inbox.desk.tab().search_templates(&self.picker.query);
        match self.picker.key(key, found.len()) {
            PickerOutcome::Stay => return KeyOutcome::Stay,
            PickerOutcome::Cancelled => (),
            PickerOutcome::Selected(index) => {
                let template = found[index].clone();
                inbox.connections.fill_template(template, false, &inbox.desk, &mut inbox.context);
            }
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Letters
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::Templates(_))
    }
}

impl Overlay for TemplateForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.focus, 0..self.values.len()) {
            FormKey::Leave => {
                match key.code {
                    // The page still has its search and its selection.
                    KeyCode::Esc if self.from_page => inbox.desk.page = PageKind::Templates,
                    KeyCode::Esc => pick_template(&mut inbox.desk, &mut inbox.context),
                    _ => (),
                }
                return KeyOutcome::Done;
            }
            FormKey::FocusMoved => (),
            FormKey::Submit => match self.missing_value_error() {
                None => return send_template(inbox, self),
                Some(why) => {
                    self.focus = self.values.iter().position(TextLine::is_empty).unwrap_or(self.focus);
                    inbox.context.show_warning(format!("not sent: {why}"));
                }
            },
            FormKey::FieldInput => {
                if let Some(value) = self.values.get_mut(self.focus) {
                    value.key(key);
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, text: &str) -> bool {
        if let Some(value) = self.values.get_mut(self.focus) {
            value.insert(text);
        }
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

pub(crate) fn reply_with_template(desk: &mut Desk, context: &mut Context) {
    pick_template(desk, context);
    context.show_notice("the customer last wrote more than 24 hours ago: only a template can be sent");
}

pub(crate) fn pick_template(desk: &mut Desk, context: &mut Context) {
    if desk.tab().focus == Focus::List && !actions::open(desk, Focus::History, context) {
        return;
    }
    context.push(Effect::Load(Load::Templates(desk.tab().channel.id.clone())));
    context.open(TemplatePicker::default());
}

/// Takes the stored list; asks the server if it is shown and old.
pub(crate) fn templates_loaded(
    desk: &mut Desk,
    channel: &ChannelId,
    templates: Templates,
    context: &mut Context,
) {
    let now = context.now;
    let shown = desk.page == PageKind::Templates || context.overlays.top::<TemplatePicker>().is_some();
    let Some(tab) = desk.tab_of(channel) else { return };
    let old = templates.fetched_at.is_none_or(|time| !(0..REFRESH_INTERVAL).contains(&now.since(time)));
    let first = tab.templates.fetched_at != templates.fetched_at || templates.fetched_at.is_none();
    tab.templates = templates;
    if shown && old && first {
        fetch_templates(desk, &channel.clone(), context);
    }
}

/// Asks the server for the list, unless a request is in flight.
fn fetch_templates(desk: &mut Desk, channel: &ChannelId, context: &mut Context) {
    let now = context.moment;
    let has_any = |tab: &&mut Tab| tab.platform().is_none_or(Platform::can_take_over);
    let Some(tab) = desk.tab_of(channel).filter(has_any) else { return };
    tab.templates_page.mark_stale();
    let taken = tab.templates_page.take_due_query(now);
    context.push_all(taken.map(|()| SyncOrder::Fetch(channel.clone(), Fetch::Templates)));
}

pub(crate) fn retry_templates(desk: &mut Desk, context: &mut Context) {
    if desk.page == PageKind::Templates && desk.tab().templates_page.has_failed() {
        fetch_templates(desk, &desk.tab().channel.id.clone(), context);
    }
}

pub(crate) fn templates_fetched(
    desk: &mut Desk,
    channel: &ChannelId,
    fetched: FetchOutcome,
    context: &Context,
) {
    let now = context.moment;
    let Some(tab) = desk.tab_of(channel) else { return };
    match fetched {
        Ok(_) => {
            tab.templates_page.receive(&());
        }
        Err(why) => tab.templates_page.fail(&(), &why, now),
    }
}

impl ConnectionAnswers {
    pub(crate) fn fill_template(
        &mut self,
        template: MessageTemplate,
        from_page: bool,
        desk: &Desk,
        context: &mut Context,
    ) {
        let name = self.reply_variables(desk, context).contact;
        let first = name.as_deref().and_then(|name| name.split_whitespace().next());
        let form = TemplateForm { from_page, ..TemplateForm::new(template, first) };
        context.open(form);
    }
}

/// Sends a complete form. A quote is not sent with a template.
fn send_template(inbox: &mut Inbox, form: &mut TemplateForm) -> KeyOutcome {
    let tab = inbox.desk.tab();
    let row = tab.history.as_ref().and_then(|history| history.row.as_ref());
    let refused = match row.and_then(|row| row.conversation.address.clone()) {
        None => Err("no address to send to".to_owned()),
        Some(to) => tab.payment_error(tab.template_price()).map_or(Ok(to), Err),
    };
    match refused {
        Ok(to) => {
            let content = ChatContent::Template(form.filled_template());
            let operation = Operation::SendContent { to, content, reply_to: None };
            sending::send_form_operation(inbox, operation, form)
        }
        Err(why) => {
            inbox.context.show_warning(format!("not sent: {why}"));
            KeyOutcome::Stay
        }
    }
}
