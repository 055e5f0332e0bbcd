//! A client against a server: both are of this crate, so what one writes the other understands.

use core::time::Duration;

use barewire::engine::client::{RequestError, Subscription, Ticket};
use barewire::engine::{List, MIN_OUTPUT, Progress};
use barewire::mcp::{Era, ProtocolVersion, Versions};

use crate::support::application::WAYS;
use crate::support::entropy::Entropy;
use crate::support::pair::{Pair, ROOMS, requests};

/// Nothing hangs, nothing ends twice, whatever is lost, late or has no room.
pub(super) fn each_request_ends_once(entropy: &mut Entropy<'_>) {
    match entropy.below(3) {
        0 => session::<4>(entropy),
        1 => session::<1>(entropy),
        _ => session::<2>(entropy),
    }
}

fn session<const N: usize>(entropy: &mut Entropy<'_>) {
    let versions = match entropy.below(4) {
        0 => Versions::only(entropy.pick(&ProtocolVersion::ALL)),
        1 => Versions::LEGACY,
        _ => Versions::ALL,
    };
    let is_narrow = entropy.once_in(3);
    let rooms = match is_narrow {
        true => [1 + entropy.below(200), MIN_OUTPUT + entropy.below(500)],
        false => ROOMS,
    };
    let mut pair = Pair::<N>::new(versions, rooms);
    // The handshake may be what has no room.
    pair.has_losses = is_narrow;
    let is_lossy = entropy.once_in(3);
    let is_disordered = entropy.once_in(2);
    pair.ask(|client, now, out| client.connect(now, out)).expect("room");
    for _ in 0..60 {
        if entropy.is_used_up() {
            break;
        }
        match entropy.below(16) {
            0..=3 => random_request(&mut pair, entropy),
            4 => {
                let mut tickets: Vec<Ticket> = pair.waiting.keys().copied().collect();
                tickets.sort_by_key(|ticket| pair.waiting.get(ticket).copied());
                if !tickets.is_empty() {
                    let ticket = tickets[entropy.below(tickets.len())];
                    pair.cancel(ticket);
                }
            }
            5 => pair.complete(entropy.below(4)),
            6 => {
                let token = pair.server.handler_mut().seen().deferred.first().copied();
                if let Some(token) = token {
                    let progress = i64::from(entropy.byte());
                    let told = pair.tell(|server, out| server.progress(token, Progress::new(progress), out));
                    assert!(told.is_ok());
                }
            }
            7 => {
                let list = entropy.pick(&[List::Tools, List::Resources, List::Prompts]);
                pair.tell(|server, _| server.server.list_changed(list));
            }
            8 => pair.tell(|server, _| server.server.resource_updated("demo://counter")),
            9 if is_lossy => {
                let lines = match entropy.once_in(2) {
                    true => &mut pair.up,
                    false => &mut pair.down,
                };
                let at = entropy.below(lines.lines.len().max(1));
                pair.has_losses |= lines.lose(at);
            }
            10 if is_disordered => shuffle(&mut pair, entropy),
            11..=13 => {
                let count = entropy.below(300);
                pair.deliver_up(count);
            }
            _ => {
                let count = entropy.below(600);
                pair.deliver_down(count);
            }
        }
        assert_eq!(pair.client.in_flight(), pair.waiting.len());
        pair.expire(Duration::from_millis(1));
    }
    end(pair, versions, is_narrow);
}

/// Two lines of the server's change places: responses come in any order.
fn shuffle<const N: usize>(pair: &mut Pair<N>, entropy: &mut Entropy<'_>) {
    let count = pair.down.lines.len();
    if count > 1 {
        let (a, b) = (entropy.below(count), entropy.below(count));
        let is_response = |line: &Vec<u8>| !line.windows(9).any(|part| part == b"\"method\":");
        if is_response(&pair.down.lines[a]) && is_response(&pair.down.lines[b]) {
            pair.down.lines.swap(a, b);
        }
    }
}

fn random_request<const N: usize>(pair: &mut Pair<N>, entropy: &mut Entropy<'_>) {
    let kind = entropy.below(requests::<N>().len() + 8);
    let way = entropy.pick(WAYS);
    let filter = Subscription {
        tools: entropy.once_in(2),
        resource_uris: &["demo://counter"],
        ..Subscription::default()
    };
    let sent = match requests::<N>().get(kind) {
        Some((call, _, _)) => pair.request(call),
        None if kind.is_multiple_of(3) => pair.request(|client, ask, out| client.listen(ask, &filter, out)),
        None if kind % 3 == 1 => pair.request(|client, ask, out| client.call_tool(ask, "slow", out, |_| {})),
        None => pair.request(|client, ask, out| {
            client.call_tool(ask, "behave", out, |arguments| {
                arguments.name("how").string(way);
            })
        }),
    };
    assert!(
        matches!(
            sent,
            Ok(_) | Err(RequestError::NotConnected | RequestError::TableFull | RequestError::NotInRevision)
        ),
        "{sent:?}"
    );
}

fn end<const N: usize>(mut pair: Pair<N>, versions: Versions, is_narrow: bool) {
    pair.deliver_all();
    while !pair.server.handler_mut().seen().deferred.is_empty() {
        pair.complete(0);
    }
    pair.deliver_all();
    if !pair.has_losses {
        let newest = versions.newest(Era::Modern).or(versions.newest(Era::Legacy));
        assert_eq!(pair.version, newest);
        // Only streams go on.
        assert_eq!(pair.waiting.len(), pair.subscriptions.len());
        assert_eq!(pair.server.in_flight(), 0);
    }
    pair.tell(|server, _| server.server.end_streams());
    pair.deliver_all();
    if !pair.has_losses {
        assert!(pair.waiting.is_empty());
        assert!(pair.ends.values().all(|outcome| outcome != "timed out"));
    }
    for _ in 0..4 {
        pair.expire(Duration::from_secs(100));
        pair.deliver_all();
    }
    // A subscription whose end was lost is all that is left.
    assert!(pair.waiting.keys().all(|ticket| pair.subscriptions.contains(ticket)));
    let left: Vec<Ticket> = pair.waiting.keys().copied().collect();
    for ticket in left {
        pair.cancel(ticket);
    }
    assert_eq!(pair.client.in_flight(), 0);
    if !is_narrow {
        assert_eq!(pair.server.handler_mut().seen().no_room, 0);
    }
}
