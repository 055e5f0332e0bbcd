//! The protocol revisions and their features.

use core::fmt;

use super::named_enum::named_enum;

named_enum! {
    /// A revision of MCP.
    ///
    /// ```
    /// use barewire::mcp::{Era, Feature, Method, ProtocolVersion};
    ///
    /// let version = ProtocolVersion::V2025_03_26;
    /// assert_eq!((version.as_str(), version.era()), ("2025-03-26", Era::Legacy));
    /// assert!(version.has(Feature::Batches) && !version.has(Feature::StructuredContent));
    /// assert!(Method::Ping.is_in(version) && !Method::ServerDiscover.is_in(version));
    /// ```
    #[derive(PartialOrd, Ord)]
    #[allow(missing_docs, reason = "the names are the revisions")]
    ProtocolVersion {
        // No revision is zero, so that a session can keep an optional one in a byte.
        V2024_11_05 = 1 => "2024-11-05",
        V2025_03_26 => "2025-03-26",
        V2025_06_18 => "2025-06-18",
        V2025_11_25 => "2025-11-25",
        V2026_07_28 => "2026-07-28",
    }
}

/// The two ways in which a client and a server agree on a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Era {
    /// By a handshake, once for the connection (2024-11-05 to 2025-11-25).
    Legacy,
    /// By metadata in each request (2026-07-28).
    Modern,
}

impl ProtocolVersion {
    /// The latest legacy revision, which is offered to a client that asks for an unknown one.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The latest modern revision.
    pub const LATEST_MODERN: Self = Self::V2026_07_28;

    /// The era of the revision.
    pub const fn era(self) -> Era {
        match self {
            Self::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// Whether the revision has `feature`.
    pub const fn has(self, feature: Feature) -> bool {
        feature.versions().contains(self)
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Versions(
    /// One bit for each revision, by its number.
    u8,
);

impl Versions {
    /// All revisions.
    pub const ALL: Self = Self(0b11_1110);
    /// The legacy revisions.
    pub const LEGACY: Self = Self(0b01_1110);
    /// The modern revisions.
    pub const MODERN: Self = Self(0b10_0000);
    pub(super) const ONLY_2025_03_26: Self = Self(0b00_0100);
    pub(super) const SINCE_2025_03_26: Self = Self(0b11_1100);
    pub(super) const SINCE_2025_06_18: Self = Self(0b11_1000);
    pub(super) const SINCE_2025_11_25: Self = Self(0b11_0000);
    pub(super) const LEGACY_SINCE_2025_06_18: Self = Self(0b01_1000);
    pub(super) const ONLY_2025_11_25: Self = Self(0b01_0000);

    /// The set that contains only `version`.
    pub const fn only(version: ProtocolVersion) -> Self {
        Self(1 << version as u8)
    }

    /// The latest revision of `era` in the set.
    pub fn newest(self, era: Era) -> Option<ProtocolVersion> {
        let of_era = |version: &ProtocolVersion| self.contains(*version) && version.era() == era;
        ProtocolVersion::ALL.into_iter().rfind(of_era)
    }

    /// Whether the set contains `version`.
    pub const fn contains(self, version: ProtocolVersion) -> bool {
        self.0 & (1 << version as u8) != 0
    }
}

/// Makes the type [`Feature`] out of each feature and the revisions that have it.
macro_rules! features {
    ($($(#[$about:meta])* $feature:ident: $versions:ident,)*) => {
        /// A part of the wire format that not every revision has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[non_exhaustive]
        pub enum Feature {
            $($(#[$about])* $feature,)*
        }

        impl Feature {
            /// The revisions that have the feature.
            pub const fn versions(self) -> Versions {
                match self {
                    $(Self::$feature => Versions::$versions,)*
                }
            }
        }
    };
}

features! {
    /// `annotations` of a tool.
    ToolAnnotations: SINCE_2025_03_26,
    /// Batches: several messages in a top-level array.
    Batches: ONLY_2025_03_26,
    /// `message` of a progress notification.
    ProgressMessage: SINCE_2025_03_26,
    /// The capability `completions`.
    CompletionsCapability: SINCE_2025_03_26,
    /// Content blocks of type `audio`.
    Audio: SINCE_2025_03_26,
    /// `title` of tools, resources, prompts, arguments and implementations.
    Title: SINCE_2025_06_18,
    /// Content blocks of type `resource_link`.
    ResourceLink: SINCE_2025_06_18,
    /// `outputSchema` of a tool, `structuredContent` of a result.
    StructuredContent: SINCE_2025_06_18,
    /// `_meta` outside params and results.
    ItemMeta: SINCE_2025_06_18,
    /// `lastModified` of annotations.
    LastModified: SINCE_2025_06_18,
    /// `icons` of tools, resources, prompts and implementations.
    Icons: SINCE_2025_11_25,
    /// `description` and `websiteUrl` of an implementation.
    ImplementationDetails: SINCE_2025_11_25,
    /// `resultType` in results, cache hints, the name of the server in `_meta`.
    ResultType: MODERN,
    /// The client's capability `elicitation`.
    Elicitation: SINCE_2025_06_18,
    /// `context` of a completion.
    CompletionContext: SINCE_2025_06_18,
    /// `listChanged` of the client's capability `roots`.
    RootsListChanged: LEGACY,
    /// Modes and details of the client's capabilities: `form` and `url`, `context` and `tools`.
    CapabilityModes: SINCE_2025_11_25,
    /// `elicitationId` of an elicitation by URL, and the notification that its page is done.
    ElicitationId: ONLY_2025_11_25,
    /// Tasks as a part of the core: the capability `tasks`, the param `task`.
    Tasks: ONLY_2025_11_25,
    /// The capability `extensions`.
    Extensions: MODERN,
    /// `x-mcp-header` in the schema of a tool.
    ParameterHeaders: MODERN,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_revisions_are_what_their_names_say() {
        for version in ProtocolVersion::ALL {
            assert_eq!(Versions::LEGACY.contains(version), version.era() == Era::Legacy);
            assert_eq!(Versions::MODERN.contains(version), version.era() == Era::Modern);
            assert_eq!(Versions::SINCE_2025_06_18.contains(version), version >= ProtocolVersion::V2025_06_18);
            assert!(Versions::ALL.contains(version));
            let only = Versions::only(version);
            assert!(ProtocolVersion::ALL.into_iter().all(|other| only.contains(other) == (other == version)));
            assert_eq!(only.newest(version.era()), Some(version));
            assert_eq!(Versions::ALL.newest(version.era()).map(ProtocolVersion::era), Some(version.era()));
            assert_eq!(
                ProtocolVersion::from_name(crate::json::JsonStr::from_escaped(version.as_str()).unwrap()),
                Some(version)
            );
        }
    }
}
