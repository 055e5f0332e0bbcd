//! Answers, resources, prompts, context, methods of the handler.

use barewire::engine::{
    CallError, Context, Event, Handler, Outcome, PromptReply, ResourceRead, Resumed, ResumedReply, Role,
    ToolCall, ToolReply,
};
use barewire::json::JsonStr;
use barewire::macros::{Audio, Failed, Image, Refused, ResourceLink, Structured};
use barewire::mcp::{
    Capabilities, Elicitation, Icon, LoggingLevel, PercentDecoded, Prompt, PromptArgument, Resource,
    ResourceTemplate, Schema, TaskSupport, Tool, UriTemplate,
};
use barewire::rpc::ErrorCode;

use crate::kit::{answers, call, failure, request, text};

#[derive(serde::Serialize)]
struct Reading {
    celsius: i16,
}

const READING: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"celsius":{"type":"integer"}}}"#);
const ICONS: &[Icon<'_>] = &[Icon::new("https://example.org/a.png")];
const SURE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}}}"#);

struct Home<const ROOMS: usize> {
    events: usize,
}

#[barewire::server(name = "home", version = "1", description = "A home", website = "https://example.org", icons = ICONS)]
impl<const ROOMS: usize> Home<ROOMS> {
    /// Structured.
    #[tool(output_schema = READING, icons = ICONS, meta = r#"{"a":1}"#, open_world = false)]
    fn reading(&self) -> Structured<Reading> {
        Structured(Reading { celsius: 21 })
    }

    /// Several contents.
    #[tool]
    fn several(&self) -> (&str, [u8; 2], Image<'_>, Option<Audio<'_>>, ResourceLink<'_>, bool) {
        let image = Image { mime_type: "image/png", bytes: &[1, 2, 3] };
        ("a", [1, 2], image, None, ResourceLink(Resource::new("home://rooms", "rooms")), true)
    }

    /// Fails.
    #[tool]
    fn fail(&self, how: &str) -> Result<Result<(), &'static str>, Refused> {
        if how.is_empty() { Ok(Ok(())) } else { Err(Refused::new(ErrorCode(1), "no")) }
    }

    /// The context.
    #[tool]
    fn context(&self, context: &Context<'_>, call: ToolCall<'_>) -> String {
        format!("{} {} {}", context.version().as_str(), call.index(), context.wants_progress())
    }

    /// Answers by itself.
    #[tool]
    fn by_itself(&self, reply: ToolReply<'_, '_>, text: &str) -> Outcome {
        reply.text(["you said ", text])
    }

    /// Asks first.
    #[tool]
    fn erase(&mut self, mut reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        reply.log(LoggingLevel::Info, None, "asking");
        Ok(reply.ask("sure", &Elicitation::form("Erase?", SURE).into()).done())
    }

    /// Becomes a task.
    #[tool(task = "optional")]
    fn simulate(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(reply.start_task()?.1)
    }

    /// All rooms.
    #[resource("home://rooms", mime_type = "text/plain", title = "Rooms", icons = ICONS)]
    fn rooms(&self) -> usize {
        ROOMS
    }

    #[resource("home://plan", name = "the plan", description = "")]
    fn plan() -> &'static [u8] {
        &[1, 2, 3]
    }

    /// A room by its number.
    #[resource("home://room/{number}")]
    fn room(&self, number: u8, read: ResourceRead<'_>) -> Result<String, Refused> {
        match usize::from(number) < ROOMS {
            true => Ok(format!("{number} {}", read.uri())),
            false => Err(Refused::new(ErrorCode::RESOURCE_NOT_FOUND, "No such room")),
        }
    }

    /// A drawer.
    #[resource("home://{room}/{drawer}.txt")]
    fn drawer<'t>(
        &self,
        room: &'t str,
        #[arg(name = "drawer")] label: PercentDecoded<'t>,
    ) -> Result<String, &'t str> {
        if room == "locked" { Err(room) } else { Ok(format!("{room} {}", label.as_sent())) }
    }

    /// Greets.
    #[prompt(title = "Greet")]
    fn greet(
        &self,
        /// Who.
        name: &str,
        language: Option<JsonStr<'_>>,
        #[arg(default = "!".to_string())] end: String,
    ) -> [(Role, String); 2] {
        let language = language.map(|language| language.to_string()).unwrap_or_default();
        [(Role::User, format!("Greet {name}{end}")), (Role::Assistant, language)]
    }

    /// Short.
    #[prompt(name = "short-one")]
    fn short() -> Result<&'static str, Failed<'static>> {
        Ok("hi")
    }

    /// By itself.
    #[prompt]
    fn own(reply: PromptReply<'_, '_>) -> Outcome {
        reply.description("own").text(Role::User, "x").done()
    }

    #[handler]
    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else {
            return Err(CallError::Internal);
        };
        Ok(reply.text(if call.answer("sure").is_some() { "erased" } else { "left" }))
    }

    #[handler]
    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::LOGGING);
    }

    #[handler]
    fn event(&mut self, _: Event<'_>) {
        self.events += 1;
    }
}

fn home() -> Home<3> {
    Home { events: 0 }
}

#[test]
fn answers_of_tools() {
    assert_eq!(
        call(&mut home(), "reading", "{}"),
        r#""result":{"content":[{"type":"text","text":"{\"celsius\":21}"}],"isError":false,"structuredContent":{"celsius":21}}"#
    );
    let several = call(&mut home(), "several", "{}");
    assert!(several.contains(r#"{"type":"text","text":"a"},{"type":"text","text":"1"},{"type":"text","text":"2"},{"type":"image","data":"AQID","mimeType":"image/png"},{"type":"resource_link","uri":"home://rooms","name":"rooms"},{"type":"text","text":"true"}]"#), "{several}");
    assert_eq!(call(&mut home(), "fail", r#"{"how":""}"#), r#""result":{"content":[],"isError":false}"#);
    assert_eq!(call(&mut home(), "fail", r#"{"how":"x"}"#), r#""error":{"code":1,"message":"no"}"#);
    assert_eq!(
        call(&mut home(), "fail", r#"{"how":1}"#),
        failure("Invalid arguments for fail: how: must be a string")
    );
    assert_eq!(call(&mut home(), "by_itself", r#"{"text":"\t"}"#), text(r"you said \t"));
}

#[test]
fn context_and_questions() {
    assert_eq!(call(&mut home(), "context", "{}"), text("2025-11-25 3 false"));
    let lines = answers(
        &mut home(),
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"erase"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"yes":true}}}"#,
        ],
    );
    assert!(lines[0].contains(r#""logging":{}"#), "{}", lines[0]);
    assert!(lines[2].contains(r#""method":"elicitation/create""#), "{}", lines[2]);
    assert!(lines[3].contains(r#""text":"erased""#), "{}", lines[3]);
}

#[test]
fn resources() {
    let read = |uri: &str| request(&mut home(), "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
    let contents = |uri: &str, rest: &str| format!(r#""result":{{"contents":[{{"uri":"{uri}",{rest}}}]}}"#);
    assert_eq!(read("home://rooms"), contents("home://rooms", r#""mimeType":"text/plain","text":"3""#));
    assert_eq!(read("home://plan"), contents("home://plan", r#""blob":"AQID""#));
    assert_eq!(read("home://room/%32"), contents("home://room/%32", r#""text":"2 home://room/%32""#));
    assert_eq!(read("home://room/3"), r#""error":{"code":-32002,"message":"No such room"}"#);
    for uri in ["home://room/256", "home://room/-1", "home://room/x", "home://room/-", "home://nothing"] {
        assert!(read(uri).contains("Resource not found"), "{}", read(uri));
    }
    assert_eq!(read("home://a%20b/c%2Fd.txt"), contents("home://a%20b/c%2Fd.txt", r#""text":"a b c%2Fd""#));
    assert_eq!(read("home://locked/c.txt"), r#""error":{"code":-32603,"message":"locked"}"#);
}

#[test]
fn prompts() {
    let get = |params: &str| request(&mut home(), "prompts/get", params);
    assert_eq!(
        get(r#"{"name":"greet","arguments":{"name":"\"A\"","language":"fi"}}"#),
        r#""result":{"messages":[{"role":"user","content":{"type":"text","text":"Greet \"A\"!"}},{"role":"assistant","content":{"type":"text","text":"fi"}}]}"#
    );
    assert_eq!(
        get(r#"{"name":"short-one"}"#),
        r#""result":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}"#
    );
    assert!(get(r#"{"name":"own"}"#).contains(r#""description":"own""#));
    assert_eq!(get(r#"{"name":"greet"}"#), r#""error":{"code":-32602,"message":"Invalid params"}"#);
}

#[test]
fn tables() {
    let home = home();
    assert_eq!(
        home.tools()[0],
        Tool::new("reading", "Structured.")
            .with_output_schema(READING)
            .with_icons(ICONS)
            .with_meta(r#"{"a":1}"#)
            .with_annotations({
                let mut hints = barewire::mcp::ToolAnnotations::NONE;
                hints.open_world = Some(false);
                hints
            })
    );
    assert_eq!(home.tools()[6].task_support(), TaskSupport::Optional);
    const RESOURCES: &[Resource<'_>] = &[
        Resource::new("home://rooms", "rooms")
            .with_title("Rooms")
            .with_description("All rooms.")
            .with_mime_type("text/plain")
            .with_icons(ICONS),
        Resource::new("home://plan", "the plan"),
    ];
    assert_eq!(home.resources(), RESOURCES);
    const TEMPLATES: &[ResourceTemplate<'_>] = &[
        ResourceTemplate::new(UriTemplate::new("home://room/{number}"), "room")
            .with_description("A room by its number."),
        ResourceTemplate::new(UriTemplate::new("home://{room}/{drawer}.txt"), "drawer")
            .with_description("A drawer."),
    ];
    assert_eq!(home.resource_templates(), TEMPLATES);
    const GREET: Prompt<'_> =
        Prompt::new("greet").with_title("Greet").with_description("Greets.").with_arguments(&[
            PromptArgument::required("name").with_description("Who."),
            PromptArgument::optional("language"),
            PromptArgument::optional("end"),
        ]);
    assert_eq!(home.prompts()[0], GREET);
}

const POINT: Schema<'_> = Schema::new(
    r##"{"type":"object","properties":{"x":{"$ref":"#/$defs/place"}},"$defs":{"place":{"type":"integer"}}}"##,
);

struct Pen;

#[barewire::server(name = "pen", version = "1")]
impl Pen {
    /// Moves the pen.
    #[tool(input_schema = POINT)]
    fn move_to(&self, call: ToolCall<'_>) -> Option<i64> {
        call.integer("x")
    }
}

#[test]
fn an_input_schema_is_listed_and_not_checked() {
    assert_eq!(Pen.tools(), [Tool::new("move_to", "Moves the pen.").with_schema(POINT)]);
    assert_eq!(call(&mut Pen, "move_to", r#"{"x":3}"#), text("3"));
    assert!(call(&mut Pen, "move_to", r#"{"x":"left"}"#).contains(r#""content":[]"#));
}
