//! The settings of the server itself.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Expr, Result, parse_quote};

use crate::settings::{Setting, set};

const KNOWN: [&str; 8] =
    ["name", "version", "title", "description", "website", "icons", "instructions", "scratch"];

/// Settings of `#[barewire::server(…)]`.
#[derive(Default)]
pub(super) struct Info {
    name: Option<Expr>,
    version: Option<Expr>,
    title: Option<Expr>,
    description: Option<Expr>,
    website: Option<Expr>,
    icons: Option<Expr>,
    instructions: Option<Expr>,
    scratch: Option<Expr>,
}

impl Info {
    pub(super) fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let setting = Setting::read(meta)?;
        let (name, span) = (setting.name.clone(), setting.span);
        let place = match name.as_str() {
            "name" => &mut self.name,
            "version" => &mut self.version,
            "title" => &mut self.title,
            "description" => &mut self.description,
            "website" => &mut self.website,
            "icons" => &mut self.icons,
            "instructions" => &mut self.instructions,
            "scratch" => &mut self.scratch,
            _ => return Err(setting.unknown("server", &KNOWN)),
        };
        set(place, &name, span, setting.value()?)
    }

    pub(super) const fn has_instructions(&self) -> bool {
        self.instructions.is_some()
    }

    /// The size of the scratch of a call.
    pub(super) fn scratch(&self) -> Expr {
        self.scratch.clone().unwrap_or_else(|| parse_quote!(256))
    }

    /// `info` and `instructions`.
    pub(super) fn methods(self) -> TokenStream {
        // The package is that of the user.
        let name = self.name.unwrap_or_else(|| parse_quote!(::core::env!("CARGO_PKG_NAME")));
        let version = self.version.unwrap_or_else(|| parse_quote!(::core::env!("CARGO_PKG_VERSION")));
        let title = self.title.iter();
        let description = self.description.iter();
        let website = self.website.iter();
        let icons = self.icons.iter();
        let instructions = self.instructions.iter();
        quote! {
            fn info(&self) -> ::barewire::mcp::Implementation<'_> {
                ::barewire::mcp::Implementation::new(#name, #version)
                    #(.with_title(#title))*
                    #(.with_description(#description))*
                    #(.with_website_url(#website))*
                    #(.with_icons(#icons))*
            }
            #(
                fn instructions(&self) -> ::core::option::Option<&str> {
                    ::core::option::Option::Some(#instructions)
                }
            )*
        }
    }
}
