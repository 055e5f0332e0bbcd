//! A parameter of a method, or a field of a struct: its settings, its declaration, and how it is read.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Ident, LitStr, Result, Type};

use crate::range::Range;
use crate::settings::{Setting, set};
use crate::types;
use crate::{default, doc};

/// Settings of `#[arg(…)]`.
const KNOWN: [&str; 7] = ["name", "doc", "title", "min", "max", "default", "header"];

/// A parameter or a field.
pub(crate) struct Parameter {
    /// Name of the variable or field.
    pub(crate) ident: Ident,
    /// Name on the wire.
    pub(crate) name: LitStr,
    /// The type, or that inside its `Option`, without lifetimes.
    pub(crate) ty: Type,
    pub(crate) is_option: bool,
    pub(crate) default: Option<Expr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    range: Range,
    /// Name of the header that repeats the argument.
    header: Option<LitStr>,
}

impl Parameter {
    pub(crate) fn new(ident: &Ident, ty: &Type, attributes: &[Attribute]) -> Result<Self> {
        let inner = types::option(ty);
        let mut name = None;
        let mut parameter = Self {
            ident: ident.clone(),
            name: LitStr::new(&ident.unraw().to_string(), ident.span()),
            ty: types::without_lifetimes(inner.unwrap_or(ty)),
            is_option: inner.is_some(),
            default: None,
            title: None,
            description: None,
            range: Range::default(),
            header: None,
        };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("arg")) {
            attribute.parse_nested_meta(|meta| {
                let setting = Setting::read(&meta)?;
                let (key, span) = (setting.name.clone(), setting.span);
                match key.as_str() {
                    "name" => set(&mut name, &key, span, setting.text()?),
                    "doc" => set(&mut parameter.description, &key, span, setting.text()?),
                    "title" => set(&mut parameter.title, &key, span, setting.text()?),
                    "min" => set(&mut parameter.range.min, &key, span, setting.value()?),
                    "max" => set(&mut parameter.range.max, &key, span, setting.value()?),
                    "default" => set(&mut parameter.default, &key, span, setting.value()?),
                    "header" => set(&mut parameter.header, &key, span, setting.text()?),
                    _ => Err(setting.unknown("arg", &KNOWN)),
                }
            })?;
        }
        if let Some(name) = name {
            parameter.name = name;
        }
        if parameter.description.is_none() {
            parameter.description = doc::description(attributes).map(|text| LitStr::new(&text, ident.span()));
        }
        if let (Some(default), true) = (&parameter.default, parameter.is_option) {
            let message = "an `Option` has no default: it is `None` if the argument is absent; write the type without `Option`";
            return Err(Error::new(default.span(), message));
        }
        if let Some(header) = &parameter.header {
            check_header(header)?;
        }
        parameter.range.check(&parameter.ty)?;
        if let Some(default) = &parameter.default {
            parameter.range.check_default(default)?;
        }
        Ok(parameter)
    }

    /// Refuses settings that are for arguments of tools only.
    pub(crate) fn is_plain(&self, what: &str) -> Result<()> {
        if let Some(header) = &self.header {
            return Err(Error::new(header.span(), format!("{what} has no header")));
        }
        match self.range.min.as_ref().or(self.range.max.as_ref()) {
            Some(bound) => {
                Err(Error::new(bound.span(), format!("{what} has no range; check the value in the method")))
            }
            None => Ok(()),
        }
    }

    /// Whether a call need not have the argument.
    pub(crate) const fn is_optional(&self) -> bool {
        self.is_option || self.default.is_some()
    }

    /// The declaration of an argument: an expression of the type `mcp::Parameter`.
    pub(crate) fn declaration(&self) -> TokenStream {
        let ty = &self.ty;
        let schema = quote_spanned!(ty.span()=> <#ty as ::barewire::macros::Argument<'_>>::TYPE);
        let declaration = self.declare(schema, self.constructor());
        // The others are known at run time only.
        let default = self.default.as_ref().and_then(default::json).into_iter();
        let header = self.header.iter();
        quote! {
            #declaration
                #(.with_default(&const { ::barewire::macros::json(#default) }))*
                #(.with_header(&#header))*
        }
    }

    /// The declaration of a member of structured content. A field with a default is always written.
    pub(crate) fn output_declaration(&self) -> TokenStream {
        let ty = &self.ty;
        let schema = quote_spanned!(ty.span()=> <#ty as ::barewire::macros::Output>::TYPE);
        self.declare(schema, constructor(self.is_option))
    }

    fn declare(&self, schema: TokenStream, new: Ident) -> TokenStream {
        let (name, details) = (&self.name, self.details());
        let schema = self.range.apply(&self.ty, schema);
        quote!(::barewire::mcp::Parameter::#new(#name, #schema) #details)
    }

    /// `required` or `optional`.
    pub(crate) fn constructor(&self) -> Ident {
        constructor(self.is_optional())
    }

    /// The setters of title and description.
    pub(crate) fn details(&self) -> TokenStream {
        let title = self.title.iter();
        let description = self.description.iter();
        quote!(#(.with_title(#title))* #(.with_description(#description))*)
    }

    /// An expression for the value that was read with `Result<T, _>` or `Result<Option<T>, _>`, as `value` says.
    pub(crate) fn or_default(&self, value: TokenStream) -> TokenStream {
        match &self.default {
            Some(default) => {
                let default_value = default::value(default, &self.ty);
                quote_spanned!(default.span()=> #value.map(|value| value.unwrap_or_else(|| #default_value)))
            }
            None => value,
        }
    }

    /// An expression of the type `Result<T, InvalidArgument>` that reads the member of an object.
    pub(crate) fn reading(&self, members: &TokenStream, scratch: &TokenStream) -> TokenStream {
        let (name, ty, get) = (&self.name, &self.ty, self.constructor());
        // The type is written as in the declaration, so that the compiler reports a type without `Argument` only once.
        let read =
            quote_spanned!(ty.span()=> <#ty as ::barewire::macros::Argument<'_>>::read(value, #scratch));
        self.or_default(quote!(::barewire::macros::#get(#members, #name, |value| #read)))
    }

    /// The condition under which the value may borrow from the scratch: `None` for never.
    pub(crate) fn uses_scratch(&self) -> Option<TokenStream> {
        let ty = &self.ty;
        match () {
            () if types::is_owned(ty) => None,
            () if types::is_str(ty) => Some(quote!(true)),
            () => Some(quote_spanned!(ty.span()=> <#ty as ::barewire::macros::Argument<'_>>::USES_SCRATCH)),
        }
    }
}

fn constructor(is_optional: bool) -> Ident {
    Ident::new(if is_optional { "optional" } else { "required" }, Span::call_site())
}

/// What the type of the parameter decides is checked when the table is compiled.
fn check_header(header: &LitStr) -> Result<()> {
    let name = header.value();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match (1..=64).contains(&name.len()) && name.bytes().all(is_token) {
        true => Ok(()),
        false => {
            let message = "a header is named by 1 to 64 letters, digits and characters of !#$%&'*+-.^_`|~";
            Err(Error::new(header.span(), message))
        }
    }
}

/// The error for two parameters with one name.
pub(crate) fn check_names(parameters: &[Parameter]) -> Result<()> {
    for (place, parameter) in parameters.iter().enumerate() {
        let name = parameter.name.value();
        if parameters.iter().take(place).any(|other| other.name.value() == name) {
            return Err(Error::new(parameter.name.span(), format!("two parameters have the name `{name}`")));
        }
    }
    Ok(())
}
