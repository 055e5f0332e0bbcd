//! Calls of a server, line by line.

use barewire::bytes::Sink;
use barewire::engine::{Frame, Handler, Origin, Server};

/// The lines that a server answers, without their line ends.
pub(crate) fn answers(app: &mut impl Handler, lines: &[&str]) -> Vec<String> {
    let mut server = Server::new();
    lines.iter().map(|line| answer(&mut server, app, line)).collect()
}

fn answer(server: &mut Server, app: &mut impl Handler, line: &str) -> String {
    let mut memory = [0; 4096];
    let mut out = Sink::new(&mut memory);
    let sent = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), app, &mut out);
    assert!(sent.fitted(), "{line}");
    String::from_utf8(out.finish().expect("room").to_vec()).expect("text").trim_end().to_string()
}

/// The member `result` or `error` of the answer to one request.
pub(crate) fn request(app: &mut impl Handler, method: &str, params: &str) -> String {
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let answer = answers(app, &[&line]).remove(0);
    let body = answer.strip_prefix(r#"{"jsonrpc":"2.0","id":1,"#).and_then(|rest| rest.strip_suffix('}'));
    body.unwrap_or_else(|| panic!("{answer}")).to_string()
}

/// The answer to a call of a tool.
pub(crate) fn call(app: &mut impl Handler, tool: &str, arguments: &str) -> String {
    request(app, "tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
}

/// The result of a tool that answers with this text.
pub(crate) fn text(text: &str) -> String {
    format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#)
}

/// The result of a tool that fails with this text.
pub(crate) fn failure(text: &str) -> String {
    format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":true}}"#)
}
