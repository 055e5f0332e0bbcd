//! Bytes that steer a generator: a fuzzer's input, or proptest's.

/// A supply of choices. Once it is used up every choice is the first one, so that every generator ends.
#[derive(Debug, Clone)]
pub struct Entropy<'a> {
    rest: &'a [u8],
}

impl<'a> Entropy<'a> {
    /// Takes its choices from `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether there are no choices left but first ones.
    pub fn is_used_up(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, or 0.
    pub fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((byte, rest)) => {
                self.rest = rest;
                *byte
            }
            None => 0,
        }
    }

    /// A number below `limit`, which is at most 65536.
    pub fn below(&mut self, limit: usize) -> usize {
        let mut number = usize::from(self.byte());
        if limit > 256 {
            number = number * 256 + usize::from(self.byte());
        }
        number % limit.max(1)
    }

    /// True once in `times`, and never when used up.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of `choices`; the first when used up.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Eight bytes as a number.
    pub fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }
}
