//! Registers of a chip.

/// A register of 32 bits at a fixed address.
#[derive(Debug, Clone, Copy)]
pub struct Register(usize);

impl Register {
    /// The register at this address.
    ///
    /// # Safety
    /// It is a register of the chip that this runs on, aligned, and neither reading nor writing it changes memory that
    /// Rust knows of.
    pub const unsafe fn at(address: usize) -> Self {
        Self(address)
    }

    /// Reads it.
    pub fn read(self) -> u32 {
        // SAFETY: by the promise of `at`.
        unsafe { core::ptr::read_volatile(self.0 as *const u32) }
    }

    /// Writes it.
    pub fn write(self, value: u32) {
        // SAFETY: by the promise of `at`.
        unsafe { core::ptr::write_volatile(self.0 as *mut u32, value) }
    }
}
