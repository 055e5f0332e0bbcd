//! Declared parameters as owned trees, and the check of arguments against them, written a second time over serde_json's
//! members.

use core::cmp::Ordering;

use barewire::json::{NumberError, RawValue};
use barewire::mcp::{ArgumentFault, Parameter, Type};

use super::entropy::Entropy;
use super::{decimal, generate, strings, tree};

/// What a parameter takes.
#[derive(Debug, Clone)]
pub enum Declared {
    /// Strings of so many characters.
    String(u32, u32),
    /// One of these.
    Choice(Vec<&'static str>),
    /// Integers from here to there.
    Integer(i64, i64),
    /// Numbers between these texts.
    Number(Option<&'static str>, Option<&'static str>),
    /// `true` or `false`.
    Boolean,
    /// So many elements of one type.
    Array(Box<Declared>, u32, u32),
    /// These members; others too, if the flag is set.
    Object(Vec<Member>, bool),
}

/// One parameter.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub ty: Declared,
    /// Whether it must be there.
    pub is_required: bool,
}

/// The member that is at fault, and how: as declared, or the token that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// A declared member.
    Declared(String, ArgumentFault),
    /// A member that is not declared, as a token with its quotes.
    Sent(String),
}

const NAMES: [&str; 6] = ["a", "b", "\u{e9}\"", "a/b", "", "\u{1F600}"];
const WORDS: [&str; 6] = ["", "x", "\u{1F600}\u{e9}", "a\"\n", "longer", "\u{FFFD}"];
const BOUNDS: [&str; 8] = ["0", "-0", "-3", "1.5", "-0.25", "2e1", "1e-400", "9007199254740993"];

/// Some parameters, each of another name, nested at most `depth` deep.
pub fn members(entropy: &mut Entropy<'_>, depth: usize) -> Vec<Member> {
    let mut members = Vec::new();
    for name in NAMES {
        if entropy.once_in(2) {
            members.push(Member { name, ty: ty(entropy, depth), is_required: entropy.once_in(2) });
        }
    }
    members
}

fn ty(entropy: &mut Entropy<'_>, depth: usize) -> Declared {
    let least = entropy.below(3) as u32;
    let most = match entropy.once_in(3) {
        true => u32::MAX,
        false => least + entropy.below(3) as u32,
    };
    match entropy.below(if depth == 0 { 5 } else { 7 }) {
        0 => Declared::String(least, most),
        1 => Declared::Choice((0..1 + entropy.below(3)).map(|_| entropy.pick(&WORDS)).collect()),
        2 => Declared::Integer(
            entropy.pick(&[i64::MIN, -3, 0]),
            entropy.pick(&[i64::MAX, 3, 0, 9_007_199_254_740_993]),
        ),
        3 => {
            let bound = |entropy: &mut Entropy<'_>| entropy.once_in(2).then(|| entropy.pick(&BOUNDS));
            Declared::Number(bound(entropy), bound(entropy))
        }
        4 => Declared::Boolean,
        5 => Declared::Array(Box::new(ty(entropy, depth - 1)), least, most),
        _ => Declared::Object(members(entropy, depth - 1), entropy.once_in(2)),
    }
}

/// Lends the parameters to `then`. What they borrow from each other lives no longer.
pub fn with_parameters(members: &[Member], then: &mut dyn FnMut(&[Parameter<'_>])) {
    with_more(members, &[], then);
}

fn with_more(members: &[Member], done: &[Parameter<'_>], then: &mut dyn FnMut(&[Parameter<'_>])) {
    let Some((member, rest)) = members.split_first() else {
        return then(done);
    };
    with_type(&member.ty, &mut |ty| {
        let parameter = match member.is_required {
            true => Parameter::required(member.name, ty),
            false => Parameter::optional(member.name, ty),
        };
        with_more(rest, &[done, &[parameter]].concat(), then);
    });
}

fn with_type(declared: &Declared, then: &mut dyn FnMut(Type<'_>)) {
    let bound =
        |text: Option<&'static str>| text.and_then(|text| RawValue::new(text.as_bytes()).ok()?.as_number());
    match declared {
        Declared::String(least, most) => then(Type::string_of(*least, *most)),
        Declared::Choice(words) => then(Type::Choice(words)),
        Declared::Integer(minimum, maximum) => then(Type::integer_in(*minimum, *maximum)),
        Declared::Number(minimum, maximum) => {
            then(Type::Number { minimum: bound(*minimum), maximum: bound(*maximum) })
        }
        Declared::Boolean => then(Type::Boolean),
        Declared::Array(items, min_items, max_items) => with_type(items, &mut |items| {
            then(Type::Array { items: &items, min_items: *min_items, max_items: *max_items });
        }),
        Declared::Object(members, allow_unknown) => with_parameters(members, &mut |parameters| {
            then(Type::Object { parameters, allow_unknown: *allow_unknown });
        }),
    }
}

/// Arguments that mostly fit: members in any order, now and then repeated or unknown.
pub fn arguments(entropy: &mut Entropy<'_>, members: &[Member]) -> String {
    let mut texts = Vec::new();
    for member in members {
        let times = match entropy.below(16) {
            15 => 2,
            13 | 14 => 0,
            _ => 1,
        };
        for _ in 0..times {
            let text = format!("{}:{}", generate::spelt(entropy, member.name), value(entropy, &member.ty));
            let place = entropy.below(texts.len() + 1);
            texts.insert(place, text);
        }
    }
    if entropy.once_in(6) {
        let place = entropy.below(texts.len() + 1);
        texts.insert(place, format!("{}:{}", generate::string(entropy), generate::value(entropy, 2)));
    }
    format!("{{{}}}", texts.join(entropy.pick(&[",", " ,\n"])))
}

fn value(entropy: &mut Entropy<'_>, declared: &Declared) -> String {
    if entropy.once_in(16) {
        return generate::value(entropy, 2);
    }
    match declared {
        Declared::Choice(words) if entropy.below(4) > 0 => {
            let word = entropy.pick(words);
            generate::spelt(entropy, word)
        }
        Declared::String(..) | Declared::Choice(_) => match entropy.once_in(4) {
            true => generate::string(entropy),
            false => {
                let word = entropy.pick(&WORDS);
                generate::spelt(entropy, word)
            }
        },
        Declared::Integer(..) => entropy
            .pick(&[
                "0",
                "-3",
                "3",
                "4",
                "-0",
                "1.0",
                "30e-1",
                "4.000E0",
                "-0.3e1",
                "0.5",
                "0e99999999999999999999",
                "1e-99999999999999999999",
                "900719925474099.3e1",
                "9007199254740993.0",
                "9007199254740994",
                "9223372036854775808",
            ])
            .to_string(),
        Declared::Number(..) => match entropy.once_in(2) {
            true => generate::number(entropy),
            false => entropy.pick(&BOUNDS).to_string(),
        },
        Declared::Boolean => entropy.pick(&["true", "false"]).to_string(),
        Declared::Array(items, ..) => {
            let elements: Vec<String> = (0..entropy.below(5)).map(|_| value(entropy, items)).collect();
            format!("[{}]", elements.join(","))
        }
        Declared::Object(members, _) => arguments(entropy, members),
    }
}

/// The first fault of the object `text`, in the order in which it stands there; what is missing from an object shows at
/// its end.
pub fn first_fault(text: &str, declared: &[Member], allow_unknown: bool) -> Option<Wrong> {
    let mut seen: Vec<&str> = Vec::new();
    for (token, value) in tree::members(text).expect("an object") {
        let Some(member) = declared.iter().find(|member| strings::is(token, member.name)) else {
            match allow_unknown {
                true => continue,
                false => return Some(Wrong::Sent(token.to_owned())),
            }
        };
        if seen.contains(&member.name) {
            return Some(Wrong::Declared(member.name.to_owned(), ArgumentFault::Repeated));
        }
        seen.push(member.name);
        if value == "null" && !member.is_required {
            // Not given.
            continue;
        }
        let fault = fault_of(value, &member.ty, member.name);
        if fault.is_some() {
            return fault;
        }
    }
    let missing = declared.iter().find(|member| member.is_required && !seen.contains(&member.name))?;
    Some(Wrong::Declared(missing.name.to_owned(), ArgumentFault::Missing))
}

/// The fault of a value of the parameter `name`, or of what it holds.
fn fault_of(text: &str, declared: &Declared, name: &str) -> Option<Wrong> {
    let is_string = text.starts_with('"');
    let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let within = |count: usize, least: u32, most: u32| (least as usize..=most as usize).contains(&count);
    let beyond = |bound: &Option<&str>, wrong: Ordering| {
        bound.is_some_and(|bound| decimal::compare(text, bound) == Some(wrong))
    };
    let fault = match declared {
        Declared::String(..) | Declared::Choice(_) if !is_string => Some(ArgumentFault::NotAString),
        Declared::String(least, most) => {
            let count = strings::characters(text).len();
            (!within(count, *least, *most)).then_some(ArgumentFault::WrongLength)
        }
        Declared::Choice(words) => {
            (!words.iter().any(|word| strings::is(text, word))).then_some(ArgumentFault::NotAChoice)
        }
        Declared::Integer(..) if !is_number => Some(ArgumentFault::NotAnInteger),
        Declared::Integer(minimum, maximum) => match decimal::integer(text) {
            Ok(integer) if (i128::from(*minimum)..=i128::from(*maximum)).contains(&integer) => None,
            Err(NumberError::NotAnInteger) => Some(ArgumentFault::NotAnInteger),
            _ => Some(ArgumentFault::OutOfRange),
        },
        Declared::Number(..) if !is_number => Some(ArgumentFault::NotANumber),
        Declared::Number(minimum, maximum) => (beyond(minimum, Ordering::Less)
            || beyond(maximum, Ordering::Greater))
        .then_some(ArgumentFault::OutOfRange),
        Declared::Boolean => (!matches!(text, "true" | "false")).then_some(ArgumentFault::NotABoolean),
        Declared::Array(items, least, most) => match tree::elements(text) {
            None => Some(ArgumentFault::NotAnArray),
            Some(elements) if !within(elements.len(), *least, *most) => Some(ArgumentFault::WrongCount),
            Some(elements) => return elements.iter().find_map(|element| fault_of(element, items, name)),
        },
        Declared::Object(members, allow_unknown) => match text.starts_with('{') {
            true => return first_fault(text, members, *allow_unknown),
            false => Some(ArgumentFault::NotAnObject),
        },
    };
    fault.map(|fault| Wrong::Declared(name.to_owned(), fault))
}
