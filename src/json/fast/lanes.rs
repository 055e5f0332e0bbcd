//! Sixty-four bytes at once, and a bit for each of them.

/// Operations on a block of 64 bytes, byte by byte, with what the processor has. The provided ones are built of these.
pub(super) trait Lanes: Copy {
    type Block: Copy;

    fn load(self, bytes: &[u8; 64]) -> Self::Block;
    /// 0xFF where the byte is `byte`, else 0.
    fn is(self, block: Self::Block, byte: u8) -> Self::Block;
    /// 0xFF where both are the same, else 0.
    fn is_same(self, a: Self::Block, b: Self::Block) -> Self::Block;
    fn or(self, a: Self::Block, b: Self::Block) -> Self::Block;
    fn or_byte(self, block: Self::Block, byte: u8) -> Self::Block;
    fn min_byte(self, block: Self::Block, byte: u8) -> Self::Block;
    fn minus_byte(self, block: Self::Block, byte: u8) -> Self::Block;
    /// The highest bit of each byte; that of the first byte is the lowest.
    fn bits(self, block: Self::Block) -> u64;
    /// Whether any byte has its highest bit.
    fn any(self, block: Self::Block) -> bool;
    /// The bytes that may stand behind a backslash, but for `u`.
    fn simple_escapes(self, block: Self::Block) -> u64;

    #[inline(always)]
    fn equal(self, block: Self::Block, byte: u8) -> u64 {
        self.bits(self.is(block, byte))
    }

    #[inline(always)]
    fn equal_any(self, block: Self::Block, [a, b, c]: [u8; 3]) -> u64 {
        self.bits(self.or(self.or(self.is(block, a), self.is(block, b)), self.is(block, c)))
    }

    /// Either of the two that differ in bit 5 only; `byte` has it.
    #[inline(always)]
    fn equal_folded(self, block: Self::Block, byte: u8) -> u64 {
        self.bits(self.is(self.or_byte(block, 0x20), byte))
    }

    #[inline(always)]
    fn has_bit_5(self, block: Self::Block) -> u64 {
        self.bits(self.is(self.or_byte(block, 0xDF), 0xFF))
    }

    #[inline(always)]
    fn at_most(self, block: Self::Block, limit: u8) -> Self::Block {
        self.is_same(self.min_byte(block, limit), block)
    }

    #[inline(always)]
    fn controls(self, block: Self::Block) -> u64 {
        self.bits(self.at_most(block, 0x1F))
    }

    #[inline(always)]
    fn digits(self, block: Self::Block) -> u64 {
        self.bits(self.at_most(self.minus_byte(block, b'0'), 9))
    }

    #[inline(always)]
    fn hex_digits(self, block: Self::Block) -> u64 {
        let letters = self.at_most(self.minus_byte(self.or_byte(block, 0x20), b'a'), 5);
        let digits = self.at_most(self.minus_byte(block, b'0'), 9);
        self.bits(self.or(letters, digits))
    }

    /// Whether any byte ends a plain run of a string: a quote, a backslash, a control character.
    #[inline(always)]
    fn ends_run(self, block: Self::Block) -> bool {
        let quotes = self.is(block, b'"');
        let backslashes = self.is(block, b'\\');
        let controls = self.at_most(block, 0x1F);
        self.any(self.or(self.or(quotes, backslashes), controls))
    }
}

/// The vectors of AVX2, where the processor was seen to have them.
pub(super) type Avx2 = pulp::x86::V3;

mod avx2 {
    use core::arch::x86_64::__m256i;

    use pulp::x86::V3;

    use super::Lanes;

    #[inline(always)]
    fn splat(v3: V3, byte: u8) -> __m256i {
        v3.avx._mm256_set1_epi8(byte.cast_signed())
    }

    /// Word by word: a load of bytes the compiler would take apart.
    #[inline(always)]
    fn vector(v3: V3, bytes: &[u8; 64], at: usize) -> __m256i {
        let word = |ahead: usize| {
            let rest = bytes.get(at.wrapping_add(ahead)..);
            match rest.and_then(<[u8]>::first_chunk::<8>) {
                Some(word) => i64::from_le_bytes(*word),
                None => 0,
            }
        };
        v3.avx._mm256_set_epi64x(word(24), word(16), word(8), word(0))
    }

    /// The table for the high or the low half of a byte, in both halves of a vector.
    const fn table(half: [u8; 16]) -> [[u8; 16]; 2] {
        [half, half]
    }

    // A byte is a simple escape if its halves have a bit in common: 1 for `"` and `/`, 2 for the backslash, 4 for b, f
    // and n, 8 for r and t.
    const HIGH: [[u8; 16]; 2] = table([0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
    const LOW: [[u8; 16]; 2] = table([0, 0, 1 | 4 | 8, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1]);

    #[inline(always)]
    fn is_no_simple_escape(v3: V3, v: __m256i) -> __m256i {
        // A byte of 0x80 or above gives 0 from the table of the low halves.
        let high = v3.avx2._mm256_and_si256(v3.avx2._mm256_srli_epi16::<4>(v), splat(v3, 0x0F));
        let high = v3.avx2._mm256_shuffle_epi8(pulp::bytemuck::cast(HIGH), high);
        let low = v3.avx2._mm256_shuffle_epi8(pulp::bytemuck::cast(LOW), v);
        v3.avx2._mm256_cmpeq_epi8(v3.avx2._mm256_and_si256(high, low), splat(v3, 0))
    }

    impl Lanes for V3 {
        type Block = (__m256i, __m256i);

        #[inline(always)]
        fn load(self, bytes: &[u8; 64]) -> Self::Block {
            (vector(self, bytes, 0), vector(self, bytes, 32))
        }

        #[inline(always)]
        fn is(self, (a, b): Self::Block, byte: u8) -> Self::Block {
            let byte = splat(self, byte);
            (self.avx2._mm256_cmpeq_epi8(a, byte), self.avx2._mm256_cmpeq_epi8(b, byte))
        }

        #[inline(always)]
        fn is_same(self, (a, b): Self::Block, (c, d): Self::Block) -> Self::Block {
            (self.avx2._mm256_cmpeq_epi8(a, c), self.avx2._mm256_cmpeq_epi8(b, d))
        }

        #[inline(always)]
        fn or(self, (a, b): Self::Block, (c, d): Self::Block) -> Self::Block {
            (self.avx2._mm256_or_si256(a, c), self.avx2._mm256_or_si256(b, d))
        }

        #[inline(always)]
        fn or_byte(self, (a, b): Self::Block, byte: u8) -> Self::Block {
            let byte = splat(self, byte);
            (self.avx2._mm256_or_si256(a, byte), self.avx2._mm256_or_si256(b, byte))
        }

        #[inline(always)]
        fn min_byte(self, (a, b): Self::Block, byte: u8) -> Self::Block {
            let byte = splat(self, byte);
            (self.avx2._mm256_min_epu8(a, byte), self.avx2._mm256_min_epu8(b, byte))
        }

        #[inline(always)]
        fn minus_byte(self, (a, b): Self::Block, byte: u8) -> Self::Block {
            let byte = splat(self, byte);
            (self.avx2._mm256_sub_epi8(a, byte), self.avx2._mm256_sub_epi8(b, byte))
        }

        #[inline(always)]
        fn bits(self, (a, b): Self::Block) -> u64 {
            let low = self.avx2._mm256_movemask_epi8(a).cast_unsigned();
            let high = self.avx2._mm256_movemask_epi8(b).cast_unsigned();
            u64::from(low) | u64::from(high) << 32
        }

        #[inline(always)]
        fn any(self, (a, b): Self::Block) -> bool {
            self.avx2._mm256_movemask_epi8(self.avx2._mm256_or_si256(a, b)) != 0
        }

        #[inline(always)]
        fn simple_escapes(self, (a, b): Self::Block) -> u64 {
            !self.bits((is_no_simple_escape(self, a), is_no_simple_escape(self, b)))
        }
    }
}
