//! The public corpus: each case with a server of its own, and all of them through `classify`.

use crate::cases;
use crate::program::run;

#[test]
fn serve_answers_as_the_file_says() {
    for case in cases::all() {
        let limit = case.max_line.map(|length| length.to_string());
        let mut arguments = vec!["serve"];
        if let Some(limit) = &limit {
            arguments.extend(["--max-input", limit]);
        }
        let outcome = run(&arguments, &case.stream());
        assert_eq!(outcome.stdout, case.output(), "{}", case.name);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", case.name);
    }
}

#[test]
fn classify_prints_the_expected_verdicts() {
    let cases: Vec<cases::Case> =
        cases::all().into_iter().filter(|case| !case.is_stream && case.max_line.is_none()).collect();
    let input: Vec<u8> = cases.iter().flat_map(cases::Case::stream).collect();
    let outcome = run(&["classify", "--json"], &input);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
    let lines: Vec<&str> = outcome.stdout.split_terminator('\n').collect();
    assert_eq!(lines.len(), cases.len());
    for (case, line) in cases.iter().zip(lines) {
        let verdict = &case.messages[0];
        // That of a request is of its method.
        let code = verdict.code.filter(|_| verdict.kind == "invalid");
        let code = code.map_or("null".to_string(), |code| code.to_string());
        // The rest may have half a surrogate pair, which serde_json does not decode.
        let beginning = format!(r#"{{"kind":"{}","error_code":{code},"#, verdict.kind);
        assert!(line.starts_with(&beginning), "{}: {line}", case.name);
    }
}
