//! The shape of a type with a derive: the strings of an enum, or the members of a struct.

use syn::ext::IdentExt;
use syn::{Data, DataEnum, DeriveInput, Error, Field, Fields, FieldsNamed, Ident, LitStr, Result};

use crate::errors::Errors;
use crate::parameter::{self, Parameter};
use crate::serde::{Case, Place, Serde};

/// What a type is in JSON.
pub(crate) enum Shape {
    /// An enum without data: its variants, and their strings.
    Choice(Vec<(Ident, LitStr)>),
    /// A struct with named fields.
    Object(Vec<Parameter>),
}

impl Shape {
    /// The shape of the type, which is to be `what`: an argument, for example.
    pub(crate) fn of(input: &DeriveInput, what: &str) -> Result<Self> {
        let serde = Serde::of(&input.attrs, Place::Type)?;
        match &input.data {
            Data::Enum(data) => variants(&input.ident, data, serde.rename_all, what).map(Self::Choice),
            Data::Struct(data) => match &data.fields {
                Fields::Named(named) => fields(named, serde.rename_all).map(Self::Object),
                other => {
                    let message =
                        format!("{what} is a struct with named fields: they become the members of an object");
                    Err(match other.is_empty() {
                        true => Error::new_spanned(&input.ident, message),
                        false => Error::new_spanned(other, message),
                    })
                }
            },
            Data::Union(data) => Err(Error::new_spanned(data.union_token, format!("{what} is not a union"))),
        }
    }
}

fn variants(ident: &Ident, data: &DataEnum, case: Option<Case>, what: &str) -> Result<Vec<(Ident, LitStr)>> {
    let mut errors = Errors::default();
    let mut all: Vec<(Ident, LitStr)> = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            let message = format!("{what} is an enum without data: its variants become strings");
            errors.add(Error::new_spanned(&variant.fields, message));
        }
        let Some(serde) = errors.take(Serde::of(&variant.attrs, Place::Variant)) else {
            continue;
        };
        let own = variant.ident.unraw().to_string();
        let name = case.map_or_else(|| own.clone(), |case| case.variant(&own));
        let name = serde.rename.unwrap_or_else(|| LitStr::new(&name, variant.ident.span()));
        if all.iter().any(|(_, other)| other.value() == name.value()) {
            errors.add(Error::new(name.span(), format!("two variants have the name `{}`", name.value())));
        }
        all.push((variant.ident.clone(), name));
    }
    if data.variants.is_empty() {
        errors.add(Error::new_spanned(ident, "an enum without variants has no value"));
    }
    errors.into_result()?;
    Ok(all)
}

fn fields(named: &FieldsNamed, case: Option<Case>) -> Result<Vec<Parameter>> {
    let mut errors = Errors::default();
    let mut parameters = Vec::new();
    for field in &named.named {
        if let Some(ident) = &field.ident {
            parameters.extend(errors.take(self::field(field, ident, case)));
        }
    }
    errors.take(parameter::check_names(&parameters));
    errors.into_result()?;
    Ok(parameters)
}

fn field(field: &Field, ident: &Ident, case: Option<Case>) -> Result<Parameter> {
    let serde = Serde::of(&field.attrs, Place::Field)?;
    let mut parameter = Parameter::new(ident, &field.ty, &field.attrs)?;
    if let Some(case) = case
        && ident.unraw() == parameter.name.value()
    {
        parameter.name = LitStr::new(&case.field(&parameter.name.value()), ident.span());
    }
    if let Some(name) = serde.rename {
        parameter.name = name;
    }
    if let (Some(default), None) = (serde.default, &parameter.default)
        // An `Option` without `serde(default)` has the same default: `None`.
        && !parameter.is_option
    {
        parameter.default = Some(default);
    }
    Ok(parameter)
}
