//! The corpus of invalid API responses: one test per line.

mod headers;
mod lines;
mod pages;
mod writes;

use std::collections::BTreeSet;
use std::sync::Arc;

use frontdesk::client::errors::ReadError;
use frontdesk::client::{ApiRefusal, AttemptPhase, Client, Receipt, WriteOutcome};
use frontdesk::model::ids::ConversationId;
use frontdesk::model::secret::Secret;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, message, page, quiet};

/// Maps each line of the corpus to its test.
macro_rules! cases {
    ($($name:ident = $line:literal in $file:ident;)*) => {
        const LINES: &[&str] = &[$($line),*];

        $(#[tokio::test]
        async fn $name() {
            $file::$name().await;
        })*
    };
}

cases! {
    lone_surrogate_message = "lone-surrogate-message" in pages;
    content_null = "content-null" in pages;
    id_number = "id-number" in pages;
    id_missing = "id-missing" in pages;
    duplicate_ids_in_page = "duplicate-ids-in-page" in pages;
    extra_fields_deep = "extra-fields-deep" in pages;
    huge_string = "huge-string" in pages;
    gzip_bomb = "gzip-bomb" in lines;
    brotli_zstd_bomb = "brotli-zstd-bomb" in lines;
    html_200 = "html-200" in writes;
    empty_200 = "empty-200" in writes;
    truncated_json = "truncated-json" in writes;
    redirect_cross_host = "redirect-301-cross-host" in lines;
    redirect_downgrade = "redirect-same-host-downgrade" in lines;
    redirect_loop = "redirect-loop" in lines;
    retry_after_huge = "retry-after-huge" in headers;
    retry_after_date = "retry-after-date" in headers;
    retry_after_float = "retry-after-float" in headers;
    retry_after_zero = "retry-after-zero" in headers;
    retry_after_garbage = "retry-after-garbage" in headers;
    reset_epoch = "ratelimit-reset-epoch" in headers;
    reset_delta = "ratelimit-reset-delta" in headers;
    reset_milliseconds = "ratelimit-reset-ms" in headers;
    rate_headers_missing = "ratelimit-headers-missing" in headers;
    remaining_negative = "ratelimit-remaining-negative" in headers;
    cursor_loop = "cursor-loop" in pages;
    cursor_cycle = "cursor-cycle" in pages;
    empty_page_with_more = "empty-page-hasmore" in pages;
    pagination_in_both_places = "pagination-both-places" in pages;
    cursor_with_specials = "cursor-with-specials" in pages;
    time_offset = "time-offset" in pages;
    credits_nobody_has = "credits-nan-ish" in writes;
    date_skew = "date-skew" in headers;
    slow_drip = "slow-drip" in lines;
    never_answers = "never-answers" in lines;
    reset_after_write = "reset-after-write" in lines;
    closed_idle_connection = "close-idle-conn" in lines;
    no_content = "204-no-content" in writes;
    continue_flood = "100-continue-flood" in lines;
    replayed_failure = "idempotent-replayed-500" in writes;
    failure_without_code = "error-no-code" in writes;
    code_against_status = "error-code-mismatch" in writes;
}

#[test]
fn every_line_of_the_group_has_its_test() {
    let corpus = include_str!("../../hostile.jsonl");
    let rows = corpus.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of the corpus"));
    let group = rows.filter(|row| row["group"] == "api-response");
    let wanted: BTreeSet<String> =
        group.map(|group| group["name"].as_str().expect("a name").to_owned()).collect();
    let here: BTreeSet<String> = LINES.iter().map(|line| (*line).to_owned()).collect();
    assert_eq!(here, wanted);
    assert_eq!(LINES.len(), here.len(), "each once");
}

fn sent(id: &str) -> Answer {
    Answer::ok(json!({
        "messageId": id, "whatsappMessageId": format!("wamid.{id}"), "status": "sent",
        "creditsUsed": 1, "creditsRemaining": 411
    }))
}

fn chat(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "POST /messages/send" => sent("sent-1"),
        _ => quiet(request),
    }
}

/// Sync that has read a business chat.
async fn ready() -> Hands {
    let hands = Hands::on(chat).await;
    hands.pull().await;
    hands.pass(5);
    hands.server.seen();
    hands.news();
    hands
}

/// Answers sends with `answer`, and other requests like a business chat.
fn sends(
    mut answer: impl FnMut(usize) -> Answer + Send + 'static,
) -> impl FnMut(&Request) -> Answer + Send + 'static {
    let mut count = 0;
    move |request| {
        if request.route() != "POST /messages/send" {
            return chat(request);
        }
        count += 1;
        answer(count)
    }
}

fn client(hands: &Hands) -> Client {
    let key = Secret::new("svc_live_0123456789");
    Client::new(&hands.server.base_url, &key, Arc::clone(&hands.clock) as _).expect("a client").for_person()
}

async fn outcome(hands: &Hands, client: &Client) -> WriteOutcome<Receipt> {
    let row = hands.queue_text("c1", "Hello");
    let request = hands.store.request(&row.id).await.expect("read").expect("queued");
    client.send_write(&row.operation, &request, &row.key, AttemptPhase::First).await
}

async fn refusal(hands: &Hands) -> ApiRefusal {
    let outcome = outcome(hands, &client(hands)).await;
    outcome.refusal().cloned().unwrap_or_else(|| panic!("not refused: {outcome:?}"))
}

async fn account(hands: &Hands) -> Result<(), ReadError> {
    client(hands).account().await.map(|_| ())
}

async fn history_of(body: String) -> Hands {
    let hands = ready().await;
    hands.server.now(move |request| match request.route().as_str() {
        "GET /conversations/c1/messages" => Answer::raw(200, "application/json", body.as_bytes()),
        _ => chat(request),
    });
    hands.channel.pull_history(&ConversationId::from("c1")).await;
    hands
}
