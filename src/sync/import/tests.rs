//! Tests of the check and of continued imports.

use std::fmt::Write;
use std::path::PathBuf;

use super::*;

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("people.csv");
    std::fs::write(&path, text).expect("written");
    (folder, path)
}

fn import(path: &Path) -> Import {
    let store = Store::open(&path.with_file_name("desk")).expect("files");
    Import::open(store, "c".into(), Platform::Whatsapp, path).expect("an import")
}

#[test]
fn a_dry_run_counts_and_names_the_first_bad_lines() {
    let (_folder, path) = file(
        "phone;name;tags\n+34600111222;Maria;vip\n600;Ann;\n\"+34600111223\";\"two\nlines\";\n\
         +34 600 111 222;Again;\n+34600111224;a;b;c\n",
    );
    let found = check(&path).expect("looked through");
    assert_eq!((found.rows, found.valid, found.duplicates, found.invalid), (5, 2, 1, 2));
    let lines: Vec<u64> = found.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 7], "lines as an editor counts them");
    assert!(found.merges && found.columns == "phone, name, tags");
    assert_eq!((check(&file("name\nx\n").1).is_err(), check(Path::new("/no/such")).is_err()), (true, true));
}

#[test]
fn bytes_that_are_no_text_are_one_bad_line() {
    let (_folder, path) = file("");
    std::fs::write(&path, b"phone,name\n+34600111222,M\xe1ria\n+34600111223,Ann\n").expect("written");
    let found = check(&path).expect("looked through");
    assert_eq!((found.valid, found.invalid), (1, 1));
    assert!(found.problems[0].describe().contains("save the file as UTF-8"));
}

#[test]
fn what_was_seen_to_is_not_queued_again() {
    let (_folder, path) = file("phone,name\n+34600111222,Maria\n+34600111223,Ann\nx,y\n+34600111222,Twice\n");
    // A crash cut the last line of the results.
    std::fs::write(results_path(&path), "line,phone,result,detail\n2,+34600111222,saved,\n3,+346001")
        .expect("written");
    let mut import = import(&path);
    let progress = import.step(Timestamp::default()).expect("a step").clone();
    assert_eq!((progress.rows, progress.done, progress.skipped, progress.ended), (4, 3, 2, false));
    assert_eq!(import.pending.len(), 1);
    assert_eq!(import.pending[0].phone, "+34600111223");
    let text = std::fs::read_to_string(results_path(&path)).expect("results");
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("5,+34600111222,twice,") && !text.contains("3,"), "{text}");
}

#[test]
fn another_file_of_the_same_name_is_not_taken_for_it() {
    let (_folder, path) = file("phone\n+34600111229\n");
    std::fs::write(results_path(&path), "line,phone,result,detail\n2,+34600111222,saved,\n")
        .expect("written");
    let told = import(&path).step(Timestamp::default()).map(drop).expect_err("it is another");
    assert!(told.to_string().contains("the phone number in line 2 has changed"), "{told}");
    std::fs::write(results_path(&path), "what,ever\n1,2\n").expect("written");
    assert!(check(&path).is_err());
}

#[test]
fn a_few_rows_are_on_their_way_at_once() {
    let mut text = "phone\n".to_owned();
    for number in 0..100 {
        writeln!(text, "+3460011{number:04}").expect("text");
    }
    let (_folder, path) = file(&text);
    let mut import = import(&path);
    import.step(Timestamp::default()).expect("a step");
    import.step(Timestamp::default()).expect("a step");
    assert_eq!(import.pending.len(), MAX_PENDING_ROWS);
}

#[test]
fn no_result_is_a_formula() {
    let (_folder, path) = file("phone\n+34600111222\n");
    let mut results = Results::open(&path).expect("results");
    results.append(2, "=1+2", RowResult::Bad, "=cmd|' /C calc'!A0").expect("added");
    results.append(3, "+34600111222", RowResult::Refused, "@SUM(A1), said the server").expect("added");
    results.flush().expect("on disk");
    let text = std::fs::read_to_string(results_path(&path)).expect("results");
    assert!(text.contains("\n2,'=1+2,bad,'=cmd|' /C calc'!A0\n"), "{text}");
    assert!(text.contains("\n3,+34600111222,refused,\"'@SUM(A1), said the server\"\n"), "{text}");
}
