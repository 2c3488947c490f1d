//! Reactions: chosen, remembered, removed.

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
    photographs!(desk, "picker");
    desk.keys("<Right><Enter>").shows("your reaction: ❤ (on its way)");
    desk.settle().shows("your reaction: ❤").hides("on its way");
    photographs!(desk, "reacted");
    desk.keys("-").shows("being removed").settle().hides("your reaction");
    desk.keys("-").shows("unreact: there is no reaction of yours on this message");
}
