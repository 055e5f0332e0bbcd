//! Bodies of requests.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::time::timeout;

use crate::limits::HttpLimits;

/// Why a body was not received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    TooLong,
    /// All bodies together have too many bytes.
    Busy,
    Late,
    /// The client, or the connection, has broken off.
    Broken,
}

/// The time for which the rest of a body is read that nobody needs. A client that is still sending may not read an answer.
const REST: Duration = Duration::from_secs(5);

/// Receives a body. `received` counts the bytes of all bodies.
pub(crate) async fn receive<B: http_body::Body>(
    body: &mut Pin<Box<B>>,
    limits: &HttpLimits,
    received: &AtomicUsize,
) -> Result<Bytes, Fault> {
    if body.size_hint().lower() > limits.body as u64 {
        return Err(Fault::TooLong);
    }
    let received = Received { all: received, count: 0, most: limits.bodies };
    timeout(limits.body_time, collect(body, limits.body, received)).await.unwrap_or(Err(Fault::Late))
}

async fn collect<B: http_body::Body>(
    body: &mut Pin<Box<B>>,
    most: usize,
    mut received: Received<'_>,
) -> Result<Bytes, Fault> {
    let mut first = Bytes::new();
    let mut all = Vec::new();
    while let Some(mut data) = next_data(body).await? {
        let count = data.remaining();
        if most.saturating_sub(received.count) < count {
            return Err(Fault::TooLong);
        }
        received.add(count)?;
        if first.is_empty() {
            first = data.copy_to_bytes(count);
            continue;
        }
        if all.is_empty() {
            all.extend_from_slice(&first);
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            all.extend_from_slice(chunk);
            let count = chunk.len();
            data.advance(count);
        }
    }
    Ok(if all.is_empty() { first } else { all.into() })
}

/// The next bytes of a body; trailers are skipped.
async fn next_data<B: http_body::Body>(body: &mut Pin<Box<B>>) -> Result<Option<B::Data>, Fault> {
    loop {
        let frame = poll_fn(|context| body.as_mut().poll_frame(context)).await;
        match frame.map(|frame| frame.map(http_body::Frame::into_data)) {
            None => return Ok(None),
            Some(Ok(Ok(data))) => return Ok(Some(data)),
            Some(Ok(Err(_))) => {}
            Some(Err(_)) => return Err(Fault::Broken),
        }
    }
}

/// Number of bytes of a body that is being received.
struct Received<'a> {
    all: &'a AtomicUsize,
    count: usize,
    most: usize,
}

impl Received<'_> {
    fn add(&mut self, count: usize) -> Result<(), Fault> {
        let before = self.all.fetch_add(count, Ordering::Relaxed);
        self.count += count;
        if before.saturating_add(count) > self.most { Err(Fault::Busy) } else { Ok(()) }
    }
}

impl Drop for Received<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// Reads the rest of the body of a request that was refused, within limits, so that its client gets the answer.
pub(crate) fn discard<B>(mut body: Pin<Box<B>>, limits: &HttpLimits)
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
{
    if body.is_end_stream() {
        return;
    }
    let most = limits.body;
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(timeout(REST, async move {
            let mut count = 0;
            while let Ok(Some(data)) = next_data(&mut body).await {
                count += data.remaining();
                if count > most {
                    break;
                }
            }
        }));
    }
}
