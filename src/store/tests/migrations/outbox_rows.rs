//! An outbox of the first version in every state its rows could be in: each
//! is brought forward as what it is.

use rusqlite::{Connection, params};

use crate::lane::LaneRow;
use crate::tests::{at, channel, send};
use crate::{Store, files};
use model::outbox::{Lane, Operation, RowState, Stop, WriteMethod};
use sqlite::Queries;

/// Every state a row of version 1 could be in.
const ROWS: &str =
    "INSERT INTO outbox (sequence, id, channel, conversation, operation, recipient, text, quoted,
     target, emoji, idempotency_key, method, path, body, created_at, not_before, first_attempt_at, attempts,
     failures, fence, lease_until, state, stop, why, successor_of) VALUES
 (3, 'held', 'harbor', 'c1', 'pause', NULL, NULL, NULL, NULL, NULL, 'k1', 'PATCH', '/conversations/c1',
     x'7b7d', ?1, ?2, NULL, 0, 0, 0, 0, 'queued', NULL, NULL, NULL),
 (4, 'going', 'harbor', 'c1', 'send', '+34600111222', 'a \"b\"' || char(10) || 'ü', 'm1', NULL, NULL, 'k2',
     'POST', '/messages/send', x'7b0a7d', ?1, ?1, ?1, 1, 0, 1, ?2, 'sending', NULL, NULL, NULL),
 (5, 'open', 'harbor', 'c2', 'send', '+34600111223', 'hi', NULL, NULL, NULL, 'k3',
     'POST', '/messages/send', x'7b7d', ?1, ?2, ?1, 2, 1, 3, ?1, 'uncertain', NULL, NULL, NULL),
 (7, 'refused', 'harbor', 'c2', 'react', NULL, NULL, NULL, 'm7', '👍', 'k4',
     'POST', '/messages/m7/react', x'7b7d', ?1, ?1, ?1, 1, 0, 1, ?1, 'stopped', 'refused', 'no', 'older'),
 (8, 'lost', 'harbor', 'c3', 'resume', NULL, NULL, NULL, NULL, NULL, 'k5',
     'PATCH', '/conversations/c3', x'7b7d', ?1, ?1, ?1, 4, 4, 4, ?1, 'stopped', 'unknown', 'cut short', NULL),
 (9, 'shut', 'harbor', 'c3', 'close', NULL, NULL, NULL, NULL, NULL, 'k6',
     'POST', '/conversations/c3/close', x'', ?1, ?1, NULL, 0, 0, 0, 0, 'queued', NULL, NULL, NULL);
 ";

fn version_1(path: &std::path::Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(files::OUTBOX[0]).unwrap();
    connection.execute(ROWS.trim(), params![at(0).micros(), at(5).micros()]).unwrap();
    let kept = "INSERT INTO draft VALUES ('harbor', 'c1', 'unsaid', NULL);
         INSERT INTO pause VALUES ('harbor', 'c1', 1);
         INSERT INTO audit (row, channel, conversation, operation, event, detail)
             VALUES ('gone', 'harbor', 'c9', 'send', 'done', '');
         UPDATE sqlite_sequence SET seq = 41 WHERE name = 'outbox';
         PRAGMA application_id = 0x4672446b; PRAGMA user_version = 1;";
    connection.execute_batch(kept).unwrap();
}

async fn rows(store: &Store) -> Vec<LaneRow> {
    store.lane_rows(&channel()).await.unwrap()
}

#[tokio::test]
async fn an_outbox_of_version_1_keeps_every_row() {
    let folder = tempfile::tempdir().unwrap();
    version_1(&folder.path().join("outbox.db"));
    let store = Store::open(folder.path()).unwrap();
    let rows = rows(&store).await;
    let ids: Vec<_> = rows.iter().map(|it| it.row.id.as_str()).collect();
    assert_eq!(ids, ["held", "going", "open", "refused", "lost", "shut"], "in their order");
    let lanes: Vec<_> = rows.iter().map(|it| it.row.lane.clone()).collect();
    let wanted = ["c1", "c1", "c2", "c2", "c3", "c3"].map(|it| Lane::Conversation(it.into()));
    assert_eq!(lanes, wanted);
    let operations: Vec<_> = rows.iter().map(|it| it.row.operation.clone()).collect();
    let text =
        |to: &str, text: &str| Operation::SendText { to: to.into(), text: text.into(), reply_to: None };
    let quoting = Operation::SendText {
        to: "+34600111222".into(),
        text: "a \"b\"\nü".into(),
        reply_to: Some("m1".into()),
    };
    assert_eq!(
        operations,
        [
            Operation::SetAutomation { enabled: false },
            quoting,
            text("+34600111223", "hi"),
            Operation::React { message: "m7".into(), emoji: "👍".into() },
            Operation::SetAutomation { enabled: true },
            Operation::Close,
        ]
    );
    let keys: Vec<_> = rows.iter().map(|it| it.row.key.as_str()).collect();
    assert_eq!(keys, ["k1", "k2", "k3", "k4", "k5", "k6"]);
    // What was on its way when the desk ended is uncertain, as ever.
    assert!(matches!(rows[0].row.state, RowState::Queued));
    assert!(matches!(rows[1].row.state, RowState::Uncertain));
    assert!(matches!(rows[2].row.state, RowState::Uncertain));
    assert!(matches!(&rows[3].row.state, RowState::Stopped(Stop::Refused, why) if why.as_str() == "no"));
    assert!(matches!(rows[4].row.state, RowState::Stopped(Stop::Unknown, _)));
    assert_eq!((rows[0].row.hold_left(at(2)), rows[2].row.attempts, rows[2].failures), (Some(3), 2, 1));
    assert_eq!(rows[2].row.first_attempt_at, Some(at(0)));
    let request = store.request(&rows[1].row.id).await.unwrap().unwrap();
    assert_eq!((request.method, request.path.as_str()), (WriteMethod::Post, "/messages/send"));
    assert_eq!(
        (request.content_type.as_deref(), request.body.as_slice()),
        (Some("application/json"), &b"{\n}"[..])
    );
    assert_eq!(store.request(&rows[5].row.id).await.unwrap().unwrap().content_type, None);
}

#[tokio::test]
async fn what_lies_beside_the_rows_is_kept_and_numbers_are_not_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("outbox.db");
    version_1(&path);
    let store = Store::open(folder.path()).unwrap();
    store.enqueue(send("c4", "new", 0), at(9)).unwrap();
    drop(store);
    let connection = Connection::open(&path).unwrap();
    let one = |sql: &str| -> String { connection.scalar(sql, []).unwrap() };
    assert_eq!(one("SELECT text FROM draft"), "unsaid");
    assert_eq!(one("SELECT conversation FROM pause"), "c1");
    assert_eq!(one("SELECT lane || ' ' || lane_id FROM audit WHERE row = 'gone'"), "conversation c9");
    assert_eq!(one("SELECT CAST(max(sequence) AS TEXT) FROM outbox"), "42");
}
