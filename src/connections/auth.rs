//! How a request says who asks.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::borrow::Cow;

use crate::guard::Request;
use model::connections::{Auth, target};
use model::secret::Secret;

/// What goes with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestCredential {
    /// Nothing.
    None,
    Header(String, Secret),
    Query(String, Secret),
}

/// What a connection's secret becomes on the wire; `token` stands for it
/// where one was fetched.
pub fn proof(auth: &Auth, secret: &Secret) -> RequestCredential {
    let header = |name: &str, value: &str| RequestCredential::Header(name.to_owned(), Secret::new(value));
    let plain = secret.expose();
    match auth {
        Auth::None => RequestCredential::None,
        Auth::Bearer | Auth::ClientCredentials { .. } => header("authorization", &format!("Bearer {plain}")),
        Auth::ApiKeyHeader { header: name } => header(name, plain),
        Auth::ApiKeyQuery { parameter } => RequestCredential::Query(parameter.clone(), secret.clone()),
        Auth::Basic { user } => header("authorization", basic(user, plain).expose()),
        Auth::CustomHeader { header: name, prefix } => header(name, &format!("{prefix}{plain}")),
    }
}

/// The value of an Authorization header for a user name and a password.
pub fn basic(user: &str, password: &str) -> Secret {
    Secret::new(&format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}"))))
}

/// The URL with the proof, where it belongs there.
pub fn add_to_url(url: String, proof: &RequestCredential) -> String {
    let RequestCredential::Query(name, value) = proof else { return url };
    let mut url = url;
    url.push(if url.contains('?') { '&' } else { '?' });
    target::percent_encode(name, &mut url);
    url.push('=');
    target::percent_encode(value.expose(), &mut url);
    url
}

/// The request with the proof, where it belongs there.
///
/// # Errors
/// When it cannot be a header; the text says nothing of the value.
pub fn add_to_request(request: Request, proof: &RequestCredential) -> Result<Request, &'static str> {
    match proof {
        RequestCredential::Header(name, value) => request
            .secret_header(name, value.expose())
            .map_err(|_| "the credential cannot be sent in a header; give it again"),
        _ => Ok(request),
    }
}

/// All spellings of a credential that an answer might repeat.
pub fn credential_spellings(auth: &Auth, secrets: &[&Secret]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for secret in secrets.iter().map(|secret| secret.expose()).filter(|text| text.len() >= 4) {
        let mut encoded = String::new();
        target::percent_encode(secret, &mut encoded);
        let json: Cow<'_, str> = match serde_json::to_string(secret) {
            Ok(quoted) => quoted[1..quoted.len() - 1].to_owned().into(),
            Err(_) => secret.into(),
        };
        let user = match auth {
            Auth::Basic { user } => Some(user),
            Auth::ClientCredentials { client_id, .. } => Some(client_id),
            _ => None,
        };
        all.extend(user.map(|user| BASE64_STANDARD.encode(format!("{user}:{secret}")).into_bytes()));
        all.extend([secret.as_bytes().to_vec(), encoded.into_bytes(), json.into_owned().into_bytes()]);
    }
    all.sort_by_key(|bytes| std::cmp::Reverse(bytes.len()));
    all.dedup();
    all
}

/// Puts dots in place of every credential in what came back.
pub fn mask(body: Vec<u8>, spellings: &[Vec<u8>]) -> Vec<u8> {
    let mut body = body;
    for word in spellings {
        if !body.windows(word.len()).any(|window| window == word.as_slice()) {
            continue;
        }
        let mut masked = Vec::with_capacity(body.len());
        let mut at = 0;
        while at < body.len() {
            if body[at..].starts_with(word) {
                masked.extend_from_slice("••••".as_bytes());
                at += word.len();
            } else {
                masked.push(body[at]);
                at += 1;
            }
        }
        body = masked;
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_repeats_is_masked() {
        let auth = Auth::Basic { user: "desk".to_owned() };
        let spellings = credential_spellings(&auth, &[&Secret::new("p\"ss/word")]);
        for (body, masked) in [
            ("no p\"ss/word here", "no •••• here"),
            ("p%22ss%2Fword", "••••"),
            ("{\"e\":\"p\\\"ss/word\"}", "{\"e\":\"••••\"}"),
            ("Basic ZGVzazpwInNzL3dvcmQ=", "Basic ••••"),
            ("pass", "pass"),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8(mask(body.as_bytes().to_vec(), &spellings)).as_deref(), Ok(masked));
        }
    }
}
