use serde_json::{Value, json};

use crate::scripting::Script;

const MARIA: &str = "+34600111222";

#[test]
fn a_script_makes_changes_and_deletes_contacts() {
    let script = Script::new();
    script.desk.customer("whatsapp", MARIA, "Maria Lopez", "Hi");
    let told = script.ok(&["contacts", "create", "+44 7700 900123", "--name", "Ann Brown", "--tag", "vip"]);
    assert_eq!(told, "saved: +447700900123 on Harbor chat\n");
    script.ok(&["contacts", "edit", MARIA, "--tag", "late", "--set", "plan=gold", "--set", "visits:=3"]);
    let listed: Value = serde_json::from_str(&script.ok(&["contacts", "list", "--json"])).expect("JSON");
    assert_eq!(listed.as_array().map(Vec::len), Some(2));
    let found = script.ok(&["contacts", "list", "--search", "ann"]);
    assert_eq!(found, "+447700900123\tAnn Brown\t-\tvip\n");
    let shown: Value =
        serde_json::from_str(&script.ok(&["contacts", "show", MARIA, "--json"])).expect("JSON");
    assert_eq!(
        (&shown["tags"], &shown["metadata"]),
        (&json!(["late"]), &json!({"plan": "gold", "visits": 3}))
    );
    script.ok(&[
        "contacts",
        "edit",
        MARIA,
        "--untag",
        "late",
        "--unset",
        "plan",
        "--email",
        "m@mail.example",
    ]);
    let shown = script.ok(&["contacts", "show", MARIA]);
    assert_eq!(
        shown,
        format!("phone\t{MARIA}\nname\tMaria Lopez\nemail\tm@mail.example\ntags\t\nvisits\t3\n")
    );

    assert!(script.fails(2, &["contacts", "edit", MARIA]).contains("give --name"));
    assert!(
        script.fails(1, &["contacts", "edit", "+4915100000000", "--name", "x"]).contains("+4915100000000")
    );
    assert!(script.fails(2, &["contacts", "create", "600"]).contains("not a phone number"));
    let refused = script.fails(1, &["contacts", "create", MARIA, "--tag", &"x".repeat(70)]);
    assert!(refused.contains("tags must hold"), "{refused}");
    assert!(
        script.fails(2, &["contacts", "delete", MARIA, "--confirm", "1111"]).contains("last four digits")
    );
    assert_eq!(
        script.ok(&["contacts", "delete", MARIA, "--confirm", "1222"]),
        format!("deleted: {MARIA} on Harbor chat\n")
    );
    assert!(script.fails(1, &["contacts", "show", MARIA]).contains("no contact has the number"));
}

#[test]
fn contact_file_is_checked_imported_and_continued() {
    let script = Script::new();
    let text = "phone,name,tags,city\n+34600111222,Maria,vip,Vigo\n600,Wrong,,\n+34 600 111 222,Twice,,\n+447700900123,Ann,,\n";
    let file = script.desk.file("people.csv", text.as_bytes());
    let output = script.run(&["contacts", "import", &file, "--dry-run", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(1), "a line is wrong");
    assert_eq!((&found["good"], &found["twice"], &found["bad"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(
        (&found["problems"][0]["line"], &found["problems"][0]["column"]),
        (&json!(3), &json!("phone"))
    );
    let told = script.ok(&["contacts", "import", &file]);
    assert!(told.starts_with("2 saved, 2 left out; the results are in "), "{told}");
    let shown: Value =
        serde_json::from_str(&script.ok(&["contacts", "show", MARIA, "--json"])).expect("JSON");
    assert_eq!((&shown["name"], &shown["metadata"]), (&json!("Maria"), &json!({"city": "Vigo"})));
    let results = std::fs::read_to_string(format!("{file}.results.csv")).expect("results");
    for line in ["2,+34600111222,saved,", "5,+447700900123,saved,", "4,+34600111222,twice,"] {
        assert!(results.contains(line), "{line}: {results}");
    }
    // A second import changes nothing.
    let before = script.desk.get("whatsapp", "/contacts?search=34600111222")["data"][0]["updatedAt"].clone();
    script.ok(&["contacts", "import", &file]);
    assert_eq!(script.desk.get("whatsapp", "/contacts?search=34600111222")["data"][0]["updatedAt"], before);
    assert!(script.fails(1, &["contacts", "import", "/no/such.csv"]).contains("/no/such.csv"));
}
