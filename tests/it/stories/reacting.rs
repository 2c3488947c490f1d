use serde_json::json;

use crate::desk::Desk;

#[test]
fn the_bot_platform_is_offered_what_it_takes() {
    let mut desk = Desk::new(80, 24);
    desk.customer("telegram", "4711", "Ken Tanaka", "It arrived, thank you!");
    desk.settle().keys("2").settle().keys("<Enter>+").shows("3 🤣").shows("5 😱").keys("3").settle();
    desk.shows("your reaction: 🤣").hides("does not take");
}

#[test]
fn react_and_remove() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "It arrived, thank you!");
    desk.settle().keys("<Enter>+");
    desk.shows("React · free").shows("8 👎");
    desk.keys("<Right><Enter>").shows("your reaction: ❤ (sending)");
    desk.settle().shows("your reaction: ❤").hides("sending");
    photographs!(desk, "reacted", History);
    desk.keys("-").shows("being removed").settle().hides("your reaction");
    desk.keys("-").shows("unreact: no reaction of yours on this message");
}

#[test]
fn a_refused_reaction_is_no_reaction_in_the_list_of_what_was_done() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "It arrived, thank you!");
    desk.settle();
    let fault = json!({"path_prefix": "/", "method": "POST", "count": 1, "status": 400,
        "code": "VALIDATION_ERROR"});
    desk.dev("fault", fault);
    desk.keys("<Enter>+1")
        .settle()
        .run_command("show-done")
        .shows("reacted")
        .shows("not done; needs a decision")
        .hides("removes it");
    desk.keys("z").shows("undo: not done; needs a decision").keys("<Esc>");
    desk.keys("+1").settle().run_command("show-done").shows("sent; - removes it");
}
