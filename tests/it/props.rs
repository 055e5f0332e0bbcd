//! The properties of `tests/support` on generated input. `PROPTEST_CASES` says how many (256).

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::test_runner::TestRunner;

use crate::support::entropy::Entropy;
use crate::support::{generate, properties};

/// Runs `property` on inputs of `strategy`; a failing input is made smaller and printed.
pub(crate) fn holds(strategy: impl Strategy<Value = Vec<u8>>, property: impl Fn(&[u8])) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&strategy, |bytes| {
        property(&bytes);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// Choices for a generator.
pub(crate) fn choices() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..400)
}

/// Bytes of which many texts are nearly JSON.
fn json_bytes() -> impl Strategy<Value = Vec<u8>> {
    let alphabet: &[u8] = b"{}[]\",:\\u0123dDeE.+- \n\ttrufalsn/\x00\x1F\xC3\xA9\xF0\x9F\x98\x80\xED\xFF";
    vec(proptest::sample::select(alphabet), 0..24)
}

#[test]
fn scan_on_bytes_of_json() {
    holds(json_bytes(), properties::scan);
}

#[test]
fn scan_on_generated_values() {
    holds(choices(), |choices| {
        properties::scan(generate::value(&mut Entropy::new(choices), 6).as_bytes());
    });
}

#[test]
fn scan_on_damaged_values() {
    holds(choices(), |choices| {
        let mut entropy = Entropy::new(choices);
        let text = generate::value(&mut entropy, 4).into_bytes();
        properties::scan(&generate::damaged(&mut entropy, text));
    });
}

#[test]
fn scan_on_texts_around_the_depth_limit() {
    holds(choices(), |choices| properties::scan(&generate::deep(&mut Entropy::new(choices))));
}

#[test]
fn classify_on_messages_and_near_misses() {
    holds(choices(), |choices| {
        properties::classify(&generate::message(&mut Entropy::new(choices)));
    });
}

#[test]
fn classify_on_frames_around_the_depth_limit() {
    holds(choices(), |choices| properties::classify(&generate::deep(&mut Entropy::new(choices))));
}

#[test]
fn framer_chunks_on_short_lines_in_small_buffers() {
    let stream = vec(proptest::sample::select(&b"ab\r\n\n\n{\"\xEF\xBB\xBF\xFF"[..]), 0..60);
    let strategy = (0u8..12, any::<u8>(), stream)
        .prop_map(|(capacity, split, stream)| [vec![capacity, split], stream].concat());
    holds(strategy, properties::framer_chunks);
}

#[test]
fn framer_chunks_on_messages() {
    holds(
        (any::<[u8; 3]>(), choices()).prop_map(|(head, choices)| {
            let mut entropy = Entropy::new(&choices);
            let lines: Vec<Vec<u8>> = (0..3).map(|_| generate::message(&mut entropy)).collect();
            [head.as_slice(), &lines.join(&b'\n')].concat()
        }),
        properties::framer_chunks,
    );
}

#[test]
fn message_roundtrip_on_ids_texts_and_values() {
    holds(choices(), properties::message_roundtrip);
}

#[test]
fn server_sessions() {
    let choices = vec(any::<u8>(), 0..700);
    holds(choices, properties::server_session);
}

#[test]
fn client_sessions() {
    let choices = vec(any::<u8>(), 0..1200);
    holds(choices, properties::client_session);
}

#[test]
fn values_of_any_bytes() {
    let bytes = proptest::sample::select(&b"\\u00ddDE89\"a/\0\0-01.e+9\xC3\xA9"[..]);
    let strategy = (any::<u8>(), vec(bytes, 0..30)).prop_map(|(kind, bytes)| [vec![kind], bytes].concat());
    holds(strategy, properties::values);
}

#[test]
fn values_that_a_peer_has_sent() {
    holds(choices().prop_map(|choices| [vec![3, 0x80], choices].concat()), properties::values);
}

#[test]
fn sinks_of_any_room() {
    holds(choices(), properties::sinks);
}

#[test]
fn writers_in_any_room() {
    holds(choices(), properties::writers);
}

#[test]
fn rewritten_messages() {
    holds(choices(), properties::rewrite);
}

#[test]
fn arguments_templates_and_schemas() {
    holds(choices(), properties::arguments);
}

#[test]
fn typed_on_texts_that_nearly_fit() {
    holds(choices().prop_map(|choices| [vec![0x80], choices].concat()), properties::typed);
}

#[test]
fn pairs() {
    let choices = vec(any::<u8>(), 0..500);
    holds(choices, properties::pair);
}

#[test]
fn links_between_any_two_outputs() {
    let choices = vec(any::<u8>(), 0..700);
    holds(choices, properties::link);
}

#[test]
fn answers_of_a_server() {
    let strategy = (0..0x50u8, choices()).prop_map(|(flags, choices)| [vec![flags], choices].concat());
    holds(strategy, properties::server_answers);
}

#[test]
fn replies_of_handlers() {
    holds(choices(), properties::server_replies);
}

#[test]
fn replies_of_handlers_that_ask_or_have_nothing() {
    let strategy = (0xFE..=0xFFu8, choices()).prop_map(|(kind, choices)| [vec![kind], choices].concat());
    holds(strategy, properties::server_replies);
}

#[test]
fn calls_of_a_client() {
    holds(choices(), properties::client_calls);
}

#[test]
fn results_with_a_member_twice() {
    holds(choices().prop_map(|choices| [vec![0xFE], choices].concat()), properties::client_calls);
}
