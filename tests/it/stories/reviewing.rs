//! The review queue: a sample of the AI's answers, a person's verdict on each, and the export.

use frontdesk::model::reviews::write_question_file;
use frontdesk::service::QuestionFile;

use crate::desk::Desk;

/// A desk that reviews every answer of the sample world's AI.
fn reviewing(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    desk.app.context.settings.review_one_in = 1;
    desk.settle().settle();
    desk.keys(":").types("open --name Maria Lopez").keys("<Enter>").settle();
    desk
}

fn waiting(desk: &Desk) -> Vec<String> {
    desk.app.outbox.reviews.rows.rows.iter().map(|row| row.answer.to_string()).collect()
}

#[test]
fn answers_are_looked_over_and_a_word_can_be_taken_back() {
    let mut desk = reviewing(120, 40);
    desk.run_command("show-reviews").shows("Review queue · Harbor chat");
    let before = waiting(&desk);
    assert!(before.len() >= 2, "{before:?}");
    photographs!(desk, "queue", Page);
    desk.keys("a").shows("a good answer").shows("Good answers by week").shows("100 % of 1 answer");
    assert_eq!(waiting(&desk), before[1..]);
    desk.keys("z").shows("undone: a good answer");
    assert_eq!(waiting(&desk), before);
    desk.keys("k").keys("a").keys("x").shows("A bad answer").shows("< it is wrong >");
    desk.keys("<Space>").shows("< it is made up >").keys("<Tab>").types("Ask for the order number.");
    photographs!(desk, "bad", Overlay);
    desk.keys("<Enter>").shows("a bad answer: it is made up").shows("50 % of 2 answers");
    photographs!(desk, "decided", Page);
    assert_eq!(waiting(&desk), before[2..]);
    desk.keys("<Esc>").hides("Review queue").shows("Maria Lopez");
}

#[test]
fn what_was_said_outlives_the_desk_and_becomes_questions_for_the_service() {
    let mut desk = reviewing(80, 24);
    desk.run_command("show-reviews");
    let answers = waiting(&desk);
    desk.keys("a").keys("x").keys("<Tab>").types("Ask for the order number.").keys("<Enter>");
    let mut desk = desk.crash_and_reopen();
    desk.app.context.settings.review_one_in = 1;
    desk.settle().run_command("show-reviews");
    assert!(!waiting(&desk).contains(&answers[0]), "it was looked over");
    let reviewed = desk.reviewed();
    assert_eq!(reviewed.len(), 2);
    let file = write_question_file(&reviewed);
    assert!(file.contains("Ask for the order number.") && file.contains(&answers[0]), "{file}");
    assert!(!file.contains(&answers[1]), "a bad answer is no example: {file}");
    QuestionFile::parse(&file).expect("the service reads it");
    assert!(desk.outbound().is_empty(), "nothing leaves of a review");
}
