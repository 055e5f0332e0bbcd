//! Methods of the trait `Handler`: the form that tools, resources and prompts share.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::names;

/// The method that returns a table, with its entries of a type of `mcp` in a constant; nothing if there are none.
pub(super) fn table(
    method: &str,
    entry: &str,
    declarations: impl ExactSizeIterator<Item = TokenStream>,
) -> TokenStream {
    if declarations.len() == 0 {
        return TokenStream::new();
    }
    let constant = Ident::new(&method.to_uppercase(), Span::call_site());
    let [method, entry] = [method, entry].map(|name| Ident::new(name, Span::call_site()));
    quote! {
        fn #method(&self) -> &[::barewire::mcp::#entry<'_>] {
            const #constant: &[::barewire::mcp::#entry<'static>] = &[#(#declarations),*];
            #constant
        }
    }
}

/// The method that answers a request. `kind` is the prefix of the type of its reply.
pub(super) fn answer(method: &str, request_type: &str, kind: &str, body: &TokenStream) -> TokenStream {
    let [method, request_type] = [method, request_type].map(|name| Ident::new(name, Span::call_site()));
    let reply_type = format_ident!("{kind}Reply");
    let (request, reply) = (names::request(), names::reply());
    quote! {
        fn #method<'request>(
            &mut self,
            #request: ::barewire::engine::#request_type<'request>,
            #reply: ::barewire::engine::#reply_type<'_, '_>,
        ) -> ::core::result::Result<::barewire::engine::Outcome, ::barewire::engine::CallError<'request>> {
            #body
        }
    }
}

/// [`answer`] for a request that names its target: each of `attempts` returns the answer if the target is its own.
pub(super) fn answer_first(
    method: &str,
    request_type: &str,
    kind: &str,
    attempts: impl ExactSizeIterator<Item = TokenStream>,
) -> TokenStream {
    if attempts.len() == 0 {
        return TokenStream::new();
    }
    let body = quote! {
        #(#attempts)*
        ::core::result::Result::Err(::barewire::engine::CallError::NotFound)
    };
    answer(method, request_type, kind, &body)
}
