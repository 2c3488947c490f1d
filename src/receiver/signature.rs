//! HMAC-SHA-256 signatures of webhook bodies.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use model::secret::Secret;

const SIGNATURE_BYTES: usize = 32;

/// A verified signature; identifies the body.
pub type Signature = [u8; SIGNATURE_BYTES];

/// Verifies a signature in hex, of either case, against the raw body in constant time.
pub fn check(secret: &Secret, body: &[u8], signature: &[u8]) -> Option<Signature> {
    let told = decode(signature)?;
    // HMAC takes keys of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).ok()?;
    mac.update(body);
    mac.verify_slice(&told).ok()?;
    Some(told)
}

pub fn compute_signature(secret: &Secret, bytes: &[u8]) -> Signature {
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) else {
        return [0; SIGNATURE_BYTES];
    };
    mac.update(bytes);
    mac.finalize().into_bytes().into()
}

fn decode(hex: &[u8]) -> Option<Signature> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if hex.len() != 2 * SIGNATURE_BYTES {
        return None;
    }
    let mut bytes = [0; SIGNATURE_BYTES];
    for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
        *byte = digit(pair[0])? * 16 + digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_and_nothing_else() {
        // RFC 4231, test case 2.
        const RIGHT: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let body = b"what do ya want for nothing?";
        let secret = Secret::new("Jefe");
        let cases = [
            (RIGHT.to_owned(), true),
            (RIGHT.to_uppercase(), true),
            (RIGHT.replace('5', "6"), false),
            (RIGHT[..62].to_owned(), false),
            (RIGHT[..63].to_owned(), false),
            (format!("{RIGHT}00"), false),
            (format!("{}zz", &RIGHT[..62]), false),
            (format!(" {}", &RIGHT[1..]), false),
            ("é".repeat(32), false),
            (String::new(), false),
        ];
        for (signature, right) in cases {
            assert_eq!(check(&secret, body, signature.as_bytes()).is_some(), right, "{signature}");
        }
        assert!(check(&Secret::new("other"), body, RIGHT.as_bytes()).is_none());
        assert!(check(&secret, b"what do ya want for nothing? ", RIGHT.as_bytes()).is_none());
    }
}
