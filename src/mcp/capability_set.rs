//! Sets of capabilities: one bit for each.

use crate::json::{Object, RawValue, Writer};

/// Makes a type for a set of capabilities, with one constant for each of them.
macro_rules! capability_set {
    ($(#[$attribute:meta])* $set:ident { $($(#[$about:meta])* $capability:ident,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Default)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub struct $set(u16);

        impl $set {
            /// No capability.
            pub const NONE: Self = Self(0);
            $($(#[$about])* pub const $capability: Self = Self(1 << Bit::$capability as u16);)*

            /// Whether the set has all of `others`.
            pub const fn has(self, others: Self) -> bool {
                self.0 & others.0 == others.0
            }

            /// Whether the set has at least one of `others`.
            pub const fn has_any(self, others: Self) -> bool {
                self.0 & others.0 != 0
            }

            /// The set with `others` added.
            pub const fn with(self, others: Self) -> Self {
                Self(self.0 | others.0)
            }

            /// The set with `others` removed.
            pub const fn without(self, others: Self) -> Self {
                Self(self.0 & !others.0)
            }

            /// Adds `others`.
            pub const fn insert(&mut self, others: Self) {
                *self = self.with(others);
            }

            /// Adds `others`, or removes them where `is_set` is `false`.
            pub const fn set(&mut self, others: Self, is_set: bool) {
                *self = match is_set {
                    true => self.with(others),
                    false => self.without(others),
                };
            }
        }

        impl core::ops::BitOr for $set {
            type Output = Self;

            fn bitor(self, others: Self) -> Self {
                self.with(others)
            }
        }

        /// The names of the constants.
        impl core::fmt::Debug for $set {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let mut set = f.debug_set();
                $(if self.has(Self::$capability) {
                    set.entry(&format_args!(stringify!($capability)));
                })*
                set.finish()
            }
        }

        /// The bits, in the order of the constants.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names are those of the constants")]
        enum Bit {
            $($capability,)*
        }
    };
}

pub(super) use capability_set;

/// The object under `name`.
pub(super) fn object<'a>(object: Object<'a>, name: &str) -> Option<Object<'a>> {
    object.get(name).and_then(RawValue::as_object)
}

/// Whether `name` is declared, by an object.
pub(super) fn declares(capabilities: Object<'_>, name: &str) -> bool {
    object(capabilities, name).is_some()
}

/// Whether `name` is declared, by `true`.
pub(super) fn is_true(capability: Object<'_>, name: &str) -> bool {
    capability.get(name).and_then(RawValue::as_bool) == Some(true)
}

/// The member `name`: an object with those of `details` that are declared, each a whole member as text.
pub(super) fn write_capability(json: &mut Writer<'_, '_>, name: &str, details: &[(bool, &'static str)]) {
    json.name(name).begin_object();
    for (_, detail) in details.iter().filter(|(is_declared, _)| *is_declared) {
        json.verbatim(detail);
    }
    json.end_object();
}
