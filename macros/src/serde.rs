//! The attributes of serde that change how a type is read: `rename`, `rename_all`, `default`.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, LitStr, Path, Result, parse_quote};

/// A way to spell all names of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    const ALL: [(&str, Self); 8] = [
        ("lowercase", Self::Lower),
        ("UPPERCASE", Self::Upper),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("snake_case", Self::Snake),
        ("SCREAMING_SNAKE_CASE", Self::ScreamingSnake),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::ScreamingKebab),
    ];

    fn of(name: &LitStr) -> Result<Self> {
        let found = Self::ALL.iter().find(|(case, _)| *case == name.value());
        found.map(|(_, case)| *case).ok_or_else(|| {
            let names: Vec<String> = Self::ALL.iter().map(|(case, _)| format!("\"{case}\"")).collect();
            Error::new(name.span(), format!("`rename_all` is one of {}", names.join(", ")))
        })
    }

    /// The name of a variant, which is written in `PascalCase`.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_string(),
            // serde changes the letters only, without a look at the words.
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            _ => {
                let mut snake = String::new();
                for (place, character) in name.char_indices() {
                    if place > 0 && character.is_uppercase() {
                        snake.push('_');
                    }
                    snake.push(character.to_ascii_lowercase());
                }
                self.field(&snake)
            }
        }
    }

    /// The name of a field, which is written in `snake_case`.
    pub(crate) fn field(self, name: &str) -> String {
        let pascal = || {
            let words = name.split('_').map(|word| {
                let mut characters = word.chars();
                let first = characters.next().map(|first| first.to_ascii_uppercase());
                first.into_iter().chain(characters).collect::<String>()
            });
            words.collect::<String>()
        };
        match self {
            Self::Lower | Self::Snake => name.to_string(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(),
            Self::Camel => {
                let pascal = pascal();
                let mut characters = pascal.chars();
                let first = characters.next().map(|first| first.to_ascii_lowercase());
                first.into_iter().chain(characters).collect()
            }
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// What the attributes of a type, a field or a variant say.
#[derive(Default)]
pub(crate) struct Serde {
    pub(crate) rename: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) default: Option<Expr>,
}

/// What an attribute belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Type,
    Field,
    Variant,
}

impl Serde {
    /// Reads the attributes. One that changes what serde reads in another way is an error.
    pub(crate) fn of(attributes: &[Attribute], place: Place) -> Result<Self> {
        let mut serde = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| serde.read(&meta, place))?;
        }
        Ok(serde)
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>, place: Place) -> Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match (name.as_str(), place) {
            ("rename", Place::Field | Place::Variant) => self.rename = Some(meta.value()?.parse()?),
            ("rename_all", Place::Type) => self.rename_all = Some(Case::of(&meta.value()?.parse()?)?),
            ("default", Place::Field) => {
                self.default = Some(match meta.input.peek(syn::Token![=]) {
                    true => {
                        let path: LitStr = meta.value()?.parse()?;
                        let path: Path = path.parse()?;
                        parse_quote!(#path())
                    }
                    false => parse_quote!(::core::default::Default::default()),
                });
            }
            // An object takes its declared members only, and names of types are not in the schema.
            ("deny_unknown_fields", Place::Type) => {}
            _ => {
                let message = format!(
                    "`#[derive(Argument)]` does not know serde's `{name}` here: it follows `rename` and `default` of fields, \
                     `rename` of variants, and `rename_all` and `deny_unknown_fields` of types"
                );
                return Err(Error::new_spanned(&meta.path, message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_serde() {
        let cases = [
            (Case::Lower, "verytasty", "very_tasty"),
            (Case::Upper, "VERYTASTY", "VERY_TASTY"),
            (Case::Pascal, "VeryTasty", "VeryTasty"),
            (Case::Camel, "veryTasty", "veryTasty"),
            (Case::Snake, "very_tasty", "very_tasty"),
            (Case::ScreamingSnake, "VERY_TASTY", "VERY_TASTY"),
            (Case::Kebab, "very-tasty", "very-tasty"),
            (Case::ScreamingKebab, "VERY-TASTY", "VERY-TASTY"),
        ];
        for (case, variant, field) in cases {
            assert_eq!(case.variant("VeryTasty"), variant);
            assert_eq!(case.field("very_tasty"), field);
        }
    }
}
