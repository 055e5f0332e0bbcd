//! Completion of arguments.

use barewire::engine::{CallError, Reference};
use barewire::mcp::{Capabilities, Prompt, PromptArgument};

use crate::engine_kit::{App, Hosted, answer, error, initialize_with, json, modern_of, request};

/// Completes the argument `n` with as many values as were typed, and `total:N` with a total.
fn app() -> App {
    App {
        prompts: vec![Prompt::new("p").with_arguments(const { &[PromptArgument::optional("n")] })],
        offers: |offered| offered.insert(Capabilities::COMPLETIONS),
        complete: |log, completion, reply| {
            let reference = match completion.reference() {
                Reference::Prompt(name) => format!("prompt {name}"),
                Reference::Resource(uri) => format!("resource {uri}"),
            };
            let resolved = completion.resolved("other").map(|value| value.to_string());
            log.notes.push(format!("{reference} {} {resolved:?}", completion.argument()));
            let value = completion.value().to_string();
            let (count, total) = value.split_once('/').unwrap_or((&value, ""));
            let mut values = reply.values();
            for at in 0..count.parse().map_err(|_| CallError::NotFound)? {
                values = values.value(format!("v{at}").as_str());
            }
            if let Ok(total) = total.parse() {
                values = values.total(total);
            }
            Ok(values.done())
        },
        ..App::new()
    }
}

fn complete(value: &str) -> String {
    request(
        "1",
        "completion/complete",
        &format!(
            r#"{{"ref":{{"type":"ref/prompt","name":"p"}},"argument":{{"name":"n","value":"{value}"}}}}"#
        ),
    )
}

/// In both eras.
#[test]
fn the_application_sees_what_the_client_can() {
    let app = App {
        complete: |log, completion, reply| {
            let client = completion.context().client();
            log.notes.push(format!("{client:?}"));
            Ok(reply.values().done())
        },
        ..app()
    };
    let mut server: Hosted<App> = Hosted::new(app);
    let members = r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":""}"#;
    let modern = modern_of("1", "completion/complete", members, r#"{"sampling":{}}"#);
    answer(&mut server, &modern);
    answer(&mut server, &initialize_with("2025-11-25", r#"{"roots":{}}"#));
    answer(&mut server, &complete(""));
    assert_eq!(server.handler().log.notes, ["{SAMPLING}", "{ROOTS}"]);
}

#[test]
fn at_most_a_hundred_values_are_sent_and_all_are_counted() {
    for (value, sent, total, has_more) in [
        ("0", 0, 0, false),
        ("1", 1, 1, false),
        ("99", 99, 99, false),
        ("100", 100, 100, false),
        ("101", 100, 101, true),
        ("1000", 100, 1000, true),
        ("3/10", 3, 10, true),
        ("3/3", 3, 3, false),
        // A total below what is there is no total.
        ("3/1", 3, 3, false),
        ("150/120", 100, 150, true),
    ] {
        let mut server: Hosted<App> = Hosted::new(app());
        let answer = json(&answer(&mut server, &complete(value)));
        let completion = &answer["result"]["completion"];
        let values = completion["values"].as_array().expect("values");
        assert_eq!(values.len(), sent, "{value}");
        assert!(values.iter().enumerate().all(|(at, value)| *value == format!("v{at}")));
        assert_eq!(completion["total"], total, "{value}");
        assert_eq!(completion["hasMore"], has_more, "{value}");
    }
}

#[test]
fn the_application_is_asked_with_everything_that_was_sent() {
    let mut server: Hosted<App> = Hosted::new(app());
    for (params, note) in [
        (
            r#"{"ref":{"type":"ref\/prompt","name":"\u0070"},"argument":{"name":"n","value":"0"}}"#,
            "prompt p n None",
        ),
        (
            r#"{"ref":{"type":"ref/resource","uri":"t:///{x}"},"argument":{"name":"x","value":"0"},"context":{"arguments":{"other":"o"}}}"#,
            r#"resource t:///{x} x Some("o")"#,
        ),
        (
            r#"{"ref":{"type":"ref/prompt","name":"p","title":"t"},"argument":{"name":"n","value":"0"},"context":{}}"#,
            "prompt p n None",
        ),
        (
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"0"},"context":{"arguments":null}}"#,
            "prompt p n None",
        ),
        (
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"0"},"context":{"arguments":{"other":null}}}"#,
            "prompt p n None",
        ),
    ] {
        let answer = json(&answer(&mut server, &request("1", "completion/complete", params)));
        assert!(answer.get("result").is_some(), "{answer}");
        assert_eq!(server.handler().log.notes.last().map(String::as_str), Some(note));
    }
}

#[test]
fn what_cannot_be_completed_is_refused() {
    let mut server: Hosted<App> = Hosted::new(app());
    let invalid = error("1", -32602, "Invalid params");
    for params in [
        "{}",
        r#"{"argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"}}"#,
        r#"{"ref":"p","argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"name":"p"},"argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"type":"ref/other","name":"p"},"argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"type":"ref/prompt","uri":"p"},"argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"type":"ref/resource","name":"p"},"argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p","name":"p"},"argument":{"name":"n","value":"0"}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n"}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":1,"value":"0"}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":0}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"0"},"context":7}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"0"},"context":{"arguments":[]}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"0"},"context":{"arguments":{"other":7}}}"#,
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"0"},"context":{"arguments":{"unread":{}}}}"#,
    ] {
        assert_eq!(answer(&mut server, &request("1", "completion/complete", params)), invalid, "{params}");
    }
    // The application found nothing to complete.
    assert_eq!(answer(&mut server, &complete("x")), invalid);
    let unknown = r#"{"ref":{"type":"ref/prompt","name":"P"},"argument":{"name":"n","value":"0"}}"#;
    assert_eq!(
        answer(&mut server, &request("1", "completion/complete", unknown)),
        error("1", -32602, "Unknown prompt")
    );
}
