//! `#[barewire::server]`.

mod asynchronous;
mod info;
mod input;
mod kind;
mod method;
mod names;
mod prompt;
mod resource;
mod resume;
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
use resume::Resume;
use tool::Tool;

/// Methods of the trait that the macro writes, and the attribute that makes it write them.
const GENERATED: [(&str, &str); 10] = [
    ("info", "server"),
    ("instructions", "server"),
    ("tools", "tool"),
    ("call_tool", "tool"),
    ("resources", "resource"),
    ("resource_templates", "resource"),
    ("read_resource", "resource"),
    ("prompts", "prompt"),
    ("get_prompt", "prompt"),
    ("resume", "tool(resume = …)"),
];

/// The `impl` block without the attributes, and the implementation of `Handler`. If there are errors, the implementation has no tools,
/// resources and prompts: the compiler reports the errors, and no others for want of an implementation.
pub(crate) fn expand(settings: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item) {
        Ok(block) => block,
        Err(error) => {
            let message = format!("`#[barewire::server]` is for an `impl` block: {error}");
            return Error::new(error.span(), message).into_compile_error();
        }
    };
    let mut errors = Errors::default();
    let mut server = Server::read(settings, &mut block, &mut errors);
    server.check(&mut errors);
    let errors = errors.into_tokens();
    if errors.is_some() {
        (server.tools, server.resources, server.prompts) = (vec![], vec![], vec![]);
    }
    let handler = server.handler(&block);
    quote!(#errors #block #handler)
}

/// The parts of the block.
struct Server {
    info: Info,
    tools: Vec<Tool>,
    resources: Vec<Resource>,
    prompts: Vec<Prompt>,
    /// Methods of the trait that the user has written.
    own: Vec<ImplItemFn>,
    /// The kinds of all methods, also of those with errors.
    kinds: Vec<Kind>,
    /// Whether a tool is `async`.
    is_async: bool,
}

impl Server {
    /// Reads the block, and removes what only the macro understands.
    fn read(settings: TokenStream, block: &mut ItemImpl, errors: &mut Errors) -> Self {
        if let Some((path, _)) = block.trait_.take() {
            let message = "`#[barewire::server]` is for the methods of a type itself: remove the trait";
            errors.add(Error::new_spanned(path, message));
        }
        let mut info = Info::default();
        let parsed = syn::meta::parser(|meta| info.read(&meta)).parse2(settings);
        errors.take(parsed);

        let (mut tools, mut resources, mut prompts, mut own) = (vec![], vec![], vec![], vec![]);
        let (mut kinds, mut is_async) = (vec![], false);
        let items = std::mem::take(&mut block.items);
        for item in items {
            let ImplItem::Fn(mut function) = item else {
                block.items.push(item);
                continue;
            };
            let kind = errors.take(kind::kind(&function)).flatten();
            kinds.extend(kind);
            match kind {
                Some(Kind::Handler) => {
                    kind::strip(&mut function);
                    own.push(function);
                    continue;
                }
                Some(Kind::Tool) => {
                    is_async |= function.sig.asyncness.is_some();
                    tools.extend(errors.take(Tool::new(&function, &block.generics)));
                }
                Some(Kind::Resource) => {
                    resources.extend(errors.take(Resource::new(&function, &block.generics)))
                }
                Some(Kind::Prompt) => prompts.extend(errors.take(Prompt::new(&function, &block.generics))),
                None => {}
            }
            kind::strip(&mut function);
            block.items.push(ImplItem::Fn(function));
        }
        Self { info, tools, resources, prompts, own, kinds, is_async }
    }

    /// Checks what the parts have to do with each other.
    fn check(&mut self, errors: &mut Errors) {
        let Self { info, tools, resources, prompts, own, kinds, .. } = self;
        unique::check(tools.iter().map(|tool| &tool.name), "tools", errors);
        unique::check(resources.iter().map(|resource| &resource.uri), "resources", errors);
        unique::check(prompts.iter().map(|prompt| &prompt.name), "prompts", errors);
        let resumes = !resumes(tools, resources, prompts).is_empty();
        let is_made = |method: &str, from: &str| match from {
            "tool" => kinds.contains(&Kind::Tool),
            "resource" => kinds.contains(&Kind::Resource),
            "prompt" => kinds.contains(&Kind::Prompt),
            "tool(resume = …)" => resumes,
            _ => method == "info" || info.has_instructions(),
        };
        own.retain(|function| errors.take(check_own(function, is_made)).is_some());
    }

    /// The implementation of `Handler`, and of `AsyncHandler` if a tool is `async`.
    fn handler(self, block: &ItemImpl) -> TokenStream {
        let Self { info, tools, resources, prompts, own, is_async, .. } = self;
        let scratch = info.scratch();
        let tables =
            [info.methods(), tool::table(&tools), resource::tables(&resources), prompt::table(&prompts)];
        let constant = tool::constant(&tools);
        let calls = [
            tool::call(&tools, &scratch),
            resource::read(&resources, &scratch),
            prompt::get(&prompts, &scratch),
            resume::resume(&resumes(&tools, &resources, &prompts)),
        ];
        let (generics, _, clause) = block.generics.split_for_impl();
        let ty = &block.self_ty;
        if !is_async {
            return quote! {
                const _: () = {
                    #constant

                    #[automatically_derived]
                    impl #generics ::barewire::Handler for #ty #clause {
                        #(#tables)*
                        #(#calls)*
                        #(#own)*
                    }
                };
            };
        }
        let is_table =
            |function: &ImplItemFn| asynchronous::TABLES.iter().any(|name| function.sig.ident == *name);
        let (own_tables, own): (Vec<_>, Vec<_>) = own.into_iter().partition(is_table);
        let forwards = asynchronous::forwards();
        let items = asynchronous::items(&tools, &scratch);
        quote! {
            const _: () = {
                #constant

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
}

/// The methods that continue calls. URIs without variables are tried before templates.
fn resumes<'m>(tools: &'m [Tool], resources: &'m [Resource], prompts: &'m [Prompt]) -> Vec<Resume<'m>> {
    (tools.iter().filter_map(Tool::resume))
        .chain(resource::resumes(resources))
        .chain(prompts.iter().filter_map(Prompt::resume))
        .collect()
}

/// Checks a method of the trait that the user has written: whether the macro writes it too.
fn check_own(function: &ImplItemFn, is_made: impl Fn(&str, &str) -> bool) -> Result<()> {
    let name = function.sig.ident.to_string();
    match GENERATED.iter().find(|(method, from)| *method == name && is_made(method, from)) {
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
