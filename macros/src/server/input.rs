//! The parameters of a method: arguments of the client, and what the server adds.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Ident, Result, Type};

use super::kind::Kind;
use super::names;
use crate::parameter::Parameter;
use crate::types;

/// A parameter of a method.
pub(super) enum Input {
    /// An argument that the client sends.
    Parameter(Box<Parameter>),
    /// `&Context`.
    Context,
    /// The request: `ToolCall`, for example.
    Request,
    /// The reply, for a method that answers by itself.
    ResumedReply,
    /// The reply by `&mut`, for reports before the answer.
    LentReply,
    /// `&Peer`, for an `async` method.
    Peer,
}

impl Input {
    pub(super) fn new(
        ident: &Ident,
        ty: &Type,
        attributes: &[Attribute],
        kind: Kind,
        is_async: bool,
    ) -> Result<Self> {
        let context = match is_async {
            true => Self::of_async(ty)?,
            false => Self::of_sync(ty, kind)?,
        };
        let Some(context) = context else {
            if let Type::ImplTrait(_) = ty {
                return Err(Error::new_spanned(
                    ty,
                    "a parameter needs a type of its own: the schema is made from it",
                ));
            }
            return Ok(Self::Parameter(Box::new(Parameter::new(ident, ty, attributes)?)));
        };
        match attributes.iter().find(|attribute| attribute.path().is_ident("arg")) {
            Some(attribute) => {
                Err(Error::new_spanned(attribute, "this parameter is not an argument of the client"))
            }
            None => Ok(context),
        }
    }

    /// What the server adds to the arguments of a method that is not `async`.
    fn of_sync(ty: &Type, kind: Kind) -> Result<Option<Self>> {
        let [request, reply] = kind.context();
        Ok(match types::reference(ty) {
            Some((inner, false)) if types::is_named(inner, "Context") => Some(Self::Context),
            Some((inner, true)) if types::is_named(inner, reply) => Some(Self::LentReply),
            Some((inner, false)) if types::is_named(inner, reply) => {
                return Err(Error::new_spanned(
                    ty,
                    format!("take the reply by value or by `&mut`: `&mut {reply}<'_, '_>`"),
                ));
            }
            Some((inner, false)) if types::is_named(inner, "Peer") => {
                let message = "only an `async` tool has a peer: make the method `async`, or take the reply";
                return Err(Error::new_spanned(ty, message));
            }
            None if types::is_named(ty, request) => Some(Self::Request),
            None if types::is_named(ty, reply) => Some(Self::ResumedReply),
            _ => None,
        })
    }

    /// What the server adds to the arguments of an `async` tool.
    fn of_async(ty: &Type) -> Result<Option<Self>> {
        let (inner, is_mutable) = types::reference(ty).unwrap_or((ty, false));
        let is_reference = types::reference(ty).is_some();
        if types::is_named(inner, "Peer") && is_reference && !is_mutable {
            return Ok(Some(Self::Peer));
        }
        if types::is_named(inner, "AsyncCall") && !is_reference {
            return Ok(Some(Self::Request));
        }
        let message = match inner {
            _ if types::is_named(inner, "Peer") => "take the peer by reference: `&Peer<'_>`",
            _ if types::is_named(inner, "AsyncCall") => "take the call by value: `AsyncCall<'_>`",
            _ if types::is_named(inner, "ToolReply") => {
                "an `async` tool has no reply while it runs: take `&Peer<'_>`, and return the answer"
            }
            _ if types::is_named(inner, "Context") => {
                "an `async` tool has no context: `&Peer<'_>` has the revision and the client"
            }
            _ if types::is_named(inner, "ToolCall") => "the call of an `async` tool is an `AsyncCall<'_>`",
            _ => return Ok(None),
        };
        Err(Error::new_spanned(ty, message))
    }
}

/// The parameters of a method.
pub(super) struct Inputs {
    /// Those that are arguments of the client.
    pub(super) parameters: Vec<Parameter>,
    /// The expression for each parameter, in order.
    arguments: Vec<TokenStream>,
    takes_reply: bool,
    lends_reply: bool,
}

impl Inputs {
    pub(super) fn new(inputs: Vec<Input>) -> Self {
        let (reply, request, peer) = (names::reply(), names::request(), names::peer());
        let mut all = Self { parameters: vec![], arguments: vec![], takes_reply: false, lends_reply: false };
        for input in inputs {
            let argument = match input {
                Input::Parameter(parameter) => {
                    let ident = parameter.ident.clone();
                    all.parameters.push(*parameter);
                    quote!(#ident)
                }
                Input::Context => quote!(#request.context()),
                Input::Request => quote!(#request),
                Input::Peer => quote!(#peer),
                Input::ResumedReply => {
                    all.takes_reply = true;
                    quote!(#reply)
                }
                Input::LentReply => {
                    all.lends_reply = true;
                    quote!(&mut #reply)
                }
            };
            all.arguments.push(argument);
        }
        all
    }

    pub(super) fn arguments(&self) -> &[TokenStream] {
        &self.arguments
    }

    /// Whether the method answers by itself.
    pub(super) const fn takes_reply(&self) -> bool {
        self.takes_reply
    }

    /// A statement that makes the reply mutable, if the method reports.
    pub(super) fn lend_reply(&self) -> TokenStream {
        let reply = names::reply();
        match self.lends_reply {
            true => quote!(let mut #reply = #reply;),
            false => TokenStream::new(),
        }
    }
}
