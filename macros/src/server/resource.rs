//! `#[resource]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, Generics, Ident, ImplItemFn, LitStr, Result, Token};

use super::kind::Kind;
use super::method::{self, Method};
use super::resume::{self, Resume};
use super::{names, trait_methods};
use crate::parameter::Parameter;
use crate::settings::{Setting, set};

const KNOWN: [&str; 7] = ["name", "title", "description", "mime_type", "annotations", "resume", "icons"];

/// A method with `#[resource]`.
pub(super) struct Resource {
    /// The URI, or the template of one.
    pub(super) uri: LitStr,
    name: LitStr,
    description: LitStr,
    method: Method,
    settings: Settings,
}

#[derive(Default)]
struct Settings {
    name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    mime_type: Option<LitStr>,
    annotations: Option<Expr>,
    resume: Option<Ident>,
    icons: Option<Expr>,
}

impl Settings {
    fn read(&mut self, setting: Setting) -> Result<()> {
        let (name, span) = (setting.name.clone(), setting.span);
        match name.as_str() {
            "name" => set(&mut self.name, &name, span, setting.text()?),
            "title" => set(&mut self.title, &name, span, setting.text()?),
            "description" => set(&mut self.description, &name, span, setting.text()?),
            "mime_type" => set(&mut self.mime_type, &name, span, setting.text()?),
            "annotations" => set(&mut self.annotations, &name, span, setting.value()?),
            "resume" => set(&mut self.resume, &name, span, resume::name(setting)?),
            "icons" => set(&mut self.icons, &name, span, setting.value()?),
            _ => Err(setting.unknown("resource", &KNOWN)),
        }
    }
}

/// The URI and the settings of an attribute.
fn parse(attribute: &Attribute) -> Result<(LitStr, Settings)> {
    let missing = "a resource has a URI, or a template of one: `#[resource(\"sensor:///{room}\")]`";
    let list = attribute.meta.require_list().map_err(|_| Error::new_spanned(attribute, missing))?;
    let mut settings = Settings::default();
    let parser = |input: ParseStream<'_>| -> Result<LitStr> {
        let uri: LitStr = input.parse().map_err(|error| Error::new(error.span(), missing))?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let rest: TokenStream = input.parse()?;
        syn::meta::parser(|meta| settings.read(Setting::read(&meta)?)).parse2(rest)?;
        Ok(uri)
    };
    let uri = list.parse_args_with(parser)?;
    Ok((uri, settings))
}

/// The names of the variables of a template.
fn variables(template: &str) -> Vec<&str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

impl Resource {
    pub(super) fn new(function: &ImplItemFn, generics: &Generics) -> Result<Self> {
        let attribute = function.attrs.iter().find(|attribute| attribute.path().is_ident("resource"));
        let Some(attribute) = attribute else {
            return Err(Error::new_spanned(&function.sig, "no resource"));
        };
        let (uri, mut settings) = parse(attribute)?;
        let method = Method::new(function, Kind::Resource, generics)?;
        let description = method.description(settings.description.take(), Kind::Resource)?;
        let text = uri.value();
        let variables = variables(&text);
        for parameter in &method.inputs.parameters {
            parameter.is_plain("a variable of a resource template")?;
            let name = parameter.name.value();
            if !variables.contains(&name.as_str()) {
                let message = format!(
                    "the URI has no variable `{name}`: write `{{{name}}}` into it, or remove the parameter"
                );
                return Err(Error::new(parameter.name.span(), message));
            }
            if parameter.is_optional() {
                let message = "a variable of a resource template always has a value: the type is not an `Option`, and has no default";
                return Err(Error::new(parameter.name.span(), message));
            }
        }
        method.check_resume(settings.resume.as_ref(), Kind::Resource)?;
        let name = settings.name.take().unwrap_or_else(|| method.name.clone());
        Ok(Self { uri, name, description, method, settings })
    }

    fn is_template(&self) -> bool {
        self.uri.value().contains('{')
    }

    /// An expression of the type `mcp::UriTemplate`.
    fn template(&self) -> TokenStream {
        let uri = &self.uri;
        quote_spanned!(uri.span()=> ::barewire::mcp::UriTemplate::new(#uri))
    }

    /// An expression of the type `mcp::Resource` or `mcp::ResourceTemplate`.
    fn declaration(&self) -> TokenStream {
        let Self { uri, name, settings, .. } = self;
        let new = match self.is_template() {
            true => {
                let template = self.template();
                quote!(::barewire::mcp::ResourceTemplate::new(#template, #name))
            }
            false => quote!(::barewire::mcp::Resource::new(#uri, #name)),
        };
        let title = settings.title.iter();
        let description = Some(&self.description).filter(|text| !text.value().is_empty()).into_iter();
        let mime_type = settings.mime_type.iter();
        let annotations = settings.annotations.iter();
        let icons = settings.icons.iter();
        quote! {
            #new
                #(.with_title(#title))*
                #(.with_description(#description))*
                #(.with_mime_type(#mime_type))*
                #(.with_annotations(#annotations))*
                #(.with_icons(#icons))*
        }
    }

    /// The method that continues reads of this resource, if there is one.
    pub(super) fn resume(&self) -> Option<Resume<'_>> {
        let request = names::request();
        let method = self.settings.resume.as_ref()?;
        let is_it = match self.is_template() {
            true => {
                let template = self.template();
                quote!(const { #template }.matches(#request.subject()))
            }
            false => {
                let uri = &self.uri;
                quote!(#request.is(#uri))
            }
        };
        Some(Resume { kind: Kind::Resource, is_it, method })
    }

    /// The statement that answers if the URI is that of this resource.
    fn read(&self, scratch_size: &Expr) -> TokenStream {
        let (uri, inputs) = (&self.uri, &self.method.inputs);
        let (request, scratch) = (names::request(), names::scratch());
        let make_scratch = method::make_scratch(&inputs.parameters, scratch_size, true);
        let reads = inputs.parameters.iter().map(|parameter: &Parameter| {
            let (variable, name, ty) = (&parameter.ident, &parameter.name, &parameter.ty);
            let span = syn::spanned::Spanned::span(ty);
            quote_spanned! {span=>
                let #variable = ::barewire::macros::variable::<#ty>(#request, TEMPLATE, #name, #scratch)?;
            }
        });
        let lend = inputs.lend_reply();
        let mime_type = match &self.settings.mime_type {
            Some(mime_type) => quote!(::core::option::Option::Some(#mime_type)),
            None => quote!(::core::option::Option::None),
        };
        let call = self.method.call(["ResourceAnswer", "answer_resource"], Some(&mime_type));
        if !self.is_template() {
            return quote! {
                if #request.is(#uri) {
                    #lend
                    return #call;
                }
            };
        }
        let template = self.template();
        quote! {{
            const TEMPLATE: ::barewire::mcp::UriTemplate<'static> = #template;
            if TEMPLATE.matches(#request.uri()) {
                #make_scratch
                #(#reads)*
                #lend
                return #call;
            }
        }}
    }
}

/// Those without variables in the URI, and the templates.
fn in_kinds(resources: &[Resource]) -> [Vec<&Resource>; 2] {
    let (templates, fixed) = resources.iter().partition(|resource| resource.is_template());
    [fixed, templates]
}

/// The methods that continue reads.
pub(super) fn resumes(resources: &[Resource]) -> impl Iterator<Item = Resume<'_>> {
    in_kinds(resources).into_iter().flatten().filter_map(Resource::resume)
}

/// `resources` and `resource_templates`.
pub(super) fn tables(resources: &[Resource]) -> TokenStream {
    let [fixed, templates] = in_kinds(resources);
    let declaration = |resource: &&Resource| resource.declaration();
    let fixed = trait_methods::table("resources", "Resource", fixed.iter().map(declaration));
    let templates =
        trait_methods::table("resource_templates", "ResourceTemplate", templates.iter().map(declaration));
    quote!(#fixed #templates)
}

/// `read_resource`. URIs without variables are tried first.
pub(super) fn read(resources: &[Resource], scratch_size: &Expr) -> TokenStream {
    let in_order = in_kinds(resources).concat();
    let reads = in_order.iter().map(|resource| resource.read(scratch_size));
    trait_methods::answer_first("read_resource", "ResourceRead", "Resource", reads)
}
