//! Drafts, briefs and translations: from the model that is configured, else by
//! rules. The model is asked beside everything else; what it takes in a day is
//! kept in a file.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assist::claims::KnownWords;
use assist::{Endpoint, EndpointError, ModelClient, ModelLimits, guessed_tokens, prompts, rules};
use model::replies::CannedReply;
use model::suggestions::{
    AskedBy, SuggestedBy, SuggestedSentence, Suggestion, SuggestionKind, SuggestionRequest,
};
use model::text::SafeText;
use model::time::{Clock, Timestamp, Zone};
use store::{Store, StoreError};

/// How long a person is let wait.
const LIMITS: ModelLimits =
    ModelLimits { time: Duration::from_secs(20), body: 128 * 1024, tokens: 500, tokens_with_thinking: 2_000 };
/// The file in the data folder in which tokens are counted.
pub const USAGE: &str = "assist-tokens";
/// Lines of a brief that are shown.
const BRIEF: usize = 8;
/// The same of a translation.
const LINES: usize = 200;

/// What the configuration says of the model.
#[derive(Debug, Clone)]
pub struct SuggesterSetup {
    pub endpoint: Endpoint,
    pub language: String,
    /// Tokens a day, of all tabs together.
    pub day_tokens: u64,
    /// The file in which they are counted.
    pub usage: PathBuf,
    /// The zone whose days count.
    pub zone: Zone,
}

/// Asks the model. Cheap to clone.
#[derive(Clone)]
pub struct Suggester(Arc<SuggesterState>);

struct SuggesterState {
    client: ModelClient,
    setup: SuggesterSetup,
    counting: Mutex<()>,
    clock: Arc<dyn Clock>,
    runtime: tokio::runtime::Handle,
}

impl fmt::Debug for Suggester {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Suggester").field(&self.0.setup).finish()
    }
}

impl Suggester {
    /// With the runtime that carries the questions.
    pub fn new(
        setup: SuggesterSetup,
        clock: Arc<dyn Clock>,
        runtime: tokio::runtime::Handle,
    ) -> Result<Self, EndpointError> {
        let client = ModelClient::new(setup.endpoint.clone(), LIMITS)?;
        Ok(Self(Arc::new(SuggesterState { client, setup, counting: Mutex::default(), clock, runtime })))
    }

    fn ask(&self, request: &SuggestionRequest, replies: &[CannedReply]) -> Result<Suggestion, String> {
        let replies = if request.id.kind == SuggestionKind::Translation { &[] } else { replies };
        let mut body = prompts::body(request, replies, &self.0.setup.language);
        let tab = request.id.key.channel.to_string();
        let prompt = guessed_tokens(body.to_string().len());
        let reserved = prompt + u64::from(LIMITS.tokens);
        self.reserve(&tab, reserved)?;
        let asked = self.0.runtime.block_on(self.0.client.ask(&mut body));
        // What failed may have been charged for what was asked.
        let percent = self.settle(&tab, reserved, asked.as_ref().map_or(prompt, |it| it.tokens))?;
        let reply = asked.map_err(|why| why.to_string())?;
        let text = reply.message["content"].as_str().map(str::trim).filter(|it| !it.is_empty());
        let text = text.ok_or("its answer holds no text")?;
        let known = KnownWords::of(request, replies);
        let plain = |it: &str| SuggestedSentence { text: SafeText::line(it), is_unsupported: false };
        let sentences: Vec<SuggestedSentence> = match request.id.kind {
            SuggestionKind::Translation => text.lines().take(LINES).map(plain).collect(),
            SuggestionKind::Draft | SuggestionKind::OwnText => known.sentences(text),
            SuggestionKind::Brief => text.lines().take(BRIEF).map(|it| known.line(it)).collect(),
        };
        Ok(Suggestion { sentences, by: SuggestedBy::Model(percent), instead: None })
    }

    /// Counts the tokens a question may take, if the day allows them.
    fn reserve(&self, tab: &str, tokens: u64) -> Result<(), String> {
        let most = self.0.setup.day_tokens;
        self.count(|day| {
            if day.total().saturating_add(tokens) > most {
                return Err(format!("the {most} tokens of today are used up ([assist] day_tokens)"));
            }
            let used = day.tabs.entry(tab.to_owned()).or_default();
            *used = used.saturating_add(tokens);
            Ok(())
        })
    }

    /// Counts what a question took in place of what it might have; tells how many
    /// percent of the day's are used up.
    fn settle(&self, tab: &str, reserved: u64, taken: u64) -> Result<u8, String> {
        let most = self.0.setup.day_tokens.max(1);
        self.count(|day| {
            let used = day.tabs.entry(tab.to_owned()).or_default();
            *used = used.saturating_sub(reserved).saturating_add(taken);
            Ok(u8::try_from(day.total().saturating_mul(100) / most).unwrap_or(u8::MAX))
        })
    }

    /// Changes what is counted of today.
    fn count<T>(&self, change: impl FnOnce(&mut DayTokens) -> Result<T, String>) -> Result<T, String> {
        let setup = &self.0.setup;
        let _one = self.0.counting.lock().unwrap_or_else(PoisonError::into_inner);
        let unkept = |error: std::io::Error| {
            format!("its tokens cannot be counted in {}: {error}", setup.usage.display())
        };
        let text = match disk::read_text(&setup.usage) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(unkept)?,
        };
        let mut day = DayTokens::parse(&text, self.0.clock.now().day_number(&setup.zone));
        let told = change(&mut day)?;
        disk::write(&setup.usage, day.text().as_bytes()).map_err(unkept)?;
        Ok(told)
    }
}

/// Who suggests on this desk, and where that is kept.
#[derive(Debug, Clone, Default)]
pub struct DeskSuggestions {
    /// The model, where one is configured.
    pub suggester: Option<Suggester>,
    /// This desk's files, once they are open.
    pub store: Option<Store>,
}

impl DeskSuggestions {
    /// Answers on a thread of its own, and tells what came.
    pub(super) fn begin(
        self,
        request: SuggestionRequest,
        replies: Vec<CannedReply>,
        tell: impl FnOnce(Result<Suggestion, String>) + Send + 'static,
    ) {
        let Some(suggester) = self.suggester.clone() else { return tell(self.suggest(&request, &replies)) };
        drop(suggester.0.runtime.spawn_blocking(move || tell(self.suggest(&request, &replies))));
    }

    /// Suggests: what is kept, else what the model or the rules make.
    ///
    /// # Errors
    /// In words, when there is nothing.
    pub fn suggest(
        &self,
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Result<Suggestion, String> {
        let id = &request.id;
        let place = self.kind(id.kind).zip(id.newest.as_ref()).zip(self.store.as_ref());
        let Some(((kind, message), store)) = place else { return self.make(request, replies) };
        let unread = |error: StoreError| format!("what was suggested before cannot be read: {error}");
        let now = id.asked_at;
        if id.asked_by == AskedBy::Desk
            && !store.begin_suggestion(&id.key, &kind, message, now).map_err(unread)?
        {
            return Err("it is made elsewhere".to_owned());
        }
        let kept = store.kept_suggestion(&id.key, &kind, message).map_err(unread)?;
        if let (AskedBy::Person, Some(kept)) = (id.asked_by, &kept) {
            return Ok(kept.clone());
        }
        let made = self.make(request, replies);
        let is_draft = id.kind == SuggestionKind::Draft;
        let is_kept = id.asked_by == AskedBy::Desk || (made.is_ok() && (!is_draft || kept.is_some()));
        if is_kept && let Err(error) = store.keep_suggestion(&id.key, &kind, message, &made, now) {
            tracing::error!(%error, "what was suggested could not be kept");
        }
        made
    }

    /// Under which word something is kept by its message, if it is.
    fn kind(&self, kind: SuggestionKind) -> Option<String> {
        match kind {
            SuggestionKind::Draft => Some("draft".to_owned()),
            SuggestionKind::Translation => {
                self.suggester.as_ref().map(|it| format!("translation {}", it.0.setup.language))
            }
            SuggestionKind::Brief | SuggestionKind::OwnText => None,
        }
    }

    fn make(&self, request: &SuggestionRequest, replies: &[CannedReply]) -> Result<Suggestion, String> {
        let why = match self.suggester.as_ref().map(|it| it.ask(request, replies)) {
            Some(Ok(found)) => return Ok(found),
            Some(Err(why)) => Some(why),
            None => None,
        };
        let nothing = || {
            let model = why.as_ref().map_or_else(
                || "no model is configured ([assist] in config.toml)".to_owned(),
                |it| format!("the model did not answer: {it}"),
            );
            match request.id.kind {
                SuggestionKind::Translation | SuggestionKind::OwnText => model,
                SuggestionKind::Draft | SuggestionKind::Brief => format!("no canned reply fits, and {model}"),
            }
        };
        let found = rules::suggestion(request, replies).ok_or_else(nothing)?;
        Ok(Suggestion { instead: why.map(|it| SafeText::line(&it)), ..found })
    }
}

/// The tokens that all tabs took today, as they are counted in a file.
pub fn tokens_today(usage: &Path, now: Timestamp, zone: &Zone) -> u64 {
    DayTokens::parse(&disk::read_text(usage).unwrap_or_default(), now.day_number(zone)).total()
}

/// The tokens that each tab took on one day.
#[derive(Debug, PartialEq, Eq)]
struct DayTokens {
    day: i64,
    tabs: BTreeMap<String, u64>,
}

impl DayTokens {
    /// Reads what was counted; of another day, nothing.
    fn parse(text: &str, today: i64) -> Self {
        let mut lines = text.lines();
        let is_today = lines.next().and_then(|it| it.strip_prefix("day ")) == Some(&today.to_string());
        let tab = |line: &str| {
            let (tokens, tab) = line.split_once(' ')?;
            Some((tab.to_owned(), tokens.parse().ok()?))
        };
        Self { day: today, tabs: lines.filter(|_| is_today).filter_map(tab).collect() }
    }

    fn text(&self) -> String {
        let lines = self.tabs.iter().map(|(tab, tokens)| format!("{tokens} {tab}\n"));
        format!("day {}\n{}", self.day, lines.collect::<String>())
    }

    fn total(&self) -> u64 {
        self.tabs.values().fold(0, |all, it| all.saturating_add(*it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_by_day_and_tab() {
        let tabs = BTreeMap::from([("harbor chat".to_owned(), 120), ("mail".to_owned(), 7)]);
        let day = DayTokens { day: 20_416, tabs };
        assert_eq!((day.text().as_str(), day.total()), ("day 20416\n120 harbor chat\n7 mail\n", 127));
        assert_eq!(DayTokens::parse(&day.text(), 20_416), day);
        assert_eq!(DayTokens::parse(&day.text(), 20_417).total(), 0, "another day");
        assert_eq!(DayTokens::parse("nonsense", 20_416).total(), 0);
    }
}
