//! State that a loop and the tools that it runs use in turns.

#[cfg(not(feature = "std"))]
use core::cell::RefCell as Cell;
#[cfg(feature = "std")]
use std::sync::Mutex as Cell;

/// A cell for one user at a time. With `std` it can be shared between threads, so that a future that holds a reference to it can be sent.
#[derive(Debug)]
pub(crate) struct Shared<T: ?Sized>(Cell<T>);

impl<T> Shared<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Cell::new(value))
    }
}

impl<T: ?Sized> Shared<T> {
    /// Does `work`, unless the cell is in use.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        #[cfg(not(feature = "std"))]
        let value = self.0.try_borrow_mut();
        #[cfg(feature = "std")]
        let value = match self.0.try_lock() {
            // A panic of the application leaves nothing half done here.
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            value => value,
        };
        value.ok().map(|mut value| work(&mut value))
    }
}
