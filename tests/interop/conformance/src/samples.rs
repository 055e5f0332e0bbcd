//! What the tools, resources and prompts return, and schemas.

use barewire::mcp::Schema;

/// An image of one red pixel.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\
    \0\0\0\x0cIDATx\xdac\xf8\xcf\xc0\0\0\x03\x01\x01\0\xf7\x03AC\0\0\0\0IEND\xaeB`\x82";

/// A sound without samples.
pub(crate) const WAV: &[u8] =
    b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0";

/// The schema of `json_schema_2020_12_tool`.
pub(crate) const ADDRESS: Schema<'_> = Schema::new(concat!(
    r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","#,
    r##""$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"##,
    r##""properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"##,
    r#""contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"#,
    r#""allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"#,
    r#""if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"#,
    r#""then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"#,
));

/// A form with a default for each type.
pub(crate) const DEFAULTS: Schema<'_> = Schema::new(concat!(
    r#"{"type":"object","properties":{"#,
    r#""name":{"type":"string","default":"John Doe"},"#,
    r#""age":{"type":"integer","default":30},"#,
    r#""score":{"type":"number","default":95.5},"#,
    r#""status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"#,
    r#""verified":{"type":"boolean","default":true}}}"#,
));

/// A form with each kind of choice.
pub(crate) const CHOICES: Schema<'_> = Schema::new(concat!(
    r#"{"type":"object","properties":{"#,
    r#""untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"#,
    r#""titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},"#,
    r#"{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"#,
    r#""legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"#,
    r#""enumNames":["Option One","Option Two","Option Three"]},"#,
    r#""untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"#,
    r#""titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},"#,
    r#"{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}"#,
));

/// A form for a user's name and address.
pub(crate) const USER: Schema<'_> = Schema::new(concat!(
    r#"{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"#,
    r#""email":{"type":"string","description":"User's email address"}},"required":["username","email"]}"#,
));

pub(crate) const NAME: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#);
pub(crate) const COLOR: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}"#);
pub(crate) const CONTEXT: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}"#);
pub(crate) const OK: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#);
pub(crate) const CONFIRM: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}"#);
