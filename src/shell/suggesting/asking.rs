//! One question to the model: counted with the most it can take before it is
//! asked, and with what it took afterwards.

use std::collections::VecDeque;
use std::fmt::{self, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assist::claims::KnownWords;
use assist::{
    Endpoint, EndpointError, ModelClient, ModelError, ModelLimits, ModelReply, TokensTold, most_tokens,
    prompts,
};
use model::ids::ChannelId;
use model::model_costs::{ModelCaps, ModelPrices, ModelUsage};
use model::replies::CannedReply;
use model::suggestions::{
    SuggestedBy, SuggestedSentence, Suggestion, SuggestionId, SuggestionKind, SuggestionRequest,
};
use model::text::SafeText;
use model::time::{Clock, Zone};
use serde_json::Value;
use store::{Store, StoreError};

/// How long a person is let wait.
const LIMITS: ModelLimits = ModelLimits { time: Duration::from_secs(20), body: 128 * 1024 };
/// Lines of a brief that are shown.
const BRIEF: usize = 8;
/// The same of a translation or a summary.
const LINES: usize = 200;
/// Questions remembered for which nobody waits any more.
const CANCELLED: usize = 100;

/// Why something is left undone that was cancelled.
pub(super) const NOBODY: &str = "nobody waits for it any more";
/// What is said of an answer that breaks off.
const CUT: &str = "It breaks off here: that is as much as is asked for at once.";

/// What is said of a draft for which no source is named.
const NO_SOURCES: &str = "Your model names no sources: only numbers, names, links and times were compared.";

/// A text the model wrote.
pub(super) struct ModelAnswer {
    pub(super) text: String,
    /// Whether it breaks off.
    pub(super) is_cut: bool,
    /// Percent of the day that are used up.
    pub(super) percent: u8,
}

/// What the configuration says of the model.
#[derive(Debug, Clone)]
pub struct SuggesterSetup {
    /// Where it answers.
    pub endpoint: Endpoint,
    /// The model that writes voice notes down, if one does.
    pub transcribe_model: Option<String>,
    /// The language of briefs.
    pub language: String,
    /// What it may take in a day.
    pub caps: ModelCaps,
    /// What it costs.
    pub prices: ModelPrices,
    /// The zone whose days count.
    pub zone: Zone,
}

/// Asks the model. Cheap to clone.
#[derive(Clone)]
pub struct Suggester(Arc<SuggesterState>);

struct SuggesterState {
    client: ModelClient,
    setup: SuggesterSetup,
    cancelled: Mutex<VecDeque<SuggestionId>>,
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
    ///
    /// # Errors
    /// When the endpoint cannot be asked.
    pub fn new(
        setup: SuggesterSetup,
        clock: Arc<dyn Clock>,
        runtime: tokio::runtime::Handle,
    ) -> Result<Self, EndpointError> {
        let client = ModelClient::new(setup.endpoint.clone(), LIMITS)?;
        Ok(Self(Arc::new(SuggesterState { client, setup, cancelled: Mutex::default(), clock, runtime })))
    }

    pub(super) fn setup(&self) -> &SuggesterSetup {
        &self.0.setup
    }

    pub(super) fn client(&self) -> &ModelClient {
        &self.0.client
    }

    pub(super) fn language(&self) -> &str {
        &self.0.setup.language
    }

    /// Does something beside everything else.
    pub(crate) fn beside(&self, work: impl FnOnce() + Send + 'static) {
        drop(self.0.runtime.spawn_blocking(work));
    }

    /// Waits for an answer on this thread.
    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.0.runtime.block_on(answer)
    }

    /// Nobody waits for an answer any more: no further part of it is asked for.
    pub(crate) fn cancel(&self, id: SuggestionId) {
        let mut cancelled = self.cancelled();
        cancelled.push_back(id);
        if cancelled.len() > CANCELLED {
            cancelled.pop_front();
        }
    }

    pub(super) fn is_cancelled(&self, id: &SuggestionId) -> bool {
        self.cancelled().contains(id)
    }

    fn cancelled(&self) -> MutexGuard<'_, VecDeque<SuggestionId>> {
        self.0.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a suggestion.
    ///
    /// # Errors
    /// In words.
    pub(super) fn suggest(
        &self,
        store: &Store,
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Result<Suggestion, String> {
        let is_long =
            prompts::translated(request).is_some_and(|text| text.chars().count() > prompts::TRANSLATED);
        let is_own = request.id.kind == SuggestionKind::OwnText;
        if is_own && is_long {
            return Err(format!("the text is longer than {} characters", prompts::TRANSLATED));
        }
        let mut body = prompts::body(request, replies, &self.0.setup.language);
        let tokens = prompts::answer_tokens(request);
        let ModelAnswer { text, is_cut, percent } =
            self.ask(store, &request.id.key.channel, &mut body, tokens)?;
        if is_own && is_cut {
            return Err("its translation breaks off; a shorter text may do".to_owned());
        }
        let (language, text) = if is_own { prompts::named_language(&text) } else { (None, text.as_str()) };
        let known = KnownWords::of(request, replies);
        let mut remark = (is_cut || is_long).then_some(CUT);
        let sentences = match request.id.kind {
            SuggestionKind::Translation | SuggestionKind::Summary | SuggestionKind::Transcript => {
                lines_of(text)
            }
            SuggestionKind::OwnText => known.sentences(text),
            SuggestionKind::Draft => {
                let (sentences, has_sources) = known.cited(text, prompts::sources(request, replies));
                remark = remark.or((!has_sources).then_some(NO_SOURCES));
                sentences
            }
            SuggestionKind::Brief => text.lines().take(BRIEF).map(|line| known.line(line)).collect(),
        };
        Ok(Suggestion {
            sentences,
            by: SuggestedBy::Model(percent),
            instead: None,
            remark: remark.map(SafeText::line),
            language: language.map(SafeText::line),
        })
    }

    /// Asks once, for a text of so many tokens at most.
    ///
    /// # Errors
    /// In words; nothing was asked where the day does not allow it.
    pub(super) fn ask(
        &self,
        store: &Store,
        tab: &ChannelId,
        body: &mut Value,
        tokens: u32,
    ) -> Result<ModelAnswer, String> {
        let prices = &self.0.setup.prices;
        let most = ModelUsage::at_most(prices, body.to_string().len(), u64::from(most_tokens(tokens)));
        let (reply, percent) = self.counted(store, tab, &most, || {
            let asked = self.wait(self.0.client.ask(body, tokens));
            let taken = taken(prices, &most, &asked);
            (asked, taken)
        })?;
        let reply = reply.map_err(|why| why.to_string())?;
        let text = reply.message["content"].as_str().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or("its answer holds no text")?.to_owned();
        Ok(ModelAnswer { text, is_cut: reply.is_cut, percent })
    }

    /// Does what takes so much at most, if the day allows it, and counts what it
    /// took; tells how many percent of the day are used up.
    pub(super) fn counted<T>(
        &self,
        store: &Store,
        tab: &ChannelId,
        most: &ModelUsage,
        work: impl FnOnce() -> (T, ModelUsage),
    ) -> Result<(T, u8), String> {
        let SuggesterSetup { caps, zone, .. } = &self.0.setup;
        let uncounted = |error: StoreError| format!("what it takes cannot be counted: {error}");
        let day = self.0.clock.now().day_number(zone);
        store.reserve_usage(day, tab, most, caps).map_err(uncounted)??;
        let (done, taken) = work();
        let total = store.settle_usage(day, tab, most, &taken).map_err(uncounted)?;
        Ok((done, caps.percent(&total)))
    }
}

/// What a question took: as told, and never less than it may have.
fn taken(prices: &ModelPrices, most: &ModelUsage, asked: &Result<ModelReply, ModelError>) -> ModelUsage {
    match asked {
        Ok(reply) => {
            let told = ModelUsage::of_tokens(prices, reply.tokens_in, reply.tokens_out);
            match reply.told {
                TokensTold::Apart => told,
                TokensTold::Together => {
                    ModelUsage { cost: prices.input.max(prices.output).of_tokens(told.tokens()), ..told }
                }
                TokensTold::Not => *most,
            }
        }
        Err(why) if why.may_be_charged() => *most,
        Err(_) => ModelUsage::default(),
    }
}

/// The lines of a text, none of which is a claim to be checked.
pub(super) fn lines_of(text: &str) -> Vec<SuggestedSentence> {
    let plain = |entry: &str| SuggestedSentence { text: SafeText::line(entry), is_unsupported: false };
    text.lines().take(LINES).map(plain).collect()
}
