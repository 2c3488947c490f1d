//! Signatures of deliveries: the interface's own, over the body, and that of Standard Webhooks, which
//! includes id and time and so prevents replays.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Prefix of a base64 secret in the form of Standard Webhooks.
const ENCODED_SECRET_PREFIX: &str = "whsec_";

/// Returns `X-Service-Signature`: hex HMAC-SHA256 of the raw body, keyed with the secret's text.
pub fn sign_body(secret: &str, body: &[u8]) -> String {
    let tag = hmac_sha256(secret.as_bytes(), &[body]);
    tag.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns `webhook-signature`, over `id.timestamp.body`.
pub fn sign_standard(secret: &str, id: &str, seconds: i64, body: &[u8]) -> String {
    let decoded = secret.strip_prefix(ENCODED_SECRET_PREFIX).and_then(|entry| STANDARD.decode(entry).ok());
    let key = decoded.unwrap_or_else(|| secret.as_bytes().to_vec());
    let seconds = seconds.to_string();
    let tag = hmac_sha256(&key, &[id.as_bytes(), b".", seconds.as_bytes(), b".", body]);
    format!("v1,{}", STANDARD.encode(tag))
}

fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    // HMAC accepts keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // RFC 4231, test case 2.
        assert_eq!(
            sign_body("Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        // Example of the Standard Webhooks specification.
        assert_eq!(
            sign_standard(
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                br#"{"test": 2432232314}"#
            ),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn any_text_is_a_secret() {
        for secret in ["x", "whsec_not base64!", &"é".repeat(128)] {
            assert_eq!(sign_body(secret, b"{}").len(), 64);
            assert!(sign_standard(secret, "evt_1", 1, b"{}").starts_with("v1,"));
        }
    }
}
