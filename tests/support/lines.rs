//! Cutting a stream into lines with the whole stream at hand.

/// A byte of a stream, or the place of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A byte that was received.
    Byte(u8),
    /// Bytes are missing here.
    Loss,
}

/// What a line becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A line, without its newline.
    Line(Vec<u8>),
    /// A line that does not fit with its newline, and all of it.
    TooLong(Vec<u8>),
    /// A line with missing bytes.
    Lost,
}

/// The events of a stream over a buffer of `capacity` bytes.
pub fn events(stream: &[Item], capacity: usize) -> Vec<Event> {
    let mark = [0xEF, 0xBB, 0xBF].map(Item::Byte);
    let stream = match stream.strip_prefix(&mark) {
        // A buffer that cannot hold a byte order mark cannot know one.
        Some(rest) if capacity >= mark.len() => rest,
        _ => stream,
    };
    let mut lines: Vec<&[Item]> = stream.split(|item| *item == Item::Byte(b'\n')).collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines.into_iter().map(|line| event(line, capacity)).collect()
}

fn event(line: &[Item], capacity: usize) -> Event {
    let bytes: Option<Vec<u8>> = line
        .iter()
        .map(|item| match item {
            Item::Byte(byte) => Some(*byte),
            Item::Loss => None,
        })
        .collect();
    match bytes {
        None => Event::Lost,
        Some(bytes) if bytes.len() < capacity => Event::Line(bytes),
        Some(bytes) => Event::TooLong(bytes),
    }
}
