//! Time is linear in the length of the input, hostile input included: for each shape the same work is timed at a size and
//! at twice that size, and the medians may not differ by more than a factor of 2.3.
//!
//! `cargo bench --bench linear` prints the table and fails above the limit. `-- --quick` takes smaller sizes and a limit of
//! 3. A shape above the limit is tried again at half the size, a few times: on a machine that does other work, a run that
//! takes longer than its turn is interrupted, and twice the run more often. What is not linear stays above the limit. Other words are parts of the names of the shapes to run.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use barewire::bytes::{Framer, Next, Sink};
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Frame, Origin, Sent, Server};
use barewire::json::{JsonStr, RawValue};
use barewire::mcp::{Parameter, Tool, Type, UriTemplate};
use barewire::rpc::{Message, RequestId, Rewrite, Skipper, classify};

/// A hostile input: how it is made of about so many bytes, and the work that is timed.
struct Shape {
    name: &'static str,
    input: fn(usize) -> Vec<u8>,
    work: fn(&[u8]) -> usize,
}

const SHAPES: &[Shape] = &[
    Shape {
        name: "string of escapes",
        input: |size| in_params(&quoted(&r"\u00e9\n".repeat(size / 8))),
        work: classify_frame,
    },
    Shape {
        name: "run of backslashes",
        input: |size| in_params(&quoted(&r"\\".repeat(size / 2))),
        work: classify_frame,
    },
    Shape {
        name: "string not in ASCII",
        input: |size| in_params(&quoted(&"\u{65e5}\u{1F600}\u{e9}".repeat(size / 9))),
        work: classify_frame,
    },
    Shape {
        name: "broken UTF-8 at the end",
        input: |size| [quoted(&"\u{65e5}".repeat(size / 3)).as_bytes(), b"\xFF"].concat(),
        work: classify_frame,
    },
    Shape {
        name: "many members",
        input: |size| in_params(&members(size, |at| format!("\"m{at}\":{at}"))),
        work: classify_frame,
    },
    Shape {
        name: "many elements",
        input: |size| in_params(&format!("[{}0]", "0,".repeat(size / 2))),
        work: classify_frame,
    },
    Shape {
        name: "deep nesting",
        input: |size| {
            let tower = format!("{}{}", "[".repeat(120), "]".repeat(120));
            in_params(&format!("[{}0]", format!("{tower},").repeat(size / 241)))
        },
        work: classify_frame,
    },
    Shape { name: "long number", input: |size| in_params(&"7".repeat(size)), work: classify_frame },
    Shape {
        name: "unknown members before the method",
        input: |size| {
            let unknown = members(size, |at| format!("\"unknown{at}\":[{at},null]"));
            let unknown = unknown.trim_matches(['{', '}']);
            format!("{{\"jsonrpc\":\"2.0\",{unknown},\"id\":1,\"method\":\"ping\"}}").into_bytes()
        },
        work: classify_frame,
    },
    Shape {
        name: "names that nearly are the envelope's",
        input: |size| {
            let names = [r"metho\u0064s", "jsonrpd", r"\u0069\u0064\u0000", "param", r"resul\u0054"];
            let near = members(size, |at| format!("\"{}\":1", names[at % names.len()]));
            let near = near.trim_matches(['{', '}']);
            format!("{{\"jsonrpc\":\"2.0\",{near},\"id\":1,\"method\":\"ping\"}}").into_bytes()
        },
        work: classify_frame,
    },
    Shape {
        name: "one fault at the end",
        input: |size| format!("[{}0,]", "\"a\",".repeat(size / 4)).into_bytes(),
        work: classify_frame,
    },
    Shape { name: "brackets that nest too deep", input: |size| vec![b'['; size], work: classify_frame },
    Shape {
        name: "objects that nest too deep, id last",
        input: |size| {
            let depth = size / 6;
            let tower = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
            format!("{{\"method\":\"x\",\"params\":{tower},\"id\":1}}").into_bytes()
        },
        work: classify_frame,
    },
    Shape {
        name: "line longer than the buffer",
        input: |size| in_params(&quoted(&r"a\u0062c".repeat(size / 8))),
        work: |frame| skip(frame, 4096),
    },
    Shape {
        name: "line longer than the buffer, byte by byte",
        input: |size| in_params(&quoted(&"a".repeat(size))),
        work: |frame| skip(frame, 1),
    },
    Shape {
        name: "short lines in a large buffer",
        input: |size| b"{}\n".repeat(size / 3),
        work: |stream| {
            let mut memory = vec![0; stream.len() + 1];
            let mut framer = Framer::new(memory.as_mut_slice());
            framer.push(stream);
            let mut lines = 0;
            while framer.next() != Next::NeedMore {
                lines += 1;
            }
            lines
        },
    },
    Shape {
        name: "a member behind many",
        input: |size| members(size, |at| format!("\"m{at}\":{{\"last\":{at}}}")).into_bytes(),
        work: |text| {
            let object = object(text);
            let each = object.get_each(["last", "x", "m1"]).map_or(0, |found| found.iter().flatten().count());
            usize::from(object.get("last").is_some()) + each
        },
    },
    Shape {
        name: "a member behind many escaped names",
        input: |size| members(size, |at| format!("\"\\u006d{at}\":1")).into_bytes(),
        work: |text| usize::from(object(text).get_once("m").is_ok_and(|found| found.is_some())),
    },
    Shape {
        name: "comparing and decoding a string",
        input: |size| quoted(&r"\u0061".repeat(size / 6)).into_bytes(),
        work: |text| {
            let string = RawValue::new(text).ok().and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY);
            let mut memory = vec![0; text.len()];
            let decoded = string.unescape(&mut memory).unwrap_or_default();
            decoded.len() + usize::from(string == *decoded) + usize::from(string.starts_with(decoded))
        },
    },
    Shape {
        name: "reading a long number",
        input: |size| format!("{}.{}e-1", "1".repeat(size / 2), "0".repeat(size / 2)).into_bytes(),
        work: |text| {
            let number = RawValue::new(text).ok().and_then(RawValue::as_number).expect("a number");
            usize::from(number.to_i64().is_ok())
                + usize::from(number.to_fixed(3).is_ok())
                + usize::from(number.compare(number).is_eq())
                + usize::from(number.to_f64().is_finite())
        },
    },
    Shape {
        name: "arguments with many unknown members",
        input: |size| members(size, |at| format!("\"u{at}\":1")).into_bytes(),
        work: |text| usize::from(OPEN.check(object(text)).is_ok()),
    },
    Shape {
        name: "an argument with many elements",
        input: |size| format!("{{\"list\":[{}[]]}}", "[1,2],".repeat(size / 6)).into_bytes(),
        work: |text| usize::from(OPEN.check(object(text)).is_ok()),
    },
    Shape {
        name: "typed access past many members",
        input: |size| members(size, |at| format!("\"u{at}\":[{at}]")).into_bytes(),
        work: |text| {
            #[derive(serde::Deserialize)]
            struct Last {
                last: Option<u8>,
            }
            let value = object(text).as_value();
            value.parse_in::<Last>(&mut []).ok().and_then(|found| found.last).map_or(0, usize::from)
        },
    },
    Shape {
        name: "a long URI against a template",
        input: |size| quoted(&format!("a:///{}.jso/x", "b.json-".repeat(size / 7))).into_bytes(),
        work: |text| {
            let uri = RawValue::new(text).ok().and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY);
            usize::from(TEMPLATE.matches(uri)) + usize::from(TEMPLATE.variable(uri, "x").is_some())
        },
    },
    Shape {
        name: "another id for a long message",
        input: |size| in_params(&members(size, |at| format!("\"m{at}\":\"x\""))),
        work: |frame| {
            let Ok(message) = classify(frame) else { return 0 };
            let mut memory = vec![0; frame.len() + 16];
            Rewrite::new(message)
                .id(RequestId::from(12345))
                .ok()
                .and_then(|rewrite| rewrite.write(&mut memory).ok().map(<[u8]>::len))
                .unwrap_or(0)
        },
    },
    Shape {
        name: "echo by the server",
        input: |size| {
            let text = r"\ud83d\ude00\n".repeat(size / 14);
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"text\":\"{text}\"}}}}}}"
            )
            .into_bytes()
        },
        work: |frame| serve(frame, frame.len() + 128),
    },
    Shape {
        name: "echo that does not fit",
        input: |size| {
            let text = "x\u{e9}".repeat(size / 3);
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"text\":\"{text}\"}}}}}}"
            )
            .into_bytes()
        },
        work: |frame| serve(frame, 256),
    },
    Shape {
        name: "a long id, method and cursor",
        input: |size| {
            let long = r"\u0061".repeat(size / 18);
            format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{long}\",\"method\":\"{long}\",\"params\":{{\"cursor\":\"{long}\"}}}}")
                .into_bytes()
        },
        work: |frame| serve(frame, frame.len() + 128),
    },
    Shape {
        name: "a request with much metadata",
        input: |size| {
            let meta = members(size, |at| format!("\"io.modelcontextprotocol/x{at}\":{{}}"));
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{\"_meta\":{meta}}}}}"
            )
            .into_bytes()
        },
        work: |frame| serve(frame, 4096),
    },
];

/// Work that is not linear, to see that the timing tells.
const CONTROL: Shape = Shape {
    name: "control: every byte with every byte",
    input: |size| vec![1; size / 256],
    work: |bytes| {
        let pairs = bytes.iter().flat_map(|a| bytes.iter().map(move |b| black_box(a ^ b)));
        pairs.map(usize::from).sum()
    },
};

const OPEN: Tool<'_> = Tool::new("t", "d").with_open_parameters(&[
    Parameter::optional("a", Type::STRING),
    Parameter::optional("list", Type::array_of(&Type::array_of(&Type::INTEGER, 9), u32::MAX - 1)),
]);

const TEMPLATE: UriTemplate<'_> = UriTemplate::new("a:///{x}.json-{y}.json");

fn quoted(escaped: &str) -> String {
    format!("\"{escaped}\"")
}

/// An object of about so many bytes, and the member `last` at its end.
fn members(size: usize, member: impl Fn(usize) -> String) -> String {
    let mut text = String::from("{");
    let mut at = 0;
    while text.len() < size {
        text += &member(at);
        text.push(',');
        at += 1;
    }
    text + "\"last\":1}"
}

/// A request with this value in its params, and the id behind them.
fn in_params(value: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{{\"a\":{value}}},\"id\":1}}")
        .into_bytes()
}

fn object(text: &[u8]) -> barewire::json::Object<'_> {
    RawValue::new(text).ok().and_then(RawValue::as_object).expect("an object")
}

fn classify_frame(frame: &[u8]) -> usize {
    match classify(frame) {
        Ok(Message::Request(request)) => usize::from(request.id().is_string()),
        Ok(_) => 2,
        Err(rejection) => rejection.offset().unwrap_or(3),
    }
}

/// A line through a small buffer, in pieces of `chunk` bytes.
fn skip(line: &[u8], chunk: usize) -> usize {
    let mut memory = [0; 4096];
    let mut framer = Framer::new(memory.as_mut_slice());
    let mut skipper = Skipper::<32>::new();
    let mut parts = 0;
    for piece in line.chunks(chunk) {
        let mut piece = piece;
        while !piece.is_empty() {
            let taken = framer.push(piece);
            piece = &piece[taken..];
            while let Next::Part(part) = framer.next() {
                skipper.feed(part);
                parts += 1;
            }
        }
    }
    black_box(skipper.finish());
    parts
}

fn serve(frame: &[u8], room: usize) -> usize {
    let (mut server, mut demo) = (Server::new(), Demo::new(NoHost));
    let mut memory = vec![0; room];
    let mut out = Sink::new(&mut memory);
    let mut frame = Frame::new(frame);
    let _ = server.receive(Origin::ONLY, &mut frame, &mut demo, &mut out);
    assert!(frame.is_done());
    assert_eq!(server.poll(|_| true, &mut demo, &mut out), Sent::Nothing);
    out.len()
}

struct Plan {
    size: usize,
    rounds: usize,
    limit: f64,
    tries: usize,
}

const FULL: Plan = Plan { size: 1 << 20, rounds: 21, limit: 2.3, tries: 5 };

const QUICK: Plan = Plan { size: 1 << 14, rounds: 31, limit: 3.0, tries: 3 };

/// The medians at the size and at twice the size, the rounds interleaved so that both meet the same machine.
fn medians(shape: &Shape, size: usize, rounds: usize) -> [Duration; 2] {
    let inputs = [size, size * 2].map(shape.input);
    let mut times = [Vec::new(), Vec::new()];
    // The first round warms up.
    for round in 0..=rounds {
        for (input, times) in inputs.iter().zip(&mut times) {
            let start = Instant::now();
            black_box((shape.work)(black_box(input)));
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    })
}

/// Prints a row for each try, and returns whether one was within the limit.
fn is_linear(shape: &Shape, plan: &Plan) -> bool {
    (0..plan.tries).any(|attempt| {
        let size = plan.size >> attempt;
        let [once, twice] = medians(shape, size, plan.rounds).map(|time| time.as_secs_f64() * 1e6);
        let ratio = twice / once;
        println!("{:44} {size:9} {once:10.1} {twice:10.1} {ratio:6.2}", shape.name);
        ratio <= plan.limit
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let plan = if arguments.iter().any(|word| word == "--quick") { QUICK } else { FULL };
    let wanted: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    println!("{:44} {:>9} {:>10} {:>10} {:>6}", "shape", "n", "us at n", "us at 2n", "ratio");
    let mut failed = Vec::new();
    if is_linear(&CONTROL, &Plan { tries: 1, ..plan }) {
        eprintln!("the timing does not tell what is linear");
        return ExitCode::FAILURE;
    }
    for shape in SHAPES {
        if !wanted.is_empty() && !wanted.iter().any(|word| shape.name.contains(word.as_str())) {
            continue;
        }
        if !is_linear(shape, &plan) {
            failed.push(shape.name);
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("not linear (limit {}): {}", plan.limit, failed.join(", "));
    ExitCode::FAILURE
}
