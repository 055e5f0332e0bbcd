//! Legacy sessions.

use super::kit::*;
use barewire::transport::http::ReplyBody;

#[test]
fn h62_h63_a_handshake_opens_a_session() {
    let mut stand = Stand::new(2);
    let got = stand.send(&Request::post(), &initialize(R3));
    assert_eq!((got.status, got.next), (200, Some(ReplyBody::Json)));
    let id = got.session();
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    // An invalid one opens none.
    let got = stand.send(&Request::post(), &legacy("0", "initialize", "{}"));
    got.is(200, &error("0", -32602, "Invalid params"));
    assert_eq!(got.field("Mcp-Session-Id"), None);
    assert_ne!(stand.open(R3), id);
    stand.send(&Request::post().session(&id), &call("1", "now")).is(200, &text("1", "done"));
}

#[test]
fn h63_a_session_belongs_to_its_principal() {
    let mut stand = Stand::new(2);
    let of = |name: &str| Request::post().with("Authorization", &format!("Bearer {name}"));
    let id = stand.send(&of("ann"), &initialize(R3)).session();
    stand.send(&of("ann").session(&id), &call("1", "now")).is(200, &text("1", "done"));
    for head in [of("mallory"), Request::post()] {
        stand.send(&head.session(&id), &call("1", "now")).is(404, &error("1", -32600, "Session not found"));
    }
    let delete = Request::new("DELETE").with("Authorization", "Bearer mallory").session(&id);
    stand.send(&delete, "").is(404, "");
    let get = Request::new("GET").with("Authorization", "Bearer mallory").session(&id);
    stand.send(&get, "").is(404, "");
}

#[test]
fn h65_h66_sessions_are_required_only_if_set() {
    let mut stand = Stand::new(1);
    stand.send(&Request::post(), &call("1", "now")).is(200, &text("1", "done"));
    let mut stand = Stand::with(1, |endpoint| endpoint.with_required_sessions(true));
    stand
        .send(&Request::post(), &call("1", "now"))
        .is(400, &error("1", -32600, "Mcp-Session-Id header required"));
    let id = stand.open(R3);
    stand.send(&Request::post().session(&id), &call("1", "now")).is(200, &text("1", "done"));
    assert_eq!(stand.send(&Request::call("now"), &modern_call("1", "now")).status, 200);
}

#[test]
fn h67_h70_delete_ends_a_session() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let later = stand.send(&Request::post().session(&id), &call("1", "later"));
    let stream = stand.send(&Request::new("GET").session(&id), "");
    stand.send(&Request::new("DELETE"), "").is(400, "");
    for unknown in ["0123456789abcdef0123456789abcdef", "x"] {
        stand.send(&Request::new("DELETE").session(unknown), "").is(404, "");
    }
    assert!(stand.endpoint.is_open(later.channel) && stand.endpoint.is_open(stream.channel));
    stand.app.events.clear();
    stand.send(&Request::new("DELETE").session(&id), "").is(200, "");
    assert_eq!(stand.app.events, ["cancelled"]);
    assert!(stand.endpoint.has_ended() && !stand.endpoint.has_ended());
    assert!(!stand.endpoint.is_open(later.channel) && !stand.endpoint.is_open(stream.channel));
    for (method, body) in [("DELETE", ""), ("GET", "")] {
        stand.send(&Request::new(method).session(&id), body).is(404, "");
    }
    stand
        .send(&Request::post().session(&id), &call("1", "now"))
        .is(404, &error("1", -32600, "Session not found"));
    stand
        .send(&Request::post().session(&id), &notification("x", "{}"))
        .is(404, &error("null", -32600, "Session not found"));
    stand.send(&Request::post().session(&id), "{").is(404, &error("null", -32600, "Session not found"));
    let mut without = Stand::new(0);
    let got = without.send(&Request::new("DELETE").session(&id), "");
    assert_eq!((got.status, got.field("Allow")), (405, Some("POST")));
    without
        .send(&Request::post().session(&id), &call("1", "now"))
        .is(404, &error("1", -32600, "Session not found"));
}

#[test]
fn h71_a_full_table_drops_the_longest_idle_session() {
    let mut stand = Stand::new(3);
    let ids = [1, 2, 3].map(|_| {
        stand.wait(1);
        stand.open(R4)
    });
    stand.wait(1);
    // The first is used again, the second is busy.
    stand.send(&Request::post().session(&ids[0]), &call("1", "now"));
    stand.send(&Request::post().session(&ids[1]), &call("1", "later"));
    stand.wait(1);
    let fourth = stand.open(R4);
    let status = |stand: &mut Stand, id: &str| {
        stand.send(&Request::post().session(id), &legacy("9", "ping", "{}")).status
    };
    assert_eq!(ids.each_ref().map(|id| status(&mut stand, id)), [200, 200, 404]);
    // A session with a standing stream stays as well.
    stand.send(&Request::new("GET").session(&ids[0]), "");
    stand.send(&Request::new("GET").session(&fourth), "");
    let got = stand.send(&Request::post(), &initialize(R4));
    got.is(503, &error("0", -32603, "Server busy"));
    assert_eq!(got.field("Retry-After"), Some("1"));
    assert!(stand.complete("late").is_some());
    stand.wait(1);
    stand.open(R4);
    assert_eq!([status(&mut stand, &ids[0]), status(&mut stand, &ids[1])], [200, 404]);
}

#[test]
fn h71_a_storage_with_fewer_places_is_full() {
    let mut stand = Stand::new(5);
    for _ in 0..4 {
        stand.open(R4);
    }
    let got = stand.send(&Request::post(), &initialize(R4));
    got.is(503, &error("0", -32603, "Server busy"));
    assert_eq!(got.field("Mcp-Session-Id"), None);
}

#[test]
fn h71_idle_sessions_end() {
    let timeout = std::time::Duration::from_secs(60);
    let mut stand = Stand::with(3, |endpoint| endpoint.with_idle_timeout(timeout));
    stand.wait(1);
    let ids = [1, 2, 3].map(|_| stand.open(R4));
    assert_eq!(stand.endpoint.next_deadline(), Some(std::time::Duration::from_secs(61)));
    stand.send(&Request::post().session(&ids[1]), &call("1", "later"));
    let stream = stand.send(&Request::new("GET").session(&ids[2]), "");
    stand.wait(59);
    assert!(!stand.endpoint.has_ended());
    stand.wait(1);
    assert!(stand.endpoint.has_ended());
    let status = |stand: &mut Stand, id: &str| {
        stand.send(&Request::post().session(id), &legacy("9", "ping", "{}")).status
    };
    assert_eq!(ids.each_ref().map(|id| status(&mut stand, id)), [404, 200, 200]);
    stand.close(stream.channel);
    assert!(stand.complete("late").is_some());
    stand.wait(59);
    assert_eq!([1, 2].map(|place| status(&mut stand, &ids[place])), [200, 200]);
    stand.wait(61);
    assert_eq!([1, 2].map(|place| status(&mut stand, &ids[place])), [404, 404]);
    assert_eq!(stand.endpoint.next_deadline(), None);
}

#[test]
fn h72_a_handshake_in_a_session_is_refused() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    stand
        .send(&Request::post().session(&id), &initialize(R4))
        .is(400, &error("0", -32600, "Already initialized"));
    stand
        .send(&Request::post().session("x"), &initialize(R4))
        .is(404, &error("0", -32600, "Session not found"));
    stand.send(&Request::post().session(&id), &call("1", "now")).is(200, &text("1", "done"));
    stand.open(R4);
}

#[test]
fn h75_the_revision_of_a_session_counts() {
    let mut stand = Stand::new(2);
    let id = stand.open(R2);
    // Only 2025-03-26 has batches.
    let batch = format!("[{}]", legacy("1", "ping", "{}"));
    let expected = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n";
    stand.send(&Request::post().session(&id).version(R4), &batch).is(200, expected);
    let id = stand.open(R4);
    stand
        .send(&Request::post().session(&id).version(R2), &batch)
        .is(400, &error("", -32600, "Invalid Request"));
}

#[test]
fn h12_a_repeated_session_id_is_refused() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    assert_eq!(stand.send(&Request::post().session(&id).session(&id), &call("1", "now")).status, 400);
}

#[test]
fn a_source_without_randomness_opens_one_session() {
    let mut stand = Stand::with(3, |endpoint| endpoint.with_random(|id| *id = [7; 16]));
    stand.open(R4);
    stand.send(&Request::post(), &initialize(R4)).is(503, &error("0", -32603, "Server busy"));
}
