//! The macros of [barewire](https://docs.rs/barewire). Use them through its feature `macros`.
#![forbid(unsafe_code)]

mod argument;
mod default;
mod doc;
mod errors;
mod literal;
mod output;
mod parameter;
mod range;
mod serde;
mod server;
mod settings;
mod shape;
mod types;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/server.md")]
#[proc_macro_attribute]
pub fn server(settings: TokenStream, item: TokenStream) -> TokenStream {
    server::expand(settings.into(), item.into()).into()
}

#[doc = include_str!("../docs/argument.md")]
#[proc_macro_derive(Argument, attributes(arg, serde))]
pub fn argument(item: TokenStream) -> TokenStream {
    argument::expand(item.into()).into()
}

#[doc = include_str!("../docs/output.md")]
#[proc_macro_derive(Output, attributes(arg, serde))]
pub fn output(item: TokenStream) -> TokenStream {
    output::expand(item.into()).into()
}
