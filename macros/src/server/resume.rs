//! `resume`, the method that gets the client's answers to what a tool, a resource or a prompt has asked.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, Result};

use super::kind::Kind;
use super::names;
use crate::settings::Setting;

/// The value of the setting: the name of a method.
pub(super) fn name(setting: Setting) -> Result<Ident> {
    let value = setting.value()?;
    match &value {
        Expr::Path(path) if path.path.get_ident().is_some() => path.path.require_ident().cloned(),
        other => Err(Error::new(other.span(), "`resume` is the name of a method: `resume = confirmed`")),
    }
}

/// A method that continues the calls of one tool, resource or prompt.
pub(super) struct Resume<'m> {
    pub(super) kind: Kind,
    /// An expression of the type `bool`: whether the call is one of these.
    pub(super) is_it: TokenStream,
    pub(super) method: &'m Ident,
}

impl Resume<'_> {
    /// The statement that continues the call if it is one of these.
    fn attempt(&self) -> TokenStream {
        let Self { is_it, method, .. } = self;
        // At the place of the name: there an error about the parameters of the method points.
        let [request, reply] = [names::request(), names::reply()]
            .map(|variable| Ident::new(&variable.to_string(), variable.span().located_at(method.span())));
        let place = method.span().resolved_at(Span::call_site());
        let call =
            quote_spanned!(place=> ::barewire::macros::Finished::finish(self.#method(#request, #reply)));
        quote! {
            if #is_it {
                return #call;
            }
        }
    }
}

/// `resume`; nothing if there are no such methods. A call of anything else is refused: a modern client can send answers with any call.
pub(super) fn resume(all: &[Resume<'_>]) -> TokenStream {
    if all.is_empty() {
        return TokenStream::new();
    }
    let (request, reply) = (names::request(), names::reply());
    let arms =
        [(Kind::Tool, quote!(Tool)), (Kind::Resource, quote!(Resource)), (Kind::Prompt, quote!(Prompt))];
    let arms = arms.iter().map(|(kind, variant)| {
        let attempts = all.iter().filter(|resume| resume.kind == *kind).map(Resume::attempt);
        let attempts: Vec<TokenStream> = attempts.collect();
        match attempts.is_empty() {
            true => quote!(::barewire::engine::ResumedReply::#variant(_) => {}),
            false => quote!(::barewire::engine::ResumedReply::#variant(#reply) => { #(#attempts)* }),
        }
    });
    quote! {
        fn resume<'request>(
            &mut self,
            #request: ::barewire::engine::Resumed<'request>,
            #reply: ::barewire::engine::ResumedReply<'_, '_>,
        ) -> ::core::result::Result<::barewire::engine::Outcome, ::barewire::engine::CallError<'request>> {
            match #reply {
                #(#arms)*
            }
            ::core::result::Result::Err(::barewire::engine::CallError::InvalidParams)
        }
    }
}
