//! Response times, as bars.

use frontdesk::inbox::plain::pages::place_lines;
use frontdesk::model::news::News;
use frontdesk::model::team::{PersonStatistics, TeamStatistics};
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{Clock, DAY, Timestamp};

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";
const MINUTE: i64 = 60_000_000;

#[test]
fn how_fast_customers_are_answered_is_shown_as_bars() {
    let mut desk = Desk::new(120, 40);
    desk.run_command("show-service-levels")
        .shows("First response · the last 7 days")
        .shows("No customer messages in this period");
    desk.shows(" m measure · d days · p people · Esc").hides("go to tab");
    desk.keys("<Esc>");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.clock.advance(4 * MINUTE);
    desk.colleague("whatsapp", MARIA, "It left this morning.");
    desk.customer("whatsapp", JOAO, "João Pereira", "Is the shop open?");
    desk.settle().settle();
    desk.run_command("show-service-levels")
        .shows("median 4m · p90 4m · 2 cases")
        .hides("No customer messages");
    photographs!(desk, "first_response", Overlay);
    desk.keys("m").shows("Waiting for an answer").keys("m").shows("Until the last answer").shows("none yet");
    desk.keys("m").shows("Handed over to a person").shows("50%, 1 of 2");
    photographs!(desk, "handed_over", Overlay);
    desk.keys("m").shows("Handed back to the AI").shows("0%, 0 of 1");
    desk.keys("m").shows("First response").keys("d").shows("the last 30 days").shows("median 4m");
    desk.keys("d").shows("the last 24 hours").shows("median 4m").keys("<Esc>").hides("First response");
}

fn ana() -> PersonStatistics {
    PersonStatistics {
        name: SafeText::line("Ana Ruiz"),
        is_removed: false,
        taken: 31,
        answers: 84,
        waits: 42,
        median: Some(95 * 1_000_000),
        p90: Some(11 * MINUTE),
        done: 28,
        handed_back: 19,
        claim_count: 3,
    }
}

fn ben() -> PersonStatistics {
    PersonStatistics {
        name: SafeText::line("Ben Ito"),
        is_removed: true,
        taken: 0,
        answers: 0,
        waits: 0,
        median: None,
        p90: None,
        done: 0,
        handed_back: 0,
        claim_count: 0,
    }
}

/// The service answers the question that the desk asked last.
fn answer(desk: &mut Desk, days: i64, read: Result<Vec<PersonStatistics>, &str>) {
    let now = desk.clock.now();
    let since = now.plus(-days * DAY);
    let read = read.map_err(SafeText::line);
    let read = read.map(|people| TeamStatistics { since, until: now, people });
    desk.deliver_news(News::TeamStatistics { since, read });
}

#[test]
fn numbers_by_person_need_the_service() {
    let mut desk = Desk::new(80, 24);
    desk.run_command("statistics by person").shows("First response").keys("p");
    desk.shows("By person · 7 days").shows("Numbers by person need the service");
    desk.keys("p").shows("First response").hides("need the service");
}

#[test]
fn numbers_by_person_are_those_of_the_service() {
    let mut desk = Desk::with(120, 40, |settings| settings.is_in_team = true);
    desk.run_command("show-service-levels").keys("p").shows("Asking the service");
    answer(&mut desk, 7, Ok(vec![ana(), ben()]));
    desk.shows("84 answers · median 1m · p90 11m · took 31 · done 28 · handed back 19 · has 3");
    desk.shows("Ben Ito (removed)").shows("no answers · took 0");
    photographs!(desk, "numbers_by_person", Overlay);
    desk.keys("d").shows("By person · 30 days").hides("84 answers").shows("Asking the service");
    // The answer to an earlier question is not taken for this one.
    desk.deliver_news(News::TeamStatistics {
        since: Timestamp::default(),
        read: Err(SafeText::line("late")),
    });
    desk.hides("late").shows("Asking the service");
    answer(&mut desk, 30, Err("no answer"));
    desk.shows("No numbers").shows("no answer");
    answer(&mut desk, 30, Ok(vec![ana()]));
    desk.shows("84 answers").hides("No numbers").keys("<Esc>");
    // Opened again without a network, it shows the last answer and of when it is.
    desk.run_command("show-service-levels").shows("By person").shows("84 answers");
    answer(&mut desk, 30, Err("no answer"));
    desk.shows("As of 10:00").shows("no answer").shows("84 answers");
}

#[test]
fn numbers_by_person_fit_on_small_screens() {
    for size in [(80, 24), (60, 20)] {
        let mut desk = Desk::with(size.0, size.1, |settings| settings.is_in_team = true);
        desk.run_command("show-service-levels").keys("p");
        answer(&mut desk, 7, Ok(vec![ana(), ben()]));
        desk.shows("By person · 7 days").shows("p bars").shows("Ana Ruiz").shows("Ben Ito (removed)");
        for fact in ["84 answers", "median 1m · p90 11m", "took 31", "done 28", "handed back 19", "has 3"] {
            desk.shows(fact);
        }
        let spoken = place_lines(&desk.app).join("\n");
        let row = "Ana Ruiz, 84 answers · median 1m · p90 11m · took 31 · done 28 · handed back 19 · has 3";
        assert!(spoken.contains(row), "{spoken}");
    }
}
