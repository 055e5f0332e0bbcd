//! What all methods with an attribute have in common.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Error, FnArg, GenericParam, Generics, Ident, ImplItemFn, LitStr, Pat, ReceiverKind, Result, ReturnType,
    Safety, Type, parse_quote_spanned,
};

use super::input::{Input, Inputs};
use super::kind::Kind;
use super::names::{reply, scratch};
use crate::parameter::{self, Parameter};
use crate::{doc, types};

/// A method with its parameters.
pub(super) struct Method {
    ident: Ident,
    /// Name of the method: the default name of the tool, the resource or the prompt.
    pub(super) name: LitStr,
    pub(super) description: Option<String>,
    receiver: Receiver,
    pub(super) is_async: bool,
    pub(super) inputs: Inputs,
    returns_text_error: bool,
    /// The type of the answer, if it has a name: the text of an error is wrapped.
    pub(super) returns: Option<Type>,
    /// Whether that type names no generic parameter, nor `Self`, so that it can be written in another item.
    is_concrete: bool,
    /// Place of the type that the method returns, where an error about the answer points.
    output: Span,
}

/// How a method takes the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiver {
    Not,
    Shared,
    Exclusive,
}

impl Method {
    pub(super) fn new(function: &ImplItemFn, kind: Kind, generics: &Generics) -> Result<Self> {
        let signature = &function.sig;
        let what = kind.name();
        let is_async = signature.asyncness.is_some();
        if let Some(keyword) = signature.asyncness.filter(|_| kind != Kind::Tool) {
            let message = format!("a {what} cannot be `async`: only tools can");
            return Err(Error::new_spanned(keyword, message));
        }
        if let Safety::Unsafe(keyword) = &signature.safety {
            return Err(Error::new_spanned(
                keyword,
                format!("a {what} cannot be `unsafe`: any client can call it"),
            ));
        }
        if let Some(attribute) = function.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
            let message = format!("a {what} cannot have `#[cfg]`: put it on an `impl` block of its own type");
            return Err(Error::new_spanned(attribute, message));
        }
        let lifetime = |parameter: &&GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
        if let Some(parameter) = signature.generics.params.iter().find(lifetime) {
            let message = format!("a {what} cannot be generic: the client does not choose a type");
            return Err(Error::new_spanned(parameter, message));
        }
        let mut taken = Receiver::Not;
        let mut inputs = Vec::new();
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(receiver) => match receiver.kind {
                    ReceiverKind::Reference(_, _, None) => taken = Receiver::Shared,
                    ReceiverKind::Reference(..) => taken = Receiver::Exclusive,
                    _ => {
                        let message = format!("a {what} takes `&self` or `&mut self`, or no `self`");
                        return Err(Error::new_spanned(receiver, message));
                    }
                },
                FnArg::Typed(input) => {
                    let Pat::Ident(pattern) = &*input.pat else {
                        return Err(Error::new_spanned(&input.pat, "a parameter needs a name"));
                    };
                    inputs.push(Input::new(&pattern.ident, &input.ty, &input.attrs, kind, is_async)?);
                }
            }
        }
        let (returns, output) = match &signature.output {
            ReturnType::Type(_, ty) => (Some(types::without_lifetimes(ty)), ty.span()),
            ReturnType::Default => (None, signature.ident.span()),
        };
        let wrapped = returns.as_ref().and_then(types::result_with_text).map(|answer| -> Type {
            parse_quote_spanned!(output=> ::core::result::Result<#answer, ::barewire::macros::Failed<'_>>)
        });
        let inputs = Inputs::new(inputs);
        parameter::check_names(&inputs.parameters)?;
        Ok(Self {
            ident: signature.ident.clone(),
            name: LitStr::new(
                &syn::ext::IdentExt::unraw(&signature.ident).to_string(),
                signature.ident.span(),
            ),
            description: doc::description(&function.attrs),
            receiver: taken,
            is_async,
            inputs,
            returns_text_error: wrapped.is_some(),
            is_concrete: returns.as_ref().is_some_and(|ty| types::is_concrete(ty, generics)),
            returns: wrapped.or(returns).filter(types::is_nameable),
            output: output.resolved_at(Span::call_site()),
        })
    }

    /// The description: that of the attribute, or the doc comment. Empty if the attribute says so.
    pub(super) fn description(&self, setting: Option<LitStr>, kind: Kind) -> Result<LitStr> {
        let from_doc = || {
            let text = self.description.as_ref()?;
            Some(LitStr::new(text, self.ident.span()))
        };
        setting.or_else(from_doc).ok_or_else(|| {
            let (what, name) = (kind.name(), &self.ident);
            let message = format!(
                "the {what} `{name}` has no description: write a doc comment, or `description = \"\"` in `#[{what}(…)]` if it is to have none"
            );
            Error::new(self.ident.span(), message)
        })
    }

    /// Checks that a method with the setting `resume` can ask the client.
    pub(super) fn check_resume(&self, resume: Option<&Ident>, kind: Kind) -> Result<()> {
        let Some(resume) = resume else {
            return Ok(());
        };
        if self.is_async {
            let message = "an `async` tool awaits the answer where it asks: remove `resume`";
            return Err(Error::new(resume.span(), message));
        }
        if !self.inputs.takes_reply() {
            let (what, [_, reply]) = (kind.name(), kind.context());
            let message =
                format!("a {what} that asks takes the reply: add a parameter `reply: {reply}<'_, '_>`");
            return Err(Error::new(resume.span(), message));
        }
        Ok(())
    }

    /// The call of the method, and the answer with what it returns, by this method of a trait, with what it takes between the answer and
    /// the reply.
    pub(super) fn call(
        &self,
        [answer_trait, method]: [&str; 2],
        between: Option<&TokenStream>,
    ) -> TokenStream {
        let output = &self.output;
        let call = self.plain_call();
        if self.inputs.takes_reply() {
            return quote_spanned!(*output=> ::barewire::macros::Finished::finish(#call));
        }
        let text = self.wrap_text_error();
        let answer_trait = Ident::new(answer_trait, *output);
        let answer = match &self.returns {
            // As in the declaration, so that the compiler reports a type that cannot be an answer only once.
            Some(ty) => quote_spanned!(*output=> <#ty as ::barewire::macros::#answer_trait>),
            _ => quote_spanned!(*output=> ::barewire::macros::#answer_trait),
        };
        let method = Ident::new(method, *output);
        let (between, reply) = (between.into_iter(), reply());
        quote_spanned!(*output=> #answer::#method(#call #text, #(#between,)* #reply))
    }

    /// The call of an `async` method, and its answer.
    pub(super) fn async_call(&self) -> TokenStream {
        let (output, call, text) = (&self.output, self.plain_call(), self.wrap_text_error());
        match self.returns.as_ref().filter(|_| self.is_concrete) {
            Some(ty) => quote_spanned! {*output=> {
                const _: () = {
                    fn check() {
                        let _ = <#ty as ::barewire::macros::ToolAnswer>::OUTPUT;
                    }
                };
                use ::barewire::macros::{AnAnswer as _, NoAnswer as _};
                ::barewire::macros::Returned(#call.await #text).answer()
            }},
            None => quote_spanned!(*output=> #call.await #text),
        }
    }

    /// Whether other calls can run at the same time.
    pub(super) fn is_shared(&self) -> bool {
        self.receiver != Receiver::Exclusive
    }

    fn plain_call(&self) -> TokenStream {
        let Self { ident, output, .. } = self;
        let arguments = self.inputs.arguments();
        let receiver = match self.receiver {
            Receiver::Not => quote_spanned!(*output=> Self::),
            Receiver::Shared | Receiver::Exclusive => quote_spanned!(*output=> self.),
        };
        quote_spanned!(*output=> #receiver #ident(#(#arguments),*))
    }

    /// What wraps the text of an error after the call.
    fn wrap_text_error(&self) -> TokenStream {
        match self.returns_text_error {
            true => quote!(.map_err(::barewire::macros::Failed)),
            false => TokenStream::new(),
        }
    }
}

/// The statement that makes the scratch of a call, if a parameter may need it.
pub(super) fn make_scratch(parameters: &[Parameter], size: &syn::Expr, is_text: bool) -> TokenStream {
    let scratch = scratch();
    let memory = Ident::new("memory", Span::mixed_site());
    if parameters.is_empty() {
        return TokenStream::new();
    }
    let conditions: Vec<TokenStream> = match is_text {
        // Arguments of prompts and variables of resources: texts, of which only `&str` borrows from the scratch.
        true => {
            let borrows = parameters.iter().filter(|parameter| types::is_str(&parameter.ty));
            borrows.map(|_| quote!(true)).collect()
        }
        false => parameters.iter().filter_map(Parameter::uses_scratch).collect(),
    };
    let size = match conditions.as_slice() {
        [] => return quote!(let #scratch = &mut ::barewire::macros::Scratch::new(&mut []);),
        conditions if conditions.iter().any(|condition| condition.to_string() == "true") => quote!(#size),
        conditions => quote!(if #(#conditions)||* { #size } else { 0 }),
    };
    quote! {
        let mut #memory = [0; #size];
        let #scratch = &mut ::barewire::macros::Scratch::new(&mut #memory);
    }
}
