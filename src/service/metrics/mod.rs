//! Metrics of the service in the Prometheus text format (docs/service.md, "Monitoring"): counters in memory,
//! and figures read from the database on request.

pub mod exposition;
mod measured;
mod page;
mod process;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, StatusCode};

use crate::assistant::Answer;
use crate::metrics::exposition::{Exposition, format_seconds};
use model::model_costs::ModelUsage;
use platforms::Channel;

pub use page::{MetricsToken, routes};

/// Maximum number of values of a label that holds ids.
pub const MAX_LABELLED: usize = 1_000;
/// Upper bounds of the request duration histogram, in microseconds and as text in seconds.
const DURATION_BUCKETS: [(u128, &str); 12] = [
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (10_000_000, "10"),
];

/// Counters of this process.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<Route, RouteCounts>>,
    in_flight: AtomicI64,
    outcomes: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    answer_outcomes: Mutex<BTreeMap<AnswerOutcome, u64>>,
    /// Tokens that the model used, and their cost.
    model_usage: Mutex<ModelUsage>,
    /// Authenticated requests, by workspace, of at most [`MAX_LABELLED`] workspaces.
    workspaces: Mutex<BTreeMap<String, u64>>,
    deliveries: Mutex<BTreeMap<DeliveryOutcome, u64>>,
    /// Attempts by webhook, of at most [`MAX_LABELLED`] webhooks.
    endpoints: Mutex<BTreeMap<(String, DeliveryOutcome), u64>>,
}

/// Outcome of a task of the assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerOutcome {
    Answered,
    /// Asked for a person instead of an answer.
    HandedOver,
    /// No answer was needed, or it was no longer wanted.
    Silent,
    /// The model failed; it is tried again, or a person is asked for.
    Failed,
    /// A limit was reached, or the answer could not be sent.
    Refused,
}

impl AnswerOutcome {
    const ALL: [Self; 5] = [Self::Answered, Self::HandedOver, Self::Silent, Self::Failed, Self::Refused];

    pub fn of(answer: &Answer) -> Self {
        match (&answer.text, &answer.handover) {
            (Some(_), _) => Self::Answered,
            (None, Some(_)) => Self::HandedOver,
            (None, None) => Self::Silent,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::HandedOver => "handed over",
            Self::Silent => "silent",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

/// Outcome of a delivery attempt, or the end of its attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeliveryOutcome {
    Arrived,
    Failed,
    /// No further attempt; counted beside the failure of the last one.
    GivenUp,
    /// The endpoint wants no more events.
    Refused,
}

impl DeliveryOutcome {
    const ALL: [Self; 4] = [Self::Arrived, Self::Failed, Self::GivenUp, Self::Refused];

    pub fn word(self) -> &'static str {
        match self {
            Self::Arrived => "arrived",
            Self::Failed => "failed",
            Self::GivenUp => "given up",
            Self::Refused => "refused",
        }
    }
}

/// Method and path pattern.
type Route = (&'static str, String);

#[derive(Default)]
struct RouteCounts {
    statuses: BTreeMap<u16, u64>,
    /// Requests per bucket, not cumulative; the last bucket has no upper bound.
    durations: [u64; DURATION_BUCKETS.len() + 1],
    micros: u128,
}

/// Counts a request as in flight until it is dropped.
pub struct InFlightRequest<'a>(&'a Metrics);

impl Drop for InFlightRequest<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub fn begin(&self) -> InFlightRequest<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlightRequest(self)
    }

    /// Counts an answered request. Labelled with the path's pattern, which bounds the number of series.
    pub fn record_answered(
        &self,
        method: &Method,
        pattern: Option<&str>,
        status: StatusCode,
        took: Duration,
    ) {
        let route = (method_label(method), pattern.unwrap_or("other").to_owned());
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = requests.entry(route).or_default();
        *counts.statuses.entry(status.as_u16()).or_default() += 1;
        let micros = took.as_micros();
        let place =
            DURATION_BUCKETS.iter().position(|bound| micros <= bound.0).unwrap_or(DURATION_BUCKETS.len());
        counts.durations[place] += 1;
        counts.micros += micros;
    }

    pub fn record_send(&self, channel: Channel, outcome: &'static str) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *outcomes.entry((channel.word(), outcome)).or_default() += 1;
    }

    pub fn record_delivery(&self, webhook: &str, outcome: DeliveryOutcome) {
        let mut deliveries = self.deliveries.lock().unwrap_or_else(PoisonError::into_inner);
        *deliveries.entry(outcome).or_default() += 1;
        drop(deliveries);
        let mut endpoints = self.endpoints.lock().unwrap_or_else(PoisonError::into_inner);
        let label = (webhook.to_owned(), outcome);
        if endpoints.len() < MAX_LABELLED * DeliveryOutcome::ALL.len() || endpoints.contains_key(&label) {
            *endpoints.entry(label).or_default() += 1;
        }
    }

    pub fn record_answer_outcome(&self, outcome: AnswerOutcome) {
        let mut answer_outcomes = self.answer_outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *answer_outcomes.entry(outcome).or_default() += 1;
    }

    pub fn record_model_usage(&self, usage: &ModelUsage) {
        let mut total = self.model_usage.lock().unwrap_or_else(PoisonError::into_inner);
        *total = total.plus(usage);
    }

    /// Counts an authenticated request of a workspace, named by its id.
    pub fn record_workspace(&self, workspace: &str) {
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = workspaces.get_mut(workspace) {
            *count += 1;
        } else if workspaces.len() < MAX_LABELLED {
            workspaces.insert(workspace.to_owned(), 1);
        }
    }

    fn write_assistant(&self, page: &mut Exposition) {
        let answer_outcomes = self.answer_outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "frontdesk_assistant_thoughts_total";
        page.begin_family(name, "counter", "Outcomes of the assistant's tasks.");
        for outcome in AnswerOutcome::ALL {
            let count = answer_outcomes.get(&outcome).unwrap_or(&0);
            page.write_sample(name, &[("outcome", outcome.word())], count);
        }
        let name = "frontdesk_assistant_tokens_total";
        page.begin_family(name, "counter", "Tokens that the assistant's model used.");
        let usage = *self.model_usage.lock().unwrap_or_else(PoisonError::into_inner);
        page.write_sample(name, &[("kind", "input")], usage.tokens_in);
        page.write_sample(name, &[("kind", "output")], usage.tokens_out);
        let name = "frontdesk_assistant_cost_total";
        page.begin_family(name, "counter", "Cost of the assistant's tokens at the configured prices.");
        page.write_sample(name, &[], usage.cost.to_decimal());
    }

    fn write_workspaces(&self, page: &mut Exposition) {
        let workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "frontdesk_workspace_requests_total";
        page.begin_family(name, "counter", "Requests with a valid key or session, by the workspace's id.");
        for (workspace, count) in workspaces.iter() {
            page.write_sample(name, &[("workspace", workspace)], count);
        }
    }

    fn write(&self, page: &mut Exposition) {
        self.write_assistant(page);
        self.write_workspaces(page);
        process::write(page);
        page.begin_family("frontdesk_build_info", "gauge", "Running version.");
        page.write_sample("frontdesk_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.begin_family("frontdesk_requests_in_flight", "gauge", "Requests that are being answered.");
        page.write_sample("frontdesk_requests_in_flight", &[], self.in_flight.load(Ordering::Relaxed));
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        page.begin_family("frontdesk_requests_total", "counter", "Requests that were answered.");
        for ((method, path), counts) in requests.iter() {
            for (status, count) in &counts.statuses {
                let labels = [("method", *method), ("path", path), ("status", &status.to_string())];
                page.write_sample("frontdesk_requests_total", &labels, count);
            }
        }
        page.begin_family(
            "frontdesk_request_duration_seconds",
            "histogram",
            "Duration of requests, in seconds.",
        );
        for ((method, path), counts) in requests.iter() {
            counts.write(page, [("method", method), ("path", path)]);
        }
        drop(requests);
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        page.begin_family("frontdesk_platform_outcomes_total", "counter", "Sends to platforms, by outcome.");
        for ((channel, outcome), count) in outcomes.iter() {
            page.write_sample(
                "frontdesk_platform_outcomes_total",
                &[("channel", channel), ("outcome", outcome)],
                count,
            );
        }
        drop(outcomes);
        let deliveries = self.deliveries.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "frontdesk_webhook_deliveries_total";
        page.begin_family(name, "counter", "Attempts to deliver events to webhooks, and abandoned events.");
        for outcome in DeliveryOutcome::ALL {
            page.write_sample(name, &[("outcome", outcome.word())], deliveries.get(&outcome).unwrap_or(&0));
        }
        drop(deliveries);
        let endpoints = self.endpoints.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "frontdesk_webhook_endpoint_attempts_total";
        page.begin_family(name, "counter", "Attempts to deliver events to one webhook.");
        for ((webhook, outcome), count) in endpoints.iter() {
            page.write_sample(name, &[("webhook", webhook), ("outcome", outcome.word())], count);
        }
    }
}

impl RouteCounts {
    fn write(&self, page: &mut Exposition, [method, path]: [(&str, &str); 2]) {
        let mut sum = 0;
        let bounds = DURATION_BUCKETS.iter().map(|bound| bound.1).chain(["+Inf"]);
        for (count, bound) in self.durations.iter().zip(bounds) {
            sum += count;
            page.write_sample(
                "frontdesk_request_duration_seconds_bucket",
                &[method, path, ("le", bound)],
                sum,
            );
        }
        page.write_sample(
            "frontdesk_request_duration_seconds_sum",
            &[method, path],
            format_seconds(self.micros),
        );
        page.write_sample("frontdesk_request_duration_seconds_count", &[method, path], sum);
    }
}

/// Returns the method's label; unknown methods share one, which bounds the number of series.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_counts_in_each_bucket_that_holds_it() {
        let metrics = Metrics::default();
        let ask = |micros| {
            let took = Duration::from_micros(micros);
            metrics.record_answered(&Method::GET, Some("/v1/account"), StatusCode::OK, took);
        };
        [1_000, 1_001, 9_999, 11_000_000].into_iter().for_each(ask);
        let mut page = Exposition::default();
        metrics.write(&mut page);
        let text = page.into_text();
        let bucket = |bound: &str| {
            let begins = format!(
                "frontdesk_request_duration_seconds_bucket{{method=\"GET\",path=\"/v1/account\",le=\"{bound}\"}} "
            );
            text.lines().find_map(|line| line.strip_prefix(&begins)).expect(bound).to_owned()
        };
        let told = ["0.001", "0.0025", "0.005", "0.01", "10", "+Inf"].map(bucket);
        assert_eq!(told, ["1", "2", "2", "3", "3", "4"]);
        assert!(text.contains("_sum{method=\"GET\",path=\"/v1/account\"} 11.012000\n"), "{text}");
    }
}
