//! A long day of one number: at the platform's rate, with reports in any order and occasional
//! faults, every text arrives once and no queue grows.
//!
//! `FRONTDESK_SOAK_MINUTES` sets the duration; the default is a few rounds.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use frontdesk::service::AssistantChoice;
use frontdesk::shell::clock::instant;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::Served;
use super::campaign::many_credits;
use super::number_server::{NumberServer, Reports};
use super::numbers::text_to;
use super::stand_in::Wrong;
use crate::postgres::cluster;
use crate::waiting::until_found;

const ROUNDS: usize = 3;
const PEOPLE: usize = 25;
/// Share of sends with a fault.
const WRONG: f64 = 0.02;

/// Number of unfinished rows.
const OPEN: &str = "SELECT (SELECT count(*) FROM egress WHERE settled_at IS NULL OR state <> 'taken')
    + (SELECT count(*) FROM ingress WHERE done_at IS NULL)";

fn person(number: usize) -> String {
    format!("+34600222{number:03}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_text_of_a_long_day_arrives_once() {
    let minutes = std::env::var("FRONTDESK_SOAK_MINUTES").ok().and_then(|var| var.parse::<f64>().ok());
    let end = minutes.map(|minute| instant() + Duration::from_secs_f64(minute * 60.0));
    let number = NumberServer::start();
    number.report_all(Reports::Shuffled);
    let served = Served::number(&number, AssistantChoice::Off).await;
    many_credits(&served).await;
    let mut random = StdRng::seed_from_u64(20_261_123);
    number.plan(move |method| {
        let is_wrong = method == "messages" && random.random_bool(WRONG);
        is_wrong.then(|| if random.random_bool(0.5) { Wrong::TooMany } else { Wrong::CutAfter })
    });
    let mut round = 0;
    while end.map_or(round < ROUNDS, |end| instant() < end) {
        for index in 0..PEOPLE {
            number.says(&person(index), &format!("question {round}"));
        }
        if round == 0 {
            for index in 0..PEOPLE {
                served.waits(&*person(index), "a question", |entry| !entry.is_empty()).await;
            }
        }
        let answer = |number: usize| text_to(&person(number), &format!("answer {round}"));
        let sends = (0..PEOPLE).map(|number| served.send(answer(number), None));
        for (status, told) in futures_util::future::join_all(sends).await {
            assert_eq!(status, 200, "{told}");
        }
        until_found("the queues are empty", async || match cluster::count(&served.options.database, OPEN) {
            0 => Ok(()),
            open => Err(open),
        })
        .await;
        round += 1;
        if minutes.is_some() && round % 100 == 0 {
            writeln!(std::io::stderr(), "{} texts", round * PEOPLE).expect("told");
        }
    }
    let mut reached: HashMap<(String, String), usize> = HashMap::new();
    for message in number.reached() {
        *reached.entry((message.to, message.text)).or_default() += 1;
    }
    assert_eq!(reached.len(), round * PEOPLE);
    assert!(reached.values().all(|number| *number == 1), "each once");
    let inbound = "SELECT count(*) FROM messages WHERE direction = 'inbound'";
    let sent =
        "SELECT count(*) FROM messages WHERE direction = 'outbound' AND status IN ('delivered', 'read')";
    for sql in [inbound, sent] {
        let wanted = i64::try_from(round * PEOPLE).expect("few");
        until_found(sql, async || match cluster::count(&served.options.database, sql) {
            seen if seen == wanted => Ok(()),
            seen => Err(format!("{seen} of {wanted}")),
        })
        .await;
    }
}
