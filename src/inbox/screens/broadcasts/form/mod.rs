//! The form of a broadcast: what it says, in what parts it leaves, and what
//! stops it. The audience stands beside it and is frozen before anything
//! leaves.

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

/// The place of the field that says what leaves, behind what kind it is.
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

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroadcastField {
    /// Text, image or template.
    Kind,
    Text,
    Link,
    /// Which template, by letters of its name.
    Template,
    /// A variable of it.
    Variable(usize),
    /// People of the first wave.
    Canary,
    /// People of the others.
    Wave,
    /// Seconds between waves.
    Wait,
    /// Failures that pause it, in percent.
    StopAbove,
    /// Credits that must stay.
    MinBalance,
}

impl BroadcastField {
    /// What stands before it, but for a template's variable.
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
    /// Its recipients, once they were looked up.
    pub audience: Option<ResolvedAudience>,
    /// Contacts read so far, while pages of the server are walked.
    pub is_reading_contacts: bool,
    pub kind: BroadcastKind,
    text: TextLine,
    link: TextLine,
    template: TextLine,
    /// The template found by its letters.
    pub chosen: Option<MessageTemplate>,
    pub slots: Vec<TemplateVariable>,
    values: Vec<TextLine>,
    plan_values: [TextLine; 5],
    /// Whether a person has changed the plan.
    is_plan_edited: bool,
    pub focus: usize,
}

impl BroadcastForm {
    /// A form for an audience; what was filled in before stays.
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

    /// How many people, as far as is known.
    pub fn recipient_count(&self) -> usize {
        match (&self.query.source, &self.audience) {
            (_, None) => 0,
            (AudienceSource::Everyone, Some(found)) => found.open + found.closed,
            (_, Some(found)) => found.ids.len(),
        }
    }

    /// Takes in the recipients that were looked up.
    pub fn set_audience(&mut self, found: ResolvedAudience) {
        self.audience = Some(found);
        self.suggest_plan();
    }

    /// The plan that suggests itself, unless a person has made one.
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

    /// The fields in their order.
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

    /// The field with the keyboard.
    pub fn active_field(&self) -> BroadcastField {
        let fields = self.fields();
        fields[self.focus.min(fields.len() - 1)]
    }

    /// What stands in a field.
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

    /// The line of the current field, to be written in.
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

    /// Another kind of message.
    pub fn cycle_kind(&mut self, by: usize) {
        let at =
            BroadcastKind::ALL.iter().position(|broadcast_kind| *broadcast_kind == self.kind).unwrap_or(0);
        self.kind = BroadcastKind::ALL[(at + by) % BroadcastKind::ALL.len()];
    }

    /// Letters of the template's name.
    pub fn template_query(&self) -> &str {
        self.template.text().trim()
    }

    /// A template was found by its letters, or none.
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

    /// What was filled in for the variables.
    pub fn variable_texts(&self) -> Vec<&str> {
        self.values.iter().map(|value| value.text().trim()).collect()
    }

    /// The text as it leaves: a backslash and an n make a new line.
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

    /// The recipients, frozen.
    ///
    /// # Errors
    /// Why there is nobody, in words.
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

    /// In what parts, and what stops it.
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

    /// What is missing or wrong first.
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
