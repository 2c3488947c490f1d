use super::*;
use crate::Inbox;
use crate::settings::Settings;
use model::time::{ClockReading, Timestamp};

#[test]
fn behind_what_has_left_only_what_is_fresh_is_taken_back() {
    let start = ClockReading::manual(Timestamp::from_micros(1_700_000_000_000_000));
    for (age, left, found) in [
        (MAX_LATE_UNDO_AGE - 1, true, Some(1)),
        (MAX_LATE_UNDO_AGE, true, None),
        (100 * MAX_LATE_UNDO_AGE, true, None),
        (100 * MAX_LATE_UNDO_AGE, false, Some(1)),
    ] {
        let mut inbox = Inbox::new(Vec::new(), Settings::default(), (80, 24), start);
        let channel = ChannelId::from("none");
        inbox.changes.record_change(
            channel.clone(),
            "took marks away",
            UndoTarget::Marks(Marks::default(), false),
            &inbox.context,
        );
        if left {
            inbox.changes.record_change(
                channel,
                "broadcast",
                UndoTarget::Campaign("first".into(), start.moment),
                &inbox.context,
            );
        }
        inbox.context.moment = start.moment.plus(age);
        assert_eq!(inbox.changes.next_undo_group(&inbox.context), found, "{age} {left}");
    }
}
