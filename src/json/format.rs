//! `defmt::Format` of the views: their text, as it was received.

use defmt::{Format, Formatter, write};

use super::{Array, JsonStr, Number, Object, RawValue};

impl Format for RawValue<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=str}", self.as_json());
    }
}

impl Format for Object<'_> {
    fn format(&self, f: Formatter<'_>) {
        self.as_value().format(f);
    }
}

impl Format for Array<'_> {
    fn format(&self, f: Formatter<'_>) {
        self.as_value().format(f);
    }
}

impl Format for Number<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=str}", self.as_str());
    }
}

impl Format for JsonStr<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "\"{=str}\"", self.as_escaped());
    }
}
