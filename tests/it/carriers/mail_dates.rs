//! Sent and received times of mails on real mail servers.

use frontdesk::model::time::{Clock, DAY, HOUR, SECOND, Timestamp};
use frontdesk::shell::clock::SystemClock;
use serde_json::Value;

use super::mail_server::{TestMailbox, servers};
use super::mails::{customer, quiet};

/// `Date` header of a mail.
fn header(at: Timestamp) -> String {
    let date = at.date(&frontdesk::model::time::Zone::UTC);
    let clock = at.iso().as_str()[11..19].to_owned();
    format!("Date: {} {clock} +0000\n", date.trim_start_matches('0'))
}

fn time(mail: &Value, field: &str) -> Option<Timestamp> {
    mail[field].as_str().and_then(Timestamp::parse)
}

fn says(mailbox: &TestMailbox, from: &str, text: &str, date: &str) {
    mailbox.hears(from, "Order 1042", text, date);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_tells_when_it_was_sent_and_stands_where_it_arrived() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    let before = SystemClock.now().plus(-SECOND);
    let hour = Timestamp::from_micros(before.micros() / HOUR * HOUR);
    let (yesterday, future) = (hour.plus(-DAY), hour.plus(1_500 * DAY));
    let served = quiet(&mailbox).await;
    says(&mailbox, &maria, "first", &header(future));
    says(&mailbox, &maria, "second", &header(yesterday));
    says(&mailbox, &maria, "third", "Date: Thu, 01 Jan 1970 00:00:00 +0000\n");
    says(&mailbox, &maria, "fourth", "Date: some day\n");
    let mails = served.mails(&maria, 4).await;
    let texts: Vec<&str> = mails.iter().map(|mail| mail["text"].as_str().unwrap_or("").trim()).collect();
    assert_eq!(texts, ["first", "second", "third", "fourth"], "in the order of arrival");
    assert_eq!((time(&mails[1], "sentAt"), time(&mails[1], "datedAt")), (Some(yesterday), None));
    let claimed = [Some(future), None, Some(Timestamp::from_micros(0)), None];
    for (mail, claimed) in mails.iter().zip(claimed) {
        assert_eq!(time(mail, "datedAt"), claimed, "{mail}");
        let (sent, created) =
            (time(mail, "sentAt").expect("a time"), time(mail, "createdAt").expect("a time"));
        assert!(sent <= created && created >= before, "{mail}");
        assert!(sent == yesterday || sent >= before, "the arrival where the date cannot be true: {mail}");
    }
}
