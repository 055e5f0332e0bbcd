//! Lists, paged by the room in the output.

use crate::bytes::{Mark, Sink};
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::close::Extra;
use crate::engine::server::engine::Engine;
use crate::engine::server::{Context, Handler, Parts};
use crate::json::{Digits, JsonStr, Object, RawValue, Writer};
use crate::mcp::Method;
use crate::rpc::ErrorCode;

/// A cursor that this server did not give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BadCursor {
    /// Not one of this server's: `Invalid cursor`.
    Unknown,
    /// There twice: `Invalid params`.
    Repeated,
}

/// The place in the list that the request asks for. A cursor is the number of the next entry, as a string; opaque to
/// the client.
fn start(params: Option<Object<'_>>, length: usize) -> Result<usize, BadCursor> {
    let Some(params) = params else {
        return Ok(0);
    };
    let cursor = params.get_once("cursor").map_err(|_| BadCursor::Repeated)?;
    let Some(cursor) = cursor.and_then(RawValue::not_null) else {
        return Ok(0);
    };
    match cursor.as_string().and_then(place_of) {
        Some(place) if place < length => Ok(place),
        _ => Err(BadCursor::Unknown),
    }
}

/// The number that a cursor is, as [`write_cursor`] writes it: no place but 0 begins with a 0, and that has no cursor.
fn place_of(cursor: JsonStr<'_>) -> Option<usize> {
    let mut place = 0_usize;
    let mut steps = cursor.steps();
    while let Some(character) = steps.next() {
        let digit = character.checked_sub(u32::from(b'0')).filter(|digit| *digit < 10)?;
        place = place.checked_mul(10)?.checked_add(usize::try_from(digit).ok()?)?;
        if place == 0 {
            return None;
        }
    }
    (place > 0).then_some(place)
}

/// Name of the list in the result.
const fn name_of(method: Method) -> &'static str {
    match method {
        Method::ResourcesList => "resources",
        Method::ResourcesTemplatesList => "resourceTemplates",
        Method::PromptsList => "prompts",
        Method::TasksList => "tasks",
        _ => "tools",
    }
}

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// The list of the method: as many entries as fit, from the requested place on, and a cursor if some are left. Out of line, for the
    /// stack of all other methods.
    pub(super) fn list(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let length = self.length(context);
        let start = match start(context.params, length) {
            Ok(start) => start,
            Err(BadCursor::Unknown) => {
                return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, "Invalid cursor");
            }
            Err(BadCursor::Repeated) => return invalid_params(out, &context.id),
        };
        let mut counting = Sink::counting();
        let mut json = Writer::new(&mut counting);
        json.end_array();
        self.close_list(&mut json, context);
        // Room that must be left after the last entry, and after any other, for the cursor of the next one.
        let reserve = json.sink().len();
        write_cursor(&mut json, length);
        let cursor_reserve = json.sink().len();

        let line = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, context.version);
        json.name(name_of(context.method)).begin_array();
        let mut next = start;
        while next < length {
            let before = json.mark();
            self.write_entry(&mut json, context, next);
            let after = next.saturating_add(1);
            let reserve = if after == length { reserve } else { cursor_reserve };
            if json.sink().remaining() < reserve {
                json.rollback(before);
                break;
            }
            next = after;
        }
        json.end_array();
        if next < length {
            write_cursor(&mut json, next);
        }
        self.close_list(&mut json, context);
        self.end_list(out, line, next == start && next < length, context)
    }

    fn end_list(&self, out: &mut Sink<'_>, line: Mark, is_stuck: bool, context: &Context<'_>) -> Written {
        if is_stuck {
            // Not even one entry fits.
            out.rollback(line);
            return answer::too_large(out, &context.id);
        }
        match answer::is_whole(out, line) {
            true => Written::Yes,
            false => answer::too_large(out, &context.id),
        }
    }

    /// Closes the result. Out of line: it is called twice.
    fn close_list(&self, json: &mut Writer<'_, '_>, context: &Context<'_>) {
        let extra = match context.method {
            Method::TasksList if P::TASKS => Extra::Nothing,
            _ => Extra::CacheHints,
        };
        self.app.close::<P>(json, context.version, extra);
    }

    /// Number of entries.
    fn length(&self, context: &Context<'_>) -> usize {
        match context.method {
            Method::ResourcesList if P::RESOURCES => self.app.resources().len(),
            Method::ResourcesTemplatesList if P::RESOURCES => self.app.resource_templates().len(),
            Method::PromptsList if P::PROMPTS => self.app.prompts().len(),
            Method::TasksList if P::TASKS => self.state.tasks_of(context.origin).count(),
            _ => self.app.tools().len(),
        }
    }

    /// Writes the entry in this place.
    fn write_entry(&self, json: &mut Writer<'_, '_>, context: &Context<'_>, place: usize) {
        let version = context.version;
        match context.method {
            Method::ResourcesList if P::RESOURCES => {
                if let Some(resource) = self.app.resources().get(place) {
                    resource.write(json, version);
                }
            }
            Method::ResourcesTemplatesList if P::RESOURCES => {
                if let Some(template) = self.app.resource_templates().get(place) {
                    template.write(json, version);
                }
            }
            Method::PromptsList if P::PROMPTS => {
                if let Some(prompt) = self.app.prompts().get(place) {
                    prompt.write(json, version);
                }
            }
            Method::TasksList if P::TASKS => {
                if let Some(task) = self.state.tasks_of(context.origin).nth(place) {
                    json.begin_object();
                    self.state.write_task(json, task, version);
                    json.end_object();
                }
            }
            _ => {
                if let Some(tool) = self.app.tools().get(place) {
                    tool.write(json, version);
                }
            }
        }
    }
}

/// The cursor of the entry in this place.
fn write_cursor(json: &mut Writer<'_, '_>, place: usize) {
    let mut digits = Digits::new();
    let digits = digits.of(u64::try_from(place).unwrap_or(u64::MAX));
    json.name("nextCursor");
    json.plain_string(|sink| sink.write(digits));
}
