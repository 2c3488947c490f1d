//! Configuration file of `serve`: the `[assistant]` table, its instructions and token limits.

use std::path::Path;

use toml::de::DeTable;

use crate::config::assist::read_amount;
use crate::config::reading::{ConfigText, Section};
use crate::config::settings::SERVICE_FILE;
use crate::config::{ConfigError, ConfigErrors, Mistakes};
use ::service::retention::Retention;
use ::service::{AfterPersonAnswers, Endpoint, Knowledge, QuestionError, QuestionFile, TokenCaps};
use model::model_costs::ModelPrices;
use model::secret::Secret;
use model::time::DAY;

const MAX_INSTRUCTIONS_CHARS: usize = 8_000;
const MAX_TONE_CHARS: usize = 300;
const MAX_FACT_CHARS: usize = 500;
const MAX_FACTS: usize = 100;
const MAX_QUESTIONS_BYTES: usize = 512 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub struct ServiceConfig {
    pub assistant: Option<AssistantConfig>,
    pub retention: Retention,
    /// True to show customers that a person types.
    pub typing_sign: bool,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self { assistant: None, retention: Retention::default(), typing_sign: true }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct AssistantConfig {
    /// Model endpoint, unless given by a switch.
    pub endpoint: Option<Endpoint>,
    /// Instructions, facts, questions and answers.
    pub knowledge: Knowledge,
    pub caps: TokenCaps,
    /// Prices of the model's tokens.
    pub prices: ModelPrices,
    /// Silence after a person's message, unless given by a switch.
    pub after_person_answers: AfterPersonAnswers,
}

impl ServiceConfig {
    /// Reads a file and the files it names.
    pub fn read(path: &Path) -> Result<Self, ConfigErrors> {
        let name = path.display().to_string();
        let text = disk::read_text(path).map_err(|cause| {
            ConfigErrors(vec![ConfigError { place: name.clone(), line: None, problem: cause.to_string() }])
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&name, &text, folder, &|name| std::env::var(name).ok())
    }

    /// Parses a text; `folder` is the base of other files.
    fn parse(
        name: &str,
        text: &str,
        folder: &Path,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigErrors> {
        let place = ConfigText { name, text };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            ConfigErrors(vec![place.error(at, error.message())])
        })?;
        let mut mistakes = Mistakes::default();
        let root = Section::new(place, SERVICE_FILE, table.get_ref());
        mistakes.all(root.unknown());
        let section = mistakes.value(root.table("assistant"));
        let assistant = section.map(|section| read_assistant(&section, folder, environment, &mut mistakes));
        let section = mistakes.value(root.table("retention"));
        let retention = section.map(|section| read_retention(&section, &mut mistakes)).unwrap_or_default();
        let section = mistakes.value(root.table("team"));
        let typing_sign = section.and_then(|section| read_typing_sign(&section, &mut mistakes));
        if !mistakes.0.is_empty() {
            return Err(ConfigErrors(mistakes.0));
        }
        Ok(Self { assistant, retention, typing_sign: typing_sign.unwrap_or(true) })
    }
}

fn read_typing_sign(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<bool> {
    mistakes.all(section.unknown());
    mistakes.value(section.boolean("typing_sign"))
}

/// Reads days; 0 keeps for good.
fn read_retention(section: &Section<'_>, mistakes: &mut Mistakes) -> Retention {
    mistakes.all(section.unknown());
    let mut kept = |key, before: Option<i64>| match mistakes.value(section.integer(key)) {
        None => before,
        Some(0) => None,
        Some(days) => Some(days.saturating_mul(DAY)),
    };
    let before = Retention::default();
    Retention {
        messages: kept("messages", before.messages),
        media: kept("media", before.media),
        events: kept("events", before.events),
        deliveries: kept("deliveries", before.deliveries),
        logs: kept("logs", before.logs),
    }
}

fn read_assistant(
    section: &Section<'_>,
    folder: &Path,
    environment: &dyn Fn(&str) -> Option<String>,
    mistakes: &mut Mistakes,
) -> AssistantConfig {
    mistakes.all(section.unknown());
    let files = mistakes.collect(section.string_or_strings("questions")).unwrap_or_default();
    let mut questions = QuestionFile::default();
    for file in files {
        let read = read_questions(section, &folder.join(&file), mistakes);
        if let Err(most) = questions.add(read) {
            let problem = format!("questions: with {file} there are more than {most} questions; remove some");
            mistakes.0.push(section.error("questions", &problem));
        }
    }
    let knowledge = Knowledge {
        business: read_bounded(section, "business", 200, mistakes),
        instructions: read_bounded(section, "instructions", MAX_INSTRUCTIONS_CHARS, mistakes)
            .unwrap_or_default(),
        tone: read_bounded(section, "tone", MAX_TONE_CHARS, mistakes).unwrap_or_default(),
        facts: read_facts(section, mistakes),
        questions,
    };
    let before = TokenCaps::default();
    let mut tokens = |key, before: u64| {
        let number = mistakes.value(section.integer(key));
        number.and_then(|number| u64::try_from(number).ok()).unwrap_or(before)
    };
    let caps = TokenCaps {
        conversation: tokens("conversation_tokens", before.conversation),
        day: tokens("day_tokens", before.day),
    };
    let mut amount = |key: &str| read_amount(section, key, mistakes).unwrap_or_default();
    let prices =
        ModelPrices { input: amount("price_in"), output: amount("price_out"), ..ModelPrices::default() };
    let pauses = mistakes.value(section.boolean("pause_when_answered_elsewhere"));
    AssistantConfig {
        endpoint: read_endpoint(section, environment, mistakes),
        knowledge,
        caps,
        prices,
        after_person_answers: pauses.map(AfterPersonAnswers::from_setting).unwrap_or_default(),
    }
}

fn read_endpoint(
    section: &Section<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
    mistakes: &mut Mistakes,
) -> Option<Endpoint> {
    let url = mistakes.value(section.string("url"));
    let model = mistakes.value(section.string("model"));
    let key_env = mistakes.value(section.string("key_env"));
    let key = key_env.and_then(|name| {
        let found = environment(&name).filter(|environment| !environment.trim().is_empty());
        if found.is_none() {
            let problem =
                format!("the environment variable of key_env, {name}, is not set; set it before the start");
            mistakes.0.push(section.error("key_env", &problem));
        }
        found.map(|text| Secret::new(&text))
    });
    match (url, model) {
        (Some(url), Some(model)) => Some(Endpoint { url, model, key }),
        (None, None) => None,
        (Some(_), None) => {
            mistakes.0.push(section.error("url", "url needs model = \"…\", the name of the model"));
            None
        }
        (None, Some(_)) => {
            mistakes
                .0
                .push(section.error("model", "model needs url = \"…\", the address including the version"));
            None
        }
    }
}

fn read_bounded(section: &Section<'_>, key: &str, most: usize, mistakes: &mut Mistakes) -> Option<String> {
    let text = mistakes.value(section.string(key))?;
    let length = text.chars().count();
    if length > most {
        let problem = format!("{key} has {length} characters, but at most {most} are allowed: shorten it");
        mistakes.0.push(section.error(key, &problem));
        return None;
    }
    Some(text)
}

fn read_facts(section: &Section<'_>, mistakes: &mut Mistakes) -> Vec<String> {
    let facts = mistakes.value(section.strings("facts")).unwrap_or_default();
    let mut wrong = |problem: String| mistakes.0.push(section.error("facts", &problem));
    if facts.len() > MAX_FACTS {
        wrong(format!(
            "facts has {} entries, but at most {MAX_FACTS} are allowed: move some to questions",
            facts.len()
        ));
    }
    if let Some(long) = facts.iter().find(|fact| fact.chars().count() > MAX_FACT_CHARS) {
        let begin: String = long.chars().take(30).collect();
        wrong(format!("the fact that begins {begin:?} is longer than {MAX_FACT_CHARS} characters: split it"));
    }
    facts
}

/// Reads the questions file; its mistakes are reported with its own lines.
fn read_questions(section: &Section<'_>, path: &Path, mistakes: &mut Mistakes) -> QuestionFile {
    let shown = path.display();
    let text = match disk::read_text(path) {
        Ok(text) if text.len() <= MAX_QUESTIONS_BYTES => text,
        Ok(_) => {
            let problem =
                format!("questions: {shown} is larger than {MAX_QUESTIONS_BYTES} bytes: shorten it");
            mistakes.0.push(section.error("questions", &problem));
            return QuestionFile::default();
        }
        Err(cause) => {
            mistakes.0.push(section.error("questions", &format!("questions: {shown}: {cause}")));
            return QuestionFile::default();
        }
    };
    match QuestionFile::parse(&text) {
        Ok(file) => file,
        Err(wrong) => {
            // They are of another file, whose lines are not compared with those of this one.
            let one = |question_mistake: QuestionError| ConfigError {
                place: format!("{shown}, line {}", question_mistake.line),
                line: None,
                problem: question_mistake.problem,
            };
            mistakes.all(wrong.into_iter().map(one).collect());
            QuestionFile::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, folder: &Path) -> Result<ServiceConfig, String> {
        let environment = |name: &str| (name == "MODEL_KEY").then(|| "secret".to_owned());
        ServiceConfig::parse("service.toml", text, folder, &environment).map_err(|error| error.to_string())
    }

    #[test]
    fn all_of_it_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("questions.md"), "## Open?\nYes.\n").expect("written");
        let text = r#"
            [assistant]
            url = "http://127.0.0.1:8000/v1"
            model = "small"
            key_env = "MODEL_KEY"
            business = "Harbor Bikes"
            instructions = "Offer a visit."
            tone = "warm and brief"
            facts = ["We are at the pier."]
            questions = "questions.md"
            conversation_tokens = 5000
            price_in = "0.15"
            price_out = "0.60"
            pause_when_answered_elsewhere = false
        "#;
        let assistant = read(text, folder.path()).expect("it is well").assistant.expect("a table");
        let endpoint = assistant.endpoint.expect("an endpoint");
        assert_eq!((endpoint.model.as_str(), endpoint.key.is_some()), ("small", true));
        assert_eq!(assistant.caps, TokenCaps { conversation: 5_000, ..TokenCaps::default() });
        let cost = |text| model::model_costs::ModelCost::parse(text).expect("an amount");
        let prices = ModelPrices { input: cost("0.15"), output: cost("0.60"), ..ModelPrices::default() };
        assert_eq!(assistant.prices, prices);
        assert_eq!(assistant.after_person_answers, AfterPersonAnswers::NextCustomerMessage);
        assert_eq!(assistant.knowledge.facts, ["We are at the pier."]);
        assert_ne!(assistant.knowledge.questions, QuestionFile::default());
        assert_eq!(read("", folder.path()), Ok(ServiceConfig::default()));
    }

    #[test]
    fn days_are_kept_and_zero_keeps_for_good() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "[retention]\nmessages = 365\nevents = 0\n";
        let kept = read(text, folder.path()).expect("it is well").retention;
        let wanted = Retention { messages: Some(365 * DAY), events: None, ..Retention::default() };
        assert_eq!(kept, wanted);
    }

    #[test]
    fn typing_sign_is_shown_unless_it_is_switched_off() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, wanted) in [("", true), ("[team]\n", true), ("[team]\ntyping_sign = false\n", false)] {
            assert_eq!(read(text, folder.path()).expect("it is well").typing_sign, wanted, "{text}");
        }
    }

    #[test]
    fn each_mistake_names_its_file_and_line_and_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("bad.md"), "## Open?\n\n## Where?\nHere.\n").expect("written");
        let long = format!("[assistant]\ntone = \"{}\"\n", "x".repeat(301));
        let cases = [
            ("[asistant]\n", "service.toml, line 1: asistant is not a key; did you mean assistant?"),
            (
                "[assistant]\ninstruction = \"x\"\n",
                "service.toml, line 2: instruction is not a key in [assistant]",
            ),
            (
                "[assistant]\nafter_person_answers = \"pause\"\n",
                "line 2: after_person_answers is not a key in [assistant]",
            ),
            ("[assistant]\nfacts = \"one\"\n", "service.toml, line 2: facts must be a list of "),
            ("[assistant]\nurl = \"http://127.0.0.1:1/v1\"\n", "service.toml, line 2: url needs model"),
            (
                "[assistant]\npause_when_answered_elsewhere = \"never\"\n",
                "line 2: pause_when_answered_elsewhere must be true or false",
            ),
            ("[assistant]\nday_tokens = 5\n", "service.toml, line 2: day_tokens must be a whole number"),
            (
                "[assistant]\nprice_in = \"1,50\"\n",
                "service.toml, line 2: price_in = \"1,50\" is not an amount",
            ),
            ("[assistant]\n\nkey_env = \"NONE\"\n", "line 3: "),
            ("[assistant]\nquestions = \"none.md\"\n", "service.toml, line 2: questions: "),
            ("[assistant]\nquestions = \"bad.md\"\n", "bad.md, line 1: this question has no answer"),
            ("[assistant\n", "service.toml, line 1: "),
            (&long, "line 2: tone has 301 characters"),
        ];
        for (text, words) in cases {
            let said = read(text, folder.path()).expect_err(text);
            assert!(said.contains(words), "{text}: {said}");
        }
    }
}
