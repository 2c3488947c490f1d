//! Checks the field names that the raw view treats as known against those of the parsed types.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

use crate::conversations::ConversationBody;
use crate::email::EmailThreadBody;
use crate::messages::MessageBody;
use crate::telegram::TelegramConversationBody;

/// Deserializer that records the fields of a struct and reads nothing.
struct Names<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Error::custom("only a struct has fields"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.extend(fields);
        Err(Error::custom("only the names were wanted"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn names<'de, T: Deserialize<'de>>() -> Vec<&'static str> {
    let mut names = Vec::new();
    assert!(T::deserialize(Names(&mut names)).is_err() && !names.is_empty());
    names
}

#[test]
fn what_is_read_of_an_item_is_known_to_the_raw_view() {
    use model::conversations::CONVERSATION_FIELDS;
    use model::known::{MESSAGE_FIELDS, THREAD_FIELDS};
    let items =
        [names::<ConversationBody<'_>>(), names::<MessageBody<'_>>(), names::<TelegramConversationBody>()];
    for name in items.concat() {
        assert!(MESSAGE_FIELDS.contains(&name) || CONVERSATION_FIELDS.contains(&name), "{name}");
    }
    let mut thread = names::<EmailThreadBody>();
    for name in &thread {
        assert!(THREAD_FIELDS.contains(name), "{name}");
    }
    thread.sort_unstable();
    let mut known = THREAD_FIELDS.to_vec();
    known.sort_unstable();
    assert_eq!(thread, known, "and nothing else of a thread is");
}
