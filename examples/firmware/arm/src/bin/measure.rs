//! How many instructions a message takes, and how much stack: printed on the emulator's standard output, for
//! `.ci/footprint`. Run it with `-icount shift=0`: then an instruction is a nanosecond.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::demo::Demo;
use barewire::engine::{Fixed, Frame, Origin, Storage};
use barewire::rpc::classify;
use barewire::{Handler, Server};
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_semihosting::hprintln;
use footprint::{
    AsyncLamp, AsyncLampLink, Lamp, LampServer, Operator, OperatorClient, Script, SmallDemo, keep,
    operator_client, run,
};

/// The timer counts at 25 MHz, so one of its ticks is as long as 40 instructions. As many messages are timed at once.
const INSTRUCTIONS_PER_TICK: u32 = 40;
const ROUNDS: u32 = 40;

const OUTPUT: usize = 1024;

const SESSION: &[(&str, &str)] = &[
    (
        "initialize",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    ),
    ("ping", r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#),
    ("tools/list", r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}"#),
    ("no JSON", r#"{"jsonrpc":"2.0","id":4,"method":"ping"#),
];

const LAMP: (&str, &str) = (
    "tools/call",
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"set_lamp","arguments":{"on":true}}}"#,
);
const LAMP_MODERN: (&str, &str) = (
    "tools/call, 2026-07-28",
    r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"set_lamp","arguments":{"on":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#,
);
const ADD: (&str, &str) = (
    "tools/call",
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}"#,
);

static mut LAMP_SERVER: LampServer = LampServer::with_storage(Fixed::new()).with_options(device::OPTIONS);
static mut LAMP_APP: Lamp = Lamp::OFF;
static mut DEMO_SERVER: Server = Server::new().with_options(device::OPTIONS);
static mut DEMO_APP: Demo<SmallDemo> = Demo::new(SmallDemo::IDLE);
static mut ASYNC_LINK: AsyncLampLink<[u8; OUTPUT], [u8; OUTPUT]> = AsyncLampLink::with_server(
    Server::with_storage(Fixed::new()).with_options(device::OPTIONS),
    AsyncLamp::OFF,
    [0; OUTPUT],
    [0; OUTPUT],
);
static mut CLIENT: OperatorClient = operator_client();
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else uses these.
    let (lamp, link, demo, client, memory) = unsafe {
        (
            (&mut *(&raw mut LAMP_SERVER), &mut *(&raw mut LAMP_APP)),
            &mut *(&raw mut ASYNC_LINK),
            (&mut *(&raw mut DEMO_SERVER), &mut *(&raw mut DEMO_APP)),
            &mut *(&raw mut CLIENT),
            &mut *(&raw mut OUTPUT_MEMORY),
        )
    };
    let Some(cortex_m::Peripherals { mut SYST, .. }) = cortex_m::Peripherals::take() else {
        firmware_arm::leave();
    };
    SYST.set_clock_source(SystClkSource::Core);
    SYST.set_reload(0x00FF_FFFF);
    SYST.clear_current();
    SYST.enable_counter();

    let (_, line) = LAMP;
    report("classify", "tools/call", time(&mut || keep(classify(line.as_bytes()).is_ok())));
    hprintln!("stack\tclassify\t{}", stack(&mut || keep(classify(line.as_bytes()).is_ok())));
    serve("tools", lamp, &[LAMP, LAMP_MODERN], memory);
    serve_async("tools-async", link, &[LAMP, LAMP_MODERN]);
    serve("demo", demo, &[ADD], memory);
    ask(client, memory);
    firmware_arm::leave()
}

fn report(what: &str, message: &str, instructions: u32) {
    hprintln!("instructions\t{}\t{}\t{}", what, message, instructions);
}

/// A whole session: time by message, stack over all.
fn serve<A: Handler, S: Storage>(
    what: &str,
    (server, app): (&mut Server<S>, &mut A),
    calls: &[(&str, &str)],
    memory: &mut [u8],
) {
    let mut most = 0;
    for (message, line) in SESSION.iter().chain(calls) {
        let mut answer = || {
            let mut out = Sink::new(memory);
            keep(server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), app, &mut out));
            keep(out.finish().is_ok());
        };
        report(what, message, time(&mut answer));
        most = most.max(stack(&mut answer));
    }
    hprintln!("stack\t{}\t{}", what, most);
}

/// The same, with the loop over a stream.
fn serve_async<const INPUT: usize, const OUTPUT: usize>(
    what: &str,
    link: &mut AsyncLampLink<[u8; INPUT], [u8; OUTPUT]>,
    calls: &[(&str, &str)],
) {
    let mut most = 0;
    for (message, line) in SESSION.iter().chain(calls) {
        let mut answer = || run(link, &mut Script(line.as_bytes()));
        report(what, message, time(&mut answer));
        most = most.max(stack(&mut answer));
    }
    hprintln!("stack\t{}\t{}", what, most);
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

/// What a server answers to a client that connects, lists the tools and calls one.
const ANSWERS: &[(&str, &[&str])] = &[
    (
        "a session, 2025-11-25",
        &[
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"lamp","version":"1.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"set_lamp","description":"Switches the lamp.","inputSchema":{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}}]}}"#,
            r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"on"}],"isError":false}}"#,
        ],
    ),
    (
        "a session, 2026-07-28",
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"lamp","version":"1.0"}}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"set_lamp","description":"Switches the lamp.","inputSchema":{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}}]}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"on"}],"isError":false}}"#,
        ],
    ),
];

/// Whole sessions of a client, each with its four or three messages.
fn ask(client: &mut OperatorClient, memory: &mut [u8]) {
    let mut most = 0;
    for (what, answers) in ANSWERS {
        let mut session = || {
            *client = operator_client();
            let mut out = Sink::new(memory);
            keep(client.bind(&mut Operator).connect(Duration::ZERO, &mut out).is_ok());
            for answer in *answers {
                let mut out = Sink::new(memory);
                let mut app = Operator;
                let mut bound = client.bind(&mut app);
                let incoming = bound.handle_frame(answer.as_bytes(), Duration::ZERO, &mut out);
                Operator::react(client, incoming, Duration::ZERO, &mut out);
                keep(out.finish().is_ok());
            }
            // The last answer makes it call again.
            assert!(client.in_flight() == 1);
        };
        report("client", what, time(&mut session));
        most = most.max(stack(&mut session));
    }
    hprintln!("stack\tclient\t{}", most);
}

const PAINT: u32 = 0xC5C5_C5C5;
/// How much is painted: more than anything takes.
const PAINTED: usize = 6 * 1024;

/// How many bytes of the stack it takes: what is below is painted before, and looked at behind.
#[inline(never)]
fn stack(run: &mut dyn FnMut()) -> usize {
    let top = cortex_m::register::msp::read() as usize & !3;
    let places = (top - PAINTED..top - 64).step_by(4);
    for place in places.clone() {
        // SAFETY: below the stack pointer, so nobody's; a margin is left for this function's own calls.
        unsafe { (place as *mut u32).write_volatile(PAINT) };
    }
    run();
    // SAFETY: as above, and written before.
    let untouched = places.take_while(|place| unsafe { (*place as *const u32).read_volatile() } == PAINT);
    PAINTED - 4 * untouched.count()
}
