//! The board: its LED.

use device::{Board, Register};

/// Which pins of the block drive.
// SAFETY: it is a register of this chip, and no more than that.
const OUTPUT_ENABLE: Register = unsafe { Register::at(0x1001_2008) };
/// To which level.
// SAFETY: as above.
const OUTPUT_VALUE: Register = unsafe { Register::at(0x1001_200C) };
/// The green LED of the HiFive1, lit by a low level.
const LED: u32 = 1 << 19;

/// The board of this chip.
#[derive(Debug)]
pub(crate) struct Fe310;

impl Board for Fe310 {
    fn set_led(&mut self, on: bool) {
        OUTPUT_ENABLE.write(LED);
        OUTPUT_VALUE.write(if on { 0 } else { LED });
    }
}
