//! Answers, in the `Error` shape, to requests that are not valid HTTP.
//!
//! hyper refuses such requests before the router sees them, with a status and no body: contradicting
//! `Content-Length` headers, an oversized head, bytes that are not HTTP. Every other answer of the service
//! has a body, so an empty 400, 414 or 431 is one of these. The connection closes after it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::errors::ApiError;
use api::errors::ErrorCode;

/// Connection that adds a body to hyper's refusals.
pub struct HttpErrorBodies<S> {
    stream: S,
    /// Replacement of a refusal; `written` bytes of it have been sent.
    answer: Vec<u8>,
    written: usize,
}

impl<S> HttpErrorBodies<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, answer: Vec::new(), written: 0 }
    }
}

impl<S: AsyncWrite + Unpin> HttpErrorBodies<S> {
    /// Writes the rest of the replacement.
    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.answer.len() {
            let rest = &self.answer[self.written..];
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HttpErrorBodies<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HttpErrorBodies<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_answer(context))?;
        match explain_refusal(bytes) {
            Some(answer) => {
                (self.answer, self.written) = (answer, 0);
                // The rest is written by the following flush.
                if let Poll::Ready(Err(error)) = self.poll_answer(context) {
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(Ok(bytes.len()))
            }
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = pieces.iter().find(|piece| !piece.is_empty());
        if let Some(head) = first.filter(|head| explain_refusal(head).is_some()) {
            return self.poll_write(context, head);
        }
        ready!(self.poll_answer(context))?;
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Returns the refusal with a body, if `bytes` are a refusal of hyper.
fn explain_refusal(bytes: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(bytes.strip_suffix(b"\r\n\r\n")?).ok()?;
    let (status, fields) = head.split_once("\r\n").filter(|_| !head.contains("\r\n\r\n"))?;
    let why = match status {
        "HTTP/1.1 400 Bad Request" => "the request is not valid HTTP: check its first line and its headers",
        "HTTP/1.1 414 URI Too Long" => "the URL of the request is too long",
        "HTTP/1.1 431 Request Header Fields Too Large" => {
            "the headers of the request are too large or too many"
        }
        _ => return None,
    };
    let mut lines: Vec<&str> = fields.split("\r\n").collect();
    let before = lines.len();
    lines.retain(|line| !line.eq_ignore_ascii_case("content-length: 0"));
    if lines.len() == before {
        return None;
    }
    let body = serde_json::to_string(&ApiError::new(ErrorCode::ValidationError, why).body()).ok()?;
    let fields: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    let head = format!("{status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{fields}");
    Some(format!("{head}\r\n{body}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_refusal_gets_a_body() {
        let refusal = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: now\r\n\r\n";
        let answer = String::from_utf8(explain_refusal(refusal).expect("an answer")).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.ends_with(&format!("content-length: {}\r\ndate: now", body.len())), "{head}");
        let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["code"], "VALIDATION_ERROR");
        let others: [&[u8]; 4] = [
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 20\r\n\r\n",
            b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\n\r\ncontent-length: 0\r\n\r\n",
        ];
        for bytes in others {
            assert_eq!(explain_refusal(bytes), None, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
