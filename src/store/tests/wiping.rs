//! A deleted person's messages are in no byte of any file.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Store;
use crate::erasing::{CACHE_PROGRESS, CACHE_TABLES, Erasure, OUTBOX_TABLES};
use crate::tests::{add, channel, conversation, list, message};
use model::conversations::Conversation;
use model::ids::ConversationId;
use model::messages::{Direction, Message};
use model::text::SafeText;
use sqlite::Queries;

/// Words only the deleted person writes, as in the texts and in the index.
const WORDS: [&str; 4] = ["Quagga", "quagga", "Zyzzyva", "zyzzyva"];

fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.filter(|entry| has(&std::fs::read(entry).unwrap()));
    found.map(|path| path.display().to_string()).collect()
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
    // Spread over several segments of the index, among other messages.
    for round in 0..40 {
        let at = round * 10;
        add(store, vec![says("stays", &format!("s{round}"), at, &format!("word{round} stays"))]).await;
        add(store, vec![says("gone", &format!("g{round}"), at + 5, &format!("Quagga word{round} Zyzzyva"))])
            .await;
    }
}

/// Inserts data of a person into every outbox table that is erased.
const KEPT: &str = "
    INSERT INTO draft (channel, conversation, text, note) VALUES ('harbor', 'gone', 'Dear Quagga', 'Zyzzyva');
    INSERT INTO draft_aside VALUES ('harbor', 'gone', 'Dear Quagga');
    INSERT INTO draft_only VALUES ('harbor', 'gone', 1, 0);
    INSERT INTO note (id, channel, conversation, text, created_at) VALUES ('n1', 'harbor', 'gone', 'Quagga pays late', 1);
    INSERT INTO proposal (id, channel, conversation, proposer, reason, change, at)
        VALUES ('p1', 'harbor', 'gone', 'a model', 'Quagga asked', '{\"text\":\"Dear Zyzzyva\"}', 1);
    INSERT INTO review (channel, conversation, message, title, question, answer, said_at, is_good, reviewer, at)
        VALUES ('harbor', 'gone', 'm1', 'Quagga', 'Zyzzyva?', 'yes', 1, 1, 'me', 1);
    INSERT INTO tag VALUES ('harbor', 'gone', 'quagga', 0);
    INSERT INTO snooze (channel, conversation, after, set_at) VALUES ('harbor', 'gone', 1, 1);
    INSERT INTO claim (channel, conversation, agent, at) VALUES ('harbor', 'gone', 'me', 1);
    INSERT INTO team_change (channel, conversation, part, item, action, text, at)
        VALUES ('harbor', 'gone', 'note', 'n1', 'add', 'Quagga pays late', 1);
    INSERT INTO team_unplaced VALUES ('gone');
    INSERT INTO pause (channel, conversation, read_again) VALUES ('harbor', 'gone', 1);
    INSERT INTO handback VALUES ('harbor', 'gone', 1);
    INSERT INTO history_event (channel, conversation, kind, agent, at) VALUES ('harbor', 'gone', 'closed', 'me', 1);
    INSERT INTO thread_local VALUES ('harbor', 'gone', 'category', 'zyzzyva', NULL);
    INSERT INTO rule_action VALUES ('harbor', 'gone', 'quagga@zyzzyva.example', 'archive', 1, 'r1', 1);
    INSERT INTO audit (row, channel, lane_id, operation, event, detail) VALUES ('r2', 'harbor', 'gone', 'send', 'done', 'Dear Quagga');
    INSERT INTO audit (row, channel, lane_id, operation, event, detail, lane)
        VALUES ('r3', 'harbor', '+34600999888', 'sms', 'done', 'Zyzzyva', 'number');
    INSERT INTO assistant_log (at, assistant, asked, channel, conversation, outcome)
        VALUES (1, 'a model', 'who is Quagga', 'harbor', 'gone', 'zyzzyva');
    INSERT INTO script_key VALUES ('k1', 'print', 'harbor', 'r2', '{\"to\":\"+34600999888\"}', 1, 1);";

async fn keep_beside(store: &Store) {
    let kept = store.outbox().call_async(|connection| Ok(connection.execute_batch(KEPT)?)).await;
    kept.unwrap();
    let cached = store.cache().call_async(|cache| {
        let contact = "INSERT INTO contact (channel, phone, id, name, tags, metadata, read_at)
            VALUES ('harbor', '+34600999888', 'k1', 'Quagga', '[\"zyzzyva\"]', '{}', 1);
            INSERT INTO request (at, process, channel, method, base, path, took, replayed, has_body)
            VALUES (1, 'p', 'harbor', 'GET', 'b', '/conversations/gone/messages?search=quagga', 1, 0, 0)";
        Ok(cache.connection.execute_batch(contact)?)
    });
    cached.await.unwrap();
    for (table, erasure) in OUTBOX_TABLES {
        if let Erasure::Statement(_) = erasure {
            let count = format!("SELECT count(*) FROM {table}");
            let there: i64 =
                store.outbox().call(move |connection| Ok(connection.scalar(&count, [])?)).unwrap();
            assert!(there > 0, "nothing is in {table}");
        }
    }
}

/// Returns the tables of a file without the internal tables of its indexes.
fn tables_of(path: &Path) -> BTreeSet<String> {
    let db = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'
               AND name NOT LIKE 'sqlite%'";
    db.all::<String, BTreeSet<String>>(sql, [], sqlite::only_cell).unwrap()
}

#[test]
fn every_table_says_how_a_person_leaves_it() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let names =
        |tables: &[(&str, Erasure)]| tables.iter().map(|table| table.0.to_owned()).collect::<BTreeSet<_>>();
    let mut cache = names(&CACHE_TABLES);
    cache.extend(CACHE_PROGRESS.map(str::to_owned));
    assert_eq!(tables_of(&folder.path().join("cache.db")), cache);
    let rows: BTreeSet<_> = tables_of(&folder.path().join("outbox.db"));
    let counters = ["model_usage", "presence"].map(str::to_owned);
    let mut outbox = names(&OUTBOX_TABLES);
    outbox.extend(counters);
    assert_eq!(rows, outbox);
}

/// Waits for the writer's idle work.
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
        keep_beside(&store).await;
        std::fs::write(&aside, "Quagga, of a damaged copy").unwrap();
        let reader = store.reader().unwrap();
        assert!(
            WORDS.iter().all(|word| !files_with(folder.path(), word).is_empty()),
            "they are there before"
        );
        let gone = ConversationId::from("gone");
        if by_person {
            assert_eq!(store.remove_person(&channel(), "+34600999888").await.unwrap(), [gone]);
        } else {
            store.remove_conversation(&channel(), &gone).await.unwrap();
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
    // Deleted, but the process ends before the words are removed from the index.
    let removed = store.cache().call(|cache| {
        cache.wiping.begin()?;
        cache.connection.execute("DELETE FROM conversation WHERE id = 'gone'", [])?;
        cache.wiping = crate::wiping::Wiping::for_cache(Path::new("/nowhere/cache.db"));
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
