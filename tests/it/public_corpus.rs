//! The public corpus of malformed messages: the file itself, and what the classifier, the slow classifier, serde_json
//! and the server say of every case. `tests/stdio_process/corpus.rs` asks the program.

use std::collections::BTreeSet;

use barewire::bytes::{Framer, Next, Sink};
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Fixed, Full, Options, Server};
use barewire::rpc::{Message, Rules, Skipper, classify, classify_with};
use serde_json::value::RawValue;

use crate::cases::{self, Case, Verdict};
use crate::support::hosted::{Hosted, Status};
use crate::support::slow::{self, Leniency};
use crate::support::tree;

const GROUPS: [&str; 8] = ["ids", "envelope", "params", "json", "utf8", "framing", "limits", "eras"];

#[test]
fn the_file_is_as_its_readme_says() {
    let cases = cases::all();
    assert!(cases.len() >= 400);
    let mut names = BTreeSet::new();
    let mut inputs = BTreeSet::new();
    for case in &cases {
        assert!(names.insert(&case.name), "{} twice", case.name);
        assert!(
            inputs.insert((&case.input, case.is_stream, case.max_line)),
            "{} has the input of another",
            case.name
        );
        assert!(GROUPS.contains(&case.group.as_str()), "{}", case.group);
        assert_eq!(case.is_stream, case.group == "framing", "{}", case.name);
        let documents = ["rfc8259", "rfc3629", "json-rpc", "mcp", "choice"];
        assert!(documents.contains(&case.basis.as_str()), "{}", case.basis);
        assert!(case.why.ends_with('.'), "{}", case.name);
        assert!(case.is_stream || !case.input.contains(&b'\n'), "{}", case.name);
        for message in &case.messages {
            let codes = match message.kind.as_str() {
                "invalid" => message.code == Some(-32700) || message.code == Some(-32600),
                "request" => true,
                "notification" | "response" => message.code.is_none(),
                other => panic!("{other}"),
            };
            assert!(codes, "{}", case.name);
            assert_eq!(message.reason.is_some(), message.kind == "invalid", "{}", case.name);
        }
    }
    for group in GROUPS {
        let count = cases.iter().filter(|case| case.group == group).count();
        assert!(count >= 40, "{count} of {group}");
    }
}

/// The answers are JSON, have the code of the case, and there is one for each that is owed.
#[test]
fn the_answers_fit_the_verdicts() {
    for case in cases::all() {
        let codes: Vec<Option<i64>> =
            case.answer.iter().flat_map(|answer| answer.split('\n')).map(code).collect();
        assert!(codes.len() <= case.messages.len(), "{}", case.name);
        if case.is_stream || case.serve_kind.is_some() {
            continue;
        }
        let [message] = &case.messages[..] else {
            panic!("{} has several messages", case.name);
        };
        match message.kind.as_str() {
            "request" => assert_eq!(codes, [message.code], "{}", case.name),
            // Answered or not.
            "invalid" => assert!(codes.iter().all(|code| *code == message.code), "{}", case.name),
            _ => assert!(codes.is_empty(), "{}", case.name),
        }
    }
}

/// The code of an answer that is an error. It may hold half a surrogate pair, which serde_json does not decode.
fn code(answer: &str) -> Option<i64> {
    let members = tree::members(answer).expect("an object");
    let error = slow::all(&members, "error").first().copied()?;
    let members = tree::members(error).expect("an object");
    slow::all(&members, "code").first()?.parse().ok()
}

/// What the crate says of a line.
fn classified(line: &[u8]) -> Verdict {
    let verdict = |kind: &str| Verdict { kind: kind.to_string(), code: None, reason: None };
    match classify(line) {
        Ok(Message::Request(_)) => verdict("request"),
        Ok(Message::Notification(_)) => verdict("notification"),
        Ok(Message::Response(_)) => verdict("response"),
        Err(rejection) => Verdict {
            kind: "invalid".to_string(),
            code: Some(rejection.code().0),
            reason: Some(rejection.reason().name().to_string()),
        },
    }
}

/// What the second classifier says of a line, and how the sender of one that is invalid is answered.
fn slowly_classified(line: &[u8]) -> Verdict {
    let (kind, code, reason) = match &slow::classify(line, &[Leniency::STRICT])[0] {
        slow::Verdict::Request { .. } => ("request", None, None),
        slow::Verdict::Notification { .. } => ("notification", None, None),
        slow::Verdict::Result { .. } | slow::Verdict::Error { .. } => ("response", None, None),
        slow::Verdict::Invalid { reason, code, .. } => ("invalid", Some(*code), Some(*reason)),
    };
    Verdict { kind: kind.to_string(), code, reason: reason.map(|reason| reason.name().to_string()) }
}

/// The lines of a case that hold something, each with its verdict; a byte order mark at the start is dropped.
fn lines(case: &Case) -> Vec<(&[u8], &Verdict)> {
    let stream = match case.input.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) if case.is_stream => rest,
        _ => &case.input,
    };
    let lines: Vec<&[u8]> = stream
        .split(|byte| *byte == b'\n')
        .filter(|line| line.iter().any(|byte| !b" \t\r".contains(byte)))
        .collect();
    assert_eq!(lines.len(), case.messages.len(), "{}", case.name);
    lines.into_iter().zip(&case.messages).collect()
}

/// The code of a request is that of its method, which no classifier knows.
fn of_the_envelope(verdict: &Verdict) -> Verdict {
    Verdict { code: verdict.code.filter(|_| verdict.kind == "invalid"), ..verdict.clone() }
}

#[test]
fn classify_agrees() {
    for case in cases::all() {
        for (line, expected) in lines(&case) {
            if expected.reason.as_deref() == Some("too-long") {
                assert!(line.len() > case.max_line.expect("a limit"), "{}", case.name);
                continue;
            }
            assert!(case.max_line.is_none_or(|most| line.len() <= most), "{}", case.name);
            assert_eq!(classified(line), of_the_envelope(expected), "{}", case.name);
        }
    }
}

#[test]
fn the_slow_classifier_agrees() {
    for case in cases::all() {
        for (line, expected) in lines(&case) {
            if expected.reason.as_deref() == Some("too-long") {
                let owed = slow::owed_unread(line);
                let is_answered = case.answer.is_some();
                assert_eq!(owed != slow::Owed::Nobody, is_answered, "{}", case.name);
                continue;
            }
            assert_eq!(slowly_classified(line), of_the_envelope(expected), "{}", case.name);
        }
    }
}

/// Of every line that the limits let pass, whatever its group.
#[test]
fn serde_json_agrees_on_what_is_json() {
    let mut counts = [0, 0];
    for case in cases::all() {
        for (line, expected) in lines(&case) {
            let is_json = serde_json::from_slice::<&RawValue>(line).is_ok();
            match expected.reason.as_deref() {
                Some("too-deep" | "too-long") => continue,
                reason => assert_eq!(is_json, reason != Some("not-json"), "{}", case.name),
            }
            counts[usize::from(is_json)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
}

/// An id that is echoed stands in the input as it is in the answer.
#[test]
fn ids_are_echoed_as_they_were_sent() {
    for case in cases::all() {
        let input = String::from_utf8_lossy(&case.input);
        for answer in case.answer.iter().flat_map(|answer| answer.split('\n')) {
            let members = tree::members(answer).expect("an object");
            let [id] = slow::all(&members, "id")[..] else {
                panic!("{} has no one id", case.name);
            };
            assert!(id == "null" || input.contains(id), "{}", case.name);
        }
    }
}

/// As `barewire serve` has it.
type DemoServer = Hosted<Demo<NoHost>, Fixed<Full, 128, 64, 2, 4096>>;

const LONGEST: usize = 1 << 16;

#[test]
fn the_server_answers_as_the_file_says() {
    let rules = Rules::STRICT.with_null_params(true);
    for case in cases::all() {
        let options = Options::DEFAULT.with_rules(rules);
        let server = Server::with_storage(Fixed::new()).with_options(options);
        let mut server = DemoServer::of(server, Demo::new(NoHost));
        let mut framer = Framer::new(vec![0; case.max_line.unwrap_or(LONGEST) + 1]);
        let mut output = Vec::new();
        let stream = case.stream();
        let mut rest = &stream[..];
        while !rest.is_empty() {
            rest = &rest[framer.push(rest)..];
            while serve(&mut server, framer.next(), &mut output) {}
        }
        serve(&mut server, framer.finish(), &mut output);
        assert_eq!(String::from_utf8(output).expect("UTF-8"), case.output(), "{}", case.name);
        if let Some(kind) = &case.serve_kind {
            let kind_found = match classify_with(&case.input, &rules) {
                Ok(Message::Request(_)) => "request",
                Ok(Message::Notification(_)) => "notification",
                other => panic!("{}: {other:?}", case.name),
            };
            assert_eq!(kind_found, kind, "{}", case.name);
        }
    }
}

/// False when the framer needs more.
fn serve(server: &mut DemoServer, next: Next<'_>, output: &mut Vec<u8>) -> bool {
    let mut memory = vec![0; LONGEST];
    let mut sink = Sink::new(&mut memory);
    let status = server.receive(next, &mut sink);
    output.extend_from_slice(sink.finish().expect("room"));
    match status {
        Some(Status::More) => panic!("no case has a batch that is served"),
        Some(Status::Done) => true,
        None => false,
    }
}

/// Without a server: the skipper finds the ids of the lines that are too long.
#[test]
fn the_skipper_answers_as_the_file_says() {
    let mut count = 0;
    for case in cases::all() {
        if case.messages.iter().all(|message| message.reason.as_deref() != Some("too-long")) {
            continue;
        }
        let mut skipper = Skipper::<256>::new();
        skipper.feed(&case.input);
        let rejection = skipper.finish();
        let mut memory = [0; 400];
        let answer = barewire::rpc::rejection_response(&mut memory, &rejection).expect("room");
        let answer = answer.map(|answer| String::from_utf8_lossy(answer).into_owned());
        assert_eq!(answer, case.answer, "{}", case.name);
        count += 1;
    }
    assert!(count > 15);
}
