//! One message judged, as views.

use core::ffi::c_void;

use barewire::json::{Object, RawValue};
use barewire::rpc::{ErrorObject, Message, Reason, Rejection, Reply, Rules, classify_with};

use crate::border::{self, Out, Text};
use crate::status::{self, BAREWIRE_ERROR_FLAGS, Result, Status};

/// No leniency.
pub const BAREWIRE_RULES_STRICT: u32 = 0;
/// `"params":null` counts as absent.
pub const BAREWIRE_RULES_NULL_PARAMS: u32 = 1;
/// `"params":[]` counts as absent.
pub const BAREWIRE_RULES_EMPTY_ARRAY_PARAMS: u32 = 2;
/// An error without an `id` is a response.
pub const BAREWIRE_RULES_ERROR_WITHOUT_ID: u32 = 4;
/// All leniencies.
pub const BAREWIRE_RULES_LENIENT: u32 = 7;

/// No message.
pub const BAREWIRE_INVALID: i32 = 0;
/// Wants one response.
pub const BAREWIRE_REQUEST: i32 = 1;
/// Wants none.
pub const BAREWIRE_NOTIFICATION: i32 = 2;
/// A response with a result.
pub const BAREWIRE_RESULT: i32 = 3;
/// A response with an error.
pub const BAREWIRE_ERROR: i32 = 4;

/// No answer is owed.
pub const BAREWIRE_REPLY_NOBODY: i32 = 0;
/// An error with `"id":null` is owed.
pub const BAREWIRE_REPLY_NULL: i32 = 1;
/// An answer with the message's own id is owed.
pub const BAREWIRE_REPLY_ID: i32 = 2;

/// It is a message.
pub const BAREWIRE_REASON_NONE: i32 = 0;
/// Not exactly one JSON text in UTF-8.
pub const BAREWIRE_REASON_NOT_JSON: i32 = 1;
/// Nested too deep.
pub const BAREWIRE_REASON_TOO_DEEP: i32 = 2;
/// Longer than the buffer (or than 4 GiB).
pub const BAREWIRE_REASON_TOO_LONG: i32 = 3;
/// A top-level array.
pub const BAREWIRE_REASON_BATCH: i32 = 4;
/// A top-level string, number, boolean or `null`.
pub const BAREWIRE_REASON_NOT_AN_OBJECT: i32 = 5;
/// A member of the envelope occurs twice.
pub const BAREWIRE_REASON_REPEATED_MEMBER: i32 = 6;
/// No `jsonrpc`.
pub const BAREWIRE_REASON_MISSING_VERSION: i32 = 7;
/// `jsonrpc` is not `"2.0"`.
pub const BAREWIRE_REASON_WRONG_VERSION: i32 = 8;
/// `method` is no string.
pub const BAREWIRE_REASON_METHOD_NOT_A_STRING: i32 = 9;
/// `id` is no string and no integer.
pub const BAREWIRE_REASON_INVALID_ID: i32 = 10;
/// `params` is no object.
pub const BAREWIRE_REASON_PARAMS_NOT_AN_OBJECT: i32 = 11;
/// Neither `method` nor `result` nor `error`.
pub const BAREWIRE_REASON_NOT_A_MESSAGE: i32 = 12;
/// Both `result` and `error`.
pub const BAREWIRE_REASON_RESULT_AND_ERROR: i32 = 13;
/// `result` is no object.
pub const BAREWIRE_REASON_RESULT_NOT_AN_OBJECT: i32 = 14;
/// `error` is no object.
pub const BAREWIRE_REASON_ERROR_NOT_AN_OBJECT: i32 = 15;
/// A member of the error object occurs twice.
pub const BAREWIRE_REASON_REPEATED_ERROR_MEMBER: i32 = 16;
/// The error object has no integer `code`.
pub const BAREWIRE_REASON_INVALID_ERROR_CODE: i32 = 17;
/// The error object has no string `message`.
pub const BAREWIRE_REASON_INVALID_ERROR_MESSAGE: i32 = 18;
/// A result without an `id`.
pub const BAREWIRE_REASON_RESULT_WITHOUT_ID: i32 = 19;
/// An error without an `id`.
pub const BAREWIRE_REASON_ERROR_WITHOUT_ID: i32 = 20;

/// `barewire_message`: what a frame is. The texts stand in the frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Classified {
    /// One of the kinds.
    pub kind: i32,
    /// What its sender is owed.
    pub reply: i32,
    /// Why it is no message.
    pub reason: i32,
    /// The byte at which it is none; `SIZE_MAX` where there is no such place.
    pub offset: usize,
    /// Of an error, or of the error that is owed.
    pub code: i64,
    /// `"not-json"` and the like; always there, not in the frame.
    pub reason_name: Text,
    /// The id's JSON text, quotes included.
    pub id: Text,
    /// The method's JSON text, quotes included.
    pub method: Text,
    /// `params.name` or else `params.uri`, likewise.
    pub target: Text,
    /// The params, an object.
    pub params: Text,
    /// The result, an object.
    pub result: Text,
    /// The message of an error, a JSON string.
    pub error_message: Text,
    /// The data of an error, any JSON value.
    pub error_data: Text,
}

impl Classified {
    const NONE: Self = Self {
        kind: BAREWIRE_INVALID,
        reply: BAREWIRE_REPLY_NOBODY,
        reason: BAREWIRE_REASON_NONE,
        offset: usize::MAX,
        code: 0,
        reason_name: Text::NONE,
        id: Text::NONE,
        method: Text::NONE,
        target: Text::NONE,
        params: Text::NONE,
        result: Text::NONE,
        error_message: Text::NONE,
        error_data: Text::NONE,
    };
}

/// Judges one frame.
///
/// # Safety
/// `frame` is good for reads of `length` bytes, `message` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_classify(
    frame: *const c_void,
    length: usize,
    rules: u32,
    message: *mut Classified,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { classify(frame, length, rules, message) })
}

/// # Safety
/// As [`barewire_classify`].
unsafe fn classify(frame: *const c_void, length: usize, rules: u32, message: *mut Classified) -> Result<()> {
    // SAFETY: by the caller's promise, here and below.
    let message = unsafe { Out::new(message) }?;
    // SAFETY: see above.
    let frame = unsafe { border::bytes(frame, length) }?;
    message.put(match classify_with(frame, &rules_of(rules)?) {
        Ok(judged) => of_message(&judged, frame),
        Err(rejection) => of_rejection(&rejection, frame),
    });
    Ok(())
}

/// The leniencies that the bits of `flags` stand for.
pub(crate) fn rules_of(flags: u32) -> Result<Rules> {
    if flags & !BAREWIRE_RULES_LENIENT != 0 {
        return Err(BAREWIRE_ERROR_FLAGS);
    }
    let has = |flag| flags & flag != 0;
    Ok(Rules::STRICT
        .with_null_params(has(BAREWIRE_RULES_NULL_PARAMS))
        .with_empty_array_params(has(BAREWIRE_RULES_EMPTY_ARRAY_PARAMS))
        .with_error_without_id(has(BAREWIRE_RULES_ERROR_WITHOUT_ID)))
}

fn of_message(message: &Message<'_>, frame: &[u8]) -> Classified {
    let mut view = Classified {
        id: message.id().map_or(Text::NONE, |_| id_in(frame)),
        method: Text::of_string(message.method(), frame),
        target: Text::of_string(message.target(), frame),
        params: Text::of_value(message.params().map(Object::as_value)),
        ..Classified::NONE
    };
    match message {
        Message::Request(_) => (view.kind, view.reply) = (BAREWIRE_REQUEST, BAREWIRE_REPLY_ID),
        Message::Notification(_) => view.kind = BAREWIRE_NOTIFICATION,
        Message::Response(response) => match response.outcome() {
            Ok(result) => {
                view.kind = BAREWIRE_RESULT;
                view.result = Text::of_value(Some(result.as_value()));
            }
            Err(error) => set_error(&mut view, error),
        },
    }
    view
}

fn set_error(view: &mut Classified, error: ErrorObject<'_>) {
    view.kind = BAREWIRE_ERROR;
    view.code = error.code().0;
    view.error_message = Text::of_value(error.object().get("message"));
    view.error_data = Text::of_value(error.data());
}

fn of_rejection(rejection: &Rejection<'_>, frame: &[u8]) -> Classified {
    let (reply, id) = match rejection.reply() {
        Reply::Nobody => (BAREWIRE_REPLY_NOBODY, Text::NONE),
        Reply::Null => (BAREWIRE_REPLY_NULL, Text::NONE),
        Reply::To(_) => (BAREWIRE_REPLY_ID, id_in(frame)),
    };
    Classified {
        reply,
        id,
        reason: number(rejection.reason()),
        reason_name: Text::of(rejection.reason().name().as_bytes()),
        offset: rejection.offset().unwrap_or(usize::MAX),
        code: rejection.code().0,
        ..Classified::NONE
    }
}

/// The text of the frame's id, which was judged to be one. Nothing for a frame that is nested too deep.
fn id_in(frame: &[u8]) -> Text {
    let object = RawValue::new(frame).ok().and_then(RawValue::as_object);
    Text::of_value(object.and_then(|object| object.get("id")).filter(|id| !id.is_null()))
}

pub(crate) fn number(reason: Reason) -> i32 {
    match reason {
        Reason::NotJson(_) => BAREWIRE_REASON_NOT_JSON,
        Reason::TooDeep => BAREWIRE_REASON_TOO_DEEP,
        Reason::TooLong => BAREWIRE_REASON_TOO_LONG,
        Reason::Batch => BAREWIRE_REASON_BATCH,
        Reason::NotAnObject => BAREWIRE_REASON_NOT_AN_OBJECT,
        Reason::RepeatedMember => BAREWIRE_REASON_REPEATED_MEMBER,
        Reason::MissingVersion => BAREWIRE_REASON_MISSING_VERSION,
        Reason::WrongVersion => BAREWIRE_REASON_WRONG_VERSION,
        Reason::MethodNotAString => BAREWIRE_REASON_METHOD_NOT_A_STRING,
        Reason::InvalidId => BAREWIRE_REASON_INVALID_ID,
        Reason::ParamsNotAnObject => BAREWIRE_REASON_PARAMS_NOT_AN_OBJECT,
        Reason::NotAMessage => BAREWIRE_REASON_NOT_A_MESSAGE,
        Reason::ResultAndError => BAREWIRE_REASON_RESULT_AND_ERROR,
        Reason::ResultNotAnObject => BAREWIRE_REASON_RESULT_NOT_AN_OBJECT,
        Reason::ErrorNotAnObject => BAREWIRE_REASON_ERROR_NOT_AN_OBJECT,
        Reason::RepeatedErrorMember => BAREWIRE_REASON_REPEATED_ERROR_MEMBER,
        Reason::InvalidErrorCode => BAREWIRE_REASON_INVALID_ERROR_CODE,
        Reason::InvalidErrorMessage => BAREWIRE_REASON_INVALID_ERROR_MESSAGE,
        Reason::ResultWithoutId => BAREWIRE_REASON_RESULT_WITHOUT_ID,
        Reason::ErrorWithoutId => BAREWIRE_REASON_ERROR_WITHOUT_ID,
    }
}
