//! Texts that are kept in tables: for them the memory is, and not for what tells how long they are.

use crate::bytes::Sink;
use crate::json::Writer;
use crate::rpc::RequestId;

/// A text of at most `N` bytes, and of 65535.
#[derive(Debug, Clone)]
pub(super) struct Kept<const N: usize> {
    len: u16,
    memory: [u8; N],
}

impl<const N: usize> Kept<N> {
    /// Nothing. No constant: it would take flash.
    pub(super) fn new() -> Self {
        Self {
            len: 0,
            memory: [0; N],
        }
    }

    /// Whether a text of this length fits.
    pub(super) const fn can_hold(length: usize) -> bool {
        length <= N && length <= u16::MAX as usize
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        let text = self.memory.get(..self.len());
        text.unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a text. `None` when it has no room: then nothing is appended.
    pub(super) fn append(&mut self, text: &[u8]) -> Option<()> {
        self.append_with(|sink| sink.write(text))
    }

    /// Appends the text of an id, straight into its place.
    pub(super) fn append_id(&mut self, id: RequestId<'_>) -> Option<()> {
        self.append_with(|sink| id.write(&mut Writer::new(sink)))
    }

    fn append_with(&mut self, write: impl FnOnce(&mut Sink<'_>)) -> Option<()> {
        let room = self.memory.get_mut(usize::from(self.len)..)?;
        let mut sink = Sink::new(room);
        write(&mut sink);
        let added = sink.finish().ok()?.len();
        self.len = self.len.checked_add(u16::try_from(added).ok()?)?;
        Some(())
    }

    /// The id that was appended, if it is all of the text.
    pub(super) fn as_id(&self) -> RequestId<'_> {
        RequestId::from_appended(self.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_not_appended() {
        let mut kept = Kept::<5>::new();
        assert!(kept.is_empty());
        for (text, is_kept, all) in [
            ("ab", true, "ab"),
            ("cdef", false, "ab"),
            ("cde", true, "abcde"),
            ("", true, "abcde"),
            ("f", false, "abcde"),
        ] {
            assert_eq!(kept.append(text.as_bytes()).is_some(), is_kept, "{text}");
            assert_eq!((kept.as_bytes(), kept.len()), (all.as_bytes(), all.len()));
        }
    }

    #[test]
    fn ids_echo_their_text() {
        for token in ["123456789012345678901234567890", r#""a\u0062""#, "-0"] {
            let mut kept = Kept::<30>::new();
            let id = RequestId::parse(token.as_bytes()).unwrap();
            assert_eq!(kept.append_id(id), Some(()));
            assert_eq!(kept.as_bytes(), token.as_bytes());
            assert_eq!(kept.as_id(), id);
        }
        let mut kept = Kept::<4>::new();
        assert_eq!(kept.append_id(RequestId::from("abc")), None);
        assert_eq!(kept.append_id(RequestId::from(1234)), Some(()));
    }

    #[test]
    fn no_text_is_longer_than_its_length_can_say() {
        const LONG: usize = 65536;
        let mut kept = std::boxed::Box::new(Kept::<LONG>::new());
        let text = std::vec![b'a'; LONG];
        assert_eq!(kept.append(&text), None);
        assert_eq!(kept.append(&text[1..]), Some(()));
        assert_eq!(kept.append(b"a"), None);
        assert_eq!(kept.len(), LONG - 1);
    }
}
