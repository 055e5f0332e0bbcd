//! The device on standard input and output: what the firmware is compared with.

use std::io::{self, Read as _, StdinLock, StdoutLock, Write as _};

use device::{Board, INPUT, OUTPUT};
use embedded_io::{ErrorType, Read, Write};

/// A board without a LED.
struct Desk;

impl Board for Desk {
    fn set_led(&mut self, _: bool) {}
}

/// Both ends of standard input and output, as one stream.
struct Stdio {
    input: StdinLock<'static>,
    output: StdoutLock<'static>,
}

impl ErrorType for Stdio {
    type Error = io::Error;
}

impl Read for Stdio {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        self.input.read(memory)
    }
}

impl Write for Stdio {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

fn main() -> io::Result<()> {
    let (input, output) = (Box::leak(Box::new([0; INPUT])), Box::leak(Box::new([0; OUTPUT])));
    let mut link = device::link(Desk, device::OPTIONS, input, output);
    link.run(&mut Stdio { input: io::stdin().lock(), output: io::stdout().lock() })
}
