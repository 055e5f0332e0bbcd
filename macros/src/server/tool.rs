//! `#[tool]`.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, Generics, Ident, ImplItemFn, LitStr, Result, Type};

use super::kind::Kind;
use super::method::{self, Method};
use super::resume::{self, Resume};
use super::{names, trait_methods};
use crate::parameter::Parameter;
use crate::settings::{Setting, set};
use crate::types;

const KNOWN: [&str; 13] = [
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "task",
    "resume",
    "icons",
    "input_schema",
    "output_schema",
    "meta",
];

/// A method with `#[tool]`.
pub(super) struct Tool {
    pub(super) name: LitStr,
    description: LitStr,
    /// An expression of the type `mcp::TaskSupport`.
    task: Option<TokenStream>,
    /// The type that may have an output schema.
    output: Option<Type>,
    method: Method,
    settings: Settings,
}

#[derive(Default)]
struct Settings {
    name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    /// In the order of the names in [`KNOWN`].
    hints: [Option<bool>; 4],
    task: Option<LitStr>,
    resume: Option<Ident>,
    icons: Option<Expr>,
    input_schema: Option<Expr>,
    output_schema: Option<Expr>,
    meta: Option<Expr>,
}

const HINTS: [&str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

impl Settings {
    fn of(function: &ImplItemFn) -> Result<Self> {
        let mut settings = Self::default();
        let attributes = function.attrs.iter().filter(|attribute| attribute.path().is_ident("tool"));
        for attribute in attributes.filter(|attribute| attribute.meta.require_path_only().is_err()) {
            attribute.parse_nested_meta(|meta| settings.read(Setting::read(&meta)?))?;
        }
        Ok(settings)
    }

    fn read(&mut self, setting: Setting) -> Result<()> {
        let (name, span) = (setting.name.clone(), setting.span);
        if let Some(hint) = HINTS.iter().zip(&mut self.hints).find(|(hint, _)| **hint == name) {
            return set(hint.1, &name, span, setting.flag()?);
        }
        match name.as_str() {
            "name" => set(&mut self.name, &name, span, setting.text()?),
            "title" => set(&mut self.title, &name, span, setting.text()?),
            "description" => set(&mut self.description, &name, span, setting.text()?),
            "task" => set(&mut self.task, &name, span, setting.text()?),
            "resume" => set(&mut self.resume, &name, span, resume::name(setting)?),
            "icons" => set(&mut self.icons, &name, span, setting.value()?),
            "input_schema" => set(&mut self.input_schema, &name, span, setting.value()?),
            "output_schema" => set(&mut self.output_schema, &name, span, setting.value()?),
            "meta" => set(&mut self.meta, &name, span, setting.value()?),
            _ => Err(setting.unknown("tool", &KNOWN)),
        }
    }
}

impl Tool {
    pub(super) fn new(function: &ImplItemFn, generics: &Generics) -> Result<Self> {
        let mut settings = Settings::of(function)?;
        let method = Method::new(function, Kind::Tool, generics)?;
        let description = method.description(settings.description.take(), Kind::Tool)?;
        let name = settings.name.take().unwrap_or_else(|| method.name.clone());
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if !(1..=128).contains(&name.value().len()) || !name.value().bytes().all(is_name_byte) {
            return Err(Error::new(name.span(), "the name of a tool is 1 to 128 of `A-Z a-z 0-9 _ - .`"));
        }
        let task = settings.task.take().map(|task| task_support(&task, &method)).transpose()?;
        if let (Some(schema), [parameter, ..]) = (&settings.input_schema, &method.inputs.parameters[..]) {
            let message = format!(
                "a tool with `input_schema` reads its arguments from the call: take `call: ToolCall<'_>` in place of `{}`",
                parameter.ident
            );
            return Err(Error::new_spanned(schema, message));
        }
        method.check_resume(settings.resume.as_ref(), Kind::Tool)?;
        let output = (method.returns.as_ref())
            .filter(|_| settings.output_schema.is_none() && !method.inputs.takes_reply())
            .and_then(|ty| types::output(ty, generics))
            .cloned();
        Ok(Self { name, description, task, output, method, settings })
    }

    /// An expression of the type `mcp::Tool`.
    fn declaration(&self) -> TokenStream {
        let Self { name, description, settings, .. } = self;
        let title = settings.title.iter();
        let hints = self.hints();
        let task = self.task.iter();
        let icons = settings.icons.iter();
        let input_schema = settings.input_schema.iter();
        let output_schema = settings.output_schema.iter();
        let meta = settings.meta.iter();
        let parameters = &self.method.inputs.parameters;
        let parameters: Vec<TokenStream> = parameters.iter().map(Parameter::declaration).collect();
        let parameters = match parameters.is_empty() {
            true => TokenStream::new(),
            false => quote!(.with_parameters(&[#(#parameters),*])),
        };
        let tool = quote_spanned! {name.span()=>
            ::barewire::mcp::Tool::new(#name, #description)
                #(.with_title(#title))*
                #parameters
                #(.with_schema(#input_schema))*
                #(.with_output_schema(#output_schema))*
                #hints
                #(.with_task_support(#task))*
                #(.with_icons(#icons))*
                #(.with_meta(#meta))*
        };
        match &self.output {
            Some(output) => {
                quote_spanned!(output.span()=> ::barewire::macros::with_output(#tool, <#output as ::barewire::macros::ToolAnswer>::OUTPUT))
            }
            None => tool,
        }
    }

    fn hints(&self) -> TokenStream {
        let hints = HINTS.iter().zip(self.settings.hints).filter_map(|(name, hint)| {
            let name = quote::format_ident!("{name}");
            hint.map(|hint| quote!(hints.#name = ::core::option::Option::Some(#hint);))
        });
        let hints: Vec<TokenStream> = hints.collect();
        match self.settings.hints {
            [None, None, None, None] => TokenStream::new(),
            [Some(true), None, None, None] => {
                quote!(.with_annotations(::barewire::mcp::ToolAnnotations::READ_ONLY))
            }
            _ => quote! {
                .with_annotations({
                    let mut hints = ::barewire::mcp::ToolAnnotations::NONE;
                    #(#hints)*
                    hints
                })
            },
        }
    }

    pub(super) const fn is_async(&self) -> bool {
        self.method.is_async
    }

    /// Whether other calls can run at the same time, if the tool is `async`.
    pub(super) fn is_shared(&self) -> bool {
        self.method.is_shared()
    }

    /// The method that continues calls of this tool, if there is one.
    pub(super) fn resume(&self) -> Option<Resume<'_>> {
        let (name, request) = (&self.name, names::request());
        let method = self.settings.resume.as_ref()?;
        Some(Resume { kind: Kind::Tool, is_it: quote!(#request.is(#name)), method })
    }

    /// The statements that call the method.
    fn call(&self, scratch_size: &Expr) -> TokenStream {
        let (name, reply) = (&self.name, names::reply());
        let read = self.read_arguments(scratch_size, |argument, ty| {
            let has_parts =
                quote!(::barewire::macros::has_parts(<#ty as ::barewire::macros::Argument<'_>>::TYPE));
            let invalid = invalid(name, argument);
            quote!(Ok(#invalid.answer::<{ #has_parts }>(#reply)))
        });
        let lend = self.method.inputs.lend_reply();
        let call = self.method.call(["ToolAnswer", "answer_tool"], None);
        quote!(#read #lend #call)
    }

    /// The statements that call the `async` method, and the expression of its answer.
    pub(super) fn async_call(&self, scratch_size: &Expr) -> [TokenStream; 2] {
        let name = &self.name;
        let read = self.read_arguments(scratch_size, |argument, _| {
            let invalid = invalid(name, argument);
            quote!(Err(#invalid))
        });
        [read, self.method.async_call()]
    }

    /// The statements that read the arguments, and return this variant of `Result` for one that is invalid.
    fn read_arguments(
        &self,
        scratch_size: &Expr,
        unfit: impl Fn(&LitStr, &Type) -> TokenStream,
    ) -> TokenStream {
        let (request, scratch) = (names::request(), names::scratch());
        let parameters = &self.method.inputs.parameters;
        let make_scratch = method::make_scratch(parameters, scratch_size, false);
        let reads = parameters.iter().map(|parameter| {
            let variable = &parameter.ident;
            let unfit = unfit(&parameter.name, &parameter.ty);
            let reading = parameter.reading(&quote!(#request.arguments()), &quote!(#scratch));
            quote! {
                let #variable = match #reading {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(invalid) => return ::core::result::Result::#unfit,
                };
            }
        });
        quote!(#make_scratch #(#reads)*)
    }
}

/// The error of this argument of this tool: an expression of the type `InvalidCall`.
fn invalid(tool: &LitStr, argument: &LitStr) -> TokenStream {
    let request = names::request();
    quote!(::barewire::macros::InvalidCall::new(#tool, #argument, #request.arguments(), invalid))
}

/// The task support that a tool declares.
fn task_support(task: &LitStr, method: &Method) -> Result<TokenStream> {
    let variant = match task.value().as_str() {
        "optional" => quote!(Optional),
        "required" => quote!(Required),
        _ => return Err(Error::new(task.span(), "`task` is \"optional\" or \"required\"")),
    };
    if method.is_async {
        return Err(Error::new(task.span(), "an `async` tool cannot be a task"));
    }
    if !method.inputs.takes_reply() {
        let message = "a tool that may be a task takes the reply, for `ToolReply::start_task`: add a parameter `reply: ToolReply<'_, '_>`";
        return Err(Error::new(task.span(), message));
    }
    Ok(quote!(::barewire::mcp::TaskSupport::#variant))
}

/// The constant with the table; nothing if there are no tools.
pub(super) fn constant(tools: &[Tool]) -> TokenStream {
    if tools.is_empty() {
        return TokenStream::new();
    }
    let declarations = tools.iter().map(Tool::declaration);
    quote! {
        const __TOOLS: &[::barewire::mcp::Tool<'static>] = &[#(#declarations),*];
    }
}

/// `tools`, and the text about arguments that do not fit.
pub(super) fn table(tools: &[Tool]) -> TokenStream {
    if tools.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn tools(&self) -> &[::barewire::mcp::Tool<'_>] {
            __TOOLS
        }

        fn explain<'reply, 'memory>(
            &self,
            unfit: &::barewire::engine::Unfit<'_>,
            content: ::barewire::engine::ToolContent<'reply, 'memory>,
        ) -> ::barewire::engine::ToolContent<'reply, 'memory> {
            ::barewire::macros::explain::<{ ::barewire::macros::have_details(__TOOLS) }>(unfit, content)
        }
    }
}

/// `call_tool`.
pub(super) fn call(tools: &[Tool], scratch_size: &Expr) -> TokenStream {
    if tools.iter().all(Tool::is_async) {
        return TokenStream::new();
    }
    trait_methods::answer("call_tool", "ToolCall", "Tool", &dispatch(tools, scratch_size))
}

/// The call of the tool with the index of the request. That is the index of a row of the table, so the last tool needs no pattern, unless
/// there are `async` tools.
fn dispatch(tools: &[Tool], scratch_size: &Expr) -> TokenStream {
    let request = names::request();
    let mut calls: Vec<(Literal, TokenStream)> = tools
        .iter()
        .enumerate()
        .filter(|(_, tool)| !tool.is_async())
        .map(|(place, tool)| (Literal::usize_unsuffixed(place), tool.call(scratch_size)))
        .collect();
    let last = match calls.len() == tools.len() {
        true => calls.pop().map(|(_, call)| call).unwrap_or_default(),
        // Another loop than one for asynchronous tools.
        false => quote!(::core::result::Result::Err(::barewire::engine::CallError::NotFound)),
    };
    if calls.is_empty() {
        return last;
    }
    let arms = calls.iter().map(|(place, call)| quote!(#place => { #call }));
    quote! {
        match #request.index() {
            #(#arms)*
            _ => { #last }
        }
    }
}
