//! List cursors: the position after the last row of a page, authenticated with an HMAC and bound to one list.
//!
//! A cursor stays valid when its row is deleted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::digest::InvalidLength;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::errors::ApiError;

const CURSOR_VERSION: u8 = 1;
const LIST_NAME_BYTES: usize = 8;
const SEAL_BYTES: usize = 16;

/// Position in a list ordered by (time, id), newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePosition {
    /// Microseconds since the epoch.
    pub at: i64,
    pub id: String,
}

impl PagePosition {
    /// Returns the position before every row.
    pub fn top() -> Self {
        Self { at: i64::MAX, id: String::new() }
    }
}

/// Hash of everything that decides a list's rows: route, owner and filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListName([u8; LIST_NAME_BYTES]);

impl ListName {
    pub fn new(parts: &[&str]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part.len().to_be_bytes());
            hasher.update(part.as_bytes());
        }
        let digest: [u8; 32] = hasher.finalize().into();
        let mut name = [0; LIST_NAME_BYTES];
        name.copy_from_slice(&digest[..LIST_NAME_BYTES]);
        Self(name)
    }
}

/// Seals and opens cursors with one secret.
pub struct Cursors {
    keyed: Hmac<Sha256>,
}

impl Cursors {
    /// Creates cursors with the secret stored in the database.
    pub fn new(secret: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self { keyed: Hmac::new_from_slice(secret)? })
    }

    pub fn seal(&self, list: &ListName, place: &PagePosition) -> String {
        let mut bytes = vec![CURSOR_VERSION];
        bytes.extend_from_slice(&list.0);
        bytes.extend_from_slice(&place.at.to_be_bytes());
        bytes.extend_from_slice(place.id.as_bytes());
        let seal = self.mac(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&seal[..SEAL_BYTES]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position a caller continues from.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if the text was not sealed by this service for this list.
    pub fn open(&self, list: &ListName, text: &str) -> Result<PagePosition, ApiError> {
        self.try_open(list, text).ok_or_else(|| {
            ApiError::validation(
                "cursor is not a nextCursor of this list with these filters; leave it out to start again",
            )
        })
    }

    fn try_open(&self, list: &ListName, text: &str) -> Option<PagePosition> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (body, seal) = bytes.split_at_checked(bytes.len().checked_sub(SEAL_BYTES)?)?;
        self.mac(body).verify_truncated_left(seal).ok()?;
        let (version, rest) = body.split_first()?;
        let (name, rest) = rest.split_at_checked(LIST_NAME_BYTES)?;
        let (at, id) = rest.split_at_checked(8)?;
        if *version != CURSOR_VERSION || name != list.0 {
            return None;
        }
        Some(PagePosition {
            at: i64::from_be_bytes(at.try_into().ok()?),
            id: String::from_utf8(id.to_vec()).ok()?,
        })
    }

    fn mac(&self, bytes: &[u8]) -> Hmac<Sha256> {
        self.keyed.clone().chain_update(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(randomized::config(256))]

        /// A position is opened by its own list only, and by no changed text.
        #[test]
        fn a_cursor_is_its_place_and_nothing_else(
            at in any::<i64>(),
            id in "\\PC{0,40}",
            list in prop::collection::vec("[a-z=]{0,6}", 1..4),
            other in prop::collection::vec("[a-z=]{0,6}", 1..4),
            flip in any::<prop::sample::Index>(),
            bit in 0_u8..8,
            noise in "\\PC{0,80}",
        ) {
            let cursors = Cursors::new(&[7; 32]).expect("a key");
            let name = |parts: &[String]| ListName::new(&parts.iter().map(String::as_str).collect::<Vec<_>>());
            let (mine, theirs) = (name(&list), name(&other));
            let place = PagePosition { at, id };
            let text = cursors.seal(&mine, &place);
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'));
            prop_assert_eq!(cursors.open(&mine, &text), Ok(place));
            if list != other {
                prop_assert!(cursors.open(&theirs, &text).is_err());
            }
            let mut bytes = URL_SAFE_NO_PAD.decode(&text).expect("base64");
            let index = flip.index(bytes.len());
            bytes[index] ^= 1 << bit;
            prop_assert!(cursors.open(&mine, &URL_SAFE_NO_PAD.encode(&bytes)).is_err());
            bytes.truncate(index);
            prop_assert!(cursors.open(&mine, &URL_SAFE_NO_PAD.encode(&bytes)).is_err());
            prop_assert!(cursors.open(&mine, &noise).is_err());
        }
    }

    #[test]
    fn only_its_own_list_opens_a_cursor() {
        let cursors = Cursors::new(&[7; 32]).expect("a key");
        let list = ListName::new(&["messages", "channel", "status=read"]);
        let place = PagePosition { at: -5, id: "msg_1é".into() };
        let text = cursors.seal(&list, &place);
        assert_eq!(cursors.open(&list, &text), Ok(place.clone()));
        assert!(cursors.open(&ListName::new(&["messages", "channel", ""]), &text).is_err());
        assert!(cursors.open(&ListName::new(&["messages", "channelstatus=read"]), &text).is_err());
        assert!(Cursors::new(&[8; 32]).expect("a key").open(&list, &text).is_err());
        for index in 0..text.len() {
            let mut forged: Vec<u8> = text.clone().into_bytes();
            forged[index] = if forged[index] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).expect("ASCII");
            // The last character carries unused bits: another spelling of the same bytes is no forgery, but
            // must open the same position.
            if let Ok(opened) = cursors.open(&list, &forged) {
                assert_eq!(opened, place);
            }
        }
        for bad in ["", "x", "null", "eyJpZCI6MX0", &"A".repeat(500)] {
            assert!(cursors.open(&list, bad).is_err(), "{bad}");
        }
    }
}
