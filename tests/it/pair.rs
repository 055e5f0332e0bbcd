//! A client and a server of this crate, connected in memory. Their random sessions are in `props`.

use core::time::Duration;

use barewire::engine::List;
use barewire::engine::client::{RequestError, Subscription};
use barewire::mcp::{Era, ProtocolVersion, Versions};

use crate::support::pair::{ROOMS, requests};

type Pair = crate::support::pair::Pair<4>;

#[test]
fn every_request_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let mut pair = Pair::new(Versions::only(version), ROOMS);
        pair.connect();
        assert_eq!(pair.version, Some(version));
        for (place, (call, versions, expected)) in requests().into_iter().enumerate() {
            match pair.request(call) {
                Ok(number) => {
                    assert!(versions.contains(version), "{place} in {version}");
                    pair.deliver_all();
                    assert_eq!(pair.ends.remove(&number).as_deref(), Some(expected), "{place} in {version}");
                }
                Err(error) => {
                    assert_eq!(error, RequestError::NotInRevision, "{place} in {version}");
                    assert!(!versions.contains(version), "{place} in {version}");
                }
            }
        }
        assert!(pair.waiting.is_empty() && pair.client.in_flight() == 0);
    }
}

#[test]
fn the_newest_common_revision_is_found() {
    let cases = [
        (Versions::ALL, ProtocolVersion::V2026_07_28),
        (Versions::MODERN, ProtocolVersion::V2026_07_28),
        (Versions::LEGACY, ProtocolVersion::V2025_11_25),
    ];
    for (versions, expected) in cases {
        let mut pair = Pair::new(versions, ROOMS);
        pair.connect();
        assert_eq!(pair.version, Some(expected));
        let session = (expected.era() == Era::Legacy).then_some(expected);
        assert_eq!(pair.server.session(), session);
    }
}

#[test]
fn a_change_reaches_whoever_listens() {
    let mut pair = Pair::new(Versions::ALL, ROOMS);
    pair.connect();
    for tools in [true, false] {
        pair.request(|client, ask, out| {
            let filter = Subscription {
                tools,
                resources: true,
                resource_uris: &["demo://counter"],
                ..Subscription::default()
            };
            client.listen(ask, &filter, out)
        })
        .expect("room");
    }
    pair.deliver_all();
    assert_eq!(pair.events.split_off(1), ["acknowledged", "acknowledged"]);
    pair.tell(|server, _| server.server.list_changed(List::Tools));
    pair.tell(|server, _| server.server.resource_updated("demo://counter"));
    pair.deliver_all();
    assert_eq!(
        pair.events.split_off(1),
        ["Tools changed", "demo://counter updated", "demo://counter updated"]
    );
    // Minutes later they are still open, and the server ends them.
    pair.expire(Duration::from_secs(1000));
    pair.tell(|server, _| server.server.end_streams());
    pair.deliver_all();
    assert!(pair.waiting.is_empty());
    assert!(pair.ends.values().all(|outcome| outcome == "result") && pair.ends.len() == 2);
}
