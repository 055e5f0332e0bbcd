//! What must hold whatever the input. Each function panics where it does not.
//!
//! Those of [`TARGETS`] are the fuzz targets of the same names; `tests/it` runs them too, on generated input and over the
//! corpus.

mod answering;
mod arguments;
mod calling;
mod client_session;
mod composing;
mod decoding;
mod framing;
mod judging;
mod linking;
mod numbers;
mod pairing;
mod placing;
mod readdressing;
mod received;
mod repeating;
mod replying;
mod rewriting;
mod scanning;
mod serving;
mod sinks;
mod strings;
mod typed;
mod values;
mod views;
mod writers;
mod writing;

use super::entropy::Entropy;
use super::generate;
use super::session::Step;

/// A fuzz target: its name, and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// The fuzz targets that are made of these properties alone.
pub const TARGETS: &[Target] = &[
    ("scan", scan),
    ("classify", classify),
    ("framer_chunks", framer_chunks),
    ("message_roundtrip", message_roundtrip),
    ("server_session", server_session),
    ("client_session", client_session),
    ("values", values),
    ("writers", writers),
    ("rewrite", rewrite),
    ("arguments", arguments),
    ("typed", typed),
    ("pair", pair),
    ("server_answers", server_answers),
    ("server_replies", server_replies),
    ("client_calls", client_calls),
];

pub use placing::judges_as_the_scalar_scanner;

/// `text` in a frame, behind so many bytes.
pub fn scan_behind(text: &[u8], lengths: impl IntoIterator<Item = usize>) {
    placing::means_the_same_behind(text, lengths);
}

/// The scanner's judgement of `text`, and the views into it where it is accepted.
pub fn scan(text: &[u8]) {
    // At the start of a block, across a word, across two blocks.
    placing::means_the_same_behind(text, [3, 27, 33]);
    if scanning::judges_as_serde_json(text) {
        views::show_what_serde_json_shows(text);
        typed::decoding_never_panics(text);
    }
}

/// The classifier's judgement of `data` as a frame. No frame starts with a byte above 0x7F, so behind one are choices
/// that a message is generated from.
pub fn classify(data: &[u8]) {
    let Some((0x80.., choices)) = data.split_first() else {
        judges_as_the_scalar_scanner(data);
        return judging::agrees_with_the_slow_classifier(data);
    };
    let mut entropy = Entropy::new(choices);
    let generated = match entropy.once_in(8) {
        true => generate::deep(&mut entropy),
        false => generate::message(&mut entropy),
    };
    judging::agrees_with_the_slow_classifier(&generated);
}

/// The framer over any buffer and any chunks. The first byte of `data` is the size of the buffer, the second how the
/// stream is split; the rest is the stream, in which 0xFF stands for a loss.
pub fn framer_chunks(data: &[u8]) {
    framing::cuts_as_with_the_whole_stream_at_hand(data);
}

/// What is written, classified again; and the application's own values, there and back.
pub fn message_roundtrip(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    writing::written_messages_are_read_as_meant(&mut entropy);
    composing::scalars_are_read_as_written(&mut entropy);
    composing::a_value_written_again_is_the_same(&mut entropy);
    typed::decoding_agrees_with_serde_json(&mut entropy);
    typed::what_is_encoded_is_valid(&mut entropy);
}

/// A server, whatever its client and its application do.
pub fn server_session(data: &[u8]) {
    serving::a_session_owes_one_answer_to_each_request(&mut Entropy::new(data));
}

/// A client, whatever its server and its application do.
pub fn client_session(data: &[u8]) {
    client_session::a_session_ends_each_request_once(&mut Entropy::new(data));
}

/// Bytes around which no text has been accepted, as what the first byte says: two strings, two numbers, bytes that are to be
/// base64, or an object that a peer has sent (behind a byte above 0x7F, choices for one). A NUL stands between the two.
pub fn values(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    match (kind % 4, bytes) {
        (0, _) => values::are_strings_or_not(bytes),
        (1, _) => values::are_numbers_or_not(bytes),
        (2, _) => values::are_the_same_out_of_base64(bytes),
        (_, [0x80..=0xFF, choices @ ..]) => {
            received::shows_what_is_there(&received::object(&mut Entropy::new(choices), 4));
        }
        _ => received::shows_what_is_there(&String::from_utf8_lossy(bytes)),
    }
}

/// Sinks with too little room.
pub fn sinks(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    sinks::a_sink_holds_what_was_written(&mut entropy);
    sinks::a_typed_value_is_written_whole(&mut entropy);
    sinks::a_rejection_says_what_it_needs(&mut entropy);
}

/// Sinks, and writers into too little room.
pub fn writers(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    sinks::a_sink_holds_what_was_written(&mut entropy);
    writers::a_writer_says_what_it_needs(&mut entropy);
    sinks::a_typed_value_is_written_whole(&mut entropy);
    sinks::a_rejection_says_what_it_needs(&mut entropy);
}

/// Messages with other ids, and with their own again; and where ids come from.
pub fn rewrite(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    readdressing::sources_never_repeat_an_id(&mut entropy);
    readdressing::uuids_are_their_bytes(&mut entropy);
    readdressing::there_and_back_is_the_same(&mut entropy);
}

/// Declared parameters and their arguments, URI templates and their URIs, schemas.
pub fn arguments(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    arguments::uris_match_as_by_trying_everything(&mut entropy);
    arguments::schemas_are_told_apart(&mut entropy);
    arguments::are_checked_as_by_the_plain_model(&mut entropy);
}

/// A text, into types of the application; behind a byte above 0x7F, choices for one that nearly fits them.
pub fn typed(data: &[u8]) {
    match data.split_first() {
        Some((0x80.., choices)) => {
            let text = decoding::fitting(&mut Entropy::new(choices));
            decoding::is_as_by_serde_json(text.as_bytes());
        }
        _ => decoding::is_as_by_serde_json(data),
    }
}

/// A link of a server, with frames that arrive between any two of its outputs.
pub fn link(data: &[u8]) {
    linking::answers_are_those_of_a_session_in_turn(&mut Entropy::new(data));
}

/// A client and a server.
pub fn pair(data: &[u8]) {
    pairing::each_request_ends_once(&mut Entropy::new(data));
}

/// What a server says. The first byte has the options; behind one above 0x7F are the lines of a client, else choices; behind
/// one from 0x40 to 0x7F, choices for a list that is asked for in pages.
pub fn server_answers(data: &[u8]) {
    match data.split_first() {
        Some((0x40..=0x7F, choices)) => answering::pages_make_the_list(&mut Entropy::new(choices)),
        _ => answering::answers_say_what_the_model_says(data),
    }
}

/// What handlers write, and what they are told. The first byte says whether the handler asks, or has nothing of its own.
pub fn server_replies(data: &[u8]) {
    match data.split_first() {
        Some((0xFE, choices)) => replying::a_call_goes_on_with_the_answer(&mut Entropy::new(choices)),
        Some((0xFF, choices)) => replying::a_handler_of_nothing_answers_so(&mut Entropy::new(choices)),
        _ => replying::replies_say_what_was_meant(&mut Entropy::new(data)),
    }
}

/// The output, answers and events of a client. The first byte says whether the host offers anything, or whether a
/// result has a member twice.
pub fn client_calls(data: &[u8]) {
    match data.split_first() {
        Some((0xFE, choices)) => {
            repeating::a_result_with_a_member_twice_is_invalid(&mut Entropy::new(choices))
        }
        Some((0xFF, choices)) => calling::a_host_of_nothing_refuses(&mut Entropy::new(choices)),
        _ => calling::a_client_says_what_was_meant(&mut Entropy::new(data)),
    }
}

/// A server with tables of this size and so much room in the output, in a session of these steps, each with the script
/// that handlers follow.
pub fn session_of<const N: usize>(room: usize, steps: &[(Step, &[u8])]) {
    serving::these_steps_are_owed_one_answer_each::<N>(room, steps);
}
