//! What a deleted person wrote is in no byte of any file.

use std::path::Path;

use crate::Store;
use crate::tests::{add, channel, conversation, list, message};
use model::conversations::Conversation;
use model::ids::ConversationId;
use model::messages::{Direction, Message};
use model::text::SafeText;

/// Words nobody else writes, as the texts and the index have them.
const WORDS: [&str; 4] = ["Quagga", "quagga", "Zyzzyva", "zyzzyva"];

fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|it| it == word.as_bytes());
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let found = entries.filter(|it| has(&std::fs::read(it).unwrap()));
    found.map(|it| it.display().to_string()).collect()
}

fn says(conversation: &str, id: &str, seconds: i64, text: &str) -> Message {
    Message {
        content: SafeText::block(text),
        raw: format!("{id} {text}"),
        ..message(conversation, id, seconds, Direction::Inbound)
    }
}

async fn filled(store: &Store) {
    let person = Conversation {
        name: Some(SafeText::line("Quagga Zyzzyva")),
        address: Some("+34600999888".to_owned()),
        preview: SafeText::line("Zyzzyva"),
        raw: "{\"name\":\"Quagga\"}".to_owned(),
        ..conversation("gone", 5)
    };
    list(store, vec![person, conversation("stays", 1)]).await;
    // In several parts of the index, with others between.
    for round in 0..40 {
        let at = round * 10;
        add(store, vec![says("stays", &format!("s{round}"), at, &format!("word{round} stays"))]).await;
        add(store, vec![says("gone", &format!("g{round}"), at + 5, &format!("Quagga word{round} Zyzzyva"))])
            .await;
    }
}

/// Waits for the work that is done between jobs.
fn settle(store: &Store) {
    for _ in 0..10_000 {
        if store.cache().call(|cache| Ok(cache.wiping.is_done())).unwrap() {
            return;
        }
    }
    panic!("it never ends");
}

#[tokio::test]
async fn what_a_deleted_person_wrote_is_in_no_file() {
    for by_person in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let aside = folder.path().join("cache.db.set-aside");
        let store = Store::open(folder.path()).unwrap();
        filled(&store).await;
        std::fs::write(&aside, "Quagga, of a damaged copy").unwrap();
        let reader = store.reader().unwrap();
        assert!(WORDS.iter().all(|it| !files_with(folder.path(), it).is_empty()), "they are there before");
        let gone = ConversationId::from("gone");
        if by_person {
            assert_eq!(store.forget_person(&channel(), "+34600999888").await.unwrap(), [gone]);
        } else {
            store.mark_gone(&channel(), &gone).await.unwrap();
        }
        settle(&store);
        for word in WORDS {
            assert_eq!(files_with(folder.path(), word), [] as [String; 0], "{word}");
        }
        let query = model::search::SearchQuery { text: "stays".into(), limit: 100, ..Default::default() };
        assert_eq!(reader.search(&query).unwrap().hits.len(), 40, "the others are found");
        assert!(!folder.path().join("cache.db.wiping").exists());
    }
}

#[tokio::test]
async fn what_a_start_left_to_do_is_done_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    filled(&store).await;
    // Removed, and the process ended before the words left the index.
    let removed = store.cache().call(|cache| {
        cache.wiping.begin()?;
        cache.connection.execute("DELETE FROM conversation WHERE id = 'gone'", [])?;
        cache.wiping = crate::wiping::Wiping::of(Path::new("/nowhere/cache.db"));
        Ok(())
    });
    removed.unwrap();
    drop(store);
    assert_eq!(files_with(folder.path(), "quagga").len(), 1, "in the index");
    let store = Store::open(folder.path()).unwrap();
    settle(&store);
    for word in WORDS {
        assert_eq!(files_with(folder.path(), word), [] as [String; 0], "{word}");
    }
}
