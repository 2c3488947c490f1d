//! Adds credentials to requests and masks them in responses.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::borrow::Cow;

use crate::guard::Request;
use model::connections::{Auth, target};
use model::secret::Secret;

/// Credential in the form in which a request carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestCredential {
    None,
    Header(String, Secret),
    Query(String, Secret),
}

/// Converts a connection's secret, or the token fetched with it, to its form on the wire.
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

pub fn basic(user: &str, password: &str) -> Secret {
    Secret::new(&format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}"))))
}

/// Adds the credential to the URL if it is a query parameter.
pub fn add_to_url(url: String, proof: &RequestCredential) -> String {
    let RequestCredential::Query(name, value) = proof else { return url };
    let mut url = url;
    url.push(if url.contains('?') { '&' } else { '?' });
    target::percent_encode(name, &mut url);
    url.push('=');
    target::percent_encode(value.expose(), &mut url);
    url
}

/// Adds the credential to the request if it is a header. Fails if the value is invalid in a header;
/// the error does not contain it.
pub fn add_to_request(request: Request, proof: &RequestCredential) -> Result<Request, &'static str> {
    match proof {
        RequestCredential::Header(name, value) => request
            .secret_header(name, value.expose())
            .map_err(|_| "the credential contains characters that a header cannot have; enter it again"),
        _ => Ok(request),
    }
}

/// Returns all encodings of a credential that a response might repeat, longest first.
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

/// Replaces every credential in a response with dots.
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
