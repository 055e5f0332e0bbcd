//! The engine inside an async loop: a server over TCP, one client after another, whose tool waits without a thread.
//!
//! ```sh
//! cargo run -q --features std --example tokio_server 127.0.0.1:2718                     # then: nc 127.0.0.1 2718
//! cargo run -q --features std --example tokio_server - < examples/alarm.jsonl           # the same on stdin and stdout
//! ```

use std::io;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use barewire::engine::{
    CallError, CallToken, Event, Handler, Heap, Options, Outcome, Server, ToolCall, ToolReply,
};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use barewire::transport::Link;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// The tool `alarm` answers when its time has come.
struct Clock {
    started: UnboundedSender<(CallToken, Duration)>,
}

const TOOLS: &[Tool<'_>] = &[Tool::new("alarm", "Answers after some milliseconds.")
    .with_parameters(&[Parameter::required("ms", Type::integer_in(0, 60_000))])];

impl Handler for Clock {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("clock", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ms = call.integer("ms").and_then(|ms| u64::try_from(ms).ok());
        let (token, outcome) = reply.defer()?;
        let wait = Duration::from_millis(ms.unwrap_or_default());
        self.started.send((token, wait)).map_err(|_| CallError::Internal)?;
        Ok(outcome)
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Rejected(rejection) = event {
            eprintln!("invalid message: {rejection}");
        }
    }
}

/// One loop for all events: bytes come in, an alarm starts, an alarm goes off, a deadline passes.
/// A branch that is dropped loses nothing: the state is in the link.
async fn serve(
    link: &mut Link<Clock, Vec<u8>, Vec<u8>, Heap>,
    started: &mut UnboundedReceiver<(CallToken, Duration)>,
    start: Instant,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut alarms = JoinSet::new();
    let mut has_ended = false;
    loop {
        // Deadlines depend on the time since the start, which is monotonic; the time of day is only shown.
        let time_of_day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        link.server_mut().set_time(start.elapsed(), time_of_day);
        loop {
            let lines = link.output();
            if lines.is_empty() {
                break;
            }
            let count = lines.len();
            output.write_all(lines).await?;
            link.sent(count);
        }
        output.flush().await?;
        while let Ok((token, wait)) = started.try_recv() {
            alarms.spawn(async move {
                tokio::time::sleep(wait).await;
                token
            });
        }
        if has_ended && link.server_mut().in_flight() == 0 {
            return Ok(());
        }
        let deadline = link.server().next_deadline();
        let left = deadline.unwrap_or_default().saturating_sub(start.elapsed());
        tokio::select! {
            count = input.read(link.space()), if !has_ended => match count? {
                0 => {
                    has_ended = true;
                    link.end_of_input();
                }
                count => link.received(count),
            },
            Some(Ok(token)) = alarms.join_next() => {
                link.write(|server, app, out| {
                    // A cancelled call is not in flight any more.
                    let _ = server.complete_tool(token, app, out, |result| Ok(result.text("It is time.").done()));
                });
            }
            () = tokio::time::sleep(left), if deadline.is_some() => {}
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let (sender, mut started) = unbounded_channel();
    // Each client may send `initialize`.
    let options = Options::DEFAULT.with_restart(true);
    let server = Server::with_storage(Heap::new()).with_options(options);
    let clock = Clock { started: sender };
    let start = Instant::now();
    let mut link = Link::with_server(server, clock, vec![0; 1 << 16], vec![0; 1 << 16]);
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:2718".to_owned());
    if address == "-" {
        return serve(&mut link, &mut started, start, tokio::io::stdin(), tokio::io::stdout()).await;
    }
    let listener = TcpListener::bind(address).await?;
    loop {
        let (mut stream, peer) = listener.accept().await?;
        link.reset();
        let (input, output) = stream.split();
        if let Err(error) = serve(&mut link, &mut started, start, input, output).await {
            eprintln!("{peer}: {error}");
        }
    }
}
