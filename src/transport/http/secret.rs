//! Comparison of secrets.

use core::hint::black_box;

/// Whether a received text is a secret, in a time that depends on the length of the received text alone.
pub(crate) fn is_secret(received: &[u8], secret: &[u8]) -> bool {
    let mut difference = u8::from(received.len() != secret.len());
    let mut expected = secret.iter();
    for byte in received {
        difference |= byte ^ expected.next().copied().unwrap_or_default();
        // Keeps the compiler from leaving the loop early.
        difference = black_box(difference);
    }
    difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h63_only_the_whole_secret_is_equal() {
        let cases = [
            ("s3cret", "s3cret", true),
            ("", "", true),
            ("s3cre", "s3cret", false),
            ("s3cret0", "s3cret", false),
            ("s3cret\0", "s3cret", false),
            ("S3cret", "s3cret", false),
            ("", "s3cret", false),
            ("x", "", false),
        ];
        for (received, secret, equal) in cases {
            assert_eq!(
                is_secret(received.as_bytes(), secret.as_bytes()),
                equal,
                "{received:?} and {secret:?}"
            );
        }
    }
}
