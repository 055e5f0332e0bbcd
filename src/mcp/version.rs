//! The protocol revisions, and what each of them has.

use core::fmt;

use crate::json::JsonStr;

/// A revision of MCP. Revisions are opaque strings, compared for equality.
///
/// ```
/// use barewire::mcp::{Era, Feature, Method, ProtocolVersion};
///
/// let version = ProtocolVersion::V2025_03_26;
/// assert_eq!((version.as_str(), version.era()), ("2025-03-26", Era::Legacy));
/// assert!(version.has(Feature::Batches) && !version.has(Feature::StructuredContent));
/// assert!(Method::Ping.is_in(version) && !Method::ServerDiscover.is_in(version));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the revisions")]
pub enum ProtocolVersion {
    // So none is zero: see the session of a server.
    V2024_11_05 = 1,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

/// How a client and a server agree on a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Era {
    /// By a handshake, once for the connection (2024-11-05 to 2025-11-25).
    Legacy,
    /// By metadata in each request (2026-07-28).
    Modern,
}

impl ProtocolVersion {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The newest one with a handshake: what is offered to a client that asks for an unknown one.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest one with metadata in each request.
    pub const LATEST_MODERN: Self = Self::V2026_07_28;

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of that name.
    pub fn from_name(name: JsonStr<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|version| name == version.as_str())
    }

    /// Its era.
    pub const fn era(self) -> Era {
        match self {
            Self::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// Whether it has `feature`.
    pub const fn has(self, feature: Feature) -> bool {
        feature.versions().contains(self)
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of revisions: a bit for each, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Versions(u8);

impl Versions {
    /// All five.
    pub const ALL: Self = Self(0b11_1110);
    /// Those with a handshake.
    pub const LEGACY: Self = Self(0b01_1110);
    /// Those with metadata in each request.
    pub const MODERN: Self = Self(0b10_0000);
    pub(super) const ONLY_2025_03_26: Self = Self(0b00_0100);
    pub(super) const SINCE_2025_03_26: Self = Self(0b11_1100);
    pub(super) const SINCE_2025_06_18: Self = Self(0b11_1000);
    pub(super) const SINCE_2025_11_25: Self = Self(0b11_0000);
    pub(super) const LEGACY_SINCE_2025_06_18: Self = Self(0b01_1000);
    pub(super) const ONLY_2025_11_25: Self = Self(0b01_0000);

    /// This one alone.
    pub const fn only(version: ProtocolVersion) -> Self {
        Self(1 << version as u8)
    }

    /// The newest of them that belongs to `era`.
    pub fn newest(self, era: Era) -> Option<ProtocolVersion> {
        let of_era = |version: &ProtocolVersion| self.contains(*version) && version.era() == era;
        ProtocolVersion::ALL.into_iter().rfind(of_era)
    }

    /// Whether `version` is one of them.
    pub const fn contains(self, version: ProtocolVersion) -> bool {
        self.0 & (1 << version as u8) != 0
    }
}

/// A part of the wire format that not every revision has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Feature {
    /// `annotations` of a tool.
    ToolAnnotations,
    /// Batches: several messages in a top-level array.
    Batches,
    /// `message` of a progress notification.
    ProgressMessage,
    /// The capability `completions`.
    CompletionsCapability,
    /// Content blocks of type `audio`.
    Audio,
    /// `title` of tools, resources, prompts, arguments and implementations.
    Title,
    /// Content blocks of type `resource_link`.
    ResourceLink,
    /// `outputSchema` of a tool, `structuredContent` of a result.
    StructuredContent,
    /// `_meta` outside params and results.
    ItemMeta,
    /// `lastModified` of annotations.
    LastModified,
    /// `icons` of tools, resources, prompts and implementations.
    Icons,
    /// `description` and `websiteUrl` of an implementation.
    ImplementationDetails,
    /// `resultType` in results, cache hints, the server's name in `_meta`.
    ResultType,
    /// The client's capability `elicitation`.
    Elicitation,
    /// `context` of a completion.
    CompletionContext,
    /// Modes and details of the client's capabilities: `form` and `url`, `context` and `tools`.
    CapabilityModes,
    /// `elicitationId` of a page to visit, and the notification that it is done.
    ElicitationId,
    /// Tasks as a part of the core: the capability `tasks`, the param `task`.
    Tasks,
    /// The capability `extensions`.
    Extensions,
}

impl Feature {
    /// The revisions that have it.
    pub const fn versions(self) -> Versions {
        match self {
            Self::Batches => Versions::ONLY_2025_03_26,
            Self::ToolAnnotations | Self::ProgressMessage | Self::CompletionsCapability | Self::Audio => {
                Versions::SINCE_2025_03_26
            }
            Self::Title
            | Self::ResourceLink
            | Self::StructuredContent
            | Self::ItemMeta
            | Self::LastModified
            | Self::Elicitation
            | Self::CompletionContext => Versions::SINCE_2025_06_18,
            Self::Icons | Self::ImplementationDetails | Self::CapabilityModes => Versions::SINCE_2025_11_25,
            Self::Tasks | Self::ElicitationId => Versions::ONLY_2025_11_25,
            Self::ResultType | Self::Extensions => Versions::MODERN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_revisions_are_what_their_names_say() {
        for version in ProtocolVersion::ALL {
            assert_eq!(Versions::LEGACY.contains(version), version.era() == Era::Legacy);
            assert_eq!(Versions::MODERN.contains(version), version.era() == Era::Modern);
            assert_eq!(
                Versions::SINCE_2025_06_18.contains(version),
                version >= ProtocolVersion::V2025_06_18
            );
            assert!(Versions::ALL.contains(version));
            let only = Versions::only(version);
            assert!(
                ProtocolVersion::ALL
                    .into_iter()
                    .all(|other| only.contains(other) == (other == version))
            );
            assert_eq!(only.newest(version.era()), Some(version));
            assert_eq!(
                Versions::ALL.newest(version.era()).map(ProtocolVersion::era),
                Some(version.era())
            );
            assert_eq!(
                ProtocolVersion::from_name(JsonStr::from_escaped(version.as_str()).unwrap()),
                Some(version)
            );
        }
    }
}
