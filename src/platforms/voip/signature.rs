//! Verifies webhook calls: the signature covers the public URL and all form fields sorted by name.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;
use url::{Url, form_urlencoded};

use crate::contract::WebhookCall;

const SIGNATURE_HEADER: &str = "x-twilio-signature";

/// Key made from the account's token.
pub(super) struct SigningKey(hmac::Key);

impl SigningKey {
    pub(super) fn new(token: &str) -> Self {
        // Required by the platform; HMAC-SHA1 is still unforgeable.
        Self(hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes()))
    }

    /// Returns true if a call of this URL is signed with the token.
    pub(super) fn is_genuine(&self, address: &str, call: &WebhookCall<'_>) -> bool {
        let given = call
            .headers
            .get(SIGNATURE_HEADER)
            .and_then(|header| BASE64_STANDARD.decode(header.as_bytes()).ok());
        let Some(given) = given else { return false };
        let query = if call.query.is_empty() { String::new() } else { format!("?{}", call.query) };
        let fields = sorted_fields(call.body);
        let is_over = |address: &str| {
            hmac::verify(&self.0, format!("{address}{query}{fields}").as_bytes(), &given).is_ok()
        };
        // The platform may leave a port out or name the default one.
        let others = [with_default_port(address), without_port(address)];
        is_over(address) || others.into_iter().flatten().any(|other| is_over(&other))
    }
}

/// Returns the form fields in the order in which they are signed.
fn sorted_fields(body: &[u8]) -> String {
    let mut all: Vec<_> = form_urlencoded::parse(body).collect();
    all.sort();
    all.dedup();
    all.into_iter().flat_map(|(name, value)| [name, value]).collect()
}

fn with_default_port(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(|url| url.port().is_none())?;
    let (scheme, rest) = address.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    Some(format!("{scheme}://{host}:{}{path}", url.port_or_known_default()?))
}

fn without_port(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok().filter(|url| url.port().is_some())?;
    url.set_port(None).ok()?;
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;

    use super::*;

    fn sign(token: &str, text: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
        BASE64_STANDARD.encode(hmac::sign(&key, text.as_bytes()))
    }

    fn is_genuine(address: &str, query: &str, body: &str, signature: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(SIGNATURE_HEADER, signature.parse().expect("a header"));
        let call = WebhookCall { query, headers: &headers, body: body.as_bytes() };
        SigningKey::new("12345").is_genuine(address, &call)
    }

    /// The example of the platform's own client libraries.
    #[test]
    fn the_platforms_own_example_is_its_own() {
        let body = "Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309\
                    &CallSid=CA1234567890ABCDE";
        let good = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";
        let address = "https://mycompany.com/myapp.php";
        assert!(is_genuine(address, "foo=1&bar=2", body, good));
        assert!(!is_genuine(address, "foo=1&bar=3", body, good), "another query");
        assert!(!is_genuine(address, "foo=1&bar=2", &body.replace("1234", "1235"), good), "other fields");
        assert!(!is_genuine("https://mycompany.org/myapp.php", "foo=1&bar=2", body, good), "another address");
        for wrong in ["", "=", "RSOY", &sign("12346", "https://mycompany.com/myapp.php")] {
            assert!(!is_genuine(address, "foo=1&bar=2", body, wrong), "{wrong}");
        }
    }

    #[test]
    fn port_may_be_named_or_not() {
        let address = "https://desk.example/hooks/voip";
        let body = "To=%2B1&Body=a+b";
        assert!(is_genuine(address, "", body, &sign("12345", "https://desk.example/hooks/voipBodya bTo+1")));
        assert!(is_genuine(
            address,
            "",
            body,
            &sign("12345", "https://desk.example:443/hooks/voipBodya bTo+1")
        ));
        let named = "http://127.0.0.1:8787/hooks/voip";
        assert!(is_genuine(named, "id=7", "A=b", &sign("12345", &format!("{named}?id=7Ab"))));
        let unnamed = named.replace(":8787", "");
        assert!(is_genuine(named, "id=7", "A=b", &sign("12345", &format!("{unnamed}?id=7Ab"))));
        assert!(!is_genuine(named, "id=8", "A=b", &sign("12345", &format!("{unnamed}?id=7Ab"))));
        assert_eq!(with_default_port(named), None);
        assert_eq!(with_default_port("https://a.example").as_deref(), Some("https://a.example:443"));
    }
}
