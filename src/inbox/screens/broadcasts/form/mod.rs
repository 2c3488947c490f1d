//! The form of a broadcast: content, waves and stop conditions. The audience is shown beside it and frozen
//! before anything is sent.

#[cfg(test)]
pub(crate) mod tests;

use crate::components::text_line::TextLine;
use model::attachments;
use model::bounds;
use model::outbox::content::{BroadcastContent, FilledTemplate};
use model::templates::{MessageTemplate, TemplateVariable};
use model::time::SECOND;
use model::waves::audience::{AudienceQuery, AudienceSource, ResolvedAudience};
use model::waves::{CampaignAudience, FrozenContacts, WavePlan};

/// Index of the content field, after the kind.
const CONTENT_FIELD_INDEX: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroadcastKind {
    Text,
    /// A picture by its link.
    Image,
    Template,
}

impl BroadcastKind {
    pub const ALL: [Self; 3] = [Self::Text, Self::Image, Self::Template];

    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Template => "template",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroadcastField {
    /// Text, image or template.
    Kind,
    Text,
    Link,
    /// Letters of the template's name.
    Template,
    /// A variable of the template.
    Variable(usize),
    /// People of the first wave.
    Canary,
    /// People of the others.
    Wave,
    /// Seconds between waves.
    Wait,
    /// Failures that pause the broadcast, in percent.
    StopAbove,
    /// Credits that must remain.
    MinBalance,
}

impl BroadcastField {
    /// Label before the field; empty for a template's variable.
    pub fn label(self) -> &'static str {
        match self {
            Self::Kind => "message",
            Self::Text => "text",
            Self::Link => "link",
            Self::Template => "template",
            Self::Variable(_) => "",
            Self::Canary => "canary",
            Self::Wave => "waves of",
            Self::Wait => "wait",
            Self::StopAbove => "stop above",
            Self::MinBalance => "keep",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct BroadcastForm {
    pub query: AudienceQuery,
    /// `None` until the recipients were looked up.
    pub audience: Option<ResolvedAudience>,
    /// True while the contacts are read from the server, page by page.
    pub is_reading_contacts: bool,
    pub kind: BroadcastKind,
    text: TextLine,
    link: TextLine,
    template: TextLine,
    /// Template found by its letters.
    pub chosen: Option<MessageTemplate>,
    pub slots: Vec<TemplateVariable>,
    values: Vec<TextLine>,
    plan_values: [TextLine; 5],
    /// True if the person has changed the plan.
    is_plan_edited: bool,
    pub focus: usize,
}

impl BroadcastForm {
    /// Creates a form for an audience; earlier input is kept.
    pub fn new(query: AudienceQuery, before: Option<Self>) -> Self {
        let walking = matches!(query.source, AudienceSource::Fitting(_) | AudienceSource::Everyone);
        if let Some(before) = before {
            return Self {
                query,
                audience: None,
                is_reading_contacts: walking,
                focus: CONTENT_FIELD_INDEX,
                ..before
            };
        }
        let mut form = Self {
            query,
            audience: None,
            is_reading_contacts: walking,
            kind: BroadcastKind::Text,
            text: TextLine::default(),
            link: TextLine::default(),
            template: TextLine::default(),
            chosen: None,
            slots: Vec::new(),
            values: Vec::new(),
            plan_values: Default::default(),
            is_plan_edited: false,
            focus: CONTENT_FIELD_INDEX,
        };
        form.suggest_plan();
        form
    }

    /// Creates a form with the content of an earlier broadcast. The variables of a template are typed again.
    pub fn of_content(query: AudienceQuery, content: &BroadcastContent) -> Self {
        let mut form = Self::new(query, None);
        match content {
            BroadcastContent::Text(text) => {
                form.kind = BroadcastKind::Text;
                form.text = TextLine::new(text.replace('\n', "\\n"));
            }
            BroadcastContent::Image(link) => {
                form.kind = BroadcastKind::Image;
                form.link = TextLine::new(link.clone());
            }
            BroadcastContent::Template(template) => {
                form.kind = BroadcastKind::Template;
                form.template = TextLine::new(template.name.clone());
            }
        }
        form
    }

    /// Number of recipients, as far as known.
    pub fn recipient_count(&self) -> usize {
        match (&self.query.source, &self.audience) {
            (_, None) => 0,
            (AudienceSource::Everyone, Some(found)) => found.open + found.closed,
            (_, Some(found)) => found.ids.len(),
        }
    }

    pub fn set_audience(&mut self, found: ResolvedAudience) {
        self.audience = Some(found);
        self.suggest_plan();
    }

    /// Suggests a plan, unless the person has changed it.
    fn suggest_plan(&mut self) {
        if self.is_plan_edited {
            return;
        }
        let plan = WavePlan::suggest(self.recipient_count());
        let seconds = plan.wait / SECOND;
        let percent = plan.rules.failed_percent;
        let texts = [
            plan.canary.to_string(),
            plan.wave.to_string(),
            seconds.to_string(),
            percent.to_string(),
            String::new(),
        ];
        self.plan_values = texts.map(TextLine::new);
    }

    pub fn fields(&self) -> Vec<BroadcastField> {
        let mut fields = vec![BroadcastField::Kind];
        match self.kind {
            BroadcastKind::Text => fields.push(BroadcastField::Text),
            BroadcastKind::Image => fields.push(BroadcastField::Link),
            BroadcastKind::Template => {
                fields.push(BroadcastField::Template);
                fields.extend((0..self.slots.len()).map(BroadcastField::Variable));
            }
        }
        if self.query.source != AudienceSource::Everyone {
            fields.extend([
                BroadcastField::Canary,
                BroadcastField::Wave,
                BroadcastField::Wait,
                BroadcastField::StopAbove,
                BroadcastField::MinBalance,
            ]);
        }
        fields
    }

    pub fn active_field(&self) -> BroadcastField {
        let fields = self.fields();
        fields[self.focus.min(fields.len() - 1)]
    }

    /// Text of a field; `None` for the kind, which is not typed.
    pub fn line(&self, field: BroadcastField) -> Option<&TextLine> {
        match field {
            BroadcastField::Kind => None,
            BroadcastField::Text => Some(&self.text),
            BroadcastField::Link => Some(&self.link),
            BroadcastField::Template => Some(&self.template),
            BroadcastField::Variable(place) => self.values.get(place),
            BroadcastField::Canary
            | BroadcastField::Wave
            | BroadcastField::Wait
            | BroadcastField::StopAbove
            | BroadcastField::MinBalance => self.plan_values.get(plan_value_index(field)),
        }
    }

    /// Text of the active field, for editing.
    pub fn line_mut(&mut self) -> Option<&mut TextLine> {
        match self.active_field() {
            BroadcastField::Kind => None,
            BroadcastField::Text => Some(&mut self.text),
            BroadcastField::Link => Some(&mut self.link),
            BroadcastField::Template => Some(&mut self.template),
            BroadcastField::Variable(place) => self.values.get_mut(place),
            field => {
                self.is_plan_edited = true;
                self.plan_values.get_mut(plan_value_index(field))
            }
        }
    }

    pub fn cycle_kind(&mut self, by: usize) {
        let at =
            BroadcastKind::ALL.iter().position(|broadcast_kind| *broadcast_kind == self.kind).unwrap_or(0);
        self.kind = BroadcastKind::ALL[(at + by) % BroadcastKind::ALL.len()];
    }

    /// Typed letters of the template's name.
    pub fn template_query(&self) -> &str {
        self.template.text().trim()
    }

    /// Stores the template found by the letters, `None` if there is none.
    pub fn set_template(&mut self, found: Option<&MessageTemplate>) {
        if self.chosen.as_ref() == found {
            return;
        }
        self.slots =
            found.filter(|template| template.parts.is_some()).map(MessageTemplate::slots).unwrap_or_default();
        self.values =
            self.slots.iter().map(|slot| TextLine::new(slot.example.clone().unwrap_or_default())).collect();
        self.chosen = found.cloned();
    }

    pub fn variable_texts(&self) -> Vec<&str> {
        self.values.iter().map(|value| value.text().trim()).collect()
    }

    /// Text as sent: a backslash and an n become a line break.
    fn body(&self) -> String {
        self.text.text().trim().replace("\\n", "\n")
    }

    pub fn content(&self) -> Result<BroadcastContent, String> {
        match self.kind {
            BroadcastKind::Text => {
                let text = self.body();
                match bounds::count_chars(&text) {
                    0 => Err("the text is empty".to_owned()),
                    length if length > bounds::MAX_TEXT_CHARS => Err(format!(
                        "the text has {length} characters; the limit is {}",
                        bounds::MAX_TEXT_CHARS
                    )),
                    _ => Ok(BroadcastContent::Text(text)),
                }
            }
            BroadcastKind::Image => {
                let link = self.link.text().trim();
                match attachments::link_rejection_reason(link) {
                    _ if link.is_empty() => Err("the picture's link is missing".to_owned()),
                    Some(why) => Err(format!("the link: {why}")),
                    None => Ok(BroadcastContent::Image(link.to_owned())),
                }
            }
            BroadcastKind::Template => self.filled_template().map(BroadcastContent::Template),
        }
    }

    fn filled_template(&self) -> Result<FilledTemplate, String> {
        let template = self.chosen.as_ref().ok_or("no approved template matches")?;
        if template.parts.is_none() {
            return Err(
                "this template has an unknown format; send it from a script with --components".to_owned()
            );
        }
        let texts = self.variable_texts();
        let empty = texts.iter().filter(|text| text.is_empty()).count();
        if empty > 0 {
            return Err(format!("{empty} fields of the template are empty"));
        }
        let components = template.components(&self.slots, &texts);
        Ok(FilledTemplate { name: template.name.clone(), language: template.language.clone(), components })
    }

    /// Returns the frozen recipients.
    ///
    /// # Errors
    /// As text, if there are none.
    pub fn campaign_audience(&self) -> Result<CampaignAudience, String> {
        let found = self.audience.as_ref().ok_or("still looking up the recipients")?;
        if self.is_reading_contacts {
            return Err("still reading the contacts".to_owned());
        }
        if self.query.source == AudienceSource::Everyone {
            return match self.recipient_count() {
                0 => Err("no contacts".to_owned()),
                count => Ok(CampaignAudience::Everyone(count)),
            };
        }
        match FrozenContacts::from_ids(found.ids.iter().cloned()) {
            Some((frozen, _)) => Ok(CampaignAudience::Contacts(frozen)),
            None => Err("none of them is a contact with a number".to_owned()),
        }
    }

    /// Waves and stop conditions.
    pub fn plan(&self) -> Result<WavePlan, String> {
        let mut plan = WavePlan::suggest(self.recipient_count());
        if self.query.source == AudienceSource::Everyone {
            return Ok(plan);
        }
        let read = |field: BroadcastField| {
            let text = self.plan_values[plan_value_index(field)].text().trim();
            text.parse::<u32>().map_err(|_| format!("{} is not a number: {text:?}", field.label()))
        };
        plan.canary = read(BroadcastField::Canary)? as usize;
        plan.wave = read(BroadcastField::Wave)? as usize;
        plan.wait = i64::from(read(BroadcastField::Wait)?) * SECOND;
        plan.rules.failed_percent = u8::try_from(read(BroadcastField::StopAbove)?)
            .map_err(|_| "failures must be 0 to 100 percent".to_owned())?;
        let keep = self.plan_values[plan_value_index(BroadcastField::MinBalance)].text().trim();
        plan.rules.floor =
            if keep.is_empty() { None } else { Some(i64::from(read(BroadcastField::MinBalance)?)) };
        plan.rejection_reason().map_or(Ok(plan), Err)
    }

    pub fn first_error(&self) -> Option<String> {
        self.content().err().or_else(|| self.campaign_audience().err()).or_else(|| self.plan().err())
    }
}

fn plan_value_index(field: BroadcastField) -> usize {
    match field {
        BroadcastField::Canary => 0,
        BroadcastField::Wave => 1,
        BroadcastField::Wait => 2,
        BroadcastField::StopAbove => 3,
        _ => 4,
    }
}
