//! `#[prompt]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Generics, Ident, ImplItemFn, LitStr, Result};

use super::kind::Kind;
use super::method::{self, Method};
use super::resume::{self, Resume};
use super::{names, trait_methods};
use crate::parameter::Parameter;
use crate::settings::{Setting, set};

const KNOWN: [&str; 5] = ["name", "title", "description", "resume", "icons"];

/// A method with `#[prompt]`.
pub(super) struct Prompt {
    pub(super) name: LitStr,
    description: LitStr,
    method: Method,
    settings: Settings,
}

#[derive(Default)]
struct Settings {
    name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    resume: Option<Ident>,
    icons: Option<Expr>,
}

impl Settings {
    fn of(function: &ImplItemFn) -> Result<Self> {
        let mut settings = Self::default();
        let attributes = function.attrs.iter().filter(|attribute| attribute.path().is_ident("prompt"));
        for attribute in attributes.filter(|attribute| attribute.meta.require_path_only().is_err()) {
            attribute.parse_nested_meta(|meta| settings.read(Setting::read(&meta)?))?;
        }
        Ok(settings)
    }

    fn read(&mut self, setting: Setting) -> Result<()> {
        let (name, span) = (setting.name.clone(), setting.span);
        match name.as_str() {
            "name" => set(&mut self.name, &name, span, setting.text()?),
            "title" => set(&mut self.title, &name, span, setting.text()?),
            "description" => set(&mut self.description, &name, span, setting.text()?),
            "resume" => set(&mut self.resume, &name, span, resume::name(setting)?),
            "icons" => set(&mut self.icons, &name, span, setting.value()?),
            _ => Err(setting.unknown("prompt", &KNOWN)),
        }
    }
}

impl Prompt {
    pub(super) fn new(function: &ImplItemFn, generics: &Generics) -> Result<Self> {
        let mut settings = Settings::of(function)?;
        let method = Method::new(function, Kind::Prompt, generics)?;
        let description = method.description(settings.description.take(), Kind::Prompt)?;
        for parameter in &method.inputs.parameters {
            parameter.is_plain("an argument of a prompt")?;
        }
        method.check_resume(settings.resume.as_ref(), Kind::Prompt)?;
        let name = settings.name.take().unwrap_or_else(|| method.name.clone());
        Ok(Self { name, description, method, settings })
    }

    /// An expression of the type `mcp::Prompt`.
    fn declaration(&self) -> TokenStream {
        let Self { name, settings, .. } = self;
        let title = settings.title.iter();
        let description = Some(&self.description).filter(|text| !text.value().is_empty()).into_iter();
        let icons = settings.icons.iter();
        let arguments = self.method.inputs.parameters.iter().map(|parameter| {
            let (name, new, details) = (&parameter.name, parameter.constructor(), parameter.details());
            quote!(::barewire::mcp::PromptArgument::#new(#name) #details)
        });
        let arguments: Vec<TokenStream> = arguments.collect();
        let arguments = match arguments.is_empty() {
            true => TokenStream::new(),
            false => quote!(.with_arguments(&[#(#arguments),*])),
        };
        quote! {
            ::barewire::mcp::Prompt::new(#name)
                #(.with_title(#title))*
                #(.with_description(#description))*
                #arguments
                #(.with_icons(#icons))*
        }
    }

    /// The method that continues gets of this prompt, if there is one.
    pub(super) fn resume(&self) -> Option<Resume<'_>> {
        let (name, request) = (&self.name, names::request());
        let method = self.settings.resume.as_ref()?;
        Some(Resume { kind: Kind::Prompt, is_it: quote!(#request.is(#name)), method })
    }

    /// The statement that answers if the prompt is this one.
    fn get(&self, scratch_size: &Expr) -> TokenStream {
        let (name, inputs) = (&self.name, &self.method.inputs);
        let (request, scratch) = (names::request(), names::scratch());
        let make_scratch = method::make_scratch(&inputs.parameters, scratch_size, true);
        let reads = inputs.parameters.iter().map(|parameter: &Parameter| {
            let (variable, name, ty) = (&parameter.ident, &parameter.name, &parameter.ty);
            let read = format_ident!("{}_text", parameter.constructor());
            let span = ty.span();
            let reading = parameter.or_default(
                quote_spanned!(span=> ::barewire::macros::#read::<#ty>(#request, #name, #scratch)),
            );
            quote!(let #variable = #reading?;)
        });
        let lend = inputs.lend_reply();
        let call = self.method.call(["PromptAnswer", "answer_prompt"], None);
        quote! {
            if #request.is(#name) {
                #make_scratch
                #(#reads)*
                #lend
                return #call;
            }
        }
    }
}

/// `prompts`.
pub(super) fn table(prompts: &[Prompt]) -> TokenStream {
    trait_methods::table("prompts", "Prompt", prompts.iter().map(Prompt::declaration))
}

/// `get_prompt`.
pub(super) fn get(prompts: &[Prompt], scratch_size: &Expr) -> TokenStream {
    let gets = prompts.iter().map(|prompt| prompt.get(scratch_size));
    trait_methods::answer_first("get_prompt", "PromptGet", "Prompt", gets)
}
