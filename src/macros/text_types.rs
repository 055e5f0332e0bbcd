//! Types that are answers of tools and of resources as one text.

/// Calls `$then!` with the tokens after it and these types, each with the generic parameters of its implementation.
macro_rules! text_types {
    ($then:ident $($first:tt)*) => {
        $then! {
            $($first)*
            () &str;
            () JsonStr<'_>;
            (const N: usize) heapless::String<N>;
            #[cfg(feature = "std")]
            () std::string::String;
            #[cfg(feature = "std")]
            () std::borrow::Cow<'_, str>;
            () bool;
            () i8;
            () i16;
            () i32;
            () i64;
            () isize;
            () u8;
            () u16;
            () u32;
            () u64;
            () usize;
        }
    };
}
pub(super) use text_types;
