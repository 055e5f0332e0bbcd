//! Sampling: input requests that the client's model answers (MCP sampling).

use super::content::{write_audio, write_image, write_text};
use super::members::{write_strings, write_text_member};
use super::named_enum::named_enum;
use super::setters::setters;
use super::{ClientCapabilities, Feature, ProtocolVersion, Role};
use crate::json::{Array, JsonStr, Kind, Object, RawValue, Writer};

/// A message of the conversation that the model continues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingMessage<'a> {
    /// The speaker.
    pub role: Role,
    /// The content.
    pub content: SamplingContent<'a>,
}

/// The content of a sampling message.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SamplingContent<'a> {
    /// Text.
    Text(&'a str),
    /// Text in pieces.
    TextOf(&'a [&'a str]),
    /// Text as it was received, such as an argument of the tool.
    TextJson(JsonStr<'a>),
    /// An image, written in base64.
    Image {
        /// The media type, such as `image/png`.
        mime_type: &'a str,
        /// The bytes of the image.
        bytes: &'a [u8],
    },
    /// Audio (2025-03-26 and later; a text that names the media type in 2024-11-05).
    Audio {
        /// The media type.
        mime_type: &'a str,
        /// The bytes of the sound.
        bytes: &'a [u8],
    },
    /// Blocks made by the application: uses of tools and their results (2025-11-25 and later). They need the capability
    /// `sampling.tools` of the client.
    Blocks(Array<'a>),
}

impl<'a> SamplingMessage<'a> {
    /// A text that the user says.
    pub const fn user(text: &'a str) -> Self {
        Self { role: Role::User, content: SamplingContent::Text(text) }
    }

    /// A text that the model says.
    pub const fn assistant(text: &'a str) -> Self {
        Self { role: Role::Assistant, content: SamplingContent::Text(text) }
    }

    fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("role").string(self.role.as_str());
        json.name("content");
        match self.content {
            SamplingContent::Text(text) => write_text(json, text),
            SamplingContent::TextOf(pieces) => write_text(json, pieces),
            SamplingContent::TextJson(text) => write_text(json, text),
            SamplingContent::Image { mime_type, bytes } => write_image(json, mime_type, bytes),
            SamplingContent::Audio { mime_type, bytes } => write_audio(json, version, mime_type, bytes),
            SamplingContent::Blocks(blocks) => {
                json.raw(blocks.as_value());
            }
        }
        json.end_object();
    }
}

named_enum! {
    /// The part of earlier conversations that the client adds to the messages.
    #[derive(Default)]
    IncludeContext {
        /// Nothing.
        #[default]
        None => "none",
        /// The conversation with this server (deprecated since 2026-07-28).
        ThisServer => "thisServer",
        /// The conversations with all servers (deprecated since 2026-07-28).
        AllServers => "allServers",
    }
}

named_enum! {
    /// Whether the model uses the given tools (2025-11-25 and later).
    ToolChoice {
        /// The model decides.
        Auto => "auto",
        /// The model uses at least one tool.
        Required => "required",
        /// The model uses no tool.
        None => "none",
    }
}

/// An input request that the client's model answers.
///
/// ```
/// use barewire::mcp::{Sampling, SamplingMessage};
///
/// let messages = [SamplingMessage::user("Name a colour.")];
/// let question = Sampling::new(&messages, 20).with_system_prompt("One word.");
/// # let _ = question;
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling<'a> {
    messages: &'a [SamplingMessage<'a>],
    max_tokens: u32,
    hints: &'a [&'a str],
    /// Cost, speed and intelligence, in hundredths.
    priorities: [Option<u8>; 3],
    system_prompt: Option<&'a str>,
    include_context: IncludeContext,
    /// In hundredths.
    temperature: Option<u16>,
    stop_sequences: &'a [&'a str],
    metadata: Option<Object<'a>>,
    tools: Option<Array<'a>>,
    tool_choice: Option<ToolChoice>,
}

impl<'a> Sampling<'a> {
    /// A request to continue a conversation, with the largest number of tokens of the answer.
    pub const fn new(messages: &'a [SamplingMessage<'a>], max_tokens: u32) -> Self {
        Self {
            messages,
            max_tokens,
            hints: &[],
            priorities: [None; 3],
            system_prompt: None,
            include_context: IncludeContext::None,
            temperature: None,
            stop_sequences: &[],
            metadata: None,
            tools: None,
            tool_choice: None,
        }
    }

    setters! {
        /// The system prompt.
        with_system_prompt(prompt: &'a str) => system_prompt = Some(prompt);
        /// Names of models, or parts of names, by descending preference.
        with_model_hints(hints: &'a [&'a str]) => hints = hints;
        /// The importance of low cost, high speed and high intelligence, in hundredths from 0 to 100.
        with_priorities(cost: u8, speed: u8, intelligence: u8) =>
            priorities = [Some(cost), Some(speed), Some(intelligence)];
        /// The temperature, in hundredths.
        with_temperature(hundredths: u16) => temperature = Some(hundredths);
        /// The texts at which the model stops.
        with_stop_sequences(sequences: &'a [&'a str]) => stop_sequences = sequences;
        /// The part of earlier conversations that the client adds. Since 2025-11-25 it needs
        /// [`ClientCapabilities::SAMPLING_CONTEXT`], which is not checked here: clients ignore it, but do not refuse it.
        with_context(include_context: IncludeContext) => include_context = include_context;
        /// Metadata for the provider of the model.
        with_metadata(metadata: Object<'a>) => metadata = Some(metadata);
    }

    /// Tools that the model may use, in the form of `tools/list` (2025-11-25 and later).
    pub const fn with_tools(mut self, tools: Array<'a>, choice: ToolChoice) -> Self {
        (self.tools, self.tool_choice) = (Some(tools), Some(choice));
        self
    }

    pub(super) fn needs(&self) -> ClientCapabilities {
        let mut contents = self.messages.iter().map(|message| message.content);
        let has_blocks = contents.any(|content| matches!(content, SamplingContent::Blocks(_)));
        match self.tools.is_some() || has_blocks {
            true => ClientCapabilities::SAMPLING | ClientCapabilities::SAMPLING_TOOLS,
            false => ClientCapabilities::SAMPLING,
        }
    }

    pub(super) fn write_members(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.name("messages").begin_array();
        for message in self.messages {
            message.write(json, version);
        }
        json.end_array();
        self.write_preferences(json);
        write_text_member(json, "systemPrompt", self.system_prompt);
        if self.include_context != IncludeContext::None {
            json.name("includeContext").string(self.include_context.as_str());
        }
        if let Some(hundredths) = self.temperature {
            json.name("temperature").fixed(i64::from(hundredths), 2);
        }
        json.name("maxTokens").unsigned(u64::from(self.max_tokens));
        write_strings(json, "stopSequences", self.stop_sequences);
        if let Some(metadata) = self.metadata {
            json.name("metadata").raw(metadata.as_value());
        }
        if version.has(Feature::CapabilityModes) {
            self.write_tools(json);
        }
    }

    fn write_preferences(&self, json: &mut Writer<'_, '_>) {
        if self.hints.is_empty() && self.priorities == [None; 3] {
            return;
        }
        json.name("modelPreferences").begin_object();
        if !self.hints.is_empty() {
            json.name("hints").begin_array();
            for hint in self.hints {
                json.begin_object().name("name").string(hint).end_object();
            }
            json.end_array();
        }
        const NAMES: &[&str] = &["costPriority", "speedPriority", "intelligencePriority"];
        for (name, priority) in NAMES.iter().zip(&self.priorities) {
            if let Some(hundredths) = priority {
                json.name(name).fixed(i64::from(*hundredths), 2);
            }
        }
        json.end_object();
    }

    fn write_tools(&self, json: &mut Writer<'_, '_>) {
        if let Some(tools) = self.tools {
            json.name("tools").raw(tools.as_value());
        }
        if let Some(choice) = self.tool_choice {
            json.name("toolChoice").begin_object();
            json.name("mode").string(choice.as_str()).end_object();
        }
    }
}

/// The answer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Sampled<'a> {
    /// The content: one block, or an array of them (2025-11-25 and later).
    pub content: RawValue<'a>,
    /// The name of the model.
    pub model: Option<JsonStr<'a>>,
    /// The reason why the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another one.
    pub stop_reason: Option<JsonStr<'a>>,
}

impl<'a> Sampled<'a> {
    /// Reads the result of `sampling/createMessage`. `None` if it is malformed, or if a member occurs twice in it, at any
    /// depth of the content. Linear in its length.
    pub fn of(result: Object<'a>) -> Option<Self> {
        Self::of_unique(result).filter(|sampled| sampled.content.has_unique_names())
    }

    /// [`of`](Self::of) for a result that was checked for repeated members.
    pub(crate) fn of_unique(result: Object<'a>) -> Option<Self> {
        let [content, model, stop_reason] = result.get_each(["content", "model", "stopReason"]).ok()?;
        let content = content?;
        if !matches!(content.kind(), Kind::Object | Kind::Array) {
            return None;
        }
        Some(Self {
            content,
            model: model.and_then(RawValue::as_string),
            stop_reason: stop_reason.and_then(RawValue::as_string),
        })
    }

    /// The first text of the answer.
    pub fn text(self) -> Option<JsonStr<'a>> {
        match self.content.as_array() {
            Some(blocks) => blocks.elements().find_map(text_of_block),
            None => text_of_block(self.content),
        }
    }
}

fn text_of_block(block: RawValue<'_>) -> Option<JsonStr<'_>> {
    let [kind, text] = block.as_object()?.get_each(["type", "text"]).ok()?;
    if kind?.as_string()? != "text" {
        return None;
    }
    text?.as_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Sink;

    fn written(question: &Sampling<'_>, version: ProtocolVersion) -> std::string::String {
        let mut memory = [0; 1024];
        let mut sink = Sink::new(&mut memory);
        let mut json = Writer::new(&mut sink);
        json.begin_object();
        question.write_members(&mut json, version);
        json.end_object();
        std::string::String::from_utf8(sink.finish().unwrap().to_vec()).unwrap()
    }

    fn value(text: &str) -> RawValue<'_> {
        RawValue::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_question_with_everything_in_each_revision() {
        let messages = [SamplingMessage::user("a\"b"), SamplingMessage::assistant("c")];
        let question = Sampling::new(&messages, u32::MAX)
            .with_system_prompt("p")
            .with_model_hints(&["big", "small"])
            .with_priorities(0, 50, 100)
            .with_temperature(70)
            .with_stop_sequences(&["\n", "end"])
            .with_context(IncludeContext::ThisServer)
            .with_metadata(value(r#"{"k":[1]}"#).as_object().unwrap())
            .with_tools(value(r#"[{"name":"t"}]"#).as_array().unwrap(), ToolChoice::Required);
        for version in ProtocolVersion::ALL {
            let tools = match version >= ProtocolVersion::V2025_11_25 {
                true => r#","tools":[{"name":"t"}],"toolChoice":{"mode":"required"}"#,
                false => "",
            };
            assert_eq!(
                written(&question, version),
                [
                    r#"{"messages":[{"role":"user","content":{"type":"text","text":"a\"b"}},"#,
                    r#"{"role":"assistant","content":{"type":"text","text":"c"}}],"#,
                    r#""modelPreferences":{"hints":[{"name":"big"},{"name":"small"}],"#,
                    r#""costPriority":0.00,"speedPriority":0.50,"intelligencePriority":1.00},"#,
                    r#""systemPrompt":"p","includeContext":"thisServer","temperature":0.70,"#,
                    r#""maxTokens":4294967295,"stopSequences":["\n","end"],"metadata":{"k":[1]}"#,
                    tools,
                    "}",
                ]
                .concat(),
                "{version}"
            );
        }
        assert!(question.needs() == ClientCapabilities::SAMPLING | ClientCapabilities::SAMPLING_TOOLS);
        assert!(Sampling::new(&messages, 1).needs() == ClientCapabilities::SAMPLING);
    }

    #[test]
    fn every_kind_of_content() {
        let text = |content, version| {
            let messages = [SamplingMessage { role: Role::User, content }];
            let all = written(&Sampling::new(&messages, 1), version);
            let head = r#"{"messages":[{"role":"user","content":"#;
            let tail = r#"}],"maxTokens":1}"#;
            let content = all.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
            std::string::String::from(content.unwrap())
        };
        for version in ProtocolVersion::ALL {
            let rows = [
                (SamplingContent::TextOf(&["a", "", "b"]), r#"{"type":"text","text":"ab"}"#),
                (
                    SamplingContent::TextJson(value(r#""a\u0062\ud800""#).as_string().unwrap()),
                    r#"{"type":"text","text":"ab\ud800"}"#,
                ),
                (
                    SamplingContent::Image { mime_type: "image/png", bytes: b"foo" },
                    r#"{"type":"image","data":"Zm9v","mimeType":"image/png"}"#,
                ),
                (
                    SamplingContent::Blocks(value(r#"[{"type":"tool_use"}]"#).as_array().unwrap()),
                    r#"[{"type":"tool_use"}]"#,
                ),
            ];
            for (content, wanted) in rows {
                assert_eq!(text(content, version), wanted, "{version}");
            }
            let audio = SamplingContent::Audio { mime_type: "audio/wav", bytes: b"foo" };
            let is_audio = text(audio, version).starts_with(r#"{"type":"audio","data":"Zm9v""#);
            assert_eq!(is_audio, version != ProtocolVersion::V2024_11_05);
        }
    }

    #[test]
    fn answers_well_formed_and_not() {
        // Whether it is an answer, and the text in it.
        let rows: &[(&str, bool, Option<&str>)] = &[
            (
                r#"{"role":"assistant","content":{"type":"text","text":"a"},"model":"m","stopReason":"endTurn"}"#,
                true,
                Some("a"),
            ),
            (r#"{"content":{"text":"a","type":"te\u0078t"}}"#, true, Some("a")),
            (
                r#"{"content":[{"type":"image"},7,{"type":"text","text":"b"},{"type":"text","text":"c"}]}"#,
                true,
                Some("b"),
            ),
            (r#"{"content":[]}"#, true, None),
            (r#"{"content":{}}"#, true, None),
            (r#"{"content":{"type":"image","data":"","mimeType":"x/y"}}"#, true, None),
            (r#"{"content":{"type":"text"}}"#, true, None),
            (r#"{"content":{"type":"text","text":7}}"#, true, None),
            (r#"{"content":{"type":"text","text":"a","text":"b"}}"#, false, None),
            (r#"{"content":[{"type":"text","text":"a"},{"x":{"y":1,"y":2}}]}"#, false, None),
            (r#"{"content":{"type":"text","text":"a"},"x":1,"x":2}"#, true, Some("a")),
            (r#"{"content":{"type":"Text","text":"a"}}"#, true, None),
            (r#"{"content":"a"}"#, false, None),
            (r#"{"content":null}"#, false, None),
            (r#"{"model":"m"}"#, false, None),
            ("{}", false, None),
            (r#"{"content":{},"content":{}}"#, false, None),
            (r#"{"content":{},"model":"a","model":"b"}"#, false, None),
        ];
        for (text, is_answer, wanted) in rows {
            let found = Sampled::of(value(text).as_object().unwrap());
            assert_eq!(found.is_some(), *is_answer, "{text}");
            let text_found = found.and_then(Sampled::text);
            assert_eq!(text_found.and_then(JsonStr::as_str), *wanted, "{text}");
        }
        let all = rows.first().and_then(|(text, ..)| Sampled::of(value(text).as_object()?));
        let all = all.unwrap();
        assert!(all.model.is_some_and(|model| model == "m"));
        assert!(all.stop_reason.is_some_and(|reason| reason == "endTurn"));
        // Members of another type are left out.
        let odd = Sampled::of(value(r#"{"content":{},"model":7,"stopReason":null}"#).as_object().unwrap());
        assert!(odd.is_some_and(|odd| odd.model.is_none() && odd.stop_reason.is_none()));
    }
}
