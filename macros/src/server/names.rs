//! Variables of the generated methods. They are other variables than those of the same names that the user's code has.

use proc_macro2::Span;
use syn::Ident;

/// The reply to the request.
pub(super) fn reply() -> Ident {
    Ident::new("reply", Span::mixed_site())
}

/// The request.
pub(super) fn request() -> Ident {
    Ident::new("request", Span::mixed_site())
}

/// The client of an asynchronous call.
pub(super) fn peer() -> Ident {
    Ident::new("peer", Span::mixed_site())
}

/// The memory for decoded texts.
pub(super) fn scratch() -> Ident {
    Ident::new("scratch", Span::mixed_site())
}
