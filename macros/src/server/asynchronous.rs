//! Servers with `async` tools: the tables by themselves, and the implementation of `AsyncHandler`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Expr;

use super::names;
use super::tool::Tool;

/// Methods of the trait `Handler` that are about its tables.
pub(super) const TABLES: [&str; 7] =
    ["info", "instructions", "capabilities", "tools", "resources", "resource_templates", "prompts"];

/// The methods of the server that are about its tables: those of the tables themselves.
pub(super) fn forwards() -> TokenStream {
    quote! {
        fn info(&self) -> ::barewire::mcp::Implementation<'_> {
            ::barewire::Handler::info(&__Tables)
        }

        fn instructions(&self) -> ::core::option::Option<&str> {
            ::barewire::Handler::instructions(&__Tables)
        }

        fn capabilities(&self, offered: &mut ::barewire::mcp::Capabilities) {
            ::barewire::Handler::capabilities(&__Tables, offered);
        }

        fn tools(&self) -> &[::barewire::mcp::Tool<'_>] {
            ::barewire::Handler::tools(&__Tables)
        }

        fn explain<'reply, 'memory>(
            &self,
            unfit: &::barewire::engine::Unfit<'_>,
            content: ::barewire::engine::ToolContent<'reply, 'memory>,
        ) -> ::barewire::engine::ToolContent<'reply, 'memory> {
            ::barewire::Handler::explain(&__Tables, unfit, content)
        }

        fn resources(&self) -> &[::barewire::mcp::Resource<'_>] {
            ::barewire::Handler::resources(&__Tables)
        }

        fn resource_templates(&self) -> &[::barewire::mcp::ResourceTemplate<'_>] {
            ::barewire::Handler::resource_templates(&__Tables)
        }

        fn prompts(&self) -> &[::barewire::mcp::Prompt<'_>] {
            ::barewire::Handler::prompts(&__Tables)
        }
    }
}

/// The items of `AsyncHandler`.
pub(super) fn items(tools: &[Tool], scratch_size: &Expr) -> TokenStream {
    let mode = mode(tools);
    let exclusive = call(tools, scratch_size, Tool::is_async);
    let shared = call(tools, scratch_size, |tool| tool.is_async() && tool.is_shared());
    let (request, peer) = (names::request(), names::peer());
    let shared = shared.into_iter();
    quote! {
        type Tables = __Tables;
        const TABLES: __Tables = __Tables;

        #mode

        async fn call_async(
            &mut self,
            #request: ::barewire::engine::AsyncCall<'_>,
            #peer: &::barewire::engine::Peer<'_>,
        ) -> impl ::barewire::macros::ToolAnswer {
            #exclusive
        }

        #(
            async fn call_shared(
                &self,
                #request: ::barewire::engine::AsyncCall<'_>,
                #peer: &::barewire::engine::Peer<'_>,
            ) -> impl ::barewire::macros::ToolAnswer {
                #shared
            }
        )*
    }
}

/// `mode`.
fn mode(tools: &[Tool]) -> TokenStream {
    let arms = tools.iter().enumerate().filter_map(|(place, tool)| {
        let place = Literal::usize_unsuffixed(place);
        match (tool.is_async(), tool.is_shared()) {
            (false, _) => Some(quote!(#place => ::barewire::engine::ToolMode::Sync,)),
            (true, true) => Some(quote!(#place => ::barewire::engine::ToolMode::Shared,)),
            (true, false) => None,
        }
    });
    quote! {
        fn mode(tool: usize) -> ::barewire::engine::ToolMode {
            match tool {
                #(#arms)*
                _ => ::barewire::engine::ToolMode::Exclusive,
            }
        }
    }
}

/// The calls of these tools: an expression of a `Result` with the answers, each wrapped in as many layers of `Either` as its place needs.
/// `None` if there are none. The index is that of one of them, so the last one needs no pattern.
fn call(tools: &[Tool], scratch_size: &Expr, is_here: impl Fn(&Tool) -> bool) -> Option<TokenStream> {
    let request = names::request();
    let tools: Vec<(usize, &Tool)> = tools.iter().enumerate().filter(|(_, tool)| is_here(tool)).collect();
    let last = tools.len().checked_sub(1)?;
    let arms = tools.iter().enumerate().map(|(number, (place, tool))| {
        let [read, answer] = tool.async_call(scratch_size);
        let mut answer = match number == last {
            true => answer,
            false => quote!(::barewire::macros::Either::First(#answer)),
        };
        for _ in 0..number {
            answer = quote!(::barewire::macros::Either::Other(#answer));
        }
        let pattern = match number == last {
            true => quote!(_),
            false => {
                let place = Literal::usize_unsuffixed(*place);
                quote!(#place)
            }
        };
        quote! {
            #pattern => {
                #read
                ::core::result::Result::Ok::<_, ::barewire::macros::InvalidCall>(#answer)
            }
        }
    });
    Some(quote! {
        match #request.index() {
            #(#arms)*
        }
    })
}
