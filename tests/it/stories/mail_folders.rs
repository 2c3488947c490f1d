//! Deleting threads, marking them as spam and moving them into folders; undo and refusals.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::stories::mail::{calm, letter};

fn mail(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

fn folder(desk: &Desk, name: &str) -> Vec<String> {
    let told = desk.get("email", &format!("/email/threads?folder={name}&limit=100"));
    let all = told["data"].as_array().expect("a list").iter();
    all.filter_map(|value: &Value| value["subject"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_thread_is_deleted_marked_as_spam_and_moved_and_each_is_taken_back() {
    let mut desk = mail(120, 40);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    calm(&mut desk);
    desk.keys("ggD").shows("moved to the trash · Ana Ruiz").settle().hides("Order 2001");
    assert_eq!(folder(&desk, "trash"), ["Order 2001"]);
    desk.keys("z").shows("undone: moved to the trash · Ana Ruiz").settle().settle().shows("Order 2001");
    assert!(folder(&desk, "trash").is_empty() && folder(&desk, "inbox").contains(&"Order 2001".to_owned()));
    // Undo selects it again.
    desk.keys("%").shows("marked as spam · Ana Ruiz").settle().hides("Order 2001");
    assert_eq!(folder(&desk, "spam"), ["Order 2001"]);
    // The folder is a view, in which the key undoes the move.
    desk.keys("v");
    photographs!(desk, "folders_are_views", Overlay);
    desk.keys("<Esc>:").types("view Spam").keys("<Enter>").settle().shows("Order 2001").shows("spam");
    desk.keys("gg%").shows("back in the inbox").settle();
    desk.keys(":").types("view All open").keys("<Enter>").settle().shows("Order 2001");
    assert!(folder(&desk, "spam").is_empty());
    desk.keys("gg^");
    photographs!(desk, "a_folder_is_chosen", Overlay);
    desk.types("Ruiz & Co").keys("<Enter>").shows("moved to Ruiz & Co").settle().settle();
    assert_eq!(folder(&desk, "Ruiz%20%26%20Co"), ["Order 2001"]);
    desk.shows("Ruiz & Co")
        .run_command("mail-folders")
        .types("Ruiz")
        .keys("<Enter>")
        .settle()
        .shows("Order 2001");
    desk.hides("Callum Reid").keys("z").settle().settle();
    assert!(folder(&desk, "Ruiz%20%26%20Co").is_empty());
    // A deleted thread returns when its contact writes again.
    desk.keys("f<Esc>ggD").settle().settle();
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("And yet"), None);
    calm(&mut desk);
    desk.shows("Order 2001");
}

#[test]
fn marked_threads_are_deleted_after_a_plan_and_come_back_with_one_key() {
    let mut desk = mail(80, 24);
    for number in 1..=12 {
        let from = format!("person{number}@mail.example");
        letter(&desk, &from, "Person", &format!("Subject {number:02}"), Some("Text"), None);
    }
    for _ in 0..3 {
        calm(&mut desk);
    }
    desk.keys("f").types("\"Subject\"").keys("<Enter>").settle().keys("ggD").settle().keys("gg");
    desk.keys("f<Esc>f").types("status:any \"Subject\"").keys("<Enter>").settle();
    desk.keys("VaD").shows("DELETE 11 threads?").shows("1 does not: already there");
    photographs!(desk, "what_is_deleted_is_asked_about", Overlay);
    desk.keys("y").settle().pass(30);
    calm(&mut desk);
    assert_eq!(folder(&desk, "trash").len(), 12);
    desk.keys("z").settle().pass(30);
    calm(&mut desk);
    assert_eq!(folder(&desk, "trash").len(), 1, "what was there before stays");
}

#[test]
fn a_triage_deletes_and_marks_spam_and_offers_the_same_for_all_of_a_sender() {
    let mut desk = mail(80, 24);
    for number in 1..=6 {
        letter(&desk, "win@prize.example", "Prize", &format!("Subject {number:02}"), Some("Text"), None);
    }
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Subject 00", Some("Hi"), None);
    for _ in 0..3 {
        calm(&mut desk);
    }
    desk.keys("f").types("\"Subject\"").keys("<Enter>").settle().keys("<Ctrl-T>").shows("TRIAGE 1/7");
    desk.keys("D").shows("TRIAGE 2/7").keys("A").shows("available after 3 identical decisions");
    desk.keys("%%%").shows("3 more from win@prize.example").keys("A");
    desk.shows("mark as spam 3 threads from win@prize.example").keys("y");
    desk.shows("7 seen in").shows("1 deleted, 6 marked as spam");
    desk.settle().pass(30);
    calm(&mut desk);
    assert_eq!((folder(&desk, "trash").len(), folder(&desk, "spam").len()), (1, 6));
}

#[test]
fn a_server_that_refuses_a_folder_says_so_and_nothing_waits() {
    let world = Desk::demo(80, 24);
    letter(&world, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    let address = world.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
    let proxy = world.runtime.block_on(Proxy::start(address.parse().expect("an address"), Door::Open));
    let told = json!({"code": "VALIDATION_ERROR", "message": "folder cannot be changed"}).to_string();
    let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close";
    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{told}", told.len()).into_bytes();
    proxy.plan(move |asked| match asked.method == "PATCH" {
        true => Script::withhold(Give::Bytes(answer.clone())),
        false => Script::pass(),
    });
    let mut desk = Desk::with_tab("Harbor mail", &proxy.base_url(), &world.key_of("email"));
    for _ in 0..4 {
        desk.wait(30_000_000);
        desk.settle();
    }
    desk.keys("ggD").settle().settle().shows("not moved to trash: the server refused it").shows("Order 2001");
    desk.hides("needs you").keys("go").settle().hides("in trash");
}
