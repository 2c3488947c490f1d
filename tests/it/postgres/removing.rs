//! Statements that remove old rows use an index.

use std::cell::RefCell;

use frontdesk::model::time::Timestamp;
use frontdesk::service::database::rows::SqlValue;
use frontdesk::service::database::session::{DbSession, Visit};
use frontdesk::service::database::{DatabaseError, events, idempotency, ingress};
use frontdesk::service::{self, reply::Reply};

use super::{cluster, options};

/// Records the texts of changes, and changes nothing.
#[derive(Default)]
struct SqlRecorder(RefCell<Vec<String>>);

impl DbSession for SqlRecorder {
    fn rows(&self, _: &str, _: &[SqlValue<'_>], _: &mut Visit<'_>) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn change(&self, sql: &str, _: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        self.0.borrow_mut().push(sql.to_owned());
        Ok(0)
    }

    fn begin_savepoint(&self) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn release_savepoint(&self) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn roll_back_savepoint(&self) -> Result<(), DatabaseError> {
        Ok(())
    }
}

/// Many rows, none of them old, in tables that are not analysed yet.
const FILL: &str = "
    INSERT INTO idempotency (api_key, name, fingerprint, status, body, at)
        SELECT 'k', it::TEXT, '', 200, '', 1000 + it FROM generate_series(1, 20000) it;
    INSERT INTO events (id, channel, name, body, at)
        SELECT it::TEXT, 'c', 'e', '', 1000 + it FROM generate_series(1, 20000) it;
    INSERT INTO ingress (channel, name, lane, place, body, due_at, attempts, done_at)
        SELECT 'c', it::TEXT, 'l', it, '', 0, 0, 1000 + it FROM generate_series(1, 20000) it;";

#[tokio::test]
async fn old_rows_are_found_by_an_index() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    service::start(options(&url, &folder)).await.expect("it starts").shutdown().await;
    cluster::run(&url, FILL).await.expect("filled");
    let (recorder, now) = (SqlRecorder::default(), Timestamp::from_micros(0));
    let reply = Reply::ok(&serde_json::json!({})).expect("an answer");
    idempotency::store_reply(&recorder, "k", "n", &Default::default(), &reply, now).expect("recorded");
    events::purge(&recorder, (now, now), now).expect("recorded");
    ingress::delete_done(&recorder, now).expect("recorded");
    let place = url.parse().expect("an address");
    let removals: Vec<_> = recorder.0.take().into_iter().filter(|text| text.starts_with("DELETE")).collect();
    assert_eq!(removals.len(), 3, "{removals:?}");
    for is_analysed in [false, true] {
        if is_analysed {
            cluster::run(&url, "ANALYZE").await.expect("looked through");
        }
        for sql in &removals {
            // As the server plans prepared statements.
            let asked = format!(
                "SET plan_cache_mode = force_generic_plan; PREPARE removal (BIGINT, BIGINT, BIGINT, BIGINT) AS {};
                 EXPLAIN EXECUTE removal (0, 0, 0, 0)",
                sql.replace('?', "$")
            );
            let plan = cluster::column(&place, &asked).join("\n");
            assert!(plan.contains("_by_age"), "{sql}\n{plan}");
            let is_read_whole = ["idempotency", "events", "ingress"]
                .iter()
                .any(|entry| plan.contains(&format!("Seq Scan on {entry}")));
            assert!(!(is_analysed && is_read_whole), "{sql}\n{plan}");
        }
    }
}
