//! How many instructions `classify` takes, and serde-json-core for the same envelope, which it reads into a struct: printed
//! on the emulator's standard output, for `benches/compare/thumb`. Run it with `-icount shift=0`: then an instruction is a
//! nanosecond.
#![no_std]
#![no_main]

use barewire::rpc::classify;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_semihosting::hprintln;
use footprint::keep;
use serde::Deserialize;

/// The timer counts at 25 MHz, so one of its ticks is as long as 40 instructions. As many messages are timed at once.
const INSTRUCTIONS_PER_TICK: u32 = 40;
const ROUNDS: u32 = 40;

const MESSAGES: &[(&str, &str)] = &[
    ("ping", r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#),
    (
        "initialize",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    ),
    (
        "tools/call",
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"set_lamp","arguments":{"on":true}}}"#,
    ),
    (
        "tools/call, a text",
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"The quick brown fox jumps over the lazy dog, and the lazy dog sleeps on; the fox jumps back, and nobody has seen it. The quick brown fox jumps over the lazy dog, and the lazy dog sleeps on; the fox jumps back, and nobody has seen it. The end."}}}"#,
    ),
    (
        "tools/call, numbers",
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"plot","arguments":{"points":[1,22,333,4.5,-6.25e3,7,88,999,1,22,333,4.5,-6.25e3,7,88,999],"closed":false,"label":null}}}"#,
    ),
];

/// Members that it does not have are skipped.
#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: &'a str,
    id: Option<i64>,
    method: Option<&'a str>,
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let Some(cortex_m::Peripherals { mut SYST, .. }) = cortex_m::Peripherals::take() else {
        firmware_arm::leave();
    };
    SYST.set_clock_source(SystClkSource::Core);
    SYST.set_reload(0x00FF_FFFF);
    SYST.clear_current();
    SYST.enable_counter();
    for (name, line) in MESSAGES {
        let line = line.as_bytes();
        let ours = time(&mut || {
            let message = classify(line).ok();
            let id = message.and_then(|message| message.id()).and_then(|id| id.to_i64());
            let method = message.and_then(|message| message.method());
            keep(id.is_some() && method.is_some());
        });
        let theirs = time(&mut || {
            let envelope = serde_json_core::from_slice::<Envelope<'_>>(line).ok();
            keep(envelope.is_some_and(|(envelope, _)| {
                envelope.jsonrpc == "2.0" && envelope.id.is_some() && envelope.method.is_some()
            }));
        });
        hprintln!("{}\t{}\t{}\t{}", name, line.len(), ours, theirs);
    }
    firmware_arm::leave()
}

/// How many instructions it takes, on average.
#[inline(never)]
fn time(run: &mut dyn FnMut()) -> u32 {
    let start = SYST::get_current();
    for _ in 0..ROUNDS {
        run();
    }
    // It counts down, in 24 bits.
    let ticks = start.wrapping_sub(SYST::get_current()) & 0x00FF_FFFF;
    ticks * INSTRUCTIONS_PER_TICK / ROUNDS
}
