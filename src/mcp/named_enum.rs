//! Enums whose values have names on the wire.

/// Makes an enum out of its values and their names.
macro_rules! named_enum {
    ($(#[$attribute:meta])* $type:ident {
        $($(#[$about:meta])* $value:ident $(= $number:literal)? => $name:literal,)*
    }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub enum $type {
            $($(#[$about])* $value $(= $number)?,)*
        }

        impl $type {
            /// All values, in the order of the specification.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            /// The value with the given name on the wire, compared after unescaping.
            pub fn from_name(name: $crate::json::JsonStr<'_>) -> Option<Self> {
                Self::ALL.into_iter().find(|value| name == value.as_str())
            }
        }
    };
}

pub(super) use named_enum;
