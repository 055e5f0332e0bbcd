//! The public corpus, case by case, each with a process of its own.

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
        assert_eq!(
            (outcome.code, outcome.stderr.as_str()),
            (Some(0), ""),
            "{}",
            case.name
        );
    }
}
