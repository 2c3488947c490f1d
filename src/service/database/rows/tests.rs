use super::*;
use crate::database::session::DbSession;

#[derive(Debug, PartialEq)]
struct RowSample<T = String> {
    name: T,
    key: Option<T>,
    tags: Vec<String>,
    age: u8,
    seen: Option<Timestamp>,
    known: bool,
}

table!(RowSample<T> in people {
    name: text, key = api_key: optional_text, tags: json, age: number, seen, known
});

fn people() -> (rusqlite::Connection, [RowSample; 2]) {
    let db = rusqlite::Connection::open_in_memory().expect("opens");
    db.execute_batch("CREATE TABLE people (known, seen, age, tags, api_key, name)").expect("made");
    let seen = Some(Timestamp::from_micros(5));
    let tags = vec!["a".to_owned(), "b".to_owned()];
    let ana = RowSample { name: "Ana".to_owned(), key: None, tags, age: 40, seen, known: true };
    let key = Some("k".to_owned());
    let bo = RowSample { name: "Bo".to_owned(), key, tags: vec![], age: 0, seen: None, known: false };
    for person in [&ana, &bo] {
        store(&db, person).expect("stored");
    }
    (db, [ana, bo])
}

#[test]
fn rows_are_read_by_name_in_whatever_order_they_come() {
    let (db, people) = people();
    let db: &dyn DbSession = &db;
    assert_eq!(SELECT, "SELECT name, api_key, tags, age, seen, known FROM people");
    for select in [SELECT, "SELECT * FROM people"] {
        let found: Vec<RowSample> =
            db.fetch_all(&format!("{select} ORDER BY name"), &[], from_row).expect("read");
        assert_eq!(found, people, "{select}");
    }
    // Values that do not fit or cannot be parsed become the default.
    db.change("UPDATE people SET age = 400, tags = '[7]' WHERE name = 'Bo'", &[]).expect("written");
    let bo: Option<RowSample> =
        db.fetch_optional(&format!("{SELECT} WHERE name = 'Bo'"), &[], from_row).expect("read");
    assert_eq!(bo.as_ref(), Some(&people[1]));
}

#[test]
fn a_question_has_one_answer_or_none() {
    let (db, _) = people();
    let db: &dyn DbSession = &db;
    let name = |key: &str| {
        db.fetch_optional("SELECT name FROM people WHERE api_key = ?1", bound![key], single_cell::<String>)
    };
    assert_eq!(name("k").expect("read").as_deref(), Some("Bo"));
    assert_eq!(name("other").expect("read"), None);
    assert_eq!(db.fetch_scalar::<i64>("SELECT count(*) FROM people", &[]).expect("read"), 2);
    for (column, said) in
        [("names", "there is no column names"), ("age", "the column age holds something else")]
    {
        let wrong = db.fetch_optional("SELECT name, age FROM people", &[], |row| row.get::<String>(column));
        assert!(wrong.is_err_and(|error| error.to_string().contains(said)), "{column}");
    }
    let none = db.fetch_one("SELECT name FROM people WHERE age = 7", &[], single_cell::<String>);
    assert!(matches!(none, Err(DatabaseError::NoRow)));
}
