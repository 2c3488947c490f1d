//! Writing a shape as the bytes of a body.

use serde::Serialize;

/// Anything that can be the body of a request or an answer.
pub trait Body {
    /// The bytes.
    fn to_json(&self) -> Result<Vec<u8>, serde_json::Error>;

    /// The bytes, behind what is there already.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error>;
}

impl<T: Serialize> Body for T {
    fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(out, self)
    }
}
