//! `#[derive(barewire::Output)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, GenericParam, Ident, LitStr, Result};

use crate::parameter::Parameter;
use crate::shape::Shape;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    derive(&input).unwrap_or_else(|error| {
        let error = error.into_compile_error();
        // The compiler reports the error, and no others for want of an implementation.
        let stub = implementation(
            &input,
            (quote!(::barewire::mcp::Type::Boolean), quote!(let _ = json;), add_to(&quote!(content))),
        );
        quote!(#error #stub)
    })
}

fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let lifetime = |parameter: &&GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
    if let Some(parameter) = input.generics.params.iter().find(lifetime) {
        return Err(Error::new_spanned(parameter, "an output cannot be generic: its schema is fixed"));
    }
    Ok(match Shape::of(input, "an output")? {
        Shape::Choice(variants) => implementation(input, choice(&variants)),
        Shape::Object(fields) => implementation(input, object(&fields)),
    })
}

/// The schema, the statements that write the value, and the content.
type Parts = (TokenStream, TokenStream, TokenStream);

fn implementation(input: &DeriveInput, (schema, write, content): Parts) -> TokenStream {
    let ident = &input.ident;
    let (generics, arguments, clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics ::barewire::macros::Output for #ident #arguments #clause {
            const TYPE: ::barewire::mcp::Type<'static> = #schema;

            fn write(&self, json: &mut ::barewire::json::Writer<'_, '_>) {
                #write
            }
        }

        #[automatically_derived]
        impl #generics ::barewire::macros::IntoContent for #ident #arguments #clause {
            #content
        }
    }
}

/// Those of a string, which is a text.
fn choice(variants: &[(Ident, LitStr)]) -> Parts {
    let (idents, names): (Vec<&Ident>, Vec<&LitStr>) =
        variants.iter().map(|(ident, name)| (ident, name)).unzip();
    let schema = quote!(::barewire::mcp::Type::Choice(&[#(#names),*]));
    let name = quote!(match self { #(Self::#idents => #names),* });
    let write = quote!(json.string(#name););
    let content = add_to(&quote!(content.text(#name)));
    (schema, write, content)
}

/// Those of an object, which is structured content.
fn object(fields: &[Parameter]) -> Parts {
    let declarations = fields.iter().map(Parameter::output_declaration);
    let schema = quote!(::barewire::mcp::Type::object_of(&[#(#declarations),*]));
    let members = fields.iter().map(|field| {
        let (ident, name, ty) = (&field.ident, &field.name, &field.ty);
        // At the place of the type and as in the declaration, so that the compiler reports a type without `Output` only once.
        let write = quote_spanned!(ty.span()=> <#ty as ::barewire::macros::Output>::write);
        match field.is_option {
            true => quote! {
                if let ::core::option::Option::Some(value) = &self.#ident {
                    #write(value, json.name(#name));
                }
            },
            false => quote!(#write(&self.#ident, json.name(#name));),
        }
    });
    let write = quote! {
        json.begin_object();
        #(#members)*
        json.end_object();
    };
    let add_to =
        add_to(&quote!(content.structured_with(|json| ::barewire::macros::Output::write(&self, json))));
    let content = quote! {
        const OUTPUT: ::core::option::Option<&'static [::barewire::mcp::Parameter<'static>]> =
            ::barewire::macros::members(<Self as ::barewire::macros::Output>::TYPE);

        #add_to
    };
    (schema, write, content)
}

fn add_to(content: &TokenStream) -> TokenStream {
    quote! {
        fn add_to<'r, 'm>(
            self,
            content: ::barewire::engine::ToolContent<'r, 'm>,
        ) -> ::barewire::engine::ToolContent<'r, 'm> {
            #content
        }
    }
}
