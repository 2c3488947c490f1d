//! One request and one response on a connection, which is then closed.

use std::pin::pin;

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::guard::request::{FetchError, FetchLimits, Fetched, OversizePolicy, Request};
use crate::guard::urls::VettedUrl;

const MAX_HEAD_BYTES: usize = 32 * 1024;

/// Sends a request and reads its response up to the size limit. Skips interim responses and does
/// not follow redirects. The caller limits the time; dropping the future closes the connection.
pub async fn exchange<S>(
    stream: S,
    url: &VettedUrl,
    request: Request,
    limits: FetchLimits,
) -> Result<Fetched, FetchError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD_BYTES)
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(|_| FetchError::Broken)?;
    let request = prepare(url, request)?;
    let mut answer = pin!(async {
        let answer = sender.send_request(request).await.map_err(|_| FetchError::Broken)?;
        let (head, body) = answer.into_parts();
        Ok(Fetched {
            status: head.status.as_u16(),
            location: text_of(&head.headers, header::LOCATION),
            retry_after: text_of(&head.headers, header::RETRY_AFTER),
            content_type: text_of(&head.headers, header::CONTENT_TYPE),
            body: read(body, limits).await?,
        })
    });
    // The connection only progresses while it is polled; after it has ended, data already read is
    // still available.
    tokio::select! {
        answer = &mut answer => answer,
        _ = connection => answer.await,
    }
}

fn prepare(url: &VettedUrl, request: Request) -> Result<hyper::Request<Full<Bytes>>, FetchError> {
    let Request { method, mut headers, body } = request;
    let host = HeaderValue::from_str(url.host_header()).map_err(|_| FetchError::Broken)?;
    headers.insert(header::HOST, host);
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    let agent = HeaderValue::from_static(concat!("frontdesk/", env!("CARGO_PKG_VERSION")));
    headers.entry(header::USER_AGENT).or_insert(agent);
    let mut prepared = hyper::Request::new(Full::new(body));
    *prepared.method_mut() = method;
    *prepared.uri_mut() = url.target().clone();
    *prepared.headers_mut() = headers;
    Ok(prepared)
}

/// Reads the body without ever holding more than the limit in memory.
async fn read(mut body: Incoming, limits: FetchLimits) -> Result<Vec<u8>, FetchError> {
    let limit = u64::try_from(limits.max_body).unwrap_or(u64::MAX);
    if limits.oversize == OversizePolicy::Refuse && body.size_hint().lower() > limit {
        return Err(FetchError::TooLarge);
    }
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| FetchError::Broken)?.into_data() else { continue };
        let room = limits.max_body - read.len();
        read.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return match limits.oversize {
                OversizePolicy::Refuse => Err(FetchError::TooLarge),
                OversizePolicy::Cut => Ok(read),
            };
        }
    }
    Ok(read)
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}
