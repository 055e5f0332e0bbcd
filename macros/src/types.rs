//! What the macros see of a type without knowing more than its name.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{VisitMut, visit_type_reference_mut};
use syn::{
    GenericArgument, GenericParam, Generics, Ident, Lifetime, PathArguments, PathSegment, Type, TypePath,
    TypeReference,
};

/// The last segment of the path of a type.
fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) => path.segments.last(),
        Type::Paren(inner) => last_segment(&inner.elem),
        Type::Group(inner) => last_segment(&inner.elem),
        _ => None,
    }
}

/// Whether the last segment of the type is `name`.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name)
}

/// The generic types of a type with this name.
fn generics<'t>(ty: &'t Type, name: &str) -> Option<Vec<&'t Type>> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some(types.collect())
}

/// `T` of `Option<T>`.
pub(crate) fn option(ty: &Type) -> Option<&Type> {
    match generics(ty, "Option")?.as_slice() {
        [inner] => Some(inner),
        _ => None,
    }
}

/// `T` of `Result<T, &str>`.
pub(crate) fn result_with_text(ty: &Type) -> Option<&Type> {
    match generics(ty, "Result")?.as_slice() {
        [answer, Type::Reference(error)] if is_named(&error.elem, "str") => Some(answer),
        _ => None,
    }
}

/// The type of a successful answer that may be structured content of a known schema, if the name of the type does not say that it is not.
/// A type with one of these generic parameters, or with `Self`, cannot be in a table.
pub(crate) fn output<'t>(ty: &'t Type, generics: &Generics) -> Option<&'t Type> {
    const NONE: [&str; 8] =
        ["Option", "Vec", "Cow", "Image", "Audio", "ResourceLink", "Structured", "Outcome"];
    if let Some([answer, _]) = self::generics(ty, "Result").as_deref() {
        let found = output(answer, generics)?;
        // The whole type, as in the call, so that the compiler reports a type that cannot be an answer only once.
        return Some(if is_concrete(ty, generics) { ty } else { found });
    }
    let may_have_one = match ty {
        Type::Path(_) => !is_owned(ty) && !NONE.iter().any(|name| is_named(ty, name)),
        Type::Tuple(tuple) => tuple.elems.iter().any(|part| output(part, generics).is_some()),
        _ => false,
    };
    (may_have_one && is_concrete(ty, generics)).then_some(ty)
}

/// Whether the type has a name without one of these generic parameters and without `Self`.
pub(crate) fn is_concrete(ty: &Type, generics: &Generics) -> bool {
    let is_generic =
        |ident: &Ident| ident == "Self" || generics.params.iter().any(|parameter| names(parameter, ident));
    is_nameable(ty) && !mentions(ty.to_token_stream(), &is_generic)
}

/// Whether the type can be written in another place than the signature of a method.
pub(crate) fn is_nameable(ty: &Type) -> bool {
    !mentions(ty.to_token_stream(), &|ident| ident == "impl")
}

/// Whether a generic parameter that is not a lifetime has this name.
fn names(parameter: &GenericParam, ident: &Ident) -> bool {
    match parameter {
        GenericParam::Type(parameter) => parameter.ident == *ident,
        GenericParam::Const(parameter) => parameter.ident == *ident,
        _ => false,
    }
}

/// Whether one of the identifiers in the tokens is such.
fn mentions(tokens: TokenStream, is_such: &impl Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => is_such(&ident),
        TokenTree::Group(group) => mentions(group.stream(), is_such),
        _ => false,
    })
}

/// The type that a reference points to, and whether the reference is mutable.
pub(crate) fn reference(ty: &Type) -> Option<(&Type, bool)> {
    match ty {
        Type::Reference(TypeReference { elem, mutability, .. }) => Some((elem, mutability.is_some())),
        _ => None,
    }
}

/// Whether the type is `&str`.
pub(crate) fn is_str(ty: &Type) -> bool {
    matches!(reference(ty), Some((inner, false)) if is_named(inner, "str"))
}

/// Whether a value of the type never borrows from the scratch: known by its name.
pub(crate) fn is_owned(ty: &Type) -> bool {
    const OWNED: [&str; 5] = ["bool", "f32", "f64", "String", "JsonStr"];
    integer_range(ty).is_some() || OWNED.iter().any(|name| is_named(ty, name))
}

/// Whether the type is a float.
pub(crate) fn is_float(ty: &Type) -> bool {
    is_named(ty, "f32") || is_named(ty, "f64")
}

/// The range of an integer in a schema.
pub(crate) fn integer_range(ty: &Type) -> Option<(i128, i128)> {
    let (_, range) = [
        ("i8", (i8::MIN.into(), i8::MAX.into())),
        ("i16", (i16::MIN.into(), i16::MAX.into())),
        ("i32", (i32::MIN.into(), i32::MAX.into())),
        ("i64", (i64::MIN.into(), i64::MAX.into())),
        ("isize", (i64::MIN.into(), i64::MAX.into())),
        ("u8", (0, u8::MAX.into())),
        ("u16", (0, u16::MAX.into())),
        ("u32", (0, u32::MAX.into())),
        ("u64", (0, i64::MAX.into())),
        ("usize", (0, i64::MAX.into())),
    ]
    .into_iter()
    .find(|(name, _)| is_named(ty, name))?;
    Some(range)
}

/// The type with every lifetime left to the compiler, since the lifetimes of the method do not exist elsewhere.
pub(crate) fn without_lifetimes(ty: &Type) -> Type {
    struct Erase;
    impl VisitMut for Erase {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident != "static" {
                *lifetime = Lifetime::new("'_", lifetime.span());
            }
        }

        fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
            reference.lifetime = reference.lifetime.take().filter(|lifetime| lifetime.ident == "static");
            visit_type_reference_mut(self, reference);
        }
    }
    let mut ty = ty.clone();
    Erase.visit_type_mut(&mut ty);
    ty
}
