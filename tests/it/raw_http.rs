//! Requests parsed from bytes by the test servers.

use std::collections::HashMap;

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

#[derive(Debug, Clone, PartialEq)]
pub struct RawRequest {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl RawRequest {
    /// Parses a request; `None` while incomplete.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ').map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let headers: HashMap<String, String> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.get("content-length").and_then(|header| header.parse().ok()).unwrap_or(0);
        let body = bytes[end + 4..].to_vec();
        (body.len() >= length).then_some(Self { method, target, headers, body })
    }

    /// Reads a request from a connection; `None` if the connection ends.
    pub async fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        loop {
            if let Some(request) = Self::parse(&bytes) {
                return Some(request);
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
    }

    /// Challenge of a webhook in the target.
    pub fn challenge(&self) -> Option<&str> {
        self.target.split_once("challenge=").map(|(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}
