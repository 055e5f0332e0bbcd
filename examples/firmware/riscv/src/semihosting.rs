//! Leaves the emulator. A device would go on.

const EXIT_EXTENDED: usize = 0x20;
const APPLICATION_EXIT: usize = 0x20026;

/// Ends the emulator with this exit status.
pub(crate) fn exit(status: usize) -> ! {
    let block = [APPLICATION_EXIT, status];
    loop {
        // SAFETY: the three instructions are the call of the emulator's host, which reads the block and does not return.
        unsafe {
            core::arch::asm!(
                ".option push",
                ".option norvc",
                ".balign 16",
                "slli x0, x0, 0x1f",
                "ebreak",
                "srai x0, x0, 7",
                ".option pop",
                in("a0") EXIT_EXTENDED,
                in("a1") block.as_ptr(),
            );
        }
    }
}
