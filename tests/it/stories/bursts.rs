//! Many customers at once make one notice, not a hundred.

use crate::desk::Desk;

const SECOND: i64 = 1_000_000;

#[test]
fn forty_customers_at_once_are_told_together() {
    let mut desk = Desk::new(120, 40);
    desk.settle().focus(false);
    for number in 10..50 {
        desk.customer(
            "whatsapp",
            &format!("+346001112{number}"),
            &format!("Customer {number}"),
            "Is the site down?",
        );
    }
    let bells = desk.bells;
    desk.wait(SECOND);
    desk.settle();
    assert_eq!((desk.notices.len(), desk.bells - bells), (3, 3), "{:?}", desk.notices);
    desk.wait(10 * SECOND);
    desk.settle();
    assert_eq!(desk.notices.last().map(String::as_str), Some("Harbor chat 37: 37 more customers wrote"));
    assert_eq!((desk.notices.len(), desk.bells - bells), (4, 4), "{:?}", desk.notices);
    desk.shows("37 more customers wrote · w goes to the next who waits");
    photographs!(desk, "together", Tabs, Status);
    desk.wait(60 * SECOND);
    desk.settle();
    assert_eq!(desk.notices.len(), 4, "nothing more is told");
}
