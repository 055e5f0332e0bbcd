//! Pointers and lengths of C, checked, as slices and references.

use core::ffi::{c_char, c_void};
use core::ptr;

use barewire::bytes::BufferFull;
use barewire::json::{JsonStr, Object, RawValue};
use barewire::rpc::RequestId;

use crate::status::{
    BAREWIRE_ERROR_ALIGNMENT, BAREWIRE_ERROR_JSON, BAREWIRE_ERROR_KIND, BAREWIRE_ERROR_LENGTH,
    BAREWIRE_ERROR_NULL, BAREWIRE_ERROR_OVERLAP, BAREWIRE_ERROR_TOO_SMALL, BAREWIRE_ERROR_UTF8, Result,
};

/// `barewire_text`: bytes that somebody else owns.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Text {
    /// The first byte; may be `NULL` when there is none.
    pub data: *const c_char,
    /// How many there are.
    pub length: usize,
}

impl Text {
    pub(crate) const NONE: Self = Self { data: ptr::null(), length: 0 };

    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), length: bytes.len() }
    }

    /// Nothing for `None`.
    pub(crate) fn of_value(value: Option<RawValue<'_>>) -> Self {
        value.map_or(Self::NONE, |value| Self::of(value.as_bytes()))
    }

    /// A string that stands in `frame`, with its quotes.
    pub(crate) fn of_string(string: Option<JsonStr<'_>>, frame: &[u8]) -> Self {
        let Some(escaped) = string.map(JsonStr::as_escaped_bytes) else {
            return Self::NONE;
        };
        let start = escaped.as_ptr().addr().wrapping_sub(frame.as_ptr().addr()).wrapping_sub(1);
        let end = start.wrapping_add(escaped.len()).wrapping_add(2);
        frame.get(start..end).map_or(Self::NONE, Self::of)
    }

    /// # Safety
    /// As [`bytes`].
    pub(crate) unsafe fn bytes<'a>(self) -> Result<&'a [u8]> {
        // SAFETY: by the caller's promise.
        unsafe { bytes(self.data.cast(), self.length) }
    }

    /// # Safety
    /// As [`bytes`].
    pub(crate) unsafe fn utf8<'a>(self) -> Result<&'a str> {
        // SAFETY: by the caller's promise.
        let bytes = unsafe { self.bytes() }?;
        core::str::from_utf8(bytes).map_err(|_| BAREWIRE_ERROR_UTF8)
    }

    /// # Safety
    /// As [`bytes`].
    pub(crate) unsafe fn value<'a>(self) -> Result<RawValue<'a>> {
        // SAFETY: by the caller's promise.
        let bytes = unsafe { self.bytes() }?;
        RawValue::new(bytes).map_err(|_| BAREWIRE_ERROR_JSON)
    }

    /// # Safety
    /// As [`bytes`].
    pub(crate) unsafe fn object<'a>(self) -> Result<Object<'a>> {
        // SAFETY: by the caller's promise.
        let value = unsafe { self.value() }?;
        value.as_object().ok_or(BAREWIRE_ERROR_KIND)
    }

    /// The object, or `None` for no text.
    ///
    /// # Safety
    /// As [`bytes`].
    pub(crate) unsafe fn optional_object<'a>(self) -> Result<Option<Object<'a>>> {
        match self.length {
            0 => Ok(None),
            // SAFETY: by the caller's promise.
            _ => unsafe { self.object() }.map(Some),
        }
    }

    /// # Safety
    /// As [`bytes`].
    pub(crate) unsafe fn id<'a>(self) -> Result<RequestId<'a>> {
        // SAFETY: by the caller's promise.
        let value = unsafe { self.value() }?;
        RequestId::of(value).ok_or(BAREWIRE_ERROR_KIND)
    }
}

/// Refuses what no slice may be made of.
pub(crate) fn check_bytes(data: *const c_void, length: usize) -> Result<()> {
    if length == 0 {
        return Ok(());
    }
    if data.is_null() {
        return Err(BAREWIRE_ERROR_NULL);
    }
    let is_possible = isize::try_from(length).is_ok() && data.addr().checked_add(length).is_some();
    is_possible.then_some(()).ok_or(BAREWIRE_ERROR_LENGTH)
}

/// The bytes at `data`; none when `length` is 0, `NULL` or not.
///
/// # Safety
/// `data` is good for reads of `length` bytes, and they do not change for as long as the slice is used.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8]> {
    check_bytes(data, length)?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, of a possible length, good for reads by the caller's promise; bytes need no alignment.
    Ok(unsafe { core::slice::from_raw_parts(data.cast(), length) })
}

/// The memory at `data`, to be written to. What it held is never read, so it need not be initialized.
///
/// # Safety
/// `data` is good for writes of `length` bytes, and nothing else uses them for as long as the slice is used.
pub(crate) unsafe fn memory<'a>(data: *mut c_void, length: usize) -> Result<&'a mut [u8]> {
    check_bytes(data, length)?;
    if length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not null, of a possible length, good for writes and not shared by the caller's promise; bytes need no
    // alignment.
    Ok(unsafe { core::slice::from_raw_parts_mut(data.cast(), length) })
}

/// [`memory`], filled with zeros: for memory that is read before C has written to it.
///
/// # Safety
/// As [`memory`].
pub(crate) unsafe fn zeroed<'a>(data: *mut c_void, length: usize) -> Result<&'a mut [u8]> {
    check_bytes(data, length)?;
    if length > 0 {
        // SAFETY: not null, and good for writes of `length` bytes by the caller's promise.
        unsafe { ptr::write_bytes(data.cast::<u8>(), 0, length) };
    }
    // SAFETY: by the caller's promise.
    unsafe { memory(data, length) }
}

/// Refuses a pointer that cannot be one to `T`.
pub(crate) fn check_pointer<T>(pointer: *const T) -> Result<()> {
    if pointer.is_null() {
        Err(BAREWIRE_ERROR_NULL)
    } else if !pointer.is_aligned() {
        Err(BAREWIRE_ERROR_ALIGNMENT)
    } else {
        Ok(())
    }
}

/// The structs at `data`.
///
/// # Safety
/// `data` is good for reads of `length` valid values of `T`, and they do not change for as long as the slice is used.
pub(crate) unsafe fn table<'a, T>(data: *const T, length: usize) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    check_pointer(data)?;
    check_bytes(data.cast(), length.checked_mul(size_of::<T>()).ok_or(BAREWIRE_ERROR_LENGTH)?)?;
    // SAFETY: not null, aligned, of a possible length, good for reads by the caller's promise.
    Ok(unsafe { core::slice::from_raw_parts(data, length) })
}

/// A place of the caller's that a result goes to.
#[derive(Debug)]
pub(crate) struct Out<T> {
    place: *mut T,
}

impl<T> Out<T> {
    /// Checks it.
    ///
    /// # Safety
    /// `place` is good for a write of a `T`, and it still is when the result is put.
    pub(crate) unsafe fn new(place: *mut T) -> Result<Self> {
        check_pointer(place)?;
        Ok(Self { place })
    }

    pub(crate) fn put(&self, value: T) {
        // SAFETY: not null, aligned, and good for a write by the promise of `new`.
        unsafe { self.place.write(value) }
    }
}

/// Whether two pieces of memory share a byte.
pub(crate) fn overlap(a: (*const c_void, usize), b: (*const c_void, usize)) -> bool {
    let (a_start, b_start) = (a.0.addr(), b.0.addr());
    let (a_end, b_end) = (a_start.saturating_add(a.1), b_start.saturating_add(b.1));
    a.1 > 0 && b.1 > 0 && a_start < b_end && b_start < a_end
}

/// Memory of the caller's for a text, and the place for its length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) data: *mut c_void,
    pub(crate) size: usize,
    pub(crate) length: *mut usize,
}

impl Buffer {
    /// Lets `write` fill the memory, and puts the length of what was written, or what is needed for it. `inputs` is all
    /// that `write` reads.
    ///
    /// # Safety
    /// The memory and the place are good for writes; nothing but `inputs` and the memory is in use.
    pub(crate) unsafe fn fill(
        self,
        inputs: &[&[u8]],
        write: impl FnOnce(&mut [u8]) -> core::result::Result<usize, BufferFull>,
    ) -> Result<()> {
        // SAFETY: by the caller's promise.
        let length = unsafe { Out::new(self.length) }?;
        check_bytes(self.data, self.size)?;
        let own = (self.data.cast_const(), self.size);
        let place = (self.length.cast_const().cast::<c_void>(), size_of::<usize>());
        let is_shared = inputs
            .iter()
            .map(|input| (input.as_ptr().cast::<c_void>(), input.len()))
            .any(|input| overlap(own, input) || overlap(place, input));
        if is_shared || overlap(own, place) {
            return Err(BAREWIRE_ERROR_OVERLAP);
        }
        // SAFETY: good for writes by the caller's promise, and shared with none of the inputs.
        let memory = unsafe { memory(self.data, self.size) }?;
        match write(memory) {
            Ok(written) => {
                length.put(written);
                Ok(())
            }
            Err(full) => {
                length.put(full.needed);
                Err(BAREWIRE_ERROR_TOO_SMALL)
            }
        }
    }
}
