//! Answers of broken services, and of devices between client and service.

use std::net::SocketAddr;

/// HTML page of a captive portal.
const PAGE: &str =
    "<!doctype html><html><head><title>Log in</title></head><body>Please log in.</body></html>";

fn whole(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn json(status: &str, headers: &str, body: &str) -> Vec<u8> {
    whole(status, &format!("content-type: application/json\r\n{headers}"), body.as_bytes())
}

fn page(status: &str, headers: &str) -> Vec<u8> {
    whole(status, &format!("content-type: text/html\r\n{headers}"), PAGE.as_bytes())
}

/// 500 without a body, 502 with an HTML page, 503 with Retry-After, 504.
pub fn failed(variant: usize) -> Vec<u8> {
    match variant % 4 {
        0 => whole("500 Internal Server Error", "", b""),
        1 => page("502 Bad Gateway", ""),
        2 => page("503 Service Unavailable", "retry-after: 1\r\n"),
        _ => json("504 Gateway Timeout", "", r#"{"message":"upstream timed out"}"#),
    }
}

/// 429, optionally with Retry-After.
pub fn limited(told: bool) -> Vec<u8> {
    if told { limited_for(3) } else { refused_as_limited("") }
}

/// 429 with Retry-After in seconds.
pub fn limited_for(seconds: u32) -> Vec<u8> {
    refused_as_limited(&format!("retry-after: {seconds}\r\n"))
}

fn refused_as_limited(headers: &str) -> Vec<u8> {
    json("429 Too Many Requests", headers, r#"{"code":"RATE_LIMIT_EXCEEDED","message":"slow down"}"#)
}

pub fn unauthorised() -> Vec<u8> {
    json("401 Unauthorized", "", r#"{"code":"REVOKED_KEY","message":"the key was revoked"}"#)
}

/// 400 in the API's Error shape.
pub fn refused() -> Vec<u8> {
    json("400 Bad Request", "", r#"{"code":"VALIDATION_ERROR","message":"not so"}"#)
}

pub fn redirect(variant: usize, to: SocketAddr) -> Vec<u8> {
    let status = ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"];
    page(status[variant % 4], &format!("location: http://{to}/v1\r\n"))
}

/// 200 with an HTML page, or the answer of a gateway: JSON without a code.
pub fn portal(variant: usize) -> Vec<u8> {
    let said = br#"{"message":"no Route matched with those values"}"#;
    match variant % 4 {
        1 => whole("404 Not Found", "content-type: application/json\r\n", said),
        2 => whole("403 Forbidden", "content-type: application/json\r\n", said),
        3 => whole("400 Bad Request", "content-type: application/json\r\n", said),
        _ => page("200 OK", ""),
    }
}

pub fn empty(none: bool) -> Vec<u8> {
    if none {
        return b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_vec();
    }
    whole("200 OK", "", b"")
}

/// 200 with JSON of another shape.
pub fn other_shape(variant: usize) -> Vec<u8> {
    let body = match variant % 3 {
        0 => r#"{"portal":"guest","login":"http://192.0.2.1/"}"#,
        1 => "null",
        _ => r#""ok""#,
    };
    json("200 OK", "", body)
}

/// 200 with a gzip stream that decompresses to 64 MiB.
pub fn bomb() -> Vec<u8> {
    whole("200 OK", "content-type: application/json\r\ncontent-encoding: gzip\r\n", &gzip_of_spaces(64))
}

pub fn interims() -> Vec<u8> {
    b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)
}

/// Bytes of another protocol, or an endless head.
pub fn garbage(variant: usize) -> Vec<u8> {
    match variant % 3 {
        0 => b"SSH-2.0-OpenSSH_9.2p1\r\n".to_vec(),
        1 => vec![0x16, 0x03, 0x01, 0x00, 0xff, 0x00, 0x80, 0xfe],
        _ => {
            let mut head = b"HTTP/1.1 200 OK\r\n".to_vec();
            for index in 0..200 {
                head.extend_from_slice(format!("x-filler-{index}: {}\r\n", "f".repeat(8000)).as_bytes());
            }
            head.extend_from_slice(b"content-length: 2\r\n\r\n{}");
            head
        }
    }
}

/// Answer of the idempotency store.
pub fn idempotency_answer(variant: usize) -> Vec<u8> {
    if variant.is_multiple_of(2) {
        let body = r#"{"code":"IDEMPOTENCY_IN_PROGRESS","message":"still in flight"}"#;
        return json("409 Conflict", "retry-after: 1\r\n", body);
    }
    let body = r#"{"code":"INTERNAL_ERROR","message":"unexpected"}"#;
    json("500 Internal Server Error", "idempotent-replayed: true\r\n", body)
}

/// A gzip stream of spaces: one literal, then copies of the byte before, 258 at a time.
fn gzip_of_spaces(mebibytes: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with fixed codes.
    bits.put(1, 1);
    bits.put(1, 2);
    // The literal 0x20 has code 0x30 + 0x20, 8 bits, most significant first.
    bits.put_code(0x30 + 0x20, 8);
    let copies = (mebibytes << 20) / 258;
    for _ in 0..copies {
        // Length 258 is symbol 285: code 0xC0 + 285 - 280; distance 1 is 00000.
        bits.put_code(0xC0 + 5, 8);
        bits.put_code(0, 5);
    }
    // The end of the block is symbol 256: seven zero bits.
    bits.put_code(0, 7);
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(bits.bytes());
    // No client should read as far as checksum and length.
    out.extend([0; 8]);
    out
}

/// Bits, least significant first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for index in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if value >> index & 1 == 1 {
                *self.bytes.last_mut().expect("just made") |= 1 << (self.used % 8);
            }
            self.used += 1;
        }
    }

    /// Codes are written from their most significant bit.
    fn put_code(&mut self, code: u32, count: u32) {
        for index in (0..count).rev() {
            self.put(code >> index & 1, 1);
        }
    }

    fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}
