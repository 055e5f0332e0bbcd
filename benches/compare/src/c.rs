//! The parsers in C and C++.

use std::ffi::c_void;

use yyjson_sys as yy;

use crate::contenders::{Contender, Seen};
#[cfg(feature = "detect")]
use crate::corpus::Line;

/// yyjson, with memory that is kept from one message to the next.
pub struct Yyjson {
    memory: Vec<u64>,
}

impl Yyjson {
    pub fn new() -> Self {
        // Enough for the largest message: yyjson asks for 12 times its length at most, and a little.
        Self { memory: vec![0; 2 << 20] }
    }
}

impl Contender for Yyjson {
    fn name(&self) -> &'static str {
        "yyjson"
    }

    fn is_rust(&self) -> bool {
        false
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        // SAFETY: the allocator's memory outlives the document, which is dropped with it; the text is not written to
        // without the flag for it; every value belongs to the document.
        unsafe {
            let mut allocator: yy::yyjson_alc = std::mem::zeroed();
            let size = self.memory.len() * 8;
            yy::yyjson_alc_pool_init(&mut allocator, self.memory.as_mut_ptr().cast::<c_void>(), size);
            let document = yy::yyjson_read_opts(
                text.as_ptr().cast_mut().cast(),
                text.len(),
                0,
                &allocator,
                std::ptr::null_mut(),
            );
            if document.is_null() {
                return None;
            }
            let root = yy::yyjson_doc_get_root(document);
            let get = |name: &str| yy::yyjson_obj_getn(root, name.as_ptr().cast(), name.len());
            let (version, id, method) = (get("jsonrpc"), get("id"), get("method"));
            std::hint::black_box(get("params"));
            let seen = yy::yyjson_equals_strn(version, c"2.0".as_ptr(), 3).then(|| {
                Seen::of(
                    (!id.is_null()).then(|| yy::yyjson_get_sint(id)),
                    (!method.is_null()).then(|| yy::yyjson_get_len(method)),
                )
            });
            yy::yyjson_doc_free(document);
            seen
        }
    }
}

/// simdjson's DOM, which is made anew in memory that is kept.
#[cfg(feature = "detect")]
pub struct Simdjson {
    parser: simdjson_rust::dom::Parser,
}

#[cfg(feature = "detect")]
impl Simdjson {
    pub fn new() -> Self {
        Self { parser: simdjson_rust::dom::Parser::new(4 << 20) }
    }
}

#[cfg(feature = "detect")]
impl Contender for Simdjson {
    fn name(&self) -> &'static str {
        "simdjson DOM"
    }

    fn is_rust(&self) -> bool {
        false
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use simdjson_rust::tape::TapeType;
        const { assert!(Line::PADDING >= 64) };
        // SAFETY: every text is a `Line`, with 64 bytes behind it.
        let mut tape = unsafe { self.parser.parse_bytes_with_padding(text) }.ok()?;
        if tape.tape_type()? == TapeType::Root {
            tape.skip(1);
        }
        (tape.tape_type()? == TapeType::StartObject).then_some(())?;
        let close = tape.scope_close_idx();
        tape.skip(1);
        let (mut version, mut id, mut method) = (false, None, None);
        while tape.pos() < close {
            let name = tape.get_string().ok()?;
            tape.skip(1);
            match name {
                "jsonrpc" => version = tape.get_string().ok()? == "2.0",
                "id" => id = tape.get_int64().ok(),
                "method" => method = tape.get_string().ok().map(str::len),
                _ => {}
            }
            match tape.tape_type()? {
                TapeType::StartObject | TapeType::StartArray => {
                    let behind = tape.scope_close_idx() + 1;
                    tape.seek_public(behind);
                }
                TapeType::Int64 | TapeType::Uint64 | TapeType::Double => tape.skip(2),
                _ => tape.skip(1),
            }
        }
        version.then(|| Seen::of(id, method))
    }
}
