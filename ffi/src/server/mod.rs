//! The server with C functions as tools, in memory of the caller's.
//!
//! The memory holds a [`Server`], and behind it the table of its tools as the engine wants it: made of the table that C
//! gave, checked once.

mod answer;
mod host;
mod io;
mod reply;
mod tools;

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use barewire::engine::{self, Lifecycle, Options, UnreadableId};
use barewire::mcp::{Implementation, Tool};
use barewire::rpc::Rules;
use barewire::transport::Link;

use crate::border::{self, Out, Text, check_pointer, overlap};
use crate::status::{
    self, BAREWIRE_ERROR_ALIGNMENT, BAREWIRE_ERROR_FLAGS, BAREWIRE_ERROR_IN_USE, BAREWIRE_ERROR_LENGTH,
    BAREWIRE_ERROR_NOT_INITIALIZED, BAREWIRE_ERROR_NULL, BAREWIRE_ERROR_OVERLAP, BAREWIRE_ERROR_TOO_SMALL,
    Result, Status,
};

pub use answer::*;
pub use host::*;
pub use io::*;
pub use reply::*;
pub use tools::*;

/// How many calls may be answered later at a time.
pub const BAREWIRE_CALLS: usize = 4;
/// How many streams of `subscriptions/listen` may be open.
pub const BAREWIRE_SUBSCRIPTIONS: usize = 2;
/// Length of an id, quotes and progress token included, for which there is room in every place of both tables.
pub const BAREWIRE_ID_SIZE: usize = 48;
/// The least size of an output buffer.
pub const BAREWIRE_MIN_OUTPUT: usize = 96;

/// Before `initialize` only `ping` is served.
pub const BAREWIRE_SERVER_STRICT: u32 = 1;
/// Every `initialize` starts afresh.
pub const BAREWIRE_SERVER_RESTART: u32 = 2;
/// An error whose request has no readable id has none either.
pub const BAREWIRE_SERVER_OMIT_UNREADABLE_ID: u32 = 4;
/// A line without a readable id is not answered.
pub const BAREWIRE_SERVER_SILENT: u32 = 8;
/// The table of tools changes at run time.
pub const BAREWIRE_SERVER_TOOLS_CHANGE: u32 = 16;
/// The leniencies of the classifier.
pub const BAREWIRE_SERVER_LENIENT: u32 = 32;
const ALL_FLAGS: u32 = 63;

/// The alignment of a server's memory.
pub const BAREWIRE_SERVER_ALIGN: usize = 8;
/// What a server's memory has besides its tools, with 32-bit pointers.
pub const BAREWIRE_SERVER_BASE_32: usize = 1664;
/// The same with 64-bit pointers.
pub const BAREWIRE_SERVER_BASE_64: usize = 2048;
/// What each tool takes there, with 32-bit pointers.
pub const BAREWIRE_SERVER_TOOL_32: usize = 96;
/// The same with 64-bit pointers.
pub const BAREWIRE_SERVER_TOOL_64: usize = 192;

#[cfg(target_pointer_width = "32")]
const SIZES: (usize, usize) = (BAREWIRE_SERVER_BASE_32, BAREWIRE_SERVER_TOOL_32);
#[cfg(target_pointer_width = "64")]
const SIZES: (usize, usize) = (BAREWIRE_SERVER_BASE_64, BAREWIRE_SERVER_TOOL_64);

/// Tools, and changes of their list, in both eras.
#[derive(Debug)]
pub(crate) struct ToolsAndChanges;

impl engine::Parts for ToolsAndChanges {
    const RESOURCES: bool = false;
    const PROMPTS: bool = false;
    const COMPLETIONS: bool = false;
    const LOGGING: bool = false;
    const ASKING: bool = false;
    const TASKS: bool = false;
}

/// What the engine keeps, with the capacities above.
type Storage = engine::Fixed<
    ToolsAndChanges,
    BAREWIRE_CALLS,
    BAREWIRE_SUBSCRIPTIONS,
    0,
    { BAREWIRE_ID_SIZE * (BAREWIRE_CALLS + BAREWIRE_SUBSCRIPTIONS) },
>;

/// The engine.
pub(crate) type Engine = engine::Server<Storage>;

type ServerLink = Link<Host, &'static mut [u8], &'static mut [u8], Storage>;

/// `barewire_server`: what stands at the start of the memory.
#[derive(Debug)]
#[repr(C)]
pub struct Server {
    magic: u32,
    /// 1 while a function works on it.
    entered: AtomicU32,
    body: Body,
}

/// All of a server that is used behind the check of the flag.
#[derive(Debug)]
pub(crate) struct Body {
    link: ServerLink,
    /// Where lines are put together.
    input: (*const c_void, usize),
    /// How much of the output was given out and not sent.
    pending: usize,
}

const MAGIC: u32 = 0x6272_7773;

const _: () = assert!(
    size_of::<Server>() <= SIZES.0 && size_of::<Tool<'_>>() <= SIZES.1,
    "the sizes of a server's memory are too small: raise them here and in the header"
);
const _: () = assert!(align_of::<Server>() <= BAREWIRE_SERVER_ALIGN);
const _: () = assert!(align_of::<Tool<'_>>() <= align_of::<Server>());
const _: () = assert!(engine::MIN_OUTPUT == BAREWIRE_MIN_OUTPUT);

/// `barewire_config`: what a server is made of.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Config {
    /// Its name.
    pub name: Text,
    /// Its version.
    pub version: Text,
    /// A name for people; optional.
    pub title: Text,
    /// How to use it; optional.
    pub instructions: Text,
    /// Its tools.
    pub tools: *const ToolEntry,
    /// How many there are.
    pub tool_count: usize,
    /// Where a line is put together.
    pub input: *mut c_void,
    /// How many bytes that has.
    pub input_size: usize,
    /// Where answers are written.
    pub output: *mut c_void,
    /// How many bytes that has.
    pub output_size: usize,
    /// `BAREWIRE_SERVER_...`.
    pub flags: u32,
    /// Hears of events; optional.
    pub event: Option<EventFunction>,
    /// Given to `event`.
    pub user: *mut c_void,
}

/// How many bytes a server with so many tools takes, exactly.
#[unsafe(no_mangle)]
pub extern "C" fn barewire_server_size(tool_count: usize) -> usize {
    size_of::<Tool<'_>>().saturating_mul(tool_count).saturating_add(size_of::<Server>())
}

/// Makes a server.
///
/// # Safety
/// As the header says: `memory` is good for `size` bytes and, with everything that `config` names, stays so while the server
/// is used; `config` is good for a read, `server` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_init(
    memory: *mut c_void,
    size: usize,
    config: *const Config,
    server: *mut *mut Server,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { init(memory, size, config, server) })
}

/// # Safety
/// As [`barewire_server_init`].
unsafe fn init(
    memory: *mut c_void,
    size: usize,
    config: *const Config,
    server: *mut *mut Server,
) -> Result<()> {
    // SAFETY: by the caller's promise.
    let server = unsafe { Out::new(server) }?;
    check_pointer(config)?;
    // SAFETY: not null, aligned, and good for a read by the caller's promise.
    let config = unsafe { config.read() };
    let store = tool_store(memory, size)?;
    let buffers = [(config.input, config.input_size), (config.output, config.output_size)];
    for (data, size) in buffers {
        // NULL is refused, even for the size 0.
        check_pointer(data)?;
        border::check_bytes(data, size)?;
    }
    if config.input_size == 0 || config.output_size < BAREWIRE_MIN_OUTPUT {
        return Err(BAREWIRE_ERROR_TOO_SMALL);
    }
    let [input, output] = buffers.map(|(data, size)| (data.cast_const(), size));
    let own = (memory.cast_const(), size);
    if overlap(own, input) || overlap(own, output) || overlap(input, output) {
        return Err(BAREWIRE_ERROR_OVERLAP);
    }
    let options = options_of(config.flags)?;
    // SAFETY: by the caller's promise.
    let host = unsafe { host_of(&config, store) }?;
    // SAFETY: by the caller's promise; nothing else uses the buffers, which do not overlap.
    let (lines, answers) = unsafe {
        (border::zeroed(config.input, config.input_size)?, border::zeroed(config.output, config.output_size)?)
    };
    let place = memory.cast::<Server>();
    let value = Server {
        magic: MAGIC,
        entered: AtomicU32::new(0),
        body: Body {
            link: Link::with_server(
                Engine::with_storage(Storage::new()).with_options(options),
                host,
                lines,
                answers,
            ),
            input,
            pending: 0,
        },
    };
    // SAFETY: `tool_store` has checked that the memory is not null, aligned and large enough.
    unsafe { place.write(value) };
    server.put(place);
    Ok(())
}

/// The part of the memory behind the server.
fn tool_store(memory: *mut c_void, size: usize) -> Result<ToolStore> {
    if memory.is_null() {
        return Err(BAREWIRE_ERROR_NULL);
    }
    if memory.addr() & BAREWIRE_SERVER_ALIGN.wrapping_sub(1) != 0 {
        return Err(BAREWIRE_ERROR_ALIGNMENT);
    }
    if isize::try_from(size).is_err() || memory.addr().checked_add(size).is_none() {
        return Err(BAREWIRE_ERROR_LENGTH);
    }
    let rest = size.checked_sub(size_of::<Server>()).ok_or(BAREWIRE_ERROR_TOO_SMALL)?;
    let capacity = rest.checked_div(size_of::<Tool<'_>>()).unwrap_or_default();
    let tools = memory.wrapping_byte_add(size_of::<Server>()).cast();
    Ok(ToolStore { tools, capacity })
}

/// # Safety
/// As [`barewire_server_init`].
unsafe fn host_of(config: &Config, store: ToolStore) -> Result<Host> {
    // SAFETY: by the caller's promise.
    let (name, version) = unsafe { (config.name.utf8()?, config.version.utf8()?) };
    let mut info = Implementation::new(name, version);
    if config.title.length > 0 {
        // SAFETY: by the caller's promise.
        info = info.with_title(unsafe { config.title.utf8() }?);
    }
    // SAFETY: by the caller's promise.
    let instructions = unsafe { config.instructions.utf8() }?;
    let mut host = Host::new(info, instructions, config, store);
    // SAFETY: by the caller's promise.
    unsafe { host.set_tools(config.tools, config.tool_count) }?;
    Ok(host)
}

fn options_of(flags: u32) -> Result<Options> {
    if flags & !ALL_FLAGS != 0 {
        return Err(BAREWIRE_ERROR_FLAGS);
    }
    let has = |flag| flags & flag != 0;
    let mut options = Options::DEFAULT.with_restart(has(BAREWIRE_SERVER_RESTART));
    if has(BAREWIRE_SERVER_STRICT) {
        options = options.with_lifecycle(Lifecycle::Strict);
    }
    if has(BAREWIRE_SERVER_OMIT_UNREADABLE_ID) {
        options = options.with_unreadable_id(UnreadableId::Omit);
    }
    if has(BAREWIRE_SERVER_SILENT) {
        options = options.with_unreadable_id(UnreadableId::Silent);
    }
    if has(BAREWIRE_SERVER_LENIENT) {
        options = options.with_rules(Rules::LENIENT);
    }
    Ok(options)
}

/// Works on a server, unless something does already: a tool that calls back, an interrupt.
///
/// # Safety
/// `server` is `NULL`, or points to memory of a server's size; no other thread uses it.
pub(crate) unsafe fn enter<R>(server: *mut Server, work: impl FnOnce(&mut Body) -> Result<R>) -> Result<R> {
    check_pointer(server)?;
    // SAFETY: not null, aligned, and good for reads by the caller's promise. Only the magic number is read, of which no
    // reference is ever made.
    if unsafe { (&raw const (*server).magic).read() } != MAGIC {
        return Err(BAREWIRE_ERROR_NOT_INITIALIZED);
    }
    // SAFETY: made by `init`, as the magic number says. The flag is only ever used by shared references.
    let entered = unsafe { &(*server).entered };
    if entered.load(Ordering::Acquire) != 0 {
        return Err(BAREWIRE_ERROR_IN_USE);
    }
    entered.store(1, Ordering::Release);
    // SAFETY: made by `init`; the flag says that no other reference to the body is in use.
    let result = work(unsafe { &mut (*server).body });
    entered.store(0, Ordering::Release);
    result
}
