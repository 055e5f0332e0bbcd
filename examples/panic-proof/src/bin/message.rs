//! The message layer: framer, classifier, all views, writers, rewriting, what is kept.
#![no_std]
#![no_main]

use barewire::bytes::{Framer, Next, Sink};
use barewire::json::{JsonStr, Object, RawValue, Writer, validate};
use barewire::rpc::{
    ErrorCode, Message, RequestId, Rewrite, Rules, Skipper, Stored, StoredId, classify_value, classify_with,
    error_response, error_response_with_data, notification, rejection_response, request, result_response,
};
use panic_proof::keep;

/// # Safety
/// Both pointers must be good for their lengths.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(
    input: *const u8,
    input_length: usize,
    memory: *mut u8,
    memory_length: usize,
    rules: usize,
) {
    // SAFETY: by the caller's promise.
    let (input, memory) = unsafe {
        (
            core::slice::from_raw_parts(input, input_length),
            core::slice::from_raw_parts_mut(memory, memory_length),
        )
    };
    let rules = Rules::LENIENT.with_null_params(rules & 1 != 0).with_max_depth(rules as u8);
    keep(validate(input).map_err(|error| (error.kind().as_str(), error.offset())));
    let mut skipper = Skipper::<24>::new();
    let mut buffer = [0; 256];
    let mut framer = Framer::new(&mut buffer[..]);
    keep(framer.push(input));
    framer.commit(memory.len());
    keep(framer.space().len());
    framer.lost();
    loop {
        match framer.next() {
            Next::Line(line) => frame(line, &rules, memory),
            Next::Part(part) => skipper.feed(part),
            Next::TooLong => {
                keep(rejection_response(memory, &skipper.finish()));
                skipper.reset();
            }
            Next::Lost => skipper.reset(),
            Next::NeedMore => break,
        }
    }
    if let Next::Line(line) = framer.finish() {
        frame(line, &rules, memory);
    }
    framer.reset();
}

fn frame(line: &[u8], rules: &Rules, memory: &mut [u8]) {
    let message = match classify_with(line, rules) {
        Ok(message) => message,
        Err(rejection) => {
            keep((rejection.code(), rejection.offset(), rejection.reason().name()));
            keep(rejection_response(memory, &rejection));
            return;
        }
    };
    keep(Stored::<128>::new(&message).map(|stored| stored.view().frame().len()));
    rewrite(message, memory);
    match message {
        Message::Request(asked) => {
            id(asked.id());
            string(asked.method(), memory);
            keep(asked.target().map(JsonStr::is_empty));
            keep(result_response(memory, asked.id(), asked.params().unwrap_or(Object::EMPTY)));
            keep(error_response(memory, asked.id(), ErrorCode(-1), "text"));
            if let Some(params) = asked.params() {
                object(params, memory);
            }
        }
        Message::Notification(told) => {
            string(told.method(), memory);
            keep(notification(memory, "method", told.params()));
        }
        Message::Response(answer) => match answer.outcome() {
            Ok(result) => object(result, memory),
            Err(error) => {
                keep(error.code());
                string(error.message(), memory);
                keep(error.data().map(|data| classify_value(data, rules).is_ok()));
            }
        },
    }
}

fn id(id: RequestId<'_>) {
    keep((id.to_i64(), id.is_string(), id.text_len()));
    if let Ok(stored) = StoredId::<16>::new(id) {
        keep(stored.view() == id);
    }
}

fn object(object: Object<'_>, memory: &mut [u8]) {
    keep(object.get_each(["a", "b", "c"]).is_ok());
    for member in object.members() {
        string(member.name, memory);
        value(member.value, memory);
    }
}

fn value(value: RawValue<'_>, memory: &mut [u8]) {
    keep(value.as_bool());
    if let Some(array) = value.as_array() {
        keep(array.elements().count());
    }
    if let Some(text) = value.as_string() {
        string(text, memory);
    }
    if let Some(number) = value.as_number() {
        keep((number.to_i64(), number.to_u64(), number.to_fixed(2), number.compare(number)));
    }
    keep(error_response_with_data(memory, None, ErrorCode::PARSE_ERROR, "text", value));
    let mut sink = Sink::new(memory);
    let mark = sink.mark();
    let mut json = Writer::new(&mut sink);
    json.begin_object().name("name").raw(value);
    json.name("number").fixed(-1234, 3).unsigned(u64::MAX);
    json.begin_array().null().boolean(true).end_array();
    json.end_object();
    keep(sink.since(mark).is_ok());
    sink.rollback(mark);
}

fn string(string: JsonStr<'_>, memory: &mut [u8]) {
    keep((string == "name", string.starts_with("na"), string == JsonStr::EMPTY));
    keep(string.chars().filter(Result::is_ok).count());
    keep(string.unescape(memory).map(str::len));
    let mut sink = Sink::new(memory);
    let mut json = Writer::new(&mut sink);
    json.json_string(string).string(string).string(string.as_escaped());
    keep(sink.finish().is_ok());
}

fn rewrite(message: Message<'_>, memory: &mut [u8]) {
    let new = RequestId::from(7);
    keep(request(memory, new, "method", message.params()).is_ok());
    if let Ok(rewritten) = Rewrite::new(message).id(new)
        && let Ok(rewritten) = rewritten.progress_token(new)
        && let Ok(rewritten) = rewritten.request_id(new)
        && let Ok(rewritten) = rewritten.subscription_id(new)
    {
        keep(rewritten.write(memory).is_ok());
    }
}
