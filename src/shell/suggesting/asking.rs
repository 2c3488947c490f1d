//! Requests to the language model: reserved against the daily cap at their maximum cost, then counted at
//! their real cost.

use std::collections::VecDeque;
use std::fmt::{self, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::ids::ChannelId;
use model::model_costs::{ModelCaps, ModelPrices, ModelUsage};
use model::replies::CannedReply;
use model::suggestions::{
    SuggestedBy, SuggestedSentence, Suggestion, SuggestionId, SuggestionKind, SuggestionRequest,
};
use model::text::SafeText;
use model::time::{Clock, Zone};
use net::assist::claims::SupportedWords;
use net::assist::{
    Endpoint, EndpointError, ModelClient, ModelError, ModelLimits, ModelReply, TokenCountSource, max_tokens,
    prompts,
};
use serde_json::Value;
use store::{Store, StoreError};

/// Limits of a request a person waits for.
const MODEL_LIMITS: ModelLimits = ModelLimits { time: Duration::from_secs(20), body: 128 * 1024 };
const MAX_BRIEF_LINES: usize = 8;
/// Maximum lines of a translation or summary.
const MAX_TEXT_LINES: usize = 200;
const MAX_CANCELLED_IDS: usize = 100;

/// Error text for a cancelled request.
pub(super) const CANCELLED_MESSAGE: &str = "no longer needed";
/// Remark on a truncated answer.
const CUT_NOTICE: &str = "Cut off here: the length limit of an answer was reached.";

/// Remark on a draft without sources.
const NO_SOURCES_NOTICE: &str =
    "Your model names no sources: only numbers, names, links and times were compared.";

pub(super) struct ModelAnswer {
    pub(super) text: String,
    pub(super) is_cut: bool,
    /// Used share of the daily cap, in percent.
    pub(super) percent: u8,
}

#[derive(Debug, Clone)]
pub struct SuggesterSetup {
    pub endpoint: Endpoint,
    /// Model for transcripts of voice notes, if any.
    pub transcribe_model: Option<String>,
    /// Language of briefs.
    pub language: String,
    pub caps: ModelCaps,
    pub prices: ModelPrices,
    /// Zone whose days count.
    pub zone: Zone,
}

/// Client of the model. Cheap to clone.
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
    /// `runtime` carries the requests.
    ///
    /// # Errors
    /// When the endpoint is invalid.
    pub fn new(
        setup: SuggesterSetup,
        clock: Arc<dyn Clock>,
        runtime: tokio::runtime::Handle,
    ) -> Result<Self, EndpointError> {
        let client = ModelClient::new(setup.endpoint.clone(), MODEL_LIMITS)?;
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

    /// Runs work on a blocking thread.
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        drop(self.0.runtime.spawn_blocking(work));
    }

    /// Blocks for an answer.
    pub(super) fn block_on<T>(&self, answer: impl Future<Output = T>) -> T {
        self.0.runtime.block_on(answer)
    }

    /// Cancels a request: no further part of it is sent.
    pub(crate) fn cancel(&self, id: SuggestionId) {
        let mut cancelled = self.cancelled();
        cancelled.push_back(id);
        if cancelled.len() > MAX_CANCELLED_IDS {
            cancelled.pop_front();
        }
    }

    pub(super) fn is_cancelled(&self, id: &SuggestionId) -> bool {
        self.cancelled().contains(id)
    }

    fn cancelled(&self) -> MutexGuard<'_, VecDeque<SuggestionId>> {
        self.0.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests a suggestion.
    ///
    /// # Errors
    /// As text for the person.
    pub(super) fn suggest(
        &self,
        store: &Store,
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Result<Suggestion, String> {
        let is_long = prompts::translated(request)
            .is_some_and(|text| text.chars().count() > prompts::MAX_TRANSLATED_CHARS);
        let is_own = request.id.kind == SuggestionKind::OwnText;
        if is_own && is_long {
            return Err(format!("the text is longer than {} characters", prompts::MAX_TRANSLATED_CHARS));
        }
        let mut body = prompts::body(request, replies, &self.0.setup.language);
        let tokens = prompts::answer_tokens(request);
        let ModelAnswer { text, is_cut, percent } =
            self.ask_model(store, &request.id.key.channel, &mut body, tokens)?;
        if is_own && is_cut {
            return Err("its translation is incomplete; try a shorter text".to_owned());
        }
        let (language, text) = if is_own { prompts::split_language(&text) } else { (None, text.as_str()) };
        let known = SupportedWords::from_request(request, replies);
        let mut remark = (is_cut || is_long).then_some(CUT_NOTICE);
        let sentences = match request.id.kind {
            SuggestionKind::Translation | SuggestionKind::Summary | SuggestionKind::Transcript => {
                plain_sentences(text)
            }
            SuggestionKind::OwnText => known.sentences(text),
            SuggestionKind::Draft => {
                let (sentences, has_sources) = known.cited(text, prompts::sources(request, replies));
                remark = remark.or((!has_sources).then_some(NO_SOURCES_NOTICE));
                sentences
            }
            SuggestionKind::Brief => {
                text.lines().take(MAX_BRIEF_LINES).map(|line| known.line(line)).collect()
            }
        };
        Ok(Suggestion {
            sentences,
            by: SuggestedBy::Model(percent),
            instead: None,
            remark: remark.map(SafeText::line),
            language: language.map(SafeText::line),
        })
    }

    /// Sends one request with a maximum number of output tokens.
    ///
    /// # Errors
    /// As text; nothing is sent if the daily cap does not allow it.
    pub(super) fn ask_model(
        &self,
        store: &Store,
        tab: &ChannelId,
        body: &mut Value,
        tokens: u32,
    ) -> Result<ModelAnswer, String> {
        let prices = &self.0.setup.prices;
        let most = ModelUsage::upper_bound(prices, body.to_string().len(), u64::from(max_tokens(tokens)));
        let (reply, percent) = self.with_daily_limit(store, tab, &most, || {
            let asked = self.block_on(self.0.client.ask(body, tokens));
            let taken = charged_usage(prices, &most, &asked);
            (asked, taken)
        })?;
        let reply = reply.map_err(|why| why.to_string())?;
        let text = reply.message["content"].as_str().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or("its answer has no text")?.to_owned();
        Ok(ModelAnswer { text, is_cut: reply.is_cut, percent })
    }

    /// Runs work of at most `most` usage if the daily cap allows it, and counts its real usage. Returns the
    /// used share of the cap, in percent.
    pub(super) fn with_daily_limit<T>(
        &self,
        store: &Store,
        tab: &ChannelId,
        most: &ModelUsage,
        work: impl FnOnce() -> (T, ModelUsage),
    ) -> Result<(T, u8), String> {
        let SuggesterSetup { caps, zone, .. } = &self.0.setup;
        let uncounted = |error: StoreError| format!("could not count its tokens: {error}");
        let day = self.0.clock.now().day_number(zone);
        store.reserve_usage(day, tab, most, caps).map_err(uncounted)??;
        let (done, taken) = work();
        let total = store.settle_usage(day, tab, most, &taken).map_err(uncounted)?;
        Ok((done, caps.used_percent(&total)))
    }
}

/// Usage of a request as reported; the reserved maximum if nothing was reported or a failed request may be
/// charged.
fn charged_usage(
    prices: &ModelPrices,
    most: &ModelUsage,
    asked: &Result<ModelReply, ModelError>,
) -> ModelUsage {
    match asked {
        Ok(reply) => {
            let told = ModelUsage::from_tokens(prices, reply.tokens_in, reply.tokens_out);
            match reply.token_count_source {
                TokenCountSource::Apart => told,
                TokenCountSource::Together => ModelUsage {
                    cost: prices.input.max(prices.output).cost_of_tokens(told.total_tokens()),
                    ..told
                },
                TokenCountSource::Not => *most,
            }
        }
        Err(why) if why.may_be_charged() => *most,
        Err(_) => ModelUsage::default(),
    }
}

/// Lines of a text without claims to check.
pub(super) fn plain_sentences(text: &str) -> Vec<SuggestedSentence> {
    let plain = |entry: &str| SuggestedSentence { text: SafeText::line(entry), is_unsupported: false };
    text.lines().take(MAX_TEXT_LINES).map(plain).collect()
}
