//! Every statement of every list operation uses an index in the order of the list, on both engines.

use std::cell::RefCell;
use std::sync::Arc;

use frontdesk::model::time::Timestamp;
use frontdesk::service::cursors::PagePosition;
use frontdesk::service::database::rows::{DbRow, RowCells, SqlValue};
use frontdesk::service::database::session::{DbSession, Visit};
use frontdesk::service::database::{
    Database, DatabaseError, Durability, broadcasts, contacts, conversations, correspondents, emails,
    messages, templates, threads, trigger_events, webhooks,
};
use serde_json::Value;

use crate::postgres::cluster;

/// Records the text of each query.
#[derive(Default)]
struct QuestionRecorder(RefCell<Vec<String>>);

/// A row that leads to one contact, so that the next query is asked, too.
struct OneSubject;

impl RowCells for OneSubject {
    fn count(&self) -> usize {
        1
    }

    fn name(&self, _: usize) -> &str {
        "subject"
    }

    fn value(&self, _: usize) -> Result<SqlValue<'_>, DatabaseError> {
        Ok(SqlValue::Text("k1"))
    }
}

impl DbSession for QuestionRecorder {
    fn rows(&self, sql: &str, _: &[SqlValue<'_>], visit: &mut Visit<'_>) -> Result<(), DatabaseError> {
        self.0.borrow_mut().push(sql.to_owned());
        if sql.contains("subject FROM search_parts") {
            let _ = visit(&DbRow::of(&OneSubject))?;
        }
        Ok(())
    }

    fn change(&self, sql: &str, _: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        panic!("a list changes nothing: {sql}")
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

struct Question {
    operation: &'static str,
    sql: String,
    /// Filters an index can compare; at least one of them must be compared so.
    filters: Vec<&'static str>,
    /// True if the rows are ordered and paged.
    is_ordered: bool,
}

#[derive(Default)]
struct Questions(Vec<Question>);

impl Questions {
    fn add(&mut self, operation: &'static str, filters: &[&'static str], ask: &dyn Fn(&dyn DbSession)) {
        let recorder = QuestionRecorder::default();
        ask(&recorder);
        let asked = recorder.0.take();
        assert!(!asked.is_empty(), "{operation}");
        self.0.extend(asked.into_iter().map(|sql| {
            let of_few =
                sql.contains("search_parts") || sql.contains("id IN (") || sql.contains("address IN (");
            let is_ordered = sql.contains("LIMIT") && !of_few;
            Question { operation, sql, filters: filters.to_vec(), is_ordered }
        }));
    }
}

/// All forms of all queries of the list operations.
fn questions() -> Vec<Question> {
    let mut all = Questions::default();
    add_messages(&mut all);
    add_conversations(&mut all);
    add_mail(&mut all);
    add_others(&mut all);
    all.0
}

fn add_messages(all: &mut Questions) {
    let top = PagePosition::top();
    for conversation in [None, Some("c".to_owned())] {
        for direction in [None, Some("outbound")] {
            for status in [None, Some("failed")] {
                let named = [
                    conversation.as_ref().map(|_| "conversation"),
                    // A status implies the direction.
                    direction.filter(|_| status.is_none()).map(|_| "direction"),
                    status.map(|_| "status"),
                ];
                let named: Vec<_> = named.into_iter().flatten().collect();
                let filter = messages::Filter { conversation: conversation.clone(), direction, status };
                all.add("/messages", &named, &|db| {
                    let nothing = |_: &messages::MessageRow<&str>| Ok::<_, DatabaseError>(());
                    messages::visit_page(db, "c", &filter, &top, 51, nothing).expect("asked");
                });
            }
        }
    }
    for path in
        ["/conversations/{conversationId}/messages", "/telegram/conversations/{conversationId}/messages"]
    {
        all.add(path, &["conversation"], &|db| {
            let nothing = |_: &messages::MessageRow<&str>| Ok::<_, DatabaseError>(());
            messages::visit_history(db, "c", &top, 51, nothing).expect("asked");
        });
    }
}

fn add_conversations(all: &mut Questions) {
    let top = PagePosition::top();
    for path in ["/conversations", "/telegram/conversations", "/voip/conversations"] {
        for status in [None, Some("active")] {
            let named: Vec<_> = status.map(|_| "status").into_iter().collect();
            all.add(path, &named, &|db| {
                let nothing = |_: &conversations::ConversationRow<&str>| Ok::<_, DatabaseError>(());
                conversations::visit_page(db, "c", status, &top, 51, nothing).expect("asked");
                conversations::list(db, "c", status, &top, 51).expect("asked");
            });
        }
    }
    for search in [None, Some("ana")] {
        all.add("/contacts", &[], &|db| drop(contacts::list(db, "w", search, &top, 51).expect("asked")));
        all.add("/email/contacts", &[], &|db| {
            drop(correspondents::list(db, "c", search, &top, 51).expect("asked"));
        });
    }
    // The few rows that may match are sorted.
    all.add("/contacts", &[], &|db| drop(contacts::list(db, "w", Some("ana 600"), &top, 51).expect("asked")));
    all.add("/email/contacts", &[], &|db| {
        drop(correspondents::list(db, "c", Some("ana ruiz"), &top, 51).expect("asked"));
    });
}

fn add_mail(all: &mut Questions) {
    let top = PagePosition::top();
    for folder in [None, Some("inbox".to_owned())] {
        for category in [None, Some("billing".to_owned())] {
            for is_read in [None, Some(false)] {
                let named = [
                    folder.as_ref().map(|_| "folder"),
                    category.as_ref().map(|_| "category"),
                    is_read.map(|_| "is_read"),
                ];
                let named: Vec<_> = named.into_iter().flatten().collect();
                let filter = threads::Filter { folder: folder.clone(), category: category.clone(), is_read };
                all.add("/email/threads", &named, &|db| {
                    drop(threads::list(db, "c", &filter, &top, 51).expect("asked"));
                });
            }
        }
    }
    all.add("/email/threads/{threadId}", &["thread"], &|db| {
        drop(emails::list_thread(db, "t", 100, 1 << 20).expect("asked"));
    });
}

fn add_others(all: &mut Questions) {
    for path in ["/webhooks", "/email/webhooks"] {
        all.add(path, &[], &|db| drop(webhooks::list(db, "c").expect("asked")));
    }
    all.add("/templates", &[], &|db| drop(templates::list(db, "w").expect("asked")));
    all.add("/triggers/new-message", &[], &ask_for_new_messages);
    all.add("/triggers/new-message", &["direction"], &|db| {
        drop(emails::newest_inbound(db, "c", Timestamp::default(), 50).expect("asked"));
    });
    all.add("/triggers/new-contact", &[], &|db| drop(contacts::newest(db, "w", 50).expect("asked")));
    for path in ["/triggers/new-order", "/triggers/new-appointment", "/triggers/campaign-completed"] {
        all.add(path, &["name"], &|db| drop(trigger_events::newest(db, "w", "order", 50).expect("asked")));
    }
    all.add("/triggers/campaign-completed", &[], &|db| {
        drop(broadcasts::list_completed(db, "c", 50).expect("asked"));
    });
}

fn ask_for_new_messages(db: &dyn DbSession) {
    let nothing = |_: &messages::MessageRow<&str>| Ok::<_, DatabaseError>(());
    messages::visit_newest(db, "ch_whatsapp", 50, nothing).expect("asked");
}

#[test]
fn every_list_operation_is_looked_at() {
    let document: Value =
        serde_json::from_str(include_str!("../../assets/openapi.json")).expect("the interface as JSON");
    let asked = questions();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let text = operations["get"].to_string();
        let is_list = text.contains("parameters/cursor")
            || path.starts_with("/triggers/")
            || path.ends_with("/webhooks")
            || path == "/templates";
        if is_list {
            assert!(asked.iter().any(|question| question.operation == path), "{path} is not looked at");
        }
    }
}

/// Checks a plan, in which `searched` marks index lookups and `sorted` sorts of the page. Parts
/// indented deeper than `top` belong to one row each.
fn check_index(question: &Question, plan: &str, tables: &[&str]) {
    let Question { operation, sql, filters, .. } = question;
    let is_large = |line: &&str| tables.iter().any(|table| line.contains(table));
    assert!(plan.lines().any(|line| is_large(&line) && line.contains('=')), "{operation}\n{sql}\n{plan}");
    let compared = filters.iter().filter(|filter| plan.contains(*filter)).count();
    assert!(filters.is_empty() || compared > 0, "{operation} {filters:?}\n{sql}\n{plan}");
}

/// Tables that grow with use.
const LARGE: [&str; 10] = [
    "search_parts",
    "messages",
    "conversations",
    "contacts",
    "correspondents",
    "threads",
    "emails",
    "happenings",
    "broadcasts",
    "recipients",
];

#[test]
fn lists_of_a_file_are_found_by_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("service.db");
    let opened = Database::open(&path.clone().into(), Durability::Simulated, Arc::default());
    drop(opened.expect("it opens"));
    let db = rusqlite::Connection::open(&path).expect("it opens");
    for question in questions() {
        let Question { operation, sql, .. } = &question;
        let mut asked = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a question");
        let count = asked.parameter_count();
        let line = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, String>(3)?));
        let nulls = vec![rusqlite::types::Null; count];
        let plan: Vec<(i64, String)> = asked
            .query_map(rusqlite::params_from_iter(nulls), line)
            .expect("a plan")
            .map(|row| row.expect("a line"))
            .collect();
        let shown: Vec<_> = plan.iter().map(|(parent, line)| format!("{parent} {line}")).collect();
        let shown = shown.join("\n");
        // Names of subqueries of a search, not of tables.
        let is_subquery = |line: &str| line == "SCAN found" || line == "SCAN parts";
        assert!(
            plan.iter().all(|(_, line)| !line.starts_with("SCAN")
                || line.contains("CONSTANT ROW")
                || is_subquery(line)),
            "{operation} reads a whole table\n{sql}\n{shown}"
        );
        // A sort within one row of the page is short.
        let sorts = |(parent, line): &(i64, String)| *parent == 0 && line.contains("TEMP B-TREE");
        let sorts = plan.iter().any(sorts) && question.is_ordered;
        assert!(!sorts, "{operation} sorts\n{sql}\n{shown}");
        check_index(&question, &shown, &["USING"]);
    }
}

/// Many rows of one channel, so that a full scan is expensive.
const FILL: &str = "
    INSERT INTO conversations (id, channel, peer, last_at, first_at, created_at, email, status)
        SELECT 'c' || it, 'ch_whatsapp', '+' || it, it, it, it, 'a' || it || '@a.example',
               CASE WHEN it % 50 = 0 THEN 'closed' ELSE 'active' END FROM generate_series(1, 20000) it;
    INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind, status, created_at)
        SELECT 'm' || it, 'c' || (1 + it % 20000), 'ch_whatsapp', 'p' || it,
               CASE WHEN it % 2 = 0 THEN 'inbound' ELSE 'outbound' END, 'api', 'hello', 'text',
               CASE WHEN it % 2 = 0 THEN 'received' WHEN it % 5001 = 0 THEN 'failed' ELSE 'read' END, it
        FROM generate_series(1, 60000) it;
    INSERT INTO contacts (id, workspace, phone, email, tags, metadata, created_at, updated_at, last_at, folded)
        SELECT 'k' || it, 'ws_1', '+' || it, 'a' || it || '@a.example', '[]', '{}', it, it, it, 'ana' FROM generate_series(1, 20000) it;
    INSERT INTO correspondents (channel, address, email, message_count, last_at)
        SELECT 'ch_email', 'a' || it || '@a.example', 'a' || it || '@a.example', 1, it FROM generate_series(1, 20000) it;
    INSERT INTO threads (id, channel, subject, topic, contact, contact_email, folder, category, priority, is_read, is_starred, last_at, created_at)
        SELECT 't' || it, 'ch_email', 's', 's', 'a', 'a', CASE WHEN it % 100 = 0 THEN 'inbox' ELSE 'archive' END,
               CASE WHEN it % 40 = 0 THEN 'billing' END, 'normal', it % 60 <> 0, FALSE, it, it FROM generate_series(1, 30000) it;
    INSERT INTO emails (id, thread, channel, header_id, direction, sender, recipients, copies, blind_copies, subject, attachments, headers, status, created_at)
        SELECT 'e' || it, 't' || (1 + it % 30000), 'ch_email', 'h' || it, CASE WHEN it % 3 = 0 THEN 'outbound' ELSE 'inbound' END,
               'a', '[]', '[]', '[]', 's', '[]', '{}', 'received', it FROM generate_series(1, 40000) it;
    INSERT INTO happenings (workspace, name, id, data, at)
        SELECT 'ws_1', CASE WHEN it % 3 = 0 THEN 'order' ELSE 'appointment' END, 'h' || it, '{}', it FROM generate_series(1, 20000) it;
    INSERT INTO broadcasts (id, channel, kind, content, price, total, status, created_at, completed_at)
        SELECT 'b' || it, 'ch_whatsapp', 'text', 'hello', 1, 1, 'completed', it, it FROM generate_series(1, 20000) it;
    INSERT INTO search_parts SELECT 'ws_1', 'p' || it % 2000, 'k' || it FROM generate_series(1, 20000) it;
    INSERT INTO search_parts SELECT 'ch_email', 'p' || it % 2000, 'a' || it || '@a.example' FROM generate_series(1, 20000) it;
    ANALYZE;";

#[tokio::test]
async fn lists_of_a_server_are_found_by_an_index() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let options = crate::postgres::options(&url, &folder);
    frontdesk::service::start(options).await.expect("it starts").shutdown().await;
    cluster::run(&url, FILL).await.expect("filled");
    let place = url.parse().expect("an address");
    let asked = questions();
    // As the server plans prepared statements.
    let mut all = "SET plan_cache_mode = force_generic_plan;".to_owned();
    for (number, question) in asked.iter().enumerate() {
        let Question { sql, .. } = question;
        let count = (1..=120).rev().find(|count| sql.contains(&format!("?{count}"))).unwrap_or(0);
        let nulls = vec!["NULL"; count].join(", ");
        let given = if count > 0 { format!("({nulls})") } else { String::new() };
        let sql = sql.replace('?', "$");
        all.push_str(&format!(
            "PREPARE q{number} AS {sql}; SELECT 'question {number}'; EXPLAIN EXECUTE q{number} {given};"
        ));
    }
    let told = cluster::column(&place, &all);
    let mut plans: Vec<Vec<String>> = Vec::new();
    for line in told {
        if line.starts_with("question ") {
            plans.push(Vec::new());
        } else {
            plans.last_mut().expect("a question first").push(line);
        }
    }
    assert_eq!(plans.len(), asked.len());
    for (question, plan) in asked.iter().zip(&plans) {
        let Question { operation, sql, is_ordered, .. } = question;
        // Subplans run once per row of the page.
        let own: Vec<_> = plan.iter().take_while(|line| !line.trim_start().starts_with("SubPlan")).collect();
        let shown = plan.join("\n");
        let is_read_whole =
            |line: &&String| LARGE.iter().any(|table| line.contains(&format!("Seq Scan on {table}")));
        assert!(
            !plan.iter().any(|line| is_read_whole(&line)),
            "{operation} reads a whole table\n{sql}\n{shown}"
        );
        let sorts = own.iter().any(|line| line.contains("Sort"));
        assert!(!(sorts && *is_ordered), "{operation} sorts\n{sql}\n{shown}");
        if plan.iter().any(|line| LARGE.iter().any(|table| line.contains(&format!(" on {table}")))) {
            check_index(question, &shown, &["Index Cond"]);
        }
    }
}

/// Two messages of a customer, and many imported ones that are newer.
const FILL_IMPORTED: &str = r#"
    INSERT INTO conversations (id, channel, peer, last_at, first_at, created_at)
        VALUES ('c', 'ch_whatsapp', '+1', 0, 0, 0);
    INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind, status, cost, created_at,
                          extras)
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 20000)
        SELECT 'm' || number, 'c', 'ch_whatsapp', 'p' || number, 'inbound', 'customer', 'hello', 'text', 'received', 0,
               number, CASE WHEN number > 2 THEN '{"earlier":{"lacksFile":false}}' END FROM numbers;"#;

fn question_of_new_messages() -> String {
    let recorder = QuestionRecorder::default();
    ask_for_new_messages(&recorder);
    recorder.0.take().remove(0)
}

#[test]
fn trigger_reads_no_imported_message_of_a_file() {
    // A scan takes several steps for each row.
    const MAX_STEPS: i32 = 1_000;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("service.db");
    let opened = Database::open(&path.clone().into(), Durability::Simulated, Arc::default());
    drop(opened.expect("it opens"));
    let db = rusqlite::Connection::open(&path).expect("it opens");
    db.execute_batch("PRAGMA foreign_keys = OFF").expect("set");
    db.execute_batch(FILL_IMPORTED).expect("filled");
    let mut asked = db.prepare(&question_of_new_messages()).expect("a question");
    let ids: Vec<String> = asked
        .query_map(rusqlite::params!["ch_whatsapp", 50], |row| row.get("id"))
        .expect("rows")
        .map(|id| id.expect("an id"))
        .collect();
    let steps = asked.get_status(rusqlite::StatementStatus::VmStep);
    assert_eq!(ids, ["m2", "m1"]);
    assert!(steps < MAX_STEPS, "{steps} steps");
}

#[tokio::test]
async fn trigger_reads_no_imported_message_of_a_server() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let options = crate::postgres::options(&url, &folder);
    frontdesk::service::start(options).await.expect("it starts").shutdown().await;
    cluster::run(&url, FILL_IMPORTED).await.expect("filled");
    let asked = format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE asked AS {};
         EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE asked ('ch_whatsapp', 50);",
        question_of_new_messages().replace('?', "$")
    );
    let place = url.parse().expect("an address");
    for is_analysed in [false, true] {
        if is_analysed {
            cluster::run(&url, "ANALYZE").await.expect("looked through");
        }
        let plan = cluster::column(&place, &asked).join("\n");
        assert!(plan.contains("messages_arrived"), "{plan}");
        assert!(plan.contains("rows=2 ") && !plan.contains("Rows Removed"), "{plan}");
    }
}
