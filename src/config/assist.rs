//! The `[assist]` table: the language model for drafts and briefs.

use crate::config::Mistakes;
use crate::config::keys::{KeyError, KeySource};
use crate::config::reading::Section;
use model::model_costs::{ModelCaps, ModelCost, ModelPrices};
use model::secret::Secret;

const DEFAULT_DAILY_TOKENS: u64 = 200_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistConfig {
    pub url: String,
    pub model: String,
    pub key: Option<KeySource>,
    pub language: String,
    /// Daily caps of all tabs together.
    pub caps: ModelCaps,
    pub prices: ModelPrices,
    pub currency: String,
    /// Model for transcripts of voice notes, if any.
    pub transcribe_model: Option<String>,
}

impl AssistConfig {
    /// Fetches the key, if one is configured.
    ///
    /// # Errors
    /// See [`KeySource::fetch`].
    pub fn fetch_key(&self) -> Result<Option<Secret>, KeyError> {
        self.key.as_ref().map(|key| key.fetch("assist", &self.url)).transpose()
    }
}

/// Reads the table; a mistaken one counts as absent.
pub(crate) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<AssistConfig> {
    mistakes.all(section.unknown());
    let url =
        mistakes.collect(section.required("url").and_then(|url| match net::assist::check_address(&url) {
            Ok(()) => Ok(url),
            Err(why) => Err(section.error("url", &format!("url: {why}"))),
        }));
    let model = mistakes.collect(section.required("model"));
    let sources = [
        mistakes.value(section.string("key_env")).map(KeySource::Environment),
        mistakes.value(section.string("key_command")).map(KeySource::Command),
    ];
    let language = mistakes.value(section.string("language")).unwrap_or_else(|| "English".to_owned());
    let day_tokens = mistakes.value(section.integer("day_tokens"));
    let tokens =
        day_tokens.and_then(|day_token| u64::try_from(day_token).ok()).unwrap_or(DEFAULT_DAILY_TOKENS);
    let mut amount = |key: &str| read_amount(section, key, mistakes);
    let prices = ModelPrices {
        input: amount("price_in").unwrap_or_default(),
        output: amount("price_out").unwrap_or_default(),
        minute: amount("price_minute").unwrap_or_default(),
    };
    let (cost, tab_cost) = (amount("day_cost"), amount("tab_cost"));
    let bounded = [("day_cost", cost), ("tab_cost", tab_cost)];
    for (key, _) in bounded.iter().filter(|pair| pair.1.is_some() && prices == ModelPrices::default()) {
        let problem = format!("{key} needs price_in and price_out, the prices of a million tokens");
        mistakes.0.push(section.error(key, &problem));
    }
    let tab_tokens =
        mistakes.value(section.integer("tab_tokens")).and_then(|number| u64::try_from(number).ok());
    let caps = ModelCaps { tokens, cost, tab_tokens, tab_cost };
    let currency = mistakes.value(section.string("currency")).unwrap_or_default();
    let transcribe_model = mistakes.value(section.string("transcribe_model"));
    let (key, is_one_of_many) = KeySource::first_source(sources);
    if is_one_of_many {
        mistakes.0.push(section.error("key_command", "give key_env or key_command, not both"));
    }
    Some(AssistConfig { url: url?, model: model?, key, language, caps, prices, currency, transcribe_model })
}

/// Reads an amount of money, given as text so that it is exact.
pub(super) fn read_amount(section: &Section<'_>, key: &str, mistakes: &mut Mistakes) -> Option<ModelCost> {
    let text = mistakes.value(section.string(key))?;
    let amount = ModelCost::parse(&text);
    if amount.is_none() {
        let problem =
            format!("{key} = {text:?} is not an amount; write it as \"0.15\", with at most six decimals");
        mistakes.0.push(section.error(key, &problem));
    }
    amount
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_table_is_read_and_each_mistake_told() {
        let read = |text: &str| {
            Config::parse("config.toml", text).map(|config| config.assist).map_err(|error| error.to_string())
        };
        let whole = "[assist]\nurl = \"http://127.0.0.1:11434/v1\"\nmodel = \"small\"\nkey_env = \"MODEL_KEY\"\n\
                     language = \"Spanish\"\nday_tokens = 5000\nprice_in = \"0.15\"\nprice_out = \"0.60\"\n\
                     price_minute = \"0.006\"\nday_cost = \"2\"\ntab_tokens = 2000\ntab_cost = \"0.5\"\ncurrency = \"EUR\"\ntranscribe_model = \"ear\"\n";
        let cost = |text: &str| ModelCost::parse(text).expect(text);
        let expected = AssistConfig {
            url: "http://127.0.0.1:11434/v1".to_owned(),
            model: "small".to_owned(),
            key: Some(KeySource::Environment("MODEL_KEY".to_owned())),
            language: "Spanish".to_owned(),
            caps: ModelCaps {
                tokens: 5_000,
                cost: Some(cost("2")),
                tab_tokens: Some(2_000),
                tab_cost: Some(cost("0.5")),
            },
            prices: ModelPrices { input: cost("0.15"), output: cost("0.60"), minute: cost("0.006") },
            currency: "EUR".to_owned(),
            transcribe_model: Some("ear".to_owned()),
        };
        assert_eq!(read(whole), Ok(Some(expected)));
        assert_eq!(read(""), Ok(None));
        for (text, words) in [
            ("[assist]\nmodel = \"m\"\n", "url"),
            ("[assist]\nurl = \"https://llm.example/v1\"\n", "model"),
            (
                "[assist]\nurl = \"http://llm.example/v1\"\nmodel = \"m\"\n",
                "the URL must start with https://",
            ),
            (
                "[assist]\nurl = \"https://llm.example/v1\"\nmodel = \"m\"\nkey = \"x\"\n",
                "key is not a key in [assist]",
            ),
            (
                "[assist]\nurl = \"https://llm.example/v1\"\nmodel = \"m\"\nprice_in = \"1,50\"\n",
                "price_in = \"1,50\" ",
            ),
            (
                "[assist]\nurl = \"https://llm.example/v1\"\nmodel = \"m\"\nday_cost = \"2\"\n",
                "day_cost needs price_in and price_out",
            ),
            (
                "[assist]\nurl = \"https://llm.example/v1\"\nmodel = \"m\"\nkey_env = \"A\"\nkey_command = \"b\"\n",
                "not both",
            ),
        ] {
            let why = read(text).expect_err(text);
            assert!(why.contains("config.toml, line") && why.contains(words), "{text}: {why}");
        }
    }
}
