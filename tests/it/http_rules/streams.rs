//! Standing streams of legacy sessions, and subscriptions of modern clients.

use super::kit::*;
use barewire::engine::{Channel, List};
use barewire::mcp::LoggingLevel;
use barewire::transport::http::ReplyBody;

const TOOLS_CHANGED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";

fn listen(id: &str) -> String {
    let filter = r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}"#;
    modern(id, "subscriptions/listen", filter)
}

fn subscribe(stand: &mut Stand, id: &str) {
    let got =
        stand.send(&Request::post().session(id), &legacy("5", "resources/subscribe", r#"{"uri":"r:1"}"#));
    got.is(200, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n");
}

#[test]
fn h46_h47_h48_h54_who_gets_a_standing_stream() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let got = stand.send(&Request::new("GET").session(&id), "");
    assert_eq!(
        (got.status, got.next, got.ends, got.body.as_str()),
        (200, Some(ReplyBody::Stream), false, "")
    );
    assert_eq!(got.field("Content-Type"), Some("text/event-stream"));
    let got = stand.send(&Request::new("GET"), "");
    assert_eq!((got.status, got.field("Allow"), got.body.as_str()), (405, Some("POST"), ""));
    stand.send(&Request::new("GET").session("x"), "").is(404, "");
    let json = Request::new("GET").session(&id).without("Accept").with("Accept", "application/json");
    assert_eq!(stand.send(&json, "").status, 406);
    let got = Stand::new(0).send(&Request::new("GET").session(&id), "");
    assert_eq!((got.status, got.field("Allow")), (405, Some("POST")));
}

#[test]
fn h49_h50_h41_a_standing_stream_carries_what_belongs_to_its_session() {
    let mut stand = Stand::new(2);
    let ids = [stand.open(R4), stand.open(R4)];
    subscribe(&mut stand, &ids[1]);
    let streams = ids.each_ref().map(|id| stand.send(&Request::new("GET").session(id), "").channel);
    stand.endpoint.server().list_changed(List::Tools);
    stand.endpoint.server().resource_updated("r:1");
    let lines = stand.poll();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], (streams[0], TOOLS_CHANGED.to_owned(), false));
    assert_eq!(lines[1], (streams[1], TOOLS_CHANGED.to_owned(), false));
    assert!(lines[2].0 == streams[1] && lines[2].1.contains("resources/updated"));
    let (line, _) = stand
        .write(|server, app, out| server.log(1, LoggingLevel::Error, None, "x", app, out))
        .expect("a line");
    assert_eq!((line.channel(), line.ends()), (streams[1], false));
    // A question of the application's own is answered by a POST.
    let question = stand.write(|server, _, out| {
        server.ping(0, out).expect("asked");
        barewire::engine::Sent::To(barewire::engine::Address::Session(0))
    });
    let (line, question) = question.expect("a line");
    assert!(line.channel() == streams[0] && question.contains(r#""method":"ping""#));
}

#[test]
fn h51_a_second_standing_stream_replaces_the_first() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let first = stand.send(&Request::new("GET").session(&id), "").channel;
    assert!(!stand.endpoint.has_ended());
    let second = stand.send(&Request::new("GET").session(&id), "").channel;
    assert!(stand.endpoint.has_ended());
    assert!(!stand.endpoint.is_open(first) && stand.endpoint.is_open(second));
    stand.endpoint.server().list_changed(List::Tools);
    assert_eq!(stand.poll(), [(second, TOOLS_CHANGED.to_owned(), false)]);
    // The end of the first does not touch the second.
    stand.close(first);
    assert!(stand.endpoint.is_open(second));
    stand.close(second);
    assert!(!stand.endpoint.is_open(second));
}

#[test]
fn h53_changes_wait_for_a_standing_stream() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    subscribe(&mut stand, &id);
    for _ in 0..3 {
        stand.endpoint.server().list_changed(List::Tools);
        stand.endpoint.server().resource_updated("r:1");
    }
    assert_eq!(stand.poll(), []);
    // Log messages do not wait.
    assert!(
        stand.write(|server, app, out| server.log(0, LoggingLevel::Error, None, "x", app, out)).is_none()
    );
    let stream = stand.send(&Request::new("GET").session(&id), "").channel;
    // Nor do they go anywhere while the stream is not writable.
    assert_eq!(stand.poll_for(|channel| channel != stream), []);
    let lines = stand.poll();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|(channel, _, ends)| *channel == stream && !ends));
    assert_eq!(stand.poll(), []);
}

#[test]
fn h53_a_question_that_nobody_hears_times_out() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let asked = stand.send(&Request::post().session(&id), &call("1", "ask"));
    stand.close(asked.channel);
    stand.wait(1);
    stand.wait(400);
    // The withdrawal and the response are dropped, and the call is over.
    assert_eq!(stand.poll(), []);
    assert_eq!(stand.endpoint.server().next_deadline(), None);
    stand.send(&Request::post().session(&id), &call("1", "now")).is(200, &text("1", "done"));
}

#[test]
fn h124_h126_a_subscription_is_a_stream() {
    let mut stand = Stand::new(2);
    let got = stand.send(&Request::modern("subscriptions/listen"), &listen("\"s\""));
    assert_eq!((got.status, got.next, got.ends), (200, Some(ReplyBody::Stream), false));
    assert!(got.body.contains("notifications/subscriptions/acknowledged"), "{got:?}");
    assert!(got.body.contains(r#""io.modelcontextprotocol/subscriptionId":"s""#), "{got:?}");
    let logged = stand.send(&Request::call("log"), &modern_call("1", "log"));
    assert_eq!((logged.next, logged.ends), (Some(ReplyBody::Stream), true));
    stand.endpoint.server().list_changed(List::Tools);
    stand.endpoint.server().list_changed(List::Prompts);
    let lines = stand.poll();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].0 == got.channel && lines[0].1.contains(r#"subscriptionId":"s""#));
}

#[test]
fn h125_a_subscription_that_the_server_ends_gets_its_result() {
    let mut stand = Stand::new(2);
    let got = stand.send(&Request::modern("subscriptions/listen"), &listen("1"));
    stand.endpoint.server().end_streams();
    let lines = stand.poll();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].0 == got.channel && lines[0].2 && lines[0].1.contains(r#""resultType":"complete""#));
    assert!(!stand.endpoint.is_open(got.channel));
}

#[test]
fn h127_changes_are_kept_for_a_slow_reader() {
    let mut stand = Stand::new(2);
    let slow = stand.send(&Request::modern("subscriptions/listen"), &listen("1")).channel;
    let fast = stand.send(&Request::modern("subscriptions/listen"), &listen("1")).channel;
    for _ in 0..10 {
        stand.endpoint.server().list_changed(List::Tools);
        let lines = stand.poll_for(|channel| channel == fast);
        assert!(lines.len() == 1 && lines[0].0 == fast);
    }
    let lines = stand.poll();
    assert!(lines.len() == 1 && lines[0].0 == slow);
}

#[test]
fn h128_no_room_for_a_subscription() {
    let mut stand = Stand::new(2);
    let head = Request::modern("subscriptions/listen");
    let open: Vec<Channel> = (0..4).map(|_| stand.send(&head, &listen("1")).channel).collect();
    let got = stand.send(&head, &listen("1"));
    got.is(503, &error("1", -32603, "Server busy"));
    assert_eq!(got.field("Retry-After"), Some("1"));
    stand.close(open[2]);
    assert_eq!(stand.send(&head, &listen("1")).status, 200);
}
