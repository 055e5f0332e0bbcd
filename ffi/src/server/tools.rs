//! The table of tools: as C gives it, and as the engine wants it.

use core::ffi::c_void;

use barewire::mcp::{Schema, Tool, ToolAnnotations};

use super::{Call, Reply, Server, enter};
use crate::border::{self, Text};
use crate::status::{
    self, BAREWIRE_ERROR_FLAGS, BAREWIRE_ERROR_JSON, BAREWIRE_ERROR_NULL, BAREWIRE_ERROR_SCHEMA,
    BAREWIRE_ERROR_TOO_SMALL, BAREWIRE_ERROR_TOOL_NAME, BAREWIRE_MORE, Result, Status,
};

/// The tool changes nothing.
pub const BAREWIRE_TOOL_READ_ONLY: u32 = 1;
/// The tool may destroy something.
pub const BAREWIRE_TOOL_DESTRUCTIVE: u32 = 2;
/// Calling it twice does no more than calling it once.
pub const BAREWIRE_TOOL_IDEMPOTENT: u32 = 4;
/// It reaches beyond the server.
pub const BAREWIRE_TOOL_OPEN_WORLD: u32 = 8;
const ALL_HINTS: u32 = 15;

/// `barewire_tool_function`: runs a tool.
pub type ToolFunction =
    unsafe extern "C" fn(user: *mut c_void, call: *const Call, reply: *mut Reply) -> Status;

/// `barewire_tool`: an entry of the table that C gives.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct ToolEntry {
    /// Its name.
    pub name: Text,
    /// A name for people; optional.
    pub title: Text,
    /// What it is for.
    pub description: Text,
    /// What it takes; nothing when empty.
    pub input_schema: Text,
    /// What its structured content is; optional.
    pub output_schema: Text,
    /// `BAREWIRE_TOOL_...`.
    pub hints: u32,
    /// Runs it.
    pub function: Option<ToolFunction>,
    /// Given to `function`.
    pub user: *mut c_void,
}

/// Where the engine's table is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolStore {
    pub(crate) tools: *mut Tool<'static>,
    pub(crate) capacity: usize,
}

impl ToolStore {
    /// Makes the engine's table of the caller's.
    ///
    /// # Safety
    /// The store is good for its capacity, and nothing refers to it. The entries and all they name are good for reads, and
    /// stay so while the server is used.
    pub(crate) unsafe fn fill(&self, entries: &'static [ToolEntry]) -> Result<&'static [Tool<'static>]> {
        if entries.len() > self.capacity {
            return Err(BAREWIRE_ERROR_TOO_SMALL);
        }
        for (at, entry) in entries.iter().enumerate() {
            // SAFETY: by the caller's promise.
            let tool = unsafe { tool_of(entry) }?;
            let mut before = entries.iter().take(at);
            // SAFETY: the names of the entries before were checked, and so are good for reads.
            if before.any(|other| unsafe { other.name.utf8() } == Ok(tool.name())) {
                return Err(BAREWIRE_ERROR_TOOL_NAME);
            }
            // SAFETY: inside the store, which is aligned for tools, good for writes and unused by the caller's promise.
            unsafe { self.tools.add(at).write(tool) };
        }
        // SAFETY: so many tools were written; nobody writes to them before the slice is given up.
        Ok(unsafe { core::slice::from_raw_parts(self.tools, entries.len()) })
    }
}

/// # Safety
/// What the entry names is good for reads for as long as the server is used.
unsafe fn tool_of(entry: &ToolEntry) -> Result<Tool<'static>> {
    // SAFETY: by the caller's promise.
    let (name, description): (&str, &str) = unsafe { (entry.name.utf8()?, entry.description.utf8()?) };
    if !Tool::is_name(name) {
        return Err(BAREWIRE_ERROR_TOOL_NAME);
    }
    if entry.function.is_none() {
        return Err(BAREWIRE_ERROR_NULL);
    }
    let mut tool = Tool::new(name, description).with_annotations(annotations_of(entry.hints)?);
    if entry.title.length > 0 {
        // SAFETY: by the caller's promise.
        tool = tool.with_title(unsafe { entry.title.utf8() }?);
    }
    if entry.input_schema.length > 0 {
        // SAFETY: by the caller's promise.
        tool = tool.with_schema(unsafe { schema_of(entry.input_schema) }?);
    }
    if entry.output_schema.length > 0 {
        // SAFETY: by the caller's promise.
        tool = tool.with_output_schema(unsafe { schema_of(entry.output_schema) }?);
    }
    Ok(tool)
}

/// The schema, if the text is one.
///
/// # Safety
/// The text is good for reads for as long as the server is used.
unsafe fn schema_of(text: Text) -> Result<Schema<'static>> {
    // SAFETY: by the caller's promise.
    let value = unsafe { text.value() }.map_err(schema_status)?;
    Schema::of(value).ok_or(BAREWIRE_ERROR_SCHEMA)
}

/// What is no JSON is no schema; the other errors are about the pointer.
fn schema_status(status: Status) -> Status {
    match status {
        BAREWIRE_ERROR_JSON => BAREWIRE_ERROR_SCHEMA,
        other => other,
    }
}

fn annotations_of(hints: u32) -> Result<ToolAnnotations<'static>> {
    if hints & !ALL_HINTS != 0 {
        return Err(BAREWIRE_ERROR_FLAGS);
    }
    let hint = |bit| (hints & bit != 0).then_some(true);
    let mut annotations = ToolAnnotations::NONE;
    annotations.read_only = hint(BAREWIRE_TOOL_READ_ONLY);
    annotations.destructive = hint(BAREWIRE_TOOL_DESTRUCTIVE);
    annotations.idempotent = hint(BAREWIRE_TOOL_IDEMPOTENT);
    annotations.open_world = hint(BAREWIRE_TOOL_OPEN_WORLD);
    Ok(annotations)
}

/// Replaces the table of tools.
///
/// # Safety
/// `server` was made by `barewire_server_init`; `tools` is good for `count` entries, and with all they name stays so while
/// the server is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_set_tools(
    server: *mut Server,
    tools: *const ToolEntry,
    count: usize,
) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            body.link.write(|_, host, _| host.set_tools(tools, count)).unwrap_or(Err(BAREWIRE_MORE))
        })
    };
    status::of(result)
}

/// # Safety
/// The entries are good for reads for as long as the server is used.
pub(super) unsafe fn entries(tools: *const ToolEntry, count: usize) -> Result<&'static [ToolEntry]> {
    // SAFETY: by the caller's promise.
    unsafe { border::table(tools, count) }
}
