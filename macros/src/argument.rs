//! `#[derive(barewire::Argument)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, GenericParam, Generics, Ident, Lifetime, LitStr, Result, parse_quote};

use crate::parameter::Parameter;
use crate::shape::Shape;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    derive(&input).unwrap_or_else(|error| {
        let (error, stub) = (error.into_compile_error(), stub(&input));
        quote!(#error #stub)
    })
}

/// An implementation for any type: the compiler reports the error, and no others for want of an implementation.
fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    generics.params.insert(0, parse_quote!('message));
    let (_, arguments, clause) = input.generics.split_for_impl();
    let (generics, ..) = generics.split_for_impl();
    let read = read(&quote! {
        let _ = (value, scratch);
        ::core::result::Result::Err(::barewire::macros::InvalidArgument::new(""))
    });
    quote! {
        #[automatically_derived]
        impl #generics ::barewire::macros::Argument<'message> for #ident #arguments #clause {
            const TYPE: ::barewire::mcp::Type<'static> = ::barewire::mcp::Type::Boolean;

            #read
        }
    }
}

fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let has_lifetime = check_generics(&input.generics)?;
    let body = match Shape::of(input, "an argument")? {
        Shape::Choice(variants) => choice(&variants),
        Shape::Object(fields) => object(&fields, has_lifetime),
    };
    Ok(implementation(input, &body))
}

/// Whether the type has a lifetime. It cannot have more, since there is one message.
fn check_generics(generics: &Generics) -> Result<bool> {
    let mut lifetimes = 0;
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(_) => lifetimes += 1,
            other => {
                return Err(Error::new_spanned(other, "an argument cannot be generic: its schema is fixed"));
            }
        }
    }
    match lifetimes {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::new_spanned(generics, "an argument has at most one lifetime: that of the message")),
    }
}

fn implementation(input: &DeriveInput, body: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let lifetime: Option<&Lifetime> = input.generics.lifetimes().map(|parameter| &parameter.lifetime).next();
    let generics = lifetime.map(|_| quote!(<'message>));
    quote! {
        #[automatically_derived]
        impl<'message> ::barewire::macros::Argument<'message> for #ident #generics {
            #body
        }
    }
}

/// The head of the method that reads.
fn read(body: &TokenStream) -> TokenStream {
    quote! {
        fn read(
            value: ::barewire::json::RawValue<'message>,
            scratch: &mut ::barewire::macros::Scratch<'message>,
        ) -> ::core::result::Result<Self, ::barewire::macros::InvalidArgument> {
            #body
        }
    }
}

fn choice(variants: &[(Ident, LitStr)]) -> TokenStream {
    let (idents, names): (Vec<&Ident>, Vec<&LitStr>) =
        variants.iter().map(|(ident, name)| (ident, name)).unzip();
    let read = read(&quote! {
        let _ = scratch;
        let unknown = ::barewire::macros::InvalidArgument::new("is none of the allowed values");
        let text = value.as_string().ok_or(unknown)?;
        #(
            if text == #names {
                return ::core::result::Result::Ok(Self::#idents);
            }
        )*
        ::core::result::Result::Err(unknown)
    });
    quote! {
        const TYPE: ::barewire::mcp::Type<'static> = ::barewire::mcp::Type::Choice(&[#(#names),*]);

        #read
    }
}

fn object(fields: &[Parameter], has_lifetime: bool) -> TokenStream {
    let declarations = fields.iter().map(Parameter::declaration);
    let idents = fields.iter().map(|field| &field.ident);
    let readings = fields.iter().map(|field| field.reading(&quote!(members), &quote!(scratch)));
    let read = read(&quote! {
        let wrong_type = ::barewire::macros::InvalidArgument::new("must be an object");
        let members = value.as_object().ok_or(wrong_type)?;
        ::core::result::Result::Ok(Self { #(#idents: #readings?),* })
    });
    quote! {
        const TYPE: ::barewire::mcp::Type<'static> = ::barewire::mcp::Type::object_of(&[#(#declarations),*]);
        const USES_SCRATCH: bool = #has_lifetime;

        #read
    }
}
