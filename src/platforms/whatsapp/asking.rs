use std::time::Duration;

use serde_json::Value;
use url::Url;

use crate::contract::{FileFetchError, PlatformError};
use crate::web;
use crate::whatsapp::NumberPlatform;
use model::text::SafeText;
use net::guard::{FetchError, FetchLimits, Fetched, OversizePolicy, Request};

const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Maximum size of a file, in bytes: documents have up to 100 MB.
const MAX_FILE_BYTES: usize = 100 * 1024 * 1024;
/// Domains of the API and of its files.
const OWN_HOSTS: [&str; 2] = ["facebook.com", "fbsbx.com"];
/// Together with the upload shorter than the time limit of an attempt.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(30);

impl NumberPlatform {
    pub(super) async fn call(&self, path: &str, request: Request) -> Result<Fetched, FetchError> {
        self.call_within(path, request, CALL_TIMEOUT).await
    }

    pub(super) async fn upload_call(&self, path: &str, request: Request) -> Result<Fetched, FetchError> {
        self.call_within(path, request, UPLOAD_TIMEOUT).await
    }

    async fn call_within(
        &self,
        path: &str,
        request: Request,
        total: Duration,
    ) -> Result<Fetched, FetchError> {
        let url = self.guard.vet(&format!("{}/{path}", self.settings.api.trim_end_matches('/')))?;
        let limits = FetchLimits { max_body: MAX_ANSWER_BYTES, oversize: OversizePolicy::Refuse, total };
        self.guard.fetch(&url, self.signed(request)?, limits).await
    }

    fn signed(&self, request: Request) -> Result<Request, FetchError> {
        let bearer = format!("Bearer {}", self.token.expose());
        request.secret_header("authorization", &bearer).map_err(|_| FetchError::Broken)
    }

    /// Makes a call without a second effect and returns its answer.
    pub(super) async fn call_idempotent(&self, path: &str, request: Request) -> Result<Value, PlatformError> {
        let answer = self.call(path, request).await?;
        let told = web::json_body(&answer);
        if answer.status == 200 && told.is_object() {
            return Ok(told);
        }
        Err(platform_error(answer.status, &told["error"]))
    }

    pub(super) async fn file_address(&self, id: &str) -> Result<String, FileFetchError> {
        let answer = self.call(id, Request::get()).await?;
        let told = web::json_body(&answer);
        match (answer.status, told["url"].as_str(), told["error"]["code"].as_i64()) {
            (200, Some(address), _) => Ok(address.to_owned()),
            (400 | 404, _, None | Some(100 | 131_052)) => Err(web::file_error(404)),
            (200, None, _) => Err(FileFetchError::transient("the platform returned no address of the file")),
            (status, ..) => Err(platform_error(status, &told["error"]).into()),
        }
    }

    /// Downloads a file; only the platform's own hosts get the token.
    pub(super) async fn download(&self, url: &str) -> Result<Vec<u8>, FileFetchError> {
        let is_own = |address: &Url| is_own_host(address, &self.settings.api);
        web::fetch_file(&self.guard, url, MAX_FILE_BYTES, is_own, |request| self.signed(request)).await
    }
}

/// Returns true if a host may get the token: the API's host and, if that is the platform's own, the
/// hosts of its files.
fn is_own_host(address: &Url, api: &str) -> bool {
    let is_platform = |url: &Url| {
        let host = url.host_str().unwrap_or("");
        url.scheme() == "https" && OWN_HOSTS.iter().any(|own| web::is_host_of(host, own))
    };
    web::is_same_origin(address, api)
        || (Url::parse(api).is_ok_and(|api| is_platform(&api)) && is_platform(address))
}

pub(super) fn platform_error(status: u16, error: &Value) -> PlatformError {
    let said = SafeText::line(error["message"].as_str().unwrap_or("it gave no reason"));
    match (error["code"].as_i64(), status) {
        (Some(190), _) | (_, 401) => PlatformError::needs_person(
            "the platform does not accept the access token; create a permanent token for a system user and \
             connect the channel again",
        ),
        (Some(10 | 200..=299), _) | (_, 403) => PlatformError::needs_person(
            "the access token lacks a permission; it needs whatsapp_business_messaging and \
             whatsapp_business_management",
        ),
        (Some(100), _) | (_, 404) => PlatformError::needs_person(format!(
            "the platform does not know this number or account, or the token is for another one; check \
             --phone-number-id and --business-account-id ({said})"
        )),
        (Some(4 | 80_007 | 80_008 | 130_429), _) => PlatformError::needs_person("the platform asks to wait"),
        _ => PlatformError::transient(format!("the platform answered {status}: {said}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_token_goes_to_hosts_of_the_platform_alone() {
        let api = "https://graph.facebook.com/v23.0";
        let cases = [
            (api, "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", true),
            (api, "https://graph.facebook.com/v23.0/1", true),
            (api, "https://scontent.whatsapp.example/1", false),
            (api, "https://evilfbsbx.com/1", false),
            (api, "https://lookaside.fbsbx.com.evil.example/1", false),
            (api, "https://evil.example/lookaside.fbsbx.com", false),
            (api, "http://lookaside.fbsbx.com/1", false),
            ("http://127.0.0.1:4000", "http://127.0.0.1:4000/file", true),
            ("http://127.0.0.1:4000", "http://127.0.0.1:4001/file", false),
            ("https://numbers.partner.example", "https://numbers.partner.example/file", true),
            // The token of a partner's API must not reach the platform.
            ("https://numbers.partner.example", "https://lookaside.fbsbx.com/1", false),
        ];
        for (api, address, is_own) in cases {
            let address: Url = address.parse().expect("an address");
            assert_eq!(is_own_host(&address, api), is_own, "{api} {address}");
        }
    }

    #[test]
    fn each_refusal_is_explained() {
        let cases = [
            (401, json!({"code": 190}), "does not accept the access token"),
            (403, json!({"code": 10}), "lacks a permission"),
            (400, json!({"code": 100, "message": "Unsupported get request"}), "--phone-number-id"),
            (400, json!({"code": 80007}), "asks to wait"),
            (500, json!(null), "answered 500"),
        ];
        for (status, error, words) in cases {
            let said = platform_error(status, &error).why;
            assert!(said.contains(words), "{status} {error}: {said}");
        }
    }
}
