//! Prompts: what is checked before the application is asked, and what it is told.

use barewire::engine::Role;
use barewire::mcp::{Prompt, PromptArgument};

use crate::engine_kit::{App, Hosted, answer, error, modern, request, result};

/// Answers with its arguments, and checks nothing itself.
fn app() -> App {
    App {
        prompts: vec![
            Prompt::new("plain"),
            Prompt::new("p")
                .with_arguments(const { &[PromptArgument::required("a"), PromptArgument::optional("b")] }),
        ],
        prompt: |_, get, reply| {
            assert_eq!(get.name(), *get.name_in(&[Prompt::new("plain"), Prompt::new("p")]));
            let values = ["a", "b", "c"].into_iter().filter_map(|name| get.argument(name));
            let messages = values.fold(reply.messages(), |messages, value| messages.text(Role::User, value));
            Ok(messages.done())
        },
        ..App::new()
    }
}

fn get(params: &str) -> String {
    request("1", "prompts/get", params)
}

fn messages(texts: &[&str]) -> String {
    let messages: Vec<String> = texts
        .iter()
        .map(|text| format!(r#"{{"role":"user","content":{{"type":"text","text":"{text}"}}}}"#))
        .collect();
    result("1", &format!(r#""messages":[{}]"#, messages.join(",")))
}

#[test]
fn arguments_that_are_there_and_strings() {
    let mut server: Hosted<App> = Hosted::new(app());
    for (params, texts) in [
        (r#"{"name":"plain"}"#, &[][..]),
        (r#"{"name":"plain","arguments":null}"#, &[]),
        (r#"{"name":"plain","arguments":{}}"#, &[]),
        (r#"{"name":"p","arguments":{"a":""}}"#, &[""]),
        (r#"{"n\u0061me":"\u0070","arguments":{"b":"y","\u0061":"x"}}"#, &["x", "y"]),
        // One that is not declared is handed on.
        (r#"{"name":"p","arguments":{"a":"x","c":"z"}}"#, &["x", "z"]),
        (r#"{"name":"p","arguments":{"a":"\u0041\ud800"}}"#, &[r"A\ud800"]),
    ] {
        assert_eq!(answer(&mut server, &get(params)), messages(texts), "{params}");
    }
}

#[test]
fn arguments_that_are_missing_repeated_or_no_strings() {
    let mut server: Hosted<App> = Hosted::new(app());
    let invalid = error("1", -32602, "Invalid params");
    for members in [
        r#""name":"p""#,
        r#""name":"p","arguments":{}"#,
        r#""name":"p","arguments":null"#,
        r#""name":"p","arguments":{"b":"y"}"#,
        r#""name":"p","arguments":{"A":"x"}"#,
        r#""name":"p","arguments":{"a":1}"#,
        r#""name":"p","arguments":{"a":null}"#,
        r#""name":"p","arguments":{"a":"x","b":7}"#,
        r#""name":"p","arguments":{"a":"x","c":[]}"#,
        r#""name":"p","arguments":{"a":"x","a":"x"}"#,
        r#""name":"p","arguments":{"a":"x","b":"y","b":"y"}"#,
        r#""name":"p","arguments":[]"#,
        r#""name":"p","name":"p","arguments":{"a":"x"}"#,
        r#""name":7"#,
        r#""arguments":{}"#,
        "",
    ] {
        assert_eq!(answer(&mut server, &get(&format!("{{{members}}}"))), invalid, "{members}");
        assert_eq!(answer(&mut server, &modern("1", "prompts/get", members)), invalid, "{members}");
    }
    assert_eq!(answer(&mut server, &request("1", "prompts/get", "")), invalid);
    for name in ["P", "", "pp"] {
        assert_eq!(
            answer(&mut server, &get(&format!(r#"{{"name":"{name}","arguments":{{"a":"x"}}}}"#))),
            error("1", -32602, "Unknown prompt")
        );
    }
}
