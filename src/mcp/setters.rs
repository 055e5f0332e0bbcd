//! The methods of builders that set one field.

/// Makes a `const` method for each line. The method returns the value with one field set.
macro_rules! setters {
    ($($(#[$about:meta])* $name:ident($($argument:ident: $type:ty),+) => $($field:ident).+ = $value:expr;)*) => {
        $($(#[$about])*
        pub const fn $name(mut self, $($argument: $type),+) -> Self {
            self.$($field).+ = $value;
            self
        })*
    };
}

pub(super) use setters;
