//! Oversized lines: whether they are answered, and with which id.

use barewire::demo::{Demo, NoHost};
use barewire::rpc::{Reason, Rejection, Reply, Skipper, classify};
use barewire::transport::Link;

/// A name, a line with `#` in the place of a value that makes it oversized, and the id of the answer; `-` for silence.
const ROWS: &[(&str, &str, &str)] = &[
    ("a request", r##"{"id":1,"method":"x","params":#}"##, "1"),
    ("white space after a request", "{\"id\":1,\"method\":\"x\",\"params\":#} \t\r", "1"),
    ("a notification", r##"{"method":"x","params":#}"##, "-"),
    ("a response", r##"{"id":1,"result":#}"##, "-"),
    ("an array", r##"[#,{"id":1,"method":"x"}]"##, "null"),
    // Two lines without the newline between them.
    ("a response and a notification", r##"{"id":1,"result":#}{"method":"x"}"##, "-"),
    ("a response and a request", r##"{"id":1,"result":#}{"id":2,"method":"x"}"##, "-"),
    ("a response and a response", r##"{"id":1,"result":#}{"id":2,"result":{}}"##, "-"),
    ("an error and a request", r##"{"id":1,"error":#}{"id":2,"method":"x"}"##, "-"),
    ("a response and an array", r##"{"id":1,"result":#}[{"method":"x"}]"##, "-"),
    ("a response and a scalar", r##"{"id":1,"result":#}7"##, "-"),
    ("a response and a string", r##"{"id":1,"result":#}"method""##, "-"),
    ("a response, a comma and an object", r##"{"id":1,"result":#}, {"method":1}"##, "-"),
    ("a response and a bracket too many", r##"{"id":1,"result":#}}"##, "-"),
    ("a response, white space and a request", "{\"id\":1,\"result\":#} \t {\"id\":2,\"method\":\"x\"}", "-"),
    ("a response and a part of a request", r##"{"id":1,"result":#}{"id":2,"meth"##, "-"),
    ("a response and a name", r##"{"id":1,"result":#}"method":1"##, "-"),
    ("a response and a member", r##"{"id":1,"result":#},"method":1"##, "-"),
    ("a request and a request", r##"{"id":1,"method":"x","params":#}{"id":2,"method":"x"}"##, "null"),
    ("a request and a response", r##"{"id":1,"method":"x","params":#}{"id":2,"result":{}}"##, "null"),
    ("a request and a brace", r##"{"id":1,"method":"x","params":#}{"##, "null"),
    ("a request and a bracket too many", r##"{"id":1,"method":"x","params":#}}"##, "null"),
    ("a request and a scalar", r##"{"id":1,"method":"x","params":#} null"##, "null"),
    ("a request and a byte that is not UTF-8", "{\"id\":1,\"method\":\"x\",\"params\":#}\u{fffd}", "null"),
    ("a notification and a request", r##"{"method":"x","params":#}{"id":2,"method":"x"}"##, "null"),
    ("a notification and an id", r##"{"method":"x","params":#},"id":2"##, "null"),
    ("a notification and a notification", r##"{"method":"x","params":#} {"method":"x"}"##, "null"),
    ("an object that is nothing, and a request", r##"{"x":#}{"id":2,"method":"x"}"##, "null"),
    ("an object that is nothing, and a response", r##"{"x":#}{"id":2,"result":{}}"##, "null"),
    ("an array and a request", r##"[#]{"id":1,"method":"x"}"##, "null"),
    ("an array and a response", r##"[#]{"id":1,"result":{}}"##, "null"),
    ("an empty object and a request", r##"{}{"id":1,"method":"x","params":#}"##, "null"),
    ("an empty object and a response", r##"{}{"id":1,"result":#}"##, "null"),
    ("a string and a request", r##""x"{"id":1,"method":"x","params":#}"##, "null"),
    ("a string and a response", r##""x" {"id":1,"result":#}"##, "null"),
    ("a number and a request", r##"7 {"id":1,"method":"x","params":#}"##, "null"),
    ("a word and a request", r##"null{"id":1,"method":"x","params":#}"##, "null"),
    ("a comma and a request", r##",{"id":1,"method":"x","params":#}"##, "null"),
    ("a closing bracket and a request", r##"}{"id":1,"method":"x","params":#}"##, "null"),
    // The name before a colon is the last string of the outermost object, not one of its inside.
    ("a name, an array and a colon", r##"{"x":#,"result"["y"]:1}"##, "-"),
    ("a name, an array with another name, and a colon", r##"{"x":#,"y"["result"]:1,"id":3}"##, "null"),
    ("a name, an object and a colon", r##"{"x":#,"method"{"y":"z"}:"x","id":3}"##, "3"),
];

fn deep(line: &str) -> String {
    line.replace('#', &["[".repeat(200), "]".repeat(200)].concat())
}

fn long(line: &str) -> String {
    line.replace('#', &format!(r#"{{"s":"{}"}}"#, "s".repeat(200)))
}

fn shown(rejection: &Rejection<'_>) -> String {
    match rejection.reply() {
        Reply::Nobody => "-".to_owned(),
        Reply::Null => "null".to_owned(),
        Reply::To(id) => id.to_string(),
    }
}

fn answer(id: &str, message: &str) -> String {
    match id {
        "-" => String::new(),
        id => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32700,"message":"{message}"}}}}"#) + "\n"
        }
    }
}

#[test]
fn a_line_that_is_too_deep_is_answered_by_its_outermost_value() {
    for (name, line, id) in ROWS {
        let line = deep(line);
        let rejection = classify(line.as_bytes()).expect_err(name);
        // The text before the depth limit must be JSON; otherwise there is no id.
        if rejection.reason() == Reason::TooDeep {
            assert_eq!(shown(&rejection), *id, "{name}");
        } else {
            assert!(matches!(rejection.reason(), Reason::NotJson(_)), "{name}: {rejection}");
            assert_eq!(rejection.reply(), Reply::Null, "{name}");
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_answered_by_its_outermost_value() {
    for (name, line, id) in ROWS {
        let line = long(line);
        for size in [1, 7, line.len()] {
            let mut skipper = Skipper::<16>::new();
            for piece in line.as_bytes().chunks(size) {
                skipper.feed(piece);
            }
            assert_eq!(shown(&skipper.finish()), *id, "{name} in pieces of {size}");
        }
    }
}

/// The whole line through a server, in a buffer for 128 bytes; the next one is served.
#[test]
fn a_server_answers_an_oversized_line_once_and_goes_on() {
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n";
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n";
    for (name, line, id) in ROWS {
        let mut link: Link<Demo<NoHost>, [u8; 128], [u8; 512]> =
            Link::new(Demo::new(NoHost), [0; 128], [0; 512]);
        let stream = [&long(line), "\n", ping].concat();
        let (mut input, mut sent) = (stream.as_bytes(), Vec::new());
        loop {
            let output = link.output();
            if !output.is_empty() {
                sent.extend_from_slice(output);
                let count = output.len();
                link.sent(count);
            } else if input.is_empty() {
                break;
            } else {
                let space = link.space();
                let count = space.len().min(input.len());
                space[..count].copy_from_slice(&input[..count]);
                input = &input[count..];
                link.received(count);
            }
        }
        let expected = answer(id, "Message too long") + pong;
        assert_eq!(String::from_utf8_lossy(&sent), expected, "{name}");
    }
}
