//! Frames and what they are: the kind, or the reason, the code, the offset and the answer.

use barewire::json::ErrorKind;
use barewire::json::RawValue;
use barewire::rpc::{
    ErrorCode, Message, Reason, Rejection, Reply, RequestId, Rules, Skipper, classify, classify_with,
    error_response, error_response_with_data, notification, rejection_response,
};

use crate::support::properties;

/// What a frame is, in one line: `request`, or `repeated-member at 15, null`.
fn shown(result: &Result<Message<'_>, Rejection<'_>>) -> String {
    let rejection = match result {
        Ok(Message::Request(_)) => return "request".to_string(),
        Ok(Message::Notification(_)) => return "notification".to_string(),
        Ok(Message::Response(_)) => return "response".to_string(),
        Err(rejection) => rejection,
    };
    let place = rejection.offset().map(|offset| format!(" at {offset}")).unwrap_or_default();
    let owed = match rejection.reply() {
        Reply::Nobody => "nobody".to_string(),
        Reply::Null => "null".to_string(),
        Reply::To(id) => id.to_string(),
    };
    format!("{}{place}, {owed}", rejection.reason().name())
}

fn check(rows: &[(&str, &str)]) {
    for (frame, expected) in rows {
        assert_eq!(shown(&classify(frame.as_bytes())), *expected, "{frame}");
        properties::classify(frame.as_bytes());
    }
}

#[test]
fn requests_and_notifications() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "request"),
        (r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#, "notification"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","error":7}"#, "request"),
        (r#"{"jsonrpc":"2.0","method":"x","result":null,"error":null}"#, "notification"),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":"","method":"x"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":0,"method":"x"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":-0,"method":"x"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":-7,"method":"x"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":1234567890123456789012345678901234567890,"method":"x"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"\udc00"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{}}"#, "request"),
        (r#"{"params":{"id":null},"method":"x","id":1,"jsonrpc":"2.0"}"#, "request"),
        (r#"{"\u006asonrpc":"\u0032.0","\u0069d":1,"m\u0065thod":"x"}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","unknown":[{"id":2}],"":0}"#, "request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","unknown":1,"unknown":2}"#, "request"),
        ("\t{ \"jsonrpc\" : \"2.0\" ,\r\n\"id\" : 1 , \"method\" : \"x\" } \r", "request"),
        (r#"{"jsonrpc":"2.0","method":"x","Id":1,"ID":2}"#, "notification"),
        (r#"{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}"#, "notification"),
    ]);
}

#[test]
fn responses() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":"1","result":{"a":{"a":1,"a":2}}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"params":[]}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":""}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-0,"message":"m","data":null}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":99999999999999999999,"message":"\ud800"}}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"m\u0065ssage":"m","c\u006fde":1,"x":1,"x":2}}"#, "response"),
    ]);
}

#[test]
fn what_is_not_json() {
    check(&[
        ("not-json", "not-json at 1, null"),
        ("", "not-json at 0, null"),
        ("  ", "not-json at 2, null"),
        (r#"{"a":01}"#, "not-json at 6, null"),
        ("{}x", "not-json at 2, null"),
        ("{", "not-json at 1, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x""#, "not-json at 36, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x",}"#, "not-json at 37, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x" "params":{}}"#, "not-json at 37, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x"}}"#, "not-json at 37, null"),
        (r#"{"jsonrpc":"2.0","id":1,method:"x"}"#, "not-json at 24, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method" "x"}"#, "not-json at 33, null"),
        (r#"{"jsonrpc":"2.0","id":NaN,"method":"x"}"#, "not-json at 22, null"),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\nb\"}", "not-json at 35, null"),
        (r#"{"id":1,"result":{}"#, "not-json at 19, null"),
        (r#"[1,]"#, "not-json at 3, null"),
        (r#""x"#, "not-json at 2, null"),
        ("\u{FEFF}{}", "not-json at 0, null"),
    ]);
    let not_utf8 = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}";
    let rejection = classify(not_utf8).unwrap_err();
    assert_eq!(rejection.reason(), Reason::NotJson(ErrorKind::InvalidUtf8));
    assert_eq!((rejection.offset(), rejection.reply()), (Some(34), Reply::Null));
    assert_eq!(rejection.to_string(), "-32700 not-json, invalid UTF-8 at byte 34");
}

#[test]
fn json_but_no_message() {
    check(&[
        ("42", "not-an-object at 0, null"),
        (" \"id\"", "not-an-object at 1, null"),
        ("null", "not-an-object at 0, null"),
        ("true", "not-an-object at 0, null"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#, "batch at 0, null"),
        (" []", "batch at 1, null"),
        ("{}", "missing-version, null"),
        (r#"{"id":1,"method":"x"}"#, "missing-version, 1"),
        (r#"{"method":"x"}"#, "missing-version, null"),
        (r#"{"JSONRPC":"2.0","id":1,"method":"x"}"#, "missing-version, 1"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, "wrong-version at 11, 1"),
        (r#"{"jsonrpc":2.0,"id":1,"method":"x"}"#, "wrong-version at 11, 1"),
        (r#"{"jsonrpc":"2.0 ","id":1,"method":"x"}"#, "wrong-version at 11, 1"),
        (r#"{"jsonrpc":null,"id":"a","method":"x"}"#, r#"wrong-version at 11, "a""#),
        (r#"{"jsonrpc":"2.0","id":1}"#, "not-a-message at 0, 1"),
        (r#" {"jsonrpc":"2.0","params":{}}"#, "not-a-message at 1, null"),
        (r#"{"jsonrpc":"2.0","id":1,"METHOD":"x"}"#, "not-a-message at 0, 1"),
    ]);
}

#[test]
fn calls_with_a_fault() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"x"}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"x"}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":1e2,"method":"x"}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#, "params-not-an-object at 46, 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#, "params-not-an-object at 46, 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":"{}"}"#, "params-not-an-object at 46, 1"),
        (r#"{"jsonrpc":"2.0","method":"x","params":[]}"#, "params-not-an-object at 39, nobody"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"x","params":[]}"#, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, "method-not-a-string at 33, 1"),
        (r#"{"jsonrpc":"2.0","method":1}"#, "method-not-a-string at 26, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":7,"result":{}}"#, "method-not-a-string at 33, 1"),
        (r#"{"jsonrpc":"2.0","method":["x"],"params":[]}"#, "method-not-a-string at 26, null"),
    ]);
}

#[test]
fn members_that_occur_twice() {
    check(&[
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"x"}"#, "repeated-member at 17, 1"),
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"x"}"#, "repeated-member at 24, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","method":"x"}"#, "repeated-member at 37, 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","m\u0065thod":"y"}"#, "repeated-member at 37, 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{},"params":{}}"#, "repeated-member at 49, 1"),
        (r#"{"jsonrpc":"2.0","method":"x","params":{},"params":{}}"#, "repeated-member at 42, nobody"),
        (r#"{"jsonrpc":"2.0","method":"x","params":[],"params":{}}"#, "repeated-member at 42, nobody"),
        (r#"{"jsonrpc":"1.0","method":"x","params":{},"params":{}}"#, "repeated-member at 42, null"),
        (
            r#"{"jsonrpc":"2.0","method":"x","method":"x","params":{},"params":{}}"#,
            "repeated-member at 30, null",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":1,"result":2}"#, "repeated-member at 48, 1"),
        (r#"{"jsonrpc":"2.0","method":"x","error":1,"error":2}"#, "repeated-member at 40, null"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, "repeated-member at 36, nobody"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#, "repeated-member at 24, nobody"),
        (r#"{"id":1,"id":2,"a":3,"jsonrpc":1,"jsonrpc":2}"#, "repeated-member at 8, null"),
    ]);
}

#[test]
fn responses_with_a_fault_are_never_answered() {
    check(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
            "result-and-error at 0, nobody",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}}"#,
            "result-and-error at 0, nobody",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "result-not-an-object at 33, nobody"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, "result-not-an-object at 33, nobody"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "result-without-id, nobody"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "invalid-id at 22, nobody"),
        (r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"m"}}"#, "invalid-id at 22, nobody"),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, "error-not-an-object at 32, nobody"),
        (r#"{"jsonrpc":"2.0","id":1,"error":"m"}"#, "error-not-an-object at 32, nobody"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
            "invalid-error-code at 32, nobody",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.0,"message":"m"}}"#,
            "invalid-error-code at 32, nobody",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#, "invalid-error-code at 32, nobody"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, "invalid-error-message at 32, nobody"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}"#,
            "invalid-error-message at 32, nobody",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","c\u006fde":2}}"#,
            "repeated-error-member at 32, nobody",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":1,"data":1}}"#,
            "repeated-error-member at 32, nobody",
        ),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#, "error-without-id, nobody"),
        (r#"{"jsonrpc":"2.0","error":{"code":1}}"#, "invalid-error-message at 25, nobody"),
        (r#"{"id":1,"result":{}}"#, "missing-version, nobody"),
        (r#"{"jsonrpc":"1.0","id":1,"error":{}}"#, "wrong-version at 11, nobody"),
    ]);
}

/// `levels` arrays around nothing.
fn arrays(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn frames_that_nest_too_deep_are_answered_with_their_id() {
    let (deep, deeper) = (arrays(127), arrays(128));
    let rows = [
        (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","a":{deep}}}"#), "request"),
        (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","a":{deeper}}}"#), "too-deep at 168, 1"),
        (format!(r#"{{"jsonrpc":"2.0","method":"x","a":{deeper},"id":"z"}}"#), r#"too-deep at 161, "z""#),
        (format!(r#"{{"jsonrpc":"2.0","method":"x","a":{deeper}}}"#), "too-deep at 161, nobody"),
        (format!(r#"{{"jsonrpc":"2.0","method":"x","a":{deeper},"id":null}}"#), "too-deep at 161, null"),
        (format!(r#"{{"jsonrpc":"2.0","method":"x","a":{deeper},"id":1,"id":2}}"#), "too-deep at 161, null"),
        (format!(r#"{{"id":1,"id":1,"method":"x","a":{deeper}}}"#), "too-deep at 159, null"),
        (format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deeper}}}"#), "too-deep at 160, nobody"),
        (format!(r#"{{"id":1,"error":{deeper}}}"#), "too-deep at 143, nobody"),
        (format!(r#"{{"id":1,"params":{deeper}}}"#), "too-deep at 144, null"),
        (format!(r#"[{{"id":1,"method":"x"}},{deeper}]"#), "too-deep at 150, null"),
        (arrays(129), "too-deep at 128, null"),
    ];
    for (frame, expected) in &rows {
        check(&[(frame, expected)]);
    }
}

#[test]
fn leniencies_let_pass_what_they_name_and_nothing_else() {
    let null_params = Rules::STRICT.with_null_params(true);
    let empty_params = Rules::STRICT.with_empty_array_params(true);
    let no_id = Rules::STRICT.with_error_without_id(true);
    let rows = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#, null_params, "request"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#,
            null_params,
            "params-not-an-object at 46, 1",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[ ]}"#, empty_params, "request"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[0]}"#,
            empty_params,
            "params-not-an-object at 46, 1",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"x","params":null}"#,
            empty_params,
            "params-not-an-object at 39, nobody",
        ),
        (r#"{"jsonrpc":"2.0","method":"x","params":null}"#, Rules::LENIENT, "notification"),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#, no_id, "response"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, no_id, "result-without-id, nobody"),
        (
            r#"{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":"m"}}"#,
            Rules::LENIENT,
            "invalid-id at 22, nobody",
        ),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"x"}"#, Rules::LENIENT, "invalid-id at 22, null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, Rules::STRICT.with_max_depth(1), "request"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","a":[]}"#,
            Rules::STRICT.with_max_depth(1),
            "too-deep at 41, 1",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, Rules::STRICT.with_max_depth(0), "too-deep at 0, 1"),
        ("1", Rules::STRICT.with_max_depth(0), "not-an-object at 0, null"),
    ];
    for (frame, rules, expected) in rows {
        assert_eq!(shown(&classify_with(frame.as_bytes(), &rules)), expected, "{frame}");
    }
    let all = Rules::STRICT.with_null_params(true).with_empty_array_params(true).with_error_without_id(true);
    assert_eq!((Rules::default(), all.with_max_depth(255)), (Rules::STRICT, Rules::LENIENT));
    // Params that count as absent are absent.
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#;
    assert_eq!(classify_with(frame, &Rules::LENIENT).unwrap().params(), None);
}

#[test]
fn every_combination_of_members_is_judged_as_the_slow_classifier_does() {
    let choices: [&[&str]; 6] = [
        &["", r#""jsonrpc":"2.0","#, r#""jsonrpc":2.0,"#, r#""jsonrpc":"2.0","jsonrpc":"2.0","#],
        &["", r#""id":"a","#, r#""id":null,"#, r#""id":1,"id":1,"#],
        &["", r#""method":"x","#, r#""method":null,"#, r#""method":"x","m\u0065thod":"x","#],
        &["", r#""params":{},"#, r#""params":[],"#, r#""params":{},"params":null,"#],
        &["", r#""result":{},"#, r#""result":null,"#, r#""result":{},"result":{},"#],
        &["", r#""error":{"code":1,"message":""},"#, r#""error":{"message":""},"#, r#""error":1,"error":1,"#],
    ];
    // A share of them under Miri, in which each choice meets each other one.
    for combination in (0..4usize.pow(6)).step_by(if cfg!(miri) { 61 } else { 1 }) {
        let members: String = (0..6).map(|at| choices[at][combination >> (2 * at) & 3]).collect();
        properties::classify(format!("{{{}}}", members.trim_end_matches(',')).as_bytes());
    }
}

#[test]
fn each_reason_has_its_code_and_message() {
    let not_json = [
        (Reason::NotJson(ErrorKind::UnexpectedEnd), "Parse error", "not-json"),
        (Reason::TooDeep, "Message too deep", "too-deep"),
        (Reason::TooLong, "Message too long", "too-long"),
    ];
    for (reason, message, name) in not_json {
        assert_eq!((reason.code(), reason.message(), reason.name()), (ErrorCode::PARSE_ERROR, message, name));
    }
    let no_message = [
        (Reason::Batch, "batch"),
        (Reason::NotAnObject, "not-an-object"),
        (Reason::RepeatedMember, "repeated-member"),
        (Reason::MissingVersion, "missing-version"),
        (Reason::WrongVersion, "wrong-version"),
        (Reason::MethodNotAString, "method-not-a-string"),
        (Reason::InvalidId, "invalid-id"),
        (Reason::ParamsNotAnObject, "params-not-an-object"),
        (Reason::NotAMessage, "not-a-message"),
        (Reason::ResultAndError, "result-and-error"),
        (Reason::ResultNotAnObject, "result-not-an-object"),
        (Reason::ErrorNotAnObject, "error-not-an-object"),
        (Reason::RepeatedErrorMember, "repeated-error-member"),
        (Reason::InvalidErrorCode, "invalid-error-code"),
        (Reason::InvalidErrorMessage, "invalid-error-message"),
        (Reason::ResultWithoutId, "result-without-id"),
        (Reason::ErrorWithoutId, "error-without-id"),
    ];
    for (reason, name) in no_message {
        let code = ErrorCode::INVALID_REQUEST;
        assert_eq!((reason.code(), reason.message(), reason.name()), (code, "Invalid Request", name));
    }
}

#[test]
fn what_the_sender_of_a_rejected_frame_gets() {
    let deep = format!(r#"{{"method":"x","params":{{"a":{}}},"id":"d"}}"#, arrays(128));
    let rows = [
        ("not-json", Some(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#)),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            Some(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#),
        ),
        (
            r#"{"jsonrpc":"1.0","id":"a\u0062","method":"x"}"#,
            Some(r#"{"jsonrpc":"2.0","id":"a\u0062","error":{"code":-32600,"message":"Invalid Request"}}"#),
        ),
        (
            deep.as_str(),
            Some(r#"{"jsonrpc":"2.0","id":"d","error":{"code":-32700,"message":"Message too deep"}}"#),
        ),
        (r#"{"jsonrpc":"2.0","method":"x","params":[]}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, None),
    ];
    for (frame, expected) in rows {
        let rejection = classify(frame.as_bytes()).unwrap_err();
        let mut memory = [0; 128];
        let answer = rejection_response(&mut memory, &rejection).unwrap();
        assert_eq!(answer, expected.map(str::as_bytes), "{frame}");
    }
    let mut skipper = Skipper::<8>::new();
    skipper.feed(br#"{"method":"x","params":{"id":1},"id":12345678}"#);
    let mut memory = [0; 128];
    assert_eq!(
        rejection_response(&mut memory, &skipper.finish()).unwrap().unwrap(),
        br#"{"jsonrpc":"2.0","id":12345678,"error":{"code":-32700,"message":"Message too long"}}"#
    );
}

#[test]
fn written_messages_are_exact() {
    let mut memory = [0; 256];
    assert_eq!(
        error_response(&mut memory, RequestId::from(1), ErrorCode::METHOD_NOT_FOUND, "Method not found")
            .unwrap(),
        br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#
    );
    let data = RawValue::new(br#"{"method":"tools/cal"}"#).unwrap();
    assert_eq!(
        error_response_with_data(&mut memory, RequestId::from(1), ErrorCode::METHOD_NOT_FOUND, "Method not found", data)
            .unwrap(),
        br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":{"method":"tools/cal"}}}"#
    );
    let id = RequestId::from("123e4567-e89b-12d3-a456-426614174000");
    let data = RawValue::new(br#""The method 'unknown_method' is not supported""#).unwrap();
    assert_eq!(
        error_response_with_data(&mut memory, id, ErrorCode::METHOD_NOT_FOUND, "Method not found", data)
            .unwrap(),
        concat!(
            r#"{"jsonrpc":"2.0","id":"123e4567-e89b-12d3-a456-426614174000","error":{"code":-32601,"#,
            r#""message":"Method not found","data":"The method 'unknown_method' is not supported"}}"#
        )
        .as_bytes()
    );
    let params = RawValue::new(br#"{"progressToken":"abc-123","progress":42,"total":100}"#).unwrap();
    assert_eq!(
        notification(&mut memory, "notifications/progress", params.as_object()).unwrap(),
        concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/progress","#,
            r#""params":{"progressToken":"abc-123","progress":42,"total":100}}"#
        )
        .as_bytes()
    );
}
