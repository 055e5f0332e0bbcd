//! The asynchronous link with tools that wait, report and ask, made by the macro. The panic that the compiler puts into futures is left, and no
//! other: the script looks for its callers, so the panic handler here is one that links.
#![no_std]
#![no_main]

use core::future::poll_fn;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use barewire::engine::{CallError, List, Peer};
use barewire::mcp::{InputRequest, LoggingLevel};
use barewire::transport::{AsyncLink, Change, Outside};
use core::hint::black_box;
use embedded_io_async::{ErrorKind, ErrorType, Read, Write};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        black_box(());
    }
}

/// Is ready or pending; the compiler cannot tell which.
async fn maybe(count: usize) {
    poll_fn(|_| if black_box(count) == 0 { Poll::Ready(()) } else { Poll::Pending }).await;
}

struct Wire(usize);

impl ErrorType for Wire {
    type Error = ErrorKind;
}

impl Read for Wire {
    async fn read(&mut self, memory: &mut [u8]) -> Result<usize, ErrorKind> {
        black_box(memory.as_mut_ptr());
        maybe(self.0).await;
        black_box(self.0.checked_sub(1)).ok_or(ErrorKind::Other)
    }
}

impl Write for Wire {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        black_box(bytes.as_ptr());
        maybe(self.0).await;
        black_box(self.0.checked_sub(1)).ok_or(ErrorKind::Other)
    }

    async fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

struct World(usize);

impl Outside for World {
    fn now(&self) -> Option<Duration> {
        Some(Duration::from_secs(black_box(self.0) as u64))
    }

    async fn wait(&self, _: Option<Duration>) -> Change<'_> {
        maybe(self.0).await;
        match black_box(self.0) {
            0 => Change::Lost,
            1 => Change::List(List::Tools),
            2 => Change::Resource("a:b"),
            _ => Change::Nothing,
        }
    }
}

struct App(usize);

#[barewire::server(name = "proof", version = "1")]
impl App {
    /// Waits, reports, logs and asks.
    #[tool]
    async fn wait(&mut self, text: &str, peer: &Peer<'_>) -> Result<&'static str, CallError<'static>> {
        peer.progress(1);
        maybe(self.0).await;
        peer.log(LoggingLevel::Info, None, text).await;
        match peer.ask("roots", &InputRequest::Roots, |answer| answer.roots().is_some()).await? {
            true => Ok("asked"),
            false => Err(CallError::InvalidParams),
        }
    }

    /// Waits.
    #[tool]
    async fn count(&self, to: Option<u8>) -> usize {
        maybe(self.0).await;
        usize::from(to.unwrap_or(1)).saturating_add(self.0)
    }

    /// Is done at once.
    #[tool]
    fn value(&self) -> usize {
        self.0
    }
}

static mut LINK: AsyncLink<App, [u8; 256], [u8; 512]> = AsyncLink::new(App(1), [0; 256], [0; 512]);

/// # Safety
/// Never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(count: usize) {
    // SAFETY: by the caller's promise.
    let link = unsafe { &mut *(&raw mut LINK) };
    let (mut wire, world) = (Wire(count), World(count));
    let mut context = Context::from_waker(Waker::noop());
    {
        let mut run = pin!(link.run_async_with(&mut wire, &world));
        while black_box(count) > 0 {
            if run.as_mut().poll(&mut context).is_ready() {
                break;
            }
        }
    }
    link.lost();
    black_box(link.app_mut().0);
    link.write(|server, _, _| server.list_changed(List::Tools));
    link.reset();
}
