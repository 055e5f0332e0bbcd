//! The scanner for machines with vectors (x86-64). It accepts or does not: where it does not, the scalar scanner
//! judges, and says why and where.

mod blocks;
mod lanes;
mod number;

/// Whether so many bytes are left that a block of them is faster than one byte after the other.
#[inline(always)]
pub(super) fn is_worth_it(text: &[u8], at: usize) -> bool {
    text.len() >= 64 && text.len().saturating_sub(at) >= 64
}

/// Behind the object or array that starts at `at`, if it is valid and at most `room` levels deep. `None` where the
/// processor cannot do it.
#[inline(always)]
#[allow(clippy::option_option, reason = "not able; not valid; the end")]
pub(super) fn container(text: &[u8], at: usize, room: u8, high: &mut bool) -> Option<Option<usize>> {
    let v3 = lanes::Avx2::try_new()?;
    Some(v3.vectorize(Wide {
        v3,
        text,
        at,
        room,
        high,
    }))
}

/// The work under AVX2: what is inlined into it is compiled for it.
struct Wide<'a, 'h> {
    v3: lanes::Avx2,
    text: &'a [u8],
    at: usize,
    room: u8,
    high: &'h mut bool,
}

impl pulp::NullaryFnOnce for Wide<'_, '_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        blocks::container(self.v3, self.text, self.at, self.room, self.high)
    }
}
