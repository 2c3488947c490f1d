//! Random histories of an outbox: invariants I1 to I7 hold after each step. `cargo test` runs the same
//! 2,000 each time; `FRONTDESK_LIVES` sets the number of new ones in a campaign. Past failures are cases of
//! their own.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::tests::outbox_faults::Fault;
use crate::tests::outbox_world::{Knowledge, World};
use model::ids::MessageId;
use model::outbox::StopVerdict;

#[derive(Debug, Clone)]
enum Step {
    Enqueue(usize, u8, bool, Option<i64>),
    Recall(usize),
    Push(usize, Fault),
    Decide(usize, usize, Option<StopVerdict>),
    Wake,
    Remember(usize),
    ClaimOld(usize),
    SleepOver(usize),
    Kill(usize),
    Pass(i64),
    SetClock(i64),
    Hours(i64),
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        4 => Just(Fault::Answered),
        3 => Just(Fault::AnswerLost),
        2 => Just(Fault::NeverArrived),
        2 => Just(Fault::KilledBefore),
        2 => Just(Fault::KilledAfter),
        2 => Just(Fault::Stalled),
        1 => Just(Fault::StalledRefused),
        1 => Just(Fault::StalledUnclear),
        1 => Just(Fault::StalledOffline),
        1 => Just(Fault::Offline),
        1 => Just(Fault::Refused),
        1 => Just(Fault::NoCredits),
        1 => Just(Fault::Window),
        1 => Just(Fault::Revoked),
        1 => Just(Fault::Limited),
        1 => Just(Fault::Failed),
        1 => Just(Fault::InProgress),
    ]
}

fn verdict() -> impl Strategy<Value = Option<StopVerdict>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(StopVerdict::SameKey)),
        1 => Just(Some(StopVerdict::NewKey)),
        1 => Just(Some(StopVerdict::Drop)),
        1 => Just(Some(StopVerdict::Edit)),
        1 => Just(Some(StopVerdict::Adopt(MessageId::from("found")))),
    ]
}

/// One request in six is planned for a time.
fn planned() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![5 => Just(None), 1 => (1..20_000_i64).prop_map(Some)]
}

fn step() -> impl Strategy<Value = Step> {
    let process = || 0..2_usize;
    prop_oneof![
        5 => (process(), 0..2_u8, prop::bool::weighted(0.8), planned())
            .prop_map(|(process, lane, costs, planned)| Step::Enqueue(process, lane, costs, planned)),
        1 => process().prop_map(Step::Recall),
        12 => (process(), fault()).prop_map(|(process, fault)| Step::Push(process, fault)),
        4 => (process(), 0..3_usize, verdict()).prop_map(|(process, which, verdict)| Step::Decide(process, which, verdict)),
        2 => Just(Step::Wake),
        1 => process().prop_map(Step::Remember),
        1 => process().prop_map(Step::ClaimOld),
        1 => process().prop_map(Step::SleepOver),
        1 => process().prop_map(Step::Kill),
        4 => (1..120_i64).prop_map(Step::Pass),
        2 => prop_oneof![-90_000..90_000_i64, Just(-31_536_000), Just(31_536_000)].prop_map(Step::SetClock),
        1 => (1..30_i64).prop_map(Step::Hours),
    ]
}

fn live(world: &mut World, knowledge: Knowledge, steps: &[Step]) {
    world.begin(knowledge);
    for step in steps {
        match step.clone() {
            Step::Enqueue(process, lane, costs, planned) => world.enqueue(process, lane, costs, planned),
            Step::Recall(process) => world.recall(process),
            Step::Push(process, fault) => world.step(process, fault),
            Step::Decide(process, which, verdict) => world.decide(process, which, verdict),
            Step::Wake => world.wake(),
            Step::Remember(process) => world.remember(process),
            Step::ClaimOld(process) => world.claim_what_was_read(process),
            Step::SleepOver(process) => world.sleep_over_an_answer(process),
            Step::Kill(process) => world.kill(process),
            Step::Pass(seconds) => world.pass(seconds),
            Step::SetClock(seconds) => world.set_clock(seconds),
            Step::Hours(hours) => world.hours(hours),
        }
        world.check();
    }
    world.drain();
}

/// Smallest histories that once broke an invariant.
fn mended_lives() -> [(&'static str, Knowledge, Vec<Step>); 3] {
    let planned = Step::Enqueue(0, 0, false, Some(10));
    [
        (
            "planned, due, offline, and told of it after the clock was set back",
            Knowledge::Server,
            vec![
                planned.clone(),
                Step::Pass(10),
                Step::Push(0, Fault::StalledOffline),
                Step::SetClock(-10),
                Step::Wake,
                Step::Pass(6),
                Step::Push(0, Fault::Answered),
            ],
        ),
        (
            "planned, due, offline, and then the clock is set back by more than a minute",
            Knowledge::Server,
            vec![
                planned.clone(),
                Step::Pass(10),
                Step::Push(0, Fault::Offline),
                Step::SetClock(-70),
                Step::Push(0, Fault::Answered),
                Step::Pass(50),
                Step::Push(0, Fault::Answered),
            ],
        ),
        (
            "planned, due, refused for the rate, and the clock is set back by an hour",
            Knowledge::Boot,
            vec![
                planned,
                Step::Pass(10),
                Step::Push(0, Fault::Limited),
                Step::SetClock(-3_600),
                Step::Push(1, Fault::Answered),
                Step::Hours(1),
                Step::Push(1, Fault::Answered),
            ],
        ),
    ]
}

#[test]
fn promises_hold_in_lives_that_once_broke_them() {
    let mut world = World::new();
    for (name, knowledge, steps) in mended_lives() {
        println!("{name}");
        live(&mut world, knowledge, &steps);
    }
}

#[test]
fn promises_hold_in_every_life() {
    let config = randomized::config(2_000);
    let world = std::cell::RefCell::new(World::new());
    let lives =
        (prop_oneof![Just(Knowledge::Server), Just(Knowledge::Boot)], prop::collection::vec(step(), 1..25));
    let result = TestRunner::new(config).run(&lives, |(knowledge, steps)| {
        live(&mut world.borrow_mut(), knowledge, &steps);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
