//! One API request and its errors.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::contract::{FileFetchError, PlatformError};
use crate::voip::{API_VERSION, PhonePlatform};
use crate::web;
use model::text::SafeText;
use model::time::SECOND;
use net::guard::{FetchError, FetchLimits, Fetched, HeaderError, OversizePolicy, Request};

/// Maximum size of an answer, in bytes: a page of a list.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Maximum size of a file that the platform accepts, in bytes.
const MAX_FILE_BYTES: usize = 20 * 1024 * 1024;
/// Shorter than the time limit of an attempt.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

pub(super) type PhoneFields<'a> = [(&'a str, &'a str)];

impl PhonePlatform {
    /// Path prefix of the account's resources.
    fn account_path(&self) -> String {
        format!("/{API_VERSION}/Accounts/{}", self.settings.account)
    }

    async fn request(&self, path: &str, request: Request) -> Result<Fetched, FetchError> {
        self.request_at(&self.settings.api, path, request).await
    }

    async fn request_at(&self, api: &str, path: &str, request: Request) -> Result<Fetched, FetchError> {
        let url = self.guard.vet(&format!("{}{path}", api.trim_end_matches('/')))?;
        let limits = FetchLimits {
            max_body: MAX_ANSWER_BYTES,
            oversize: OversizePolicy::Refuse,
            total: REQUEST_TIMEOUT,
        };
        self.guard.fetch(&url, self.signed(request)?, limits).await
    }

    fn signed(&self, request: Request) -> Result<Request, FetchError> {
        let both = format!("{}:{}", self.settings.account, self.token.expose());
        let basic = format!("Basic {}", BASE64_STANDARD.encode(both));
        request.secret_header("authorization", &basic).map_err(|_| FetchError::Broken)
    }

    /// Posts a form to one of the account's resources.
    pub(super) async fn post(&self, name: &str, fields: &PhoneFields<'_>) -> Result<Fetched, FetchError> {
        let form = form_request(fields).map_err(|_| FetchError::Broken)?;
        self.request(&format!("{}/{name}", self.account_path()), form).await
    }

    /// [`post`](Self::post) for requests without a second effect; returns the answer.
    pub(super) async fn post_form(
        &self,
        name: &str,
        fields: &PhoneFields<'_>,
    ) -> Result<Value, PlatformError> {
        read_answer(self.post(name, fields).await)
    }

    pub(super) async fn get_resource(
        &self,
        name: &str,
        query: &PhoneFields<'_>,
    ) -> Result<Value, PlatformError> {
        let query = Serializer::new(String::new()).extend_pairs(query).finish();
        self.get_path(&format!("{}/{name}?{query}", self.account_path())).await
    }

    pub(super) async fn get_account(&self) -> Result<Value, PlatformError> {
        self.get_path(&format!("{}.json", self.account_path())).await
    }

    /// Returns the record of a messaging service; `changes` are stored in it first.
    pub(super) async fn messaging_service(
        &self,
        service: &str,
        changes: Option<&PhoneFields<'_>>,
    ) -> Result<Value, PlatformError> {
        let request = match changes {
            Some(fields) => form_request(fields).map_err(|_| FetchError::Broken)?,
            None => Request::get(),
        };
        let api = messaging_api(&self.settings.api);
        let answer = self.request_at(&api, &format!("/v1/Services/{service}"), request).await?;
        if answer.status == 404 {
            return Err(PlatformError::needs_person(
                "the platform does not know this messaging service; check --messaging-service",
            ));
        }
        read_answer(Ok(answer))
    }

    /// Reads a path, such as the next page named by the platform.
    pub(super) async fn get_path(&self, path: &str) -> Result<Value, PlatformError> {
        if !path.starts_with('/') {
            return Err(PlatformError::transient("the platform returned an invalid address"));
        }
        read_answer(self.request(path, Request::get()).await)
    }

    /// Downloads a file; only the platform's own host gets the credentials.
    pub(super) async fn download(&self, address: &str) -> Result<Vec<u8>, FileFetchError> {
        let is_own = |address: &Url| web::is_same_origin(address, &self.settings.api);
        web::fetch_file(&self.guard, address, MAX_FILE_BYTES, is_own, |request| self.signed(request)).await
    }
}

/// Returns the address of the API for messaging services: on the platform itself another host.
fn messaging_api(api: &str) -> String {
    let host =
        api.strip_prefix("https://api.").filter(|rest| rest.trim_end_matches('/').ends_with("twilio.com"));
    host.map_or_else(|| api.to_owned(), |rest| format!("https://messaging.{rest}"))
}

fn form_request(fields: &PhoneFields<'_>) -> Result<Request, HeaderError> {
    let body = Serializer::new(String::new()).extend_pairs(fields).finish();
    Request::post(body).header("content-type", "application/x-www-form-urlencoded")
}

fn read_answer(answer: Result<Fetched, FetchError>) -> Result<Value, PlatformError> {
    let answer = answer?;
    let told = web::json_body(&answer);
    if (200..300).contains(&answer.status) && told.is_object() {
        return Ok(told);
    }
    Err(platform_error(answer.status, &told))
}

pub(super) fn error_text(told: &Value) -> SafeText {
    SafeText::line(told["message"].as_str().unwrap_or("it gave no reason"))
}

fn platform_error(status: u16, told: &Value) -> PlatformError {
    let said = error_text(told);
    match (told["code"].as_i64(), status) {
        (Some(20005 | 90010), _) => PlatformError::needs_person(
            "the account is suspended or closed; the platform's console shows why",
        ),
        (Some(20008), _) => PlatformError::needs_person(
            "these are test credentials, which send nothing; use the account's own SID and auth token",
        ),
        (Some(20003), _) | (_, 401) => PlatformError::needs_person(
            "the platform does not accept the auth token for this account; compare both with its console. \
             If the token was changed, connect the channel again",
        ),
        (_, 403) => PlatformError::needs_person(format!("the account has no permission for this: {said}")),
        (Some(20404), _) | (_, 404) => PlatformError::needs_person(
            "the platform does not know this account or number; check --account-sid and --number",
        ),
        (Some(20429), _) | (_, 429) => {
            PlatformError { why: "the platform asks to wait".to_owned(), pause: 10 * SECOND }
        }
        _ => PlatformError::transient(format!("the platform answered {status}: {said}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messaging_services_are_on_another_host_of_the_platform() {
        for (api, wanted) in [
            ("https://api.twilio.com", "https://messaging.twilio.com"),
            ("https://api.dublin.ie1.twilio.com/", "https://messaging.dublin.ie1.twilio.com/"),
            ("https://api.other.example", "https://api.other.example"),
            ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ] {
            assert_eq!(messaging_api(api), wanted);
        }
    }

    #[test]
    fn each_refusal_is_explained() {
        let cases = [
            (401, json!({"code": 20003}), "does not accept the auth token"),
            (403, json!({"code": 20008}), "test credentials"),
            (401, json!({"code": 20005}), "suspended or closed"),
            (404, json!({"code": 20404}), "--account-sid"),
            (403, json!({"code": 20103, "message": "no scope"}), "no scope"),
            (429, json!({"code": 20429}), "asks to wait"),
            (500, json!(null), "answered 500"),
        ];
        for (status, error, words) in cases {
            let said = platform_error(status, &error).why;
            assert!(said.contains(words), "{status} {error}: {said}");
        }
    }
}
