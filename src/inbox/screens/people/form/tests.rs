//! Tests of the person form: field errors and the resulting change.

use super::*;

fn detail() -> PersonDetail {
    let field =
        |name: &str, text: &str, is_text| MetadataField { name: name.into(), text: text.into(), is_text };
    PersonDetail {
        phone: "+34600111222".into(),
        name: "Maria".into(),
        tags: vec!["vip".into(), "late".into()],
        fields: vec![field("plan", "gold", true), field("visits", "3", false), field("a=b", "x", true)],
        ..PersonDetail::default()
    }
}

fn set(form: &mut PersonForm, field: usize, text: &str) {
    form.values[field].set(text);
    form.add_empty_line();
}

#[test]
fn what_differs_leaves() {
    let mut form = PersonForm::new(Some(detail()), PersonField::Name);
    assert_eq!(form.values.len(), 8, "three lines of metadata and one more");
    assert!(form.change().expect("a change").is_empty());
    set(&mut form, 1, "Maria Lopez ");
    set(&mut form, 3, "vip, new, new");
    set(&mut form, 5, "visits = 4");
    set(&mut form, 6, "");
    set(&mut form, 7, "city = Porto \"x\"");
    let change = form.change().expect("a change");
    assert_eq!((change.name.as_deref(), &change.email), (Some("Maria Lopez"), &None));
    assert_eq!((change.add, change.remove), (vec!["new".to_owned()], vec!["late".to_owned()]));
    let wanted = [("visits", "4"), ("city", "\"Porto \\\"x\\\"\"")];
    let told: Vec<(&str, &str)> = change.set.iter().map(|(name, raw)| (&name[..], &raw.0[..])).collect();
    assert_eq!((told, change.unset), (wanted.to_vec(), vec!["a=b".to_owned()]));
    // A value that is no longer a number becomes text.
    set(&mut form, 5, "visits = many");
    assert_eq!(form.change().expect("a change").set[0].1.0, "\"many\"");
}

#[test]
fn fields_say_what_is_wrong() {
    let long = "x".repeat(201);
    let cases: [(usize, &str, Option<&str>); 7] = [
        (0, "600", Some("country code")),
        (0, "+34 600 (111) 222", None),
        (1, &long, Some("at most 200 characters, this has 201")),
        (2, "maria", Some("not a mail address")),
        (2, "", None),
        (4, "plan", Some("name = value")),
        (4, "plan =", None),
    ];
    for (field, text, wanted) in cases {
        let mut form = PersonForm::new(None, PersonField::Phone);
        set(&mut form, field, text);
        let told = form.field_error(field);
        assert_eq!(told.is_some(), wanted.is_some(), "{text}: {told:?}");
        assert!(told.is_none_or(|text| text.contains(wanted.unwrap_or(""))), "{text}");
    }
    let mut form = PersonForm::new(Some(detail()), PersonField::Name);
    set(&mut form, 7, "plan = x");
    assert_eq!(form.field_error(7).as_deref(), Some("is already used"));
}

#[test]
fn metadata_goes_out_as_json_and_comes_back() {
    let mut form = PersonForm::new(Some(detail()), PersonField::Name);
    assert_eq!(form.json(), "{\n  \"plan\": \"gold\",\n  \"visits\": 3,\n  \"a=b\": \"x\"\n}\n");
    assert_eq!(form.set_json(&form.json()), Ok(()));
    assert!(form.change().expect("a change").is_empty());
    assert_eq!(form.set_json("{\"plan\": {\"name\": \"gold\"}}"), Ok(()));
    let change = form.change().expect("a change");
    assert_eq!((change.set[0].1.0.as_str(), change.unset.len()), ("{\"name\": \"gold\"}", 2));
    let told = form.set_json("{\n\"plan\": }").expect_err("no JSON");
    assert!(told.contains("line 2"), "{told}");
}

#[test]
fn a_refusal_stands_at_the_field_it_names() {
    let cases = [
        ("name must have at most 200 characters (VALIDATION_ERROR)", Some(PersonField::Name)),
        ("`tags` must hold strings", Some(PersonField::Tags)),
        ("the E-Mail is odd", None),
        ("invalid email", Some(PersonField::Email)),
        ("no", None),
    ];
    for (why, field) in cases {
        assert_eq!(field_in_refusal(why), field, "{why}");
    }
    let change = ContactChange {
        phone: "+34600111222".into(),
        email: Some("x@y.example".into()),
        add: vec!["odd".into()],
        set: vec![("plan".into(), Json("1".into()))],
        ..ContactChange::default()
    };
    let form =
        PersonForm::new(Some(detail()), PersonField::Name).with_refusal(&change, "r".into(), "bad email");
    assert_eq!((form.text(2), form.text(3), form.focus), ("x@y.example", "vip, late, odd", 2));
    assert_eq!(form.change(), Some(change));
}
