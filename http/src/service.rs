//! The service: requests in, responses out.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use barewire::engine::Channel;
use barewire::transport::http::{Admitted, Denial, HttpReply, Purpose, ReplyBody};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, EXPECT, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use tokio::time::{Instant, timeout_at};
use tower_service::Service;

use crate::body::{Body, Open};
use crate::clock;
use crate::fields::add_field;
use crate::handle::Handle;
use crate::head::RequestHead;
use crate::hub::{Answer, Hub, Output};
use crate::receive::{Fault, discard, receive};

/// A server over Streamable HTTP, as a service for `axum`, `hyper` or any other program that has requests of the crate `http`.
///
/// Clones share one server. [`Mcp::new`] serves clients on the same machine; a [`Builder`](crate::Builder) changes that. Requests must be served on a runtime of
/// tokio with timers.
///
/// ```no_run
/// struct Board(bool);
///
/// #[barewire::server(name = "board", version = "1.0")]
/// impl Board {
///     /// Switches the LED.
///     #[tool]
///     fn set_led(&mut self, on: bool) -> &'static str {
///         self.0 = on;
///         if on { "on" } else { "off" }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let app = axum::Router::new().nest_service("/mcp", barewire_http::Mcp::new(Board(false)));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
/// axum::serve(listener, app).await
/// # }
/// ```
///
/// The methods of the application run one at a time, on the threads of the runtime, so they should be quick. Work that takes long is deferred:
/// see [`Builder::jobs`](crate::Builder::jobs) and [`Handle`]. A panic of the application fails only the request that it was handling.
#[derive(Clone)]
pub struct Mcp {
    hub: Arc<Hub>,
}

impl std::fmt::Debug for Mcp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mcp")
    }
}

impl Mcp {
    pub(crate) const fn of(hub: Arc<Hub>) -> Self {
        Self { hub }
    }

    /// A handle for the rest of the program: it reports changes and answers deferred calls.
    pub fn handle(&self) -> Handle {
        Handle::new(Arc::downgrade(&self.hub))
    }

    /// Ends the service: new requests get the status 503. Calls that are deferred have [`HttpLimits::drain`](crate::HttpLimits::drain) to end; then
    /// each `subscriptions/listen` gets its result, and all streams end. Returns when the last response was taken, or after as long again.
    pub async fn shutdown(&self) {
        let hub = &*self.hub;
        hub.is_closing.store(true, Ordering::SeqCst);
        hub.with(|state| state.endpoint.server().end_questions());
        hub.until(|state| state.endpoint.server().in_flight() == 0).await;
        hub.with(|state| {
            state.endpoint.server().end_streams();
            state.poll();
        });
        hub.with(|state| {
            for channel in state.exchanges.open_channels() {
                state.closed(channel);
                state.exchanges.end(channel, true);
            }
        });
        hub.until(|state| state.exchanges.is_empty()).await;
    }
}

impl<B> Service<Request<B>> for Mcp
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let hub = Arc::clone(&self.hub);
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let mut response = serve(&hub, &parts, body).await;
            hub.rules.add_cors_fields(&hub.head(&parts), response.headers_mut());
            Ok(response)
        })
    }
}

impl Hub {
    fn head<'a>(&self, parts: &'a Parts) -> RequestHead<'a> {
        RequestHead::new(parts, self.rules.path.as_deref())
    }

    /// Judges a request by its head.
    fn admit(&self, parts: &Parts) -> Result<Admitted, Box<Response<Body>>> {
        let admitted =
            self.rules.admit(&self.head(parts), self.offers_sessions, |denial| Box::new(denied(denial)))?;
        match self.is_closing.load(Ordering::SeqCst) {
            true => Err(Box::new(error(StatusCode::SERVICE_UNAVAILABLE, -32603, "Server is shutting down"))),
            false => Ok(admitted),
        }
    }

    /// Waits until something is so, for [`HttpLimits::drain`](crate::HttpLimits::drain) at most.
    async fn until(&self, mut is_so: impl FnMut(&mut crate::hub::State) -> bool) {
        let end = Instant::now() + self.limits.drain;
        loop {
            let left = self.has_left.notified();
            if self.look(&mut is_so) {
                return;
            }
            if timeout_at(end, left).await.is_err() {
                return;
            }
        }
    }
}

/// Serves a request.
async fn serve<B>(hub: &Arc<Hub>, parts: &Parts, body: B) -> Response<Body>
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
{
    clock::start(hub);
    let mut body = Box::pin(body);
    // A client that waits for permission to send its body does not send it.
    let sends_body = !parts.headers.contains_key(EXPECT);
    let admitted = match hub.admit(parts) {
        Ok(admitted) => admitted,
        Err(response) => {
            if sends_body {
                discard(body, &hub.limits);
            }
            return *response;
        }
    };
    let answer = match admitted.purpose() {
        Purpose::Post => match receive(&mut body, &hub.limits, &hub.received).await {
            Ok(bytes) => hub.receive(&hub.head(parts), &admitted, &bytes),
            Err(fault) => {
                if sends_body && fault != Fault::Broken {
                    discard(body, &hub.limits);
                }
                match fault {
                    Fault::TooLong => hub.receive_oversized(&admitted),
                    fault => return not_received(fault),
                }
            }
        },
        Purpose::Get => hub.open_stream(&admitted),
        Purpose::Delete => hub.end_session(&admitted),
        Purpose::Preflight => {
            let mut response = empty(StatusCode::NO_CONTENT);
            hub.rules.add_preflight_fields(&hub.head(parts), response.headers_mut());
            return response;
        }
        Purpose::Metadata => {
            let document = hub.rules.metadata.map(|metadata| metadata.document()).unwrap_or_default();
            return json(StatusCode::OK, document.into());
        }
    };
    match answer {
        Answer::Whole(reply, bytes) => reply_with(&reply, Body::bytes(bytes)),
        Answer::Open(channel) => begin(hub, channel).await,
        Answer::Busy => error(StatusCode::SERVICE_UNAVAILABLE, -32603, "Server busy"),
    }
}

/// Waits for the head of a response that is not complete.
async fn begin(hub: &Arc<Hub>, channel: Channel) -> Response<Body> {
    let mut open = Open::new(Arc::clone(hub), channel);
    let reply = poll_fn(|context| open.poll_reply(context)).await;
    if reply.body() == ReplyBody::Stream {
        return reply_with(&reply, Body::stream(open));
    }
    // The whole message has come with the reply.
    let output = poll_fn(|context| Poll::Ready(open.take_output(context))).await;
    let bytes = if let Output::Bytes(bytes, _) = output { bytes } else { Bytes::new() };
    reply_with(&reply, Body::bytes(bytes))
}

fn reply_with(reply: &HttpReply, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status(reply.status());
    reply.fields(|name, value| add_field(response.headers_mut(), name, value));
    response
}

/// The response to a request that is refused by its head.
fn denied(denial: &Denial<'_>) -> Response<Body> {
    let mut response = Response::new(Body::bytes(Bytes::from_static(denial.body().as_bytes())));
    *response.status_mut() = status(denial.status());
    denial.fields(|name, value| add_field(response.headers_mut(), name, value));
    response
}

fn not_received(fault: Fault) -> Response<Body> {
    match fault {
        Fault::TooLong => error(StatusCode::PAYLOAD_TOO_LARGE, -32600, "Message too long"),
        Fault::Busy => error(StatusCode::SERVICE_UNAVAILABLE, -32603, "Server busy"),
        Fault::Late => error(StatusCode::REQUEST_TIMEOUT, -32600, "Body too slow"),
        Fault::Broken => error(StatusCode::BAD_REQUEST, -32700, "Body broken off"),
    }
}

/// A JSON-RPC error without an id.
fn error(status: StatusCode, code: i32, message: &str) -> Response<Body> {
    let body = format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{message}"}}}}"#);
    let mut response = json(status, body.into());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn json(status: StatusCode, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::bytes(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn status(status: barewire::transport::http::Status) -> StatusCode {
    StatusCode::from_u16(status.code()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
