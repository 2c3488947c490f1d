//! Remaining time of the 24-hour service window.

use crate::conversations::ServiceWindow;
use crate::queue::WINDOW_WARNING;
use crate::time::{DAY, HOUR, MINUTE, Timestamp};

/// Short label for a list column; `~` marks an estimate.
pub fn window_label(window: ServiceWindow, last_inbound: Option<Timestamp>, now: Timestamp) -> String {
    match window {
        ServiceWindow::NotApplicable => String::new(),
        ServiceWindow::Unknown => "?".to_owned(),
        ServiceWindow::Closed => "closed".to_owned(),
        ServiceWindow::Open => match remaining_window(last_inbound, now) {
            None => "open".to_owned(),
            Some(left) if left < HOUR => format!("~{}m", (left / MINUTE).max(1)),
            Some(left) if left < 2 * HOUR => "<2h".to_owned(),
            Some(left) => format!("{}h", left / HOUR),
        },
    }
}

/// Describes a window that is closed, unknown or about to close; `None` if it is open as usual, or the channel
/// has none.
pub fn describe_notable_window(
    window: ServiceWindow,
    last_inbound: Option<Timestamp>,
    now: Timestamp,
) -> Option<String> {
    match window {
        ServiceWindow::NotApplicable => None,
        ServiceWindow::Unknown => Some("Reply window unknown".to_owned()),
        ServiceWindow::Open if remaining_window(last_inbound, now)? >= WINDOW_WARNING => None,
        ServiceWindow::Open | ServiceWindow::Closed => {
            Some(format!("Reply window {}", window_label(window, last_inbound, now)))
        }
    }
}

/// Estimates the remaining microseconds of an open window: newest inbound message plus 24 h. `None`
/// if there is no inbound message or the time has passed.
pub fn remaining_window(last_inbound: Option<Timestamp>, now: Timestamp) -> Option<i64> {
    let left = DAY - now.since(last_inbound?);
    (0 < left && left <= DAY).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unusual_window_is_described() {
        let now = Timestamp::from_micros(10 * DAY);
        let ago = |span: i64| Some(now.plus(-span));
        let cases = [
            (ServiceWindow::Open, ago(HOUR), None),
            (ServiceWindow::Open, ago(22 * HOUR), None),
            (ServiceWindow::Open, ago(22 * HOUR + MINUTE), Some("Reply window <2h")),
            (ServiceWindow::Open, ago(25 * HOUR), None),
            (ServiceWindow::Open, None, None),
            (ServiceWindow::Closed, ago(HOUR), Some("Reply window closed")),
            (ServiceWindow::Unknown, ago(HOUR), Some("Reply window unknown")),
            (ServiceWindow::NotApplicable, ago(HOUR), None),
        ];
        for (window, last_inbound, expected) in cases {
            let told = describe_notable_window(window, last_inbound, now);
            assert_eq!(told.as_deref(), expected, "{window:?} {last_inbound:?}");
        }
    }

    #[test]
    fn window_labels() {
        let now = Timestamp::from_micros(10 * DAY);
        let ago = |span: i64| Some(now.plus(-span));
        let cases = [
            (ServiceWindow::Open, ago(3 * HOUR), "21h"),
            (ServiceWindow::Open, ago(22 * HOUR + MINUTE), "<2h"),
            (ServiceWindow::Open, ago(23 * HOUR + 48 * MINUTE), "~12m"),
            (ServiceWindow::Open, ago(25 * HOUR), "open"),
            (ServiceWindow::Open, None, "open"),
            (ServiceWindow::Closed, ago(HOUR), "closed"),
            (ServiceWindow::Unknown, None, "?"),
            (ServiceWindow::NotApplicable, None, ""),
        ];
        for (window, inbound, label) in cases {
            assert_eq!(window_label(window, inbound, now), label);
        }
    }
}
