//! A gateway between several clients and several servers, without the I/O: who gets each message of a mixed stream?
//!
//! A line of the input is `PEER MESSAGE`, the peer being who sent it; a line of the output is the same, the peer being
//! who gets it. Requests go to a server by what they are about. Ids of two clients may be equal, so each request is
//! forwarded with an id of the gateway's own, which is taken back on the way of the response; so are progress tokens and
//! the ids of cancellations. Everything else of a message is copied byte for byte.
//!
//! ```sh
//! cargo run -q --example gateway                 # the stream beside this file
//! cargo run -q --example gateway -- - < stream   # standard input
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};

use barewire::json::{Object, RawValue};
use barewire::rpc::{
    ErrorCode, Notification, Request, RequestId, Response, Rewrite, RewriteError, StoredId, error_response,
    rejection_response, result_response,
};
use barewire::{Message, classify};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/gateway.txt");

/// How a target starts, and which server has it.
const ROUTES: [(&str, &str); 2] = [("weather_", "weather"), ("file:///", "files")];

fn main() -> Result<(), Box<dyn Error>> {
    let input: Box<dyn BufRead> = match std::env::args().nth(1).as_deref() {
        Some("-") => Box::new(io::stdin().lock()),
        Some(file) => Box::new(BufReader::new(std::fs::File::open(file)?)),
        None => Box::new(BufReader::new(std::fs::File::open(SAMPLE)?)),
    };
    let mut gateway = Gateway {
        in_flight: BTreeMap::new(),
        // Any start does; this one shows which ids are whose.
        last_id: 1000,
    };
    let mut output = io::stdout().lock();
    for line in input.split(b'\n') {
        let line = line?;
        let Some(space) = line.iter().position(|byte| *byte == b' ') else {
            continue;
        };
        let (peer, message) = (&line[..space], &line[space + 1..]);
        match gateway.pass(str::from_utf8(peer)?, message)? {
            Some((receiver, message)) => {
                output.write_all(receiver.as_bytes())?;
                output.write_all(b" ")?;
                output.write_all(&message)?;
                output.write_all(b"\n")?;
            }
            None => eprintln!("(nobody gets {})", String::from_utf8_lossy(message)),
        }
    }
    Ok(())
}

/// The requests that were forwarded and not answered yet, by the gateway's own id.
struct Gateway {
    in_flight: BTreeMap<i64, Forwarded>,
    last_id: i64,
}

struct Forwarded {
    client: String,
    server: &'static str,
    id: StoredId<64>,
    progress_token: Option<StoredId<64>>,
}

/// Who gets it, and the message; or nobody.
type Delivery = Result<Option<(String, Vec<u8>)>, Box<dyn Error>>;

impl Gateway {
    fn pass(&mut self, peer: &str, line: &[u8]) -> Delivery {
        match classify(line) {
            Ok(Message::Request(request)) => self.request(peer, &request),
            Ok(Message::Response(response)) => self.response(peer, &response),
            Ok(Message::Notification(notification)) if notification.method() == "notifications/cancelled" => {
                self.cancelled(peer, &notification)
            }
            Ok(Message::Notification(notification)) if notification.method() == "notifications/progress" => {
                self.progress(peer, &notification)
            }
            Ok(Message::Notification(_)) => Ok(None),
            Err(rejection) => {
                let mut memory = vec![0; line.len() + 128];
                let answer = rejection_response(&mut memory, &rejection)?;
                Ok(answer.map(|answer| (peer.to_owned(), answer.to_vec())))
            }
        }
    }

    fn request(&mut self, client: &str, request: &Request<'_>) -> Delivery {
        let id = request.id();
        if request.method() == "ping" {
            let mut memory = vec![0; request.frame().len() + 64];
            let pong = result_response(&mut memory, id, Object::EMPTY)?;
            return Ok(Some((client.to_owned(), pong.to_vec())));
        }
        let route =
            request.target().and_then(|target| ROUTES.iter().find(|(start, _)| target.starts_with(start)));
        let Some((_, server)) = route else {
            return refuse(client, id, ErrorCode::METHOD_NOT_FOUND, "Method not found");
        };
        let message = Message::Request(*request);
        let Ok(token) = message.progress_token() else {
            // It occurs twice: the server might read the other one.
            return refuse(client, id, ErrorCode::INVALID_PARAMS, "Invalid params");
        };
        let token = token.and_then(RequestId::of);
        let (Ok(stored), Ok(progress_token)) = (StoredId::new(id), token.map(StoredId::new).transpose())
        else {
            return refuse(client, id, ErrorCode::INTERNAL_ERROR, "Request id too long");
        };
        let own = self.last_id + 1;
        let mut rewrite = Rewrite::new(message).id(RequestId::from(own))?;
        if token.is_some() {
            rewrite = rewrite.progress_token(RequestId::from(own))?;
        }
        let forwarded = Forwarded { client: client.to_owned(), server, id: stored, progress_token };
        self.last_id = own;
        self.in_flight.insert(own, forwarded);
        Ok(Some(((*server).to_owned(), written(&rewrite)?)))
    }

    /// A response that nobody waits for any more is dropped.
    fn response(&mut self, server: &str, response: &Response<'_>) -> Delivery {
        let own = response.id().and_then(RequestId::to_i64);
        let Some(own) = own.filter(|own| self.is_of(*own, server)) else {
            return Ok(None);
        };
        let Some(forwarded) = self.in_flight.remove(&own) else {
            return Ok(None);
        };
        let rewrite = Rewrite::new(Message::Response(*response)).id(forwarded.id.view())?;
        let line = written(&rewrite)?;
        Ok(Some((forwarded.client, line)))
    }

    fn progress(&self, server: &str, notification: &Notification<'_>) -> Delivery {
        let message = Message::Notification(*notification);
        let Some(own) = integer(message.progress_token()).filter(|own| self.is_of(*own, server)) else {
            return Ok(None);
        };
        let Some(forwarded) = self.in_flight.get(&own) else {
            return Ok(None);
        };
        let Some(token) = &forwarded.progress_token else {
            return Ok(None);
        };
        let rewrite = Rewrite::new(message).progress_token(token.view())?;
        Ok(Some((forwarded.client.clone(), written(&rewrite)?)))
    }

    fn cancelled(&mut self, client: &str, notification: &Notification<'_>) -> Delivery {
        let message = Message::Notification(*notification);
        let Some(id) = message.request_id().ok().flatten().and_then(RequestId::of) else {
            return Ok(None);
        };
        let found = self
            .in_flight
            .iter()
            .find(|(_, forwarded)| forwarded.client == client && forwarded.id.view() == id);
        let Some((own, server)) = found.map(|(own, forwarded)| (*own, forwarded.server)) else {
            return Ok(None);
        };
        self.in_flight.remove(&own);
        let rewrite = Rewrite::new(message).request_id(RequestId::from(own))?;
        Ok(Some((server.to_owned(), written(&rewrite)?)))
    }

    /// Whether `server` was given the request: no other may answer it.
    fn is_of(&self, own: i64, server: &str) -> bool {
        self.in_flight.get(&own).is_some_and(|forwarded| forwarded.server == server)
    }
}

fn integer(token: Result<Option<RawValue<'_>>, RewriteError>) -> Option<i64> {
    token.ok().flatten().and_then(RequestId::of)?.to_i64()
}

fn refuse(client: &str, id: RequestId<'_>, code: ErrorCode, text: &str) -> Delivery {
    let mut memory = vec![0; id.text_len() + 128];
    let line = error_response(&mut memory, id, code, text)?;
    Ok(Some((client.to_owned(), line.to_vec())))
}

/// Asks how long it is, then writes it.
fn written(rewrite: &Rewrite<'_>) -> Result<Vec<u8>, Box<dyn Error>> {
    let needed = rewrite.write(&mut []).map_or_else(|full| full.needed, <[u8]>::len);
    let mut memory = vec![0; needed];
    rewrite.write(&mut memory)?;
    Ok(memory)
}
