use serde_json::json;

use crate::connections::answers::{find, map, picks};
use model::connections::mapping::{TableColumn, ValueFormat};
use model::connections::{DisplayValue, FieldKind, MappedField, Path};
use model::time::{Timestamp, Zone};

fn path(text: &str) -> Path {
    Path::parse(text).expect(text)
}

#[test]
fn paths_find_what_is_there_and_nothing_else() {
    let answer = json!({"a": {"b": [1, 2, {"c": "x"}]}, "a b": null, "list": [[1], [2]]});
    for (text, found) in [
        ("$.a.b[0]", json!([1])),
        ("$.a.b[-1].c", json!(["x"])),
        ("$.a.b[9]", json!([])),
        ("$.a.b[-4]", json!([])),
        ("$.a.b[-2147483648]", json!([])),
        ("$.a.b[*]", json!([1, 2, {"c": "x"}])),
        ("$.list[*][0]", json!([1, 2])),
        ("$['a b']", json!([null])),
        ("$.a.b.c", json!([])),
        ("$.none", json!([])),
    ] {
        assert_eq!(json!(find(&answer, &path(text))), found, "{text}");
    }
}

fn value(name: &str, text: &str, format: ValueFormat) -> MappedField {
    MappedField {
        name: name.to_owned(),
        label: name.to_owned(),
        path: path(text),
        kind: FieldKind::Value(format),
    }
}

#[test]
fn an_answer_is_mapped() {
    let column =
        |label: &str, text: &str, format| TableColumn { label: label.to_owned(), path: path(text), format };
    let cents = ValueFormat::Money { currency: None, minor: true };
    let orders = FieldKind::Table(vec![
        column("no", "$.id", ValueFormat::Text),
        column("placed", "$.placed", ValueFormat::Date),
        column("total", "$.total", cents.clone()),
    ]);
    let fields = [
        value("plan", "$.plan", ValueFormat::Text),
        value("balance", "$.balance", ValueFormat::Money { currency: Some("EUR".into()), minor: false }),
        value("tags", "$.tags", ValueFormat::Text),
        value("paid", "$.orders[*].id", ValueFormat::Text),
        value("missing", "$.nothing", ValueFormat::Text),
        value("object", "$.orders", ValueFormat::Text),
        MappedField { name: "orders".into(), label: "Orders".into(), path: path("$.orders"), kind: orders },
    ];
    let mut rows: Vec<_> = (0..25)
        .map(
            |number| json!({"id": number, "placed": "2026-11-18", "total": 1990 + number, "currency": "EUR"}),
        )
        .collect();
    rows[1] = json!("not an object");
    let answer =
        json!({"plan": "Gold\u{202e}\u{1b}[2J", "balance": 12.5, "tags": ["a", "b"], "orders": rows});
    let mapped = map(&answer, &fields, Timestamp::default(), &Zone::UTC);
    let names: Vec<&str> = mapped.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["plan", "balance", "tags", "paid", "orders"], "what is not there is not shown");
    assert!(!mapped.fields[0].to_line().contains(['\u{202e}', '\u{1b}']), "a hostile text is only text");
    assert_eq!(mapped.value("balance").as_deref(), Some("12.50 EUR"));
    assert_eq!(mapped.value("tags").as_deref(), Some("a, b"));
    assert_eq!(mapped.value("orders").as_deref(), Some("0 · 18 Nov 2026 · 19.90 EUR"));
    let DisplayValue::Table(heads, rows, more) = &mapped.fields[4].value else { panic!("a table") };
    assert_eq!((heads.len(), rows.len(), *more), (3, 20, 5));
    assert!(rows[1].iter().all(|row| row.is_empty()));
}

#[test]
fn picks_are_values_and_tables() {
    let answer = json!({"customer": {"name": "Maria", "since": "2024-05-01", "balance": 12.5, "note": null},
        "orders": [{"id": 1041, "total_cents": 1990, "lines": []}], "tags": ["a", "b"], "none": []});
    let picks = picks(&answer);
    let told: Vec<String> = picks.iter().map(|pick| format!("{} = {}", pick.path, pick.sample)).collect();
    assert_eq!(
        told,
        [
            "$.customer.balance = 12.5",
            "$.customer.name = Maria",
            "$.customer.note = ",
            "$.customer.since = 2024-05-01",
            "$.none = ",
            "$.orders = 1 row",
            "$.tags = a, b",
        ]
    );
    assert_eq!(picks[0].format, ValueFormat::Money { currency: None, minor: false });
    assert_eq!(picks[3].format, ValueFormat::Date);
    let labels: Vec<&str> = picks[5].columns.iter().map(|column| column.label.as_str()).collect();
    assert_eq!(labels, ["id", "total cents"]);
    let fields: Vec<MappedField> = picks.iter().map(|pick| pick.to_field(&[])).collect();
    let mapped = map(&answer, &fields, Timestamp::default(), &Zone::UTC);
    assert_eq!(mapped.value("orders").as_deref(), Some("1041 · 19.90"));
    let many =
        json!((0..500).map(|entry| (format!("k{entry}"), json!(entry))).collect::<serde_json::Map<_, _>>());
    assert_eq!(crate::connections::answers::picks(&many).len(), 60, "so many and no more");
}
