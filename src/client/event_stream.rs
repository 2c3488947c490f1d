//! Parser of server-sent events. Pure: bytes in, events out.
//!
//! Lines end with LF, CR or CRLF, and an empty line ends an event. Comments and unknown fields are skipped. An
//! event that is incomplete at the end of the stream is dropped: it comes again after the id of the last one.

/// Maximum size of a line, and of the data of an event, in bytes.
pub const MAX_EVENT_BYTES: usize = 1024 * 1024;
/// Maximum length of an id, in bytes; a longer one is ignored.
const MAX_ID_BYTES: usize = 64;
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEvent {
    /// `message` if the stream names none.
    pub name: String,
    /// Last id of the stream, from this event or an earlier one.
    pub id: Option<String>,
    pub data: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventStreamError {
    #[error("the event stream contains a line or an event of more than {} KiB", MAX_EVENT_BYTES >> 10)]
    TooLong,
    #[error("the event stream is not UTF-8 text")]
    NotText,
}

/// State between two chunks of a stream.
#[derive(Debug, Default)]
pub struct EventParser {
    line: Vec<u8>,
    /// True if the last byte was a CR: a LF behind it belongs to it.
    after_return: bool,
    has_begun: bool,
    name: String,
    data: Option<String>,
    id: Option<String>,
}

impl EventParser {
    /// Creates a parser for a stream that continues after the event `id`.
    pub fn after(id: Option<String>) -> Self {
        Self { id, ..Self::default() }
    }

    /// Id after which a new connection continues.
    pub fn last_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Parses a chunk and returns the events that it completes.
    pub fn parse(&mut self, chunk: &[u8]) -> Result<Vec<ServerEvent>, EventStreamError> {
        let mut events = Vec::new();
        for byte in chunk {
            let follows_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ if self.line.len() >= MAX_EVENT_BYTES => return Err(EventStreamError::TooLong),
                _ => self.line.push(*byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<ServerEvent>, EventStreamError> {
        let bytes = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let bytes = match bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if is_first => rest,
            _ => bytes.as_slice(),
        };
        if bytes.is_empty() {
            return Ok(self.end_event());
        }
        let line = std::str::from_utf8(bytes).map_err(|_| EventStreamError::NotText)?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "id" if value.len() <= MAX_ID_BYTES && !value.contains('\0') => self.id = Some(value.to_owned()),
            "data" => {
                if self.data.as_ref().map_or(0, String::len) + value.len() > MAX_EVENT_BYTES {
                    return Err(EventStreamError::TooLong);
                }
                match &mut self.data {
                    None => self.data = Some(value.to_owned()),
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Completes an event; `None` without data.
    fn end_event(&mut self) -> Option<ServerEvent> {
        let name = std::mem::take(&mut self.name);
        let data = self.data.take()?;
        let name = if name.is_empty() { "message".to_owned() } else { name };
        Some(ServerEvent { name, id: self.id.clone(), data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": hello\r\n\r\nid: 7\nevent: claim\ndata: {\"a\":1}\n\ndata\r\ndata: two\r\rretry: 5\n\
                          event: note\n\nevent: presence\ndata:  x\n\ndata: cut off";

    fn event(name: &str, id: Option<&str>, data: &str) -> ServerEvent {
        ServerEvent { name: name.to_owned(), id: id.map(str::to_owned), data: data.to_owned() }
    }

    fn parse_in_chunks(bytes: &[u8], size: usize) -> (Vec<ServerEvent>, EventParser) {
        let mut parser = EventParser::default();
        let mut events = Vec::new();
        for chunk in bytes.chunks(size) {
            events.extend(parser.parse(chunk).expect("a stream"));
        }
        (events, parser)
    }

    #[test]
    fn events_are_the_same_however_the_stream_is_cut() {
        let wanted = [
            event("claim", Some("7"), "{\"a\":1}"),
            event("message", Some("7"), "\ntwo"),
            event("presence", Some("7"), " x"),
        ];
        for size in 1..=STREAM.len() {
            let (events, parser) = parse_in_chunks(STREAM.as_bytes(), size);
            assert_eq!(events, wanted, "in chunks of {size}");
            assert_eq!(parser.last_id(), Some("7"));
        }
    }

    #[test]
    fn byte_order_mark_is_skipped_at_the_beginning_only() {
        let (events, _) = parse_in_chunks("\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes(), 3);
        assert_eq!(events, [event("message", None, "a")]);
    }

    #[test]
    fn long_lines_events_and_ids_are_bounded() {
        let long = vec![b'x'; MAX_EVENT_BYTES + 1];
        assert_eq!(EventParser::default().parse(&long), Err(EventStreamError::TooLong));
        let line = format!("data: {}\n", "x".repeat(MAX_EVENT_BYTES / 2));
        let mut parser = EventParser::default();
        parser.parse(line.as_bytes()).expect("half");
        parser.parse(line.as_bytes()).expect("the other half");
        assert_eq!(parser.parse(line.as_bytes()), Err(EventStreamError::TooLong));
        let (events, _) = parse_in_chunks(format!("id: {}\ndata: a\n\n", "9".repeat(65)).as_bytes(), 8);
        assert_eq!(events, [event("message", None, "a")]);
        assert_eq!(EventParser::default().parse(b"data: \xff\n"), Err(EventStreamError::NotText));
    }

    #[test]
    fn stream_goes_on_after_a_known_id() {
        let mut parser = EventParser::after(Some("41".to_owned()));
        assert_eq!(parser.parse(b"data: a\n\n").expect("a stream"), [event("message", Some("41"), "a")]);
        parser.parse(b"id: 42\n").expect("a stream");
        assert_eq!(parser.last_id(), Some("42"));
    }
}
