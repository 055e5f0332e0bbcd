//! A member that occurs twice in a result never counts, neither its first value nor its last.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{ClientEngine, ClientOutcome, Incoming, Plain, RequestOptions, ResponseFault};
use barewire::json::RawValue;
use barewire::mcp::{Era, Implementation, Method, ProtocolVersion, check_result};

use super::super::entropy::Entropy;
use super::super::{generate, results, tree};

/// Repeats any member of any result, at any depth in the schemas, in any spelling, with any value, and in any place:
/// the client reports an invalid result, or `check_result` if the member is deeper than the client reads.
pub(super) fn a_result_with_a_member_twice_is_invalid(entropy: &mut Entropy<'_>) {
    let (name, text) = entropy.pick(results::COMPLETE);
    let method = Method::all().find(|method| method.name() == name).expect("a method");
    let version = entropy.pick(&ProtocolVersion::ALL);
    if !method.is_in(version) {
        return;
    }
    assert_eq!(fault(name, version, text), None, "{text}");
    let (changed, depth) = with_a_member_twice(entropy, text);
    let reported = fault(name, version, &changed);
    if depth <= 1 {
        assert_eq!(reported, Some(ResponseFault::Repeated), "{changed}");
    } else if reported.is_none() {
        let object = RawValue::new(changed.as_bytes()).expect("JSON").as_object().expect("an object");
        assert!(check_result(method, version, object).is_err(), "{changed}");
    }
}

/// The fault that the client reports for this result.
fn fault(method: &str, version: ProtocolVersion, result: &str) -> Option<ResponseFault> {
    let now = Duration::ZERO;
    let mut memory = [0; 1024];
    let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1")));
    let mut client = engine.bind(&mut app);
    let handshake = match version.era() {
        Era::Legacy => {
            client.initialize_with(version, now, &mut Sink::new(&mut memory)).expect("room");
            format!(r#""protocolVersion":"{version}""#)
        }
        Era::Modern => {
            client.connect(now, &mut Sink::new(&mut memory)).expect("room");
            format!(r#""supportedVersions":["{version}"]"#)
        }
    };
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{{handshake},"capabilities":{{}}}}}}"#);
    let connected = client.handle_frame(line.as_bytes(), now, &mut Sink::new(&mut memory));
    assert!(matches!(connected, Incoming::Connected(_)), "{line}");
    let ask = RequestOptions::at(now).even_if_not_offered();
    let sent = client.request(ask, method, &mut Sink::new(&mut memory), |_| {});
    sent.expect("it is sent");
    let line = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{result}}}"#);
    match client.handle_frame(line.as_bytes(), now, &mut Sink::new(&mut memory)) {
        Incoming::Ended(ended) => match ended.outcome {
            ClientOutcome::Invalid(fault) => Some(fault),
            ClientOutcome::Result(_) => None,
            other => panic!("{line}: {other:?}"),
        },
        other => panic!("{line}: {other:?}"),
    }
}

/// The text with a second member of some name, and how many objects there are around the one that has it.
fn with_a_member_twice(entropy: &mut Entropy<'_>, text: &str) -> (String, usize) {
    let members = tree::members(text).expect("an object");
    let mut members: Vec<(String, String)> =
        members.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let at = entropy.below(members.len());
    let (name, value) = members[at].clone();
    let plain = name.trim_matches('"');
    if !results::OPAQUE.contains(&plain) && entropy.once_in(2) {
        if tree::members(&value).is_some_and(|inner| !inner.is_empty()) {
            let (changed, depth) = with_a_member_twice(entropy, &value);
            members[at].1 = changed;
            return (results::object(&members), depth + 1);
        }
        let elements = tree::elements(&value).unwrap_or_default();
        let is_full = |element: &str| tree::members(element).is_some_and(|inner| !inner.is_empty());
        if elements.iter().any(|element| is_full(element)) {
            let mut elements: Vec<String> = elements.into_iter().map(str::to_owned).collect();
            let of = entropy.below(elements.len());
            if is_full(&elements[of]) {
                let (changed, depth) = with_a_member_twice(entropy, &elements[of]);
                elements[of] = changed;
                members[at].1 = format!("[{}]", elements.join(","));
                return (results::object(&members), depth + 1);
            }
        }
    }
    let second = match entropy.once_in(2) {
        true => value,
        false => generate::value(entropy, 2),
    };
    let place = entropy.below(members.len() + 1);
    members.insert(place, (generate::spelt(entropy, plain), second));
    (results::object(&members), 0)
}
