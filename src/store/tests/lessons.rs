//! What a person teaches of trouble: the rows are weighed again in slices, and
//! what is taught is taken back without a trace.

use crate::Store;
use crate::tests::{add, channel, conversation, list, message};
use model::local::Keep;
use model::messages::Direction::Inbound;
use model::queries::{ConversationKey, ConversationQuery};
use model::text::SafeText;
use model::trouble::weights::{TroubleRule, TroubleVerdict, TroubleWeights};

/// More than are weighed before a lesson is said to be done.
const PEOPLE: i64 = 1_300;

fn key(number: i64) -> ConversationKey {
    ConversationKey { channel: channel(), conversation: format!("c{number:04}").as_str().into() }
}

/// What each row weighs, in the order of their names.
fn scores(store: &Store) -> Vec<u32> {
    let query = ConversationQuery::first(channel(), model::filter::ConversationFilter::all(), 2_000);
    let mut rows = store.reader().unwrap().conversations(&query).unwrap().rows;
    rows.sort_by_key(|row| row.conversation.id.to_string());
    rows.iter().map(|row| row.trouble.score()).collect()
}

#[tokio::test]
async fn a_lesson_weighs_all_rows_again_in_bounded_batches() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, (0..PEOPLE).map(|number| conversation(&format!("c{number:04}"), number)).collect()).await;
    let said = (0..PEOPLE).map(|number| {
        let mut said = message(&format!("c{number:04}"), &format!("m{number:04}"), number, Inbound);
        said.content = SafeText::block(if number % 2 == 0 { "This is ridiculous!!" } else { "Thank you" });
        said
    });
    add(&store, said.collect()).await;
    let before = scores(&store);
    assert_eq!(before[..2], [32, 0]);
    let preview = store.reader().unwrap().lesson(Some(&(key(0), TroubleVerdict::NotTrouble))).unwrap();
    assert_eq!((preview.more, preview.fewer, preview.is_cut), (0, 650, false));
    let after = preview.before.learning(&preview.score, TroubleVerdict::NotTrouble);
    store.keep(&channel(), Keep::Weights(after)).unwrap();
    // Of those that have reasons the first thousand at once, the rest while no
    // one waits.
    let expected = |at: usize| if at.is_multiple_of(2) { 26 } else { 0 };
    assert!(scores(&store).iter().enumerate().all(|(at, number)| *number == expected(at)));
    // What is said later weighs the same.
    let mut new = message("c0001", "new", PEOPLE, Inbound);
    new.content = SafeText::block("This is ridiculous!!");
    add(&store, vec![new]).await;
    assert_eq!(scores(&store)[1], 26);
    let taught = store.reader().unwrap().lesson(None).unwrap().before;
    assert_eq!((taught.of(TroubleRule::Upset), taught.of(TroubleRule::Long)), (80, 100));
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.reader().unwrap().lesson(None).unwrap().before, taught, "it outlives the process");
    store.keep(&channel(), Keep::Weights(TroubleWeights::default())).unwrap();
    let mut back = before;
    back[1] = 32;
    assert_eq!(scores(&store), back);
}
