//! Templates in the desk: picking one, filling in every variable, sending it.
//! The answer that was begun stays in the composer.

use crate::Inbox;
use crate::commands::Command;
use crate::components::picker::{Picked, Picker};
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::pages::PageKind;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::fetches::{Fetch, Fetching};
use model::ids::ChannelId;
use model::json;
use model::outbox::Operation;
use model::outbox::content::{ChatContent, FilledTemplate, Json};
use model::prices::{self, Price};
use model::templates::{ApprovedTemplate, TemplateVariable, Templates};
use model::time::MINUTE;

/// Older lists are read again when they are looked at.
const FRESH: i64 = 5 * MINUTE;

/// A template being filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateForm {
    /// The template.
    pub template: ApprovedTemplate,
    /// What is to be filled in; one box for the JSON where its shape is not
    /// known.
    pub slots: Vec<TemplateVariable>,
    /// What was filled in, a line for each.
    pub values: Vec<TextLine>,
    /// The box with the keyboard.
    pub focus: usize,
    /// Whether it was opened on the page of templates, where one goes back to.
    from_page: bool,
}

impl TemplateForm {
    /// A form with what is known filled in.
    fn new(template: ApprovedTemplate, first_name: Option<&str>) -> Self {
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
        let value = |slot: &TemplateVariable| match (slot.is_name(), first_name) {
            _ if template.parts.is_none() => TextLine::new(template.raw.as_str()),
            (true, Some(name)) => TextLine::new(name),
            _ => TextLine::new(slot.example.clone().unwrap_or_default()),
        };
        let values: Vec<TextLine> = slots.iter().map(value).collect();
        let focus = values.iter().position(TextLine::is_empty).unwrap_or(0);
        Self { template, slots, values, focus, from_page: false }
    }

    /// What was filled in.
    pub fn texts(&self) -> Vec<&str> {
        self.values.iter().map(|it| it.text().trim()).collect()
    }

    /// Why it cannot be sent yet.
    pub fn missing(&self) -> Option<String> {
        let texts = self.texts();
        if self.template.parts.is_none() {
            let checked = json::check(texts.first().copied().unwrap_or(""), '[');
            return checked
                .err()
                .map(|(line, _, why)| format!("the components are no JSON array: line {line}: {why}"));
        }
        let empty = texts.iter().filter(|it| it.is_empty()).count();
        let link =
            self.slots.iter().zip(&texts).find(|(slot, text)| {
                slot.name.is_empty() && !text.is_empty() && !text.starts_with("https://")
            });
        match (empty, link) {
            (0, Some((slot, _))) => Some(format!("the {} must begin with https://", slot.label)),
            (0, None) => None,
            (1, _) => Some("1 box is still empty".to_owned()),
            (count, _) => Some(format!("{count} boxes are still empty")),
        }
    }

    /// What is sent.
    fn filled(&self) -> FilledTemplate {
        let texts = self.texts();
        let components = match &self.template.parts {
            Some(_) => self.template.components(&self.slots, &texts),
            None => texts.first().map(|it| Json((*it).to_owned())),
        };
        FilledTemplate {
            name: self.template.name.clone(),
            language: self.template.language.clone(),
            components,
        }
    }
}

impl Tab {
    /// What a template costs: what the newest one did, or what the interface
    /// says, which says two things.
    pub fn template_price(&self) -> Price {
        let stated = Price { least: prices::TEMPLATE, most: prices::TEMPLATE_IN_TEXT };
        self.templates.charged.map_or(stated, Price::exactly)
    }

    /// The templates a question finds.
    pub fn found_templates(&self, query: &str) -> Vec<&ApprovedTemplate> {
        let query = query.to_lowercase();
        let all = |it: &&ApprovedTemplate| {
            let words = format!("{} {} {}", it.name, it.language, it.category).to_lowercase();
            query.split_whitespace().all(|word| words.contains(word))
        };
        let mut found: Vec<&ApprovedTemplate> = self.templates.all.iter().filter(all).collect();
        found.sort_by(|a, b| (&a.name, &a.language).cmp(&(&b.name, &b.language)));
        found
    }
}

impl Inbox {
    /// Answers in the one way that is left, and says why.
    pub(crate) fn reply_with_template(&mut self) {
        self.pick_template();
        self.say("the customer last wrote more than 24 hours ago: only a template can be sent");
    }

    /// Opens the picker, and reads the list if it is old.
    pub(crate) fn pick_template(&mut self) {
        if self.tab().focus == Focus::List {
            self.open(Focus::History);
        }
        self.context.push(Effect::Load(Load::Templates(self.tab().channel.id.clone())));
        self.open_layer(Layer::Templates { picker: Picker::default() });
    }

    /// The list as it is stored has come.
    pub(crate) fn templates_loaded(&mut self, channel: &ChannelId, templates: Templates) {
        let now = self.context.now;
        let shown =
            self.page == PageKind::Templates || matches!(self.layers.last(), Some(Layer::Templates { .. }));
        let Some(tab) = self.tab_of(channel) else { return };
        let old = templates.fetched_at.is_none_or(|it| !(0..FRESH).contains(&now.since(it)));
        let first = tab.templates.fetched_at != templates.fetched_at || templates.fetched_at.is_none();
        tab.templates = templates;
        if shown && old && first {
            self.fetch_templates(&channel.clone());
        }
    }

    /// Asks the server for the list, unless it is being asked.
    fn fetch_templates(&mut self, channel: &ChannelId) {
        let now = self.context.now;
        let has_any = |it: &&mut Tab| it.platform().is_none_or(Platform::can_take_over);
        let Some(tab) = self.tab_of(channel).filter(has_any) else { return };
        tab.templates_page.mark_stale();
        let taken = tab.templates_page.take(now);
        self.context.effects.extend(taken.map(|()| Effect::Fetch(channel.clone(), Fetch::Templates)));
    }

    /// Asks again for a list that did not come.
    pub(crate) fn retry_templates(&mut self) {
        if self.page == PageKind::Templates && self.tab().templates_page.has_failed() {
            self.fetch_templates(&self.tab().channel.id.clone());
        }
    }

    /// The server has told the list, or why not.
    pub(crate) fn templates_fetched(&mut self, channel: &ChannelId, fetched: Fetching) {
        let now = self.context.now;
        let Some(tab) = self.tab_of(channel) else { return };
        match fetched {
            Ok(_) => {
                tab.templates_page.receive(&());
            }
            Err(why) => tab.templates_page.fail(&(), &why, now),
        }
    }

    /// A key in the picker.
    pub(crate) fn templates_key(&mut self, mut picker: Picker, key: KeyPress) {
        if self.context.settings.keymap.in_text(Command::Refresh) == Some(key) {
            self.fetch_templates(&self.tab().channel.id.clone());
            self.say("asking for the templates");
            return self.layers.push(Layer::Templates { picker });
        }
        let found = self.tab().found_templates(&picker.query);
        match picker.key(key, found.len()) {
            Picked::Stays => self.layers.push(Layer::Templates { picker }),
            Picked::Left => (),
            Picked::Entry(index) => {
                let template = found[index].clone();
                self.fill_template(template, false);
            }
        }
    }

    /// Opens the form of a template for the conversation at hand.
    pub(crate) fn fill_template(&mut self, template: ApprovedTemplate, from_page: bool) {
        let name = self.facts().contact;
        let first = name.as_deref().and_then(|it| it.split_whitespace().next());
        let form = TemplateForm { from_page, ..TemplateForm::new(template, first) };
        self.open_layer(Layer::TemplateForm(Box::new(form)));
    }

    /// A key in the form. Enter sends a full one and else goes to the next
    /// empty box.
    pub(crate) fn form_key(&mut self, mut form: Box<TemplateForm>, key: KeyPress) {
        let count = form.values.len().max(1);
        match key.code {
            // The page still has its search and its chosen card.
            KeyCode::Esc if form.from_page => return self.page = PageKind::Templates,
            KeyCode::Esc => return self.pick_template(),
            KeyCode::Char('c') if key.ctrl => return,
            KeyCode::Tab | KeyCode::Down => form.focus = (form.focus + 1) % count,
            KeyCode::BackTab | KeyCode::Up => form.focus = (form.focus + count - 1) % count,
            KeyCode::Enter => match form.missing() {
                None => return self.send_template(form),
                Some(why) => {
                    form.focus = form.values.iter().position(TextLine::is_empty).unwrap_or(form.focus);
                    self.warn(format!("not sent: {why}"));
                }
            },
            _ => {
                let focus = form.focus;
                if let Some(value) = form.values.get_mut(focus) {
                    value.key(key);
                }
            }
        }
        self.layers.push(Layer::TemplateForm(form));
    }

    /// Sends a full form; a quote does not go with a template.
    fn send_template(&mut self, form: Box<TemplateForm>) {
        let tab = self.tab();
        let row = tab.history.as_ref().and_then(|it| it.row.as_ref());
        let refused = match row.and_then(|it| it.conversation.address.clone()) {
            None => Err("there is no address to send to".to_owned()),
            Some(to) => tab.cannot_pay(tab.template_price()).map_or(Ok(to), Err),
        };
        match refused {
            Ok(to) => {
                let content = ChatContent::Template(form.filled());
                let operation = Operation::SendContent { to, content, reply_to: None };
                self.send_beside_draft(operation, Layer::TemplateForm(form));
            }
            Err(why) => {
                self.warn(format!("not sent: {why}"));
                self.layers.push(Layer::TemplateForm(form));
            }
        }
    }
}
