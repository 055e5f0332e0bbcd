//! The classifier and every view of a message.
#![no_std]
#![no_main]

use barewire::rpc::{Message, classify};
use footprint::{keep, memory};

/// # Safety
/// As [`memory`].
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize) {
    // SAFETY: by the caller's promise.
    let input = unsafe { memory(input, length) };
    match classify(input) {
        Ok(Message::Request(request)) => {
            keep(request.id().to_i64());
            keep(request.method().as_escaped_bytes());
            keep(request.target().map(|target| target == "lamp"));
            if let Some(params) = request.params() {
                keep(params.get("arguments"));
                for member in params.members() {
                    keep(member.name.as_str());
                    keep(member.value.as_bool());
                    keep(member.value.as_array().map(|array| array.elements().count()));
                    if let Some(number) = member.value.as_number() {
                        keep(number.to_i64());
                        keep(number.to_fixed(2));
                    }
                }
            }
        }
        Ok(Message::Notification(notification)) => keep(notification.method().is_empty()),
        Ok(Message::Response(response)) => {
            keep(response.outcome().map_err(|error| (error.code(), error.message().is_empty())))
        }
        Err(rejection) => keep((rejection.code(), rejection.offset())),
    }
}
