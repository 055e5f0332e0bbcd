use barewire::{Argument, Output};

#[derive(Argument)]
enum Data {
    A(u8),
    B { b: u8 },
}

#[derive(Argument)]
enum Empty {}

#[derive(Argument)]
enum Twice {
    #[serde(rename = "a")]
    A,
    #[serde(rename = "a")]
    B,
}

#[derive(Argument)]
struct Tuple(u8);

#[derive(Argument)]
struct Unit;

#[derive(Argument)]
struct Generic<T> {
    a: T,
}

#[derive(Argument)]
#[serde(tag = "type")]
struct Tagged {
    a: u8,
}

#[derive(Argument)]
struct Flat {
    #[serde(flatten)]
    a: u8,
    #[serde(alias = "c")]
    b: u8,
}

#[derive(Argument)]
#[serde(rename_all = "snake-case")]
struct Case {
    a: u8,
}

#[derive(Argument)]
struct Field {
    #[arg(min = -1)]
    a: u8,
    #[serde(rename = "a")]
    b: u8,
}

#[derive(Argument)]
struct Inner {
    a: std::time::Duration,
}

#[derive(Output)]
struct Outer {
    a: std::time::Duration,
    b: Option<Inner>,
}

#[derive(Output)]
struct OuterField {
    #[arg(max = 300)]
    b: u8,
}

#[derive(Output)]
struct Pair(u8, u8);

#[derive(Output)]
struct GenericOutput<T>(T);

fn main() {}
