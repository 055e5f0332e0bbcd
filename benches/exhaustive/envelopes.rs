//! Every sequence of members of the envelope, through the classifier and the slow one, and through a server.

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Fixed, Frame, Full, Origin, Server};

use crate::support::properties;
use crate::support::slow::{self, Leniency, Owed, Verdict};
use crate::{Form, Tried, in_parallel};

/// Of each member one that is valid and one of a wrong kind at least, some with an escaped name or value; and an unknown
/// one.
const MEMBERS: [&str; 19] = [
    r#""jsonrpc":"2.0""#,
    r#""jsonrpc":2.0"#,
    r#""json\u0072pc":"\u0032.0""#,
    r#""id":1"#,
    r#""id":"a\u0062""#,
    r#""id":null"#,
    r#""i\u0064":1.5"#,
    r#""method":"ping""#,
    r#""method":7"#,
    r#""m\u0065thod":"p\u0069ng""#,
    r#""params":{"name":"a"}"#,
    r#""params":null"#,
    r#""p\u0061rams":[]"#,
    r#""result":{}"#,
    r#""r\u0065sult":null"#,
    r#""error":{"code":1,"message":"m"}"#,
    r#""error":{"code":1.5,"message":"m"}"#,
    r#""\u0065rror":{"code":1,"c\u006fde":1,"message":"m"}"#,
    r#""x":{"id":2}"#,
];

pub(crate) fn run(form: Form) -> Vec<Tried> {
    let longest = match form {
        Form::Short => 4,
        Form::Long => 5,
    };
    let mut count = 0;
    for length in 0..=longest {
        let sequences = MEMBERS.len().pow(length);
        in_parallel(sequences, |sequence| check(&object(length, sequence)));
        count += sequences as u64;
    }
    vec![Tried { what: format!("objects of up to {longest} of {} members", MEMBERS.len()), count }]
}

/// The object whose members are the digits of `sequence`.
fn object(length: u32, sequence: usize) -> String {
    let mut rest = sequence;
    let members: Vec<&str> = (0..length)
        .map(|_| {
            let member = MEMBERS[rest % MEMBERS.len()];
            rest /= MEMBERS.len();
            member
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

fn check(frame: &str) {
    properties::classify(frame.as_bytes());
    let expected = answer(frame);
    let mut server = Server::with_storage(Fixed::<Full, 1, 1>::new());
    let mut memory = [0; 256];
    let mut out = Sink::new(&mut memory);
    let mut served = Frame::new(frame.as_bytes());
    let _ = server.receive(Origin::ONLY, &mut served, &mut Demo::new(NoHost), &mut out);
    assert!(served.is_done());
    let written = out.finish().map(String::from_utf8_lossy);
    assert_eq!(written.as_deref(), Ok(expected.as_str()), "{frame}");
}

/// What a server writes, by the slow classifier: the only method here is `ping`. `"params":null` counts as absent, as in the
/// default options of a server.
fn answer(frame: &str) -> String {
    let leniency = Leniency { null_params: true, ..Leniency::STRICT };
    let (id, rest) = match &slow::classify(frame.as_bytes(), &[leniency])[0] {
        Verdict::Request { id, .. } => (*id, r#""result":{}"#),
        Verdict::Invalid { owed, .. } => {
            let id = match owed {
                Owed::Nobody => return String::new(),
                Owed::To(id) => id,
                _ => "null",
            };
            (id, r#""error":{"code":-32600,"message":"Invalid Request"}"#)
        }
        _ => return String::new(),
    };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{rest}}}\n")
}
