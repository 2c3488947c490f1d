//! The form of a broadcast: what it says, in what parts it leaves, and what
//! stops it. The audience stands beside it and is frozen before anything
//! leaves.

use crate::text_line::TextLine;
use model::attachments;
use model::bounds;
use model::outbox::content::{BroadcastContent, Template as Filled};
use model::templates::{Slot, Template};
use model::time::SECOND;
use model::waves::audience::{AudienceQuery, Found, Source};
use model::waves::{Aim, Frozen, WavePlan};

/// What a broadcast can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A picture by its link.
    Image,
    /// An approved template.
    Template,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Image, Self::Template];

    /// Its word.
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
pub enum Field {
    /// Text, image or template.
    Kind,
    /// The text.
    Text,
    /// The address of the picture.
    Link,
    /// Which template, by letters of its name.
    Template,
    /// A variable of it.
    Slot(usize),
    /// People of the first wave.
    Canary,
    /// People of the others.
    Wave,
    /// Seconds between waves.
    Wait,
    /// Failures that pause it, in percent.
    StopAbove,
    /// Credits that must stay.
    Keep,
}

impl Field {
    /// What stands before it, but for a template's variable.
    pub fn label(self) -> &'static str {
        match self {
            Self::Kind => "message",
            Self::Text => "text",
            Self::Link => "link",
            Self::Template => "template",
            Self::Slot(_) => "",
            Self::Canary => "canary",
            Self::Wave => "waves of",
            Self::Wait => "wait",
            Self::StopAbove => "stop above",
            Self::Keep => "keep",
        }
    }
}

/// The form.
#[derive(Debug, Clone, PartialEq)]
pub struct BroadcastForm {
    /// The tab and whom.
    pub query: AudienceQuery,
    /// Whom that comes to, once it was looked up.
    pub found: Option<Found>,
    /// Contacts read so far, while pages of the server are walked.
    pub walking: bool,
    /// What it is.
    pub kind: Kind,
    text: TextLine,
    link: TextLine,
    template: TextLine,
    /// The template found by its letters.
    pub chosen: Option<Template>,
    /// Its variables.
    pub slots: Vec<Slot>,
    values: Vec<TextLine>,
    numbers: [TextLine; 5],
    /// Whether a person has changed the plan.
    planned: bool,
    /// The field with the keyboard.
    pub focus: usize,
}

impl BroadcastForm {
    /// A form for an audience; what was filled in before stays.
    pub fn new(query: AudienceQuery, before: Option<Self>) -> Self {
        let walking = matches!(query.source, Source::Fitting(_) | Source::Everyone);
        if let Some(before) = before {
            return Self { query, found: None, walking, focus: 0, ..before };
        }
        let mut form = Self {
            query,
            found: None,
            walking,
            kind: Kind::Text,
            text: TextLine::default(),
            link: TextLine::default(),
            template: TextLine::default(),
            chosen: None,
            slots: Vec::new(),
            values: Vec::new(),
            numbers: Default::default(),
            planned: false,
            focus: 0,
        };
        form.suggest();
        form
    }

    /// How many people, as far as is known.
    pub fn count(&self) -> usize {
        match (&self.query.source, &self.found) {
            (_, None) => 0,
            (Source::Everyone, Some(found)) => found.open + found.closed,
            (_, Some(found)) => found.ids.len(),
        }
    }

    /// Whom it comes to was looked up.
    pub fn receive(&mut self, found: Found) {
        self.found = Some(found);
        self.suggest();
    }

    /// The plan that suggests itself, unless a person has made one.
    fn suggest(&mut self) {
        if self.planned {
            return;
        }
        let plan = WavePlan::suggested(self.count());
        let seconds = plan.wait / SECOND;
        let percent = plan.rules.failed_percent;
        let texts = [
            plan.canary.to_string(),
            plan.wave.to_string(),
            seconds.to_string(),
            percent.to_string(),
            String::new(),
        ];
        self.numbers = texts.map(TextLine::new);
    }

    /// The fields in their order.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Kind];
        match self.kind {
            Kind::Text => fields.push(Field::Text),
            Kind::Image => fields.push(Field::Link),
            Kind::Template => {
                fields.push(Field::Template);
                fields.extend((0..self.slots.len()).map(Field::Slot));
            }
        }
        if self.query.source != Source::Everyone {
            fields.extend([Field::Canary, Field::Wave, Field::Wait, Field::StopAbove, Field::Keep]);
        }
        fields
    }

    /// The field with the keyboard.
    pub fn at_hand(&self) -> Field {
        let fields = self.fields();
        fields[self.focus.min(fields.len() - 1)]
    }

    /// What stands in a field.
    pub fn line(&self, field: Field) -> Option<&TextLine> {
        match field {
            Field::Kind => None,
            Field::Text => Some(&self.text),
            Field::Link => Some(&self.link),
            Field::Template => Some(&self.template),
            Field::Slot(place) => self.values.get(place),
            Field::Canary | Field::Wave | Field::Wait | Field::StopAbove | Field::Keep => {
                self.numbers.get(number(field))
            }
        }
    }

    /// The line of the field at hand, to be written in.
    pub fn line_mut(&mut self) -> Option<&mut TextLine> {
        match self.at_hand() {
            Field::Kind => None,
            Field::Text => Some(&mut self.text),
            Field::Link => Some(&mut self.link),
            Field::Template => Some(&mut self.template),
            Field::Slot(place) => self.values.get_mut(place),
            field => {
                self.planned = true;
                self.numbers.get_mut(number(field))
            }
        }
    }

    /// Another kind of message.
    pub fn turn(&mut self, by: usize) {
        let at = Kind::ALL.iter().position(|it| *it == self.kind).unwrap_or(0);
        self.kind = Kind::ALL[(at + by) % Kind::ALL.len()];
    }

    /// Letters of the template's name.
    pub fn template_letters(&self) -> &str {
        self.template.text().trim()
    }

    /// A template was found by its letters, or none.
    pub fn choose(&mut self, found: Option<&Template>) {
        if self.chosen.as_ref() == found {
            return;
        }
        self.slots = found.filter(|it| it.parts.is_some()).map(Template::slots).unwrap_or_default();
        self.values =
            self.slots.iter().map(|it| TextLine::new(it.example.clone().unwrap_or_default())).collect();
        self.chosen = found.cloned();
    }

    /// What was filled in for the variables.
    pub fn texts(&self) -> Vec<&str> {
        self.values.iter().map(|it| it.text().trim()).collect()
    }

    /// The text as it leaves: a backslash and an n make a new line.
    fn body(&self) -> String {
        self.text.text().trim().replace("\\n", "\n")
    }

    /// What it says.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn content(&self) -> Result<BroadcastContent, String> {
        match self.kind {
            Kind::Text => {
                let text = self.body();
                match bounds::length(&text) {
                    0 => Err("the text is empty".to_owned()),
                    length if length > bounds::TEXT => {
                        Err(format!("the text has {length} characters; {} are the most", bounds::TEXT))
                    }
                    _ => Ok(BroadcastContent::Text(text)),
                }
            }
            Kind::Image => {
                let link = self.link.text().trim();
                match attachments::link_refusal(link) {
                    _ if link.is_empty() => Err("the link of the picture is missing".to_owned()),
                    Some(why) => Err(format!("the link: {why}")),
                    None => Ok(BroadcastContent::Image(link.to_owned())),
                }
            }
            Kind::Template => self.filled().map(BroadcastContent::Template),
        }
    }

    fn filled(&self) -> Result<Filled, String> {
        let template = self.chosen.as_ref().ok_or("no approved template is called so")?;
        if template.parts.is_none() {
            return Err(
                "this template's parts are of an unknown shape; send it as a script, with --components"
                    .to_owned(),
            );
        }
        let texts = self.texts();
        let empty = texts.iter().filter(|it| it.is_empty()).count();
        if empty > 0 {
            return Err(format!("{empty} of the template's boxes are empty"));
        }
        let components = template.components(&self.slots, &texts);
        Ok(Filled { name: template.name.clone(), language: template.language.clone(), components })
    }

    /// Whom, frozen.
    ///
    /// # Errors
    /// Why there is nobody, in words.
    pub fn aim(&self) -> Result<Aim, String> {
        let found = self.found.as_ref().ok_or("whom it goes to is still being looked up")?;
        if self.walking {
            return Err("the server's contacts are still being read".to_owned());
        }
        if self.query.source == Source::Everyone {
            return match self.count() {
                0 => Err("no contact is known".to_owned()),
                count => Ok(Aim::Everyone(count)),
            };
        }
        match Frozen::of(found.ids.iter().cloned()) {
            Some((frozen, _)) => Ok(Aim::These(frozen)),
            None => Err("nobody of them is a contact that can be sent to".to_owned()),
        }
    }

    /// In what parts, and what stops it.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn plan(&self) -> Result<WavePlan, String> {
        let mut plan = WavePlan::suggested(self.count());
        if self.query.source == Source::Everyone {
            return Ok(plan);
        }
        let read = |field: Field| {
            let text = self.numbers[number(field)].text().trim();
            text.parse::<u32>().map_err(|_| format!("{} is no number: {text:?}", field.label()))
        };
        plan.canary = read(Field::Canary)? as usize;
        plan.wave = read(Field::Wave)? as usize;
        plan.wait = i64::from(read(Field::Wait)?) * SECOND;
        plan.rules.failed_percent =
            u8::try_from(read(Field::StopAbove)?).map_err(|_| "failures are 0 to 100 percent".to_owned())?;
        let keep = self.numbers[number(Field::Keep)].text().trim();
        plan.rules.floor = if keep.is_empty() { None } else { Some(i64::from(read(Field::Keep)?)) };
        plan.refusal().map_or(Ok(plan), Err)
    }

    /// What is missing or wrong first.
    pub fn missing(&self) -> Option<String> {
        self.content().err().or_else(|| self.aim().err()).or_else(|| self.plan().err())
    }
}

fn number(field: Field) -> usize {
    match field {
        Field::Canary => 0,
        Field::Wave => 1,
        Field::Wait => 2,
        Field::StopAbove => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests;
