//! Every kind and error can be logged with `defmt`. That they are, on a device, is shown by the firmware of the examples.

use barewire::{bytes, engine, json, mcp, rpc};

/// Compiles for what can be logged.
#[allow(clippy::extra_unused_type_parameters, reason = "the type is all it is about")]
const fn logged<T: defmt::Format>() -> bool {
    true
}

#[test]
fn every_kind_and_error_can_be_logged() {
    let all = [
        logged::<bytes::BufferFull>(),
        logged::<bytes::Next<'_>>(),
        logged::<json::Error>(),
        logged::<json::ErrorKind>(),
        logged::<json::Kind>(),
        logged::<json::LoneSurrogate>(),
        logged::<json::NumberError>(),
        logged::<json::ParseError>(),
        logged::<json::Repeated>(),
        logged::<json::SerializeError>(),
        logged::<json::UnescapeError>(),
        logged::<json::RawValue<'_>>(),
        logged::<json::Object<'_>>(),
        logged::<json::Array<'_>>(),
        logged::<json::Member<'_>>(),
        logged::<json::Number<'_>>(),
        logged::<json::JsonStr<'_>>(),
        logged::<rpc::ErrorCode>(),
        logged::<rpc::ErrorObject<'_>>(),
        logged::<rpc::IdTooLong>(),
        logged::<rpc::Message<'_>>(),
        logged::<rpc::MessageTooLong>(),
        logged::<rpc::Reason>(),
        logged::<rpc::Rejection<'_>>(),
        logged::<rpc::Reply<'_>>(),
        logged::<rpc::RequestId<'_>>(),
        logged::<rpc::RewriteError>(),
        logged::<rpc::Rules>(),
        logged::<rpc::StoredId<8>>(),
        logged::<mcp::ArgumentError<'_>>(),
        logged::<mcp::Capabilities>(),
        logged::<mcp::Chapter>(),
        logged::<mcp::Era>(),
        logged::<mcp::ArgumentFault>(),
        logged::<mcp::Feature>(),
        logged::<mcp::LoggingLevel>(),
        logged::<mcp::Method>(),
        logged::<mcp::Named<'_>>(),
        logged::<mcp::ProtocolVersion>(),
        logged::<mcp::Theme>(),
        logged::<engine::Address>(),
        logged::<engine::CallError<'_>>(),
        logged::<engine::CallToken>(),
        logged::<engine::Channel>(),
        logged::<engine::Event<'_>>(),
        logged::<engine::Lifecycle>(),
        logged::<engine::List>(),
        logged::<engine::NotInFlight>(),
        logged::<engine::Options>(),
        logged::<engine::Origin>(),
        logged::<engine::Progress<'_>>(),
        logged::<engine::Reference<'_>>(),
        logged::<engine::Role>(),
        logged::<engine::Sent>(),
        logged::<engine::UnreadableId>(),
    ];
    assert!(all.iter().all(|can_be| *can_be));
}
