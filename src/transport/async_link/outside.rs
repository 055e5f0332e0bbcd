//! Time, and changes of the application that do not come from a client.

use core::future::pending;
use core::time::Duration;

use crate::engine::List;

/// Something that has changed outside of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Change<'a> {
    /// Nothing, or only the time.
    Nothing,
    /// A list has changed.
    List(List),
    /// The resource with this URI has changed.
    Resource(&'a str),
    /// The receiver has lost bytes: the line that they belong to is dropped.
    Lost,
}

/// Time and events of the application, for a link that runs.
///
/// A link without them has [`Still`]. With tokio; Embassy has the same by `Instant::now`, `Timer::at` and `select`:
///
/// ```
/// use barewire::transport::{Change, Outside};
/// use std::time::{Duration, Instant};
/// use tokio::sync::Notify;
///
/// struct Board {
///     start: Instant,
///     door: Notify,
/// }
///
/// impl Outside for Board {
///     fn now(&self) -> Option<Duration> {
///         Some(self.start.elapsed())
///     }
///
///     async fn wait(&self, until: Option<Duration>) -> Change<'_> {
///         // Without a deadline: an hour is as good as none.
///         let until = until.unwrap_or(self.start.elapsed() + Duration::from_secs(3600));
///         tokio::select! {
///             () = tokio::time::sleep_until((self.start + until).into()) => Change::Nothing,
///             () = self.door.notified() => Change::Resource("status://door"),
///         }
///     }
/// }
/// ```
#[allow(async_fn_in_trait, reason = "a caller with a concrete type knows whether its futures are `Send`")]
pub trait Outside {
    /// The monotonic time; `None` without a clock, and then nothing ever times out.
    fn now(&self) -> Option<Duration>;

    /// Waits until that time, or for a change. The future is dropped and made anew at will, so no change may be lost with it.
    async fn wait(&self, until: Option<Duration>) -> Change<'_>;
}

/// No clock, and no changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Still;

impl Outside for Still {
    fn now(&self) -> Option<Duration> {
        None
    }

    async fn wait(&self, _: Option<Duration>) -> Change<'_> {
        pending().await
    }
}
