//! The client's answer to a question, by its place.

use super::piece::Piece;
use crate::engine::server::Answer;
use crate::rpc::ErrorObject;

/// An answer whose text is in the frame that it came with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answered {
    Result(Piece),
    Error(Piece),
    Malformed,
    TimedOut,
}

impl Answered {
    pub(super) fn of(frame: &[u8], answer: Answer<'_>) -> Self {
        match answer {
            Answer::Result(result) => Self::Result(Piece::of_object(frame, result)),
            Answer::Error(error) => Self::Error(Piece::of_object(frame, error.object())),
            Answer::Malformed => Self::Malformed,
            Answer::TimedOut => Self::TimedOut,
        }
    }

    /// The answer, with its frame again.
    pub(crate) fn answer(self, frame: &[u8]) -> Answer<'_> {
        match self {
            Self::Result(result) => Answer::Result(result.object(frame)),
            Self::Error(error) => Answer::Error(ErrorObject::from_valid(error.object(frame))),
            Self::Malformed => Answer::Malformed,
            Self::TimedOut => Answer::TimedOut,
        }
    }
}
