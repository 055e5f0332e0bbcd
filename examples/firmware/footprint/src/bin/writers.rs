//! The classifier, and the writers of every kind of message.
#![no_std]
#![no_main]

use barewire::json::Object;
use barewire::rpc::{
    ErrorCode, Message, classify, error_response, notification, rejection_response, request, result_response,
};
use footprint::{keep, memory};

/// # Safety
/// As [`memory`], for both.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    let (input, out) = unsafe { (memory(input, length), memory(output, room)) };
    match classify(input) {
        Ok(Message::Request(asked)) => {
            let params = asked.params().unwrap_or(Object::EMPTY);
            keep(result_response(out, asked.id(), params).is_ok());
            keep(error_response(out, asked.id(), ErrorCode::METHOD_NOT_FOUND, "Method not found").is_ok());
            keep(request(out, asked.id(), "ping", None).is_ok());
        }
        Ok(Message::Notification(told)) => keep(notification(out, "notifications/x", told.params()).is_ok()),
        Ok(Message::Response(_)) => {}
        Err(rejection) => keep(rejection_response(out, &rejection).is_ok()),
    }
}
