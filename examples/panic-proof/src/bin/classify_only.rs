//! The classifier and all views, without writers and floats: what a device needs that only reads.
#![no_std]
#![no_main]

use barewire::json::{JsonStr, Object, RawValue};
use barewire::rpc::{Message, RequestId, classify};
use panic_proof::keep;

/// # Safety
/// The pointer must be good for the length.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *const u8, input_length: usize) {
    // SAFETY: by the caller's promise.
    let input = unsafe { core::slice::from_raw_parts(input, input_length) };
    match classify(input) {
        Ok(Message::Request(asked)) => {
            id(asked.id());
            string(asked.method());
            keep(asked.target().map(JsonStr::is_empty));
            keep(asked.params().map(object));
        }
        Ok(Message::Notification(told)) => {
            string(told.method());
            keep(told.params().map(object));
        }
        Ok(Message::Response(answer)) => {
            keep(answer.id().map(id));
            match answer.outcome() {
                Ok(result) => object(result),
                Err(error) => {
                    keep(error.code());
                    string(error.message());
                    keep(error.data().map(value));
                }
            }
        }
        Err(rejection) => keep((rejection.code(), rejection.offset(), rejection.reply())),
    }
}

fn id(id: RequestId<'_>) {
    keep((id.to_i64(), id.is_string(), id.as_str()));
}

fn object(object: Object<'_>) {
    keep(object.get("name"));
    keep(object.get_each(["a", "b"]));
    for member in object.members() {
        string(member.name);
        value(member.value);
    }
}

fn value(value: RawValue<'_>) {
    keep((value.kind(), value.as_bool(), value.as_bytes()));
    if let Some(array) = value.as_array() {
        keep(array.elements().count());
    }
    if let Some(text) = value.as_string() {
        string(text);
    }
    if let Some(number) = value.as_number() {
        keep((number.to_i64(), number.to_u64(), number.to_fixed(2)));
    }
}

fn string(string: JsonStr<'_>) {
    keep(string == "name");
    keep(string.as_str());
    keep(string.chars().filter(Result::is_ok).count());
}
