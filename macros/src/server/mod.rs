//! `#[barewire::server]`.

mod asynchronous;
mod info;
mod input;
mod kind;
mod method;
mod names;
mod prompt;
mod resource;
mod tool;
mod trait_methods;
mod unique;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::{Error, ImplItem, ImplItemFn, ItemImpl, Result};

use crate::errors::Errors;
use info::Info;
use kind::Kind;
use prompt::Prompt;
use resource::Resource;
use tool::Tool;

/// Methods of the trait that the macro writes, and the attribute that makes it write them.
const GENERATED: [(&str, &str); 9] = [
    ("info", "server"),
    ("instructions", "server"),
    ("tools", "tool"),
    ("call_tool", "tool"),
    ("resources", "resource"),
    ("resource_templates", "resource"),
    ("read_resource", "resource"),
    ("prompts", "prompt"),
    ("get_prompt", "prompt"),
];

/// The `impl` block without the attributes, and the implementation of `Handler`. If there are errors, they are in the place of the
/// latter, so that the compiler reports no others for want of the methods.
pub(crate) fn expand(settings: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item) {
        Ok(block) => block,
        Err(error) => {
            let message = format!("`#[barewire::server]` is for an `impl` block: {error}");
            return Error::new(error.span(), message).into_compile_error();
        }
    };
    let mut errors = Errors::default();
    let handler = handler(settings, &mut block, &mut errors);
    let handler = errors.into_tokens().unwrap_or(handler);
    quote!(#block #handler)
}

fn handler(settings: TokenStream, block: &mut ItemImpl, errors: &mut Errors) -> TokenStream {
    if let Some((path, _)) = &block.trait_ {
        let message = "`#[barewire::server]` is for the methods of a type itself: remove the trait";
        errors.add(Error::new_spanned(path, message));
    }
    let mut info = Info::default();
    let parsed = syn::meta::parser(|meta| info.read(&meta)).parse2(settings);
    errors.take(parsed);

    let (mut tools, mut resources, mut prompts, mut own) = (vec![], vec![], vec![], vec![]);
    let items = std::mem::take(&mut block.items);
    for item in items {
        let ImplItem::Fn(mut function) = item else {
            block.items.push(item);
            continue;
        };
        match errors.take(kind::kind(&function)).flatten() {
            Some(Kind::Handler) => {
                kind::strip(&mut function);
                own.push(function);
                continue;
            }
            Some(Kind::Tool) => tools.extend(errors.take(Tool::new(&function, &block.generics))),
            Some(Kind::Resource) => resources.extend(errors.take(Resource::new(&function))),
            Some(Kind::Prompt) => prompts.extend(errors.take(Prompt::new(&function))),
            None => {}
        }
        kind::strip(&mut function);
        block.items.push(ImplItem::Fn(function));
    }
    unique::check(tools.iter().map(|tool: &Tool| &tool.name), "tools", errors);
    unique::check(resources.iter().map(|resource: &Resource| &resource.uri), "resources", errors);
    unique::check(prompts.iter().map(|prompt: &Prompt| &prompt.name), "prompts", errors);
    for function in &own {
        errors.take(check_own(
            function,
            &info,
            !tools.is_empty(),
            !resources.is_empty(),
            !prompts.is_empty(),
        ));
    }

    let scratch = info.scratch();
    let tables = [info.methods(), tool::table(&tools), resource::tables(&resources), prompt::table(&prompts)];
    let calls =
        [tool::call(&tools, &scratch), resource::read(&resources, &scratch), prompt::get(&prompts, &scratch)];
    let (generics, _, clause) = block.generics.split_for_impl();
    let ty = &block.self_ty;
    if !tools.iter().any(Tool::is_async) {
        return quote! {
            #[automatically_derived]
            impl #generics ::barewire::Handler for #ty #clause {
                #(#tables)*
                #(#calls)*
                #(#own)*
            }
        };
    }
    let is_table =
        |function: &ImplItemFn| asynchronous::TABLES.iter().any(|name| function.sig.ident == *name);
    let (own_tables, own): (Vec<_>, Vec<_>) = own.into_iter().partition(is_table);
    let forwards = asynchronous::forwards();
    let items = asynchronous::items(&tools, &scratch);
    quote! {
        const _: () = {
            #[doc(hidden)]
            pub struct __Tables;

            #[automatically_derived]
            impl ::barewire::Handler for __Tables {
                #(#tables)*
                #(#own_tables)*
            }

            #[automatically_derived]
            impl #generics ::barewire::Handler for #ty #clause {
                #forwards
                #(#calls)*
                #(#own)*
            }

            #[automatically_derived]
            impl #generics ::barewire::engine::AsyncHandler for #ty #clause {
                #items
            }
        };
    }
}

/// Checks a method of the trait that the user has written.
fn check_own(function: &ImplItemFn, info: &Info, tools: bool, resources: bool, prompts: bool) -> Result<()> {
    let name = function.sig.ident.to_string();
    let generated = GENERATED.iter().find(|(method, attribute)| {
        *method == name
            && match *attribute {
                "tool" => tools,
                "resource" => resources,
                "prompt" => prompts,
                _ => name == "info" || info.has_instructions(),
            }
    });
    match generated {
        Some((_, "server")) => {
            let message = format!("`#[barewire::server(…)]` writes `{name}`: use its settings");
            Err(Error::new_spanned(&function.sig.ident, message))
        }
        Some((_, attribute)) => {
            let message = format!("the methods with `#[{attribute}]` make `{name}`: remove one or the other");
            Err(Error::new_spanned(&function.sig.ident, message))
        }
        None => Ok(()),
    }
}
