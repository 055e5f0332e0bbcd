//! What must hold whatever the input. Each function panics where it does not.
//!
//! Those of [`TARGETS`] are the fuzz targets of the same names; `tests/it` runs them too, on generated input and over the
//! corpus.

mod client_session;
mod composing;
mod framing;
mod judging;
mod numbers;
mod placing;
mod rewriting;
mod scanning;
mod serving;
mod strings;
mod typed;
mod views;
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

/// A server with tables of this size and so much room in the output, in a session of these steps, each with the script
/// that handlers follow.
pub fn session_of<const N: usize>(room: usize, steps: &[(Step, &[u8])]) {
    serving::these_steps_are_owed_one_answer_each::<N>(room, steps);
}
