//! OAuth 2 client credentials tokens. Concurrent callers share one fetch; a token is kept until it
//! expires and fetched again if the other side refuses it.

use serde_json::Value;
use tokio::sync::Mutex;

use crate::connections::answers;
use crate::connections::auth::basic;
use crate::guard::{FetchLimits, Guard, OversizePolicy, Request};
use model::connections::target;
use model::secret::Secret;
use model::time::{Clock, Moment, SECOND};

const MAX_BODY_BYTES: usize = 64 * 1024;
/// Lifetime of a token without `expires_in`.
const DEFAULT_LIFETIME_SECONDS: i64 = 300;
/// A token is not used in its last seconds, because it could expire in transit.
const EXPIRY_MARGIN_SECONDS: i64 = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenClient<'a> {
    pub url: &'a str,
    pub id: &'a str,
    pub secret: &'a Secret,
    pub scope: Option<&'a str>,
}

/// Token cache of one connection.
#[derive(Debug, Default)]
pub struct Tokens {
    state: Mutex<TokenState>,
    /// Number of finished fetches; a caller that waited for one uses its result.
    ended: std::sync::atomic::AtomicU64,
}

#[derive(Debug, Default)]
struct TokenState {
    token: Option<CachedToken>,
    failed: Option<String>,
}

#[derive(Debug)]
struct CachedToken {
    token: Secret,
    /// Identifies the client; a token of another client is never used.
    client: String,
    until: Moment,
}

impl Tokens {
    /// Returns a valid token, but never `refused`, which the other side did not accept. The error
    /// text contains no secret.
    pub async fn get(
        &self,
        guard: &Guard,
        clock: &dyn Clock,
        client: &TokenClient<'_>,
        limits: FetchLimits,
        refused: Option<&Secret>,
    ) -> Result<Secret, String> {
        use std::sync::atomic::Ordering::SeqCst;
        let before = self.ended.load(SeqCst);
        let whose = format!(
            "{}\n{}\n{}\n{}",
            client.url,
            client.id,
            client.scope.unwrap_or(""),
            client.secret.expose()
        );
        let mut state = self.state.lock().await;
        if let Some(kept) = &state.token
            && kept.client == whose
            && clock.moment() < kept.until
            && refused != Some(&kept.token)
        {
            return Ok(kept.token.clone());
        }
        // Another caller fetched and failed meanwhile: waiting callers do not repeat the request to
        // a broken server.
        if let Some(why) = state.failed.as_ref().filter(|_| self.ended.load(SeqCst) != before) {
            return Err(why.clone());
        }
        state.token = None;
        let asked_at = clock.moment();
        let fetched = fetch(guard, client, limits).await;
        self.ended.fetch_add(1, SeqCst);
        match fetched {
            Ok((token, seconds)) => {
                let until = asked_at.plus((seconds - EXPIRY_MARGIN_SECONDS).max(1).saturating_mul(SECOND));
                state.token = Some(CachedToken { token: token.clone(), client: whose, until });
                state.failed = None;
                Ok(token)
            }
            Err(why) => {
                state.failed = Some(why.clone());
                Err(why)
            }
        }
    }
}

async fn fetch(
    guard: &Guard,
    client: &TokenClient<'_>,
    limits: FetchLimits,
) -> Result<(Secret, i64), String> {
    let url = guard.vet(client.url).map_err(|why| format!("token_url: {why}"))?;
    let mut body = "grant_type=client_credentials".to_owned();
    if let Some(scope) = client.scope.filter(|scope| !scope.is_empty()) {
        body.push_str("&scope=");
        target::percent_encode(scope, &mut body);
    }
    // Form-encoded before they are joined, as OAuth 2 requires.
    let [mut id, mut secret] = [String::new(), String::new()];
    target::percent_encode(client.id, &mut id);
    target::percent_encode(client.secret.expose(), &mut secret);
    let request = Request::post(body)
        .header("content-type", "application/x-www-form-urlencoded")
        .and_then(|header| header.header("accept", "application/json"))
        .and_then(|request| request.secret_header("authorization", basic(&id, &secret).expose()))
        .map_err(|_| "the client id or secret contains characters that a header cannot have".to_owned())?;
    let limits = FetchLimits { max_body: MAX_BODY_BYTES, oversize: OversizePolicy::Refuse, ..limits };
    let answer =
        guard.fetch(&url, request, limits).await.map_err(|why| format!("could not fetch a token: {why}"))?;
    if answer.status != 200 {
        return Err(format!("could not fetch a token: the server answered with status {}", answer.status));
    }
    let told = answers::read(&answer.body).map_err(|why| format!("could not fetch a token: {why}"))?;
    let token = told["access_token"].as_str().filter(|text| !text.trim().is_empty() && text.len() <= 16_384);
    let token = token.ok_or("the answer to the token request contains no access_token")?;
    if told["token_type"].as_str().is_some_and(|text| !text.eq_ignore_ascii_case("bearer")) {
        return Err("the token is not a bearer token".to_owned());
    }
    let seconds = match &told["expires_in"] {
        Value::Number(number) => number.as_f64().map(|f64| f64.clamp(0.0, 31_536_000.0)),
        Value::String(text) => text.trim().parse::<u32>().ok().map(f64::from),
        _ => None,
    };
    // Fractions of a second are cut off.
    #[expect(clippy::cast_possible_truncation, reason = "clamped to a year")]
    let seconds = seconds.map_or(DEFAULT_LIFETIME_SECONDS, |second| second as i64);
    Ok((Secret::new(token), seconds))
}
