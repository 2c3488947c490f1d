//! The whole stack in one process under one clock moved by the test: service, engine, stores,
//! customers, people and a faulty network, for days of simulated time. Everything follows from a
//! seed.
//!
//! `FRONTDESK_SEEDS` sets the number of seeds, `FRONTDESK_FIRST_SEED` the first, and
//! `FRONTDESK_SIMULATED_HOURS` the duration. `FRONTDESK_SEED` runs one seed alone and keeps its
//! trace.

mod checks;
mod clock;
mod crowd;
mod desk;
mod human;
mod line;
mod notices;
mod outage;
mod planted;
mod polling;
mod run;
pub(crate) mod seeds;
mod stale;
pub(crate) mod takeover;
mod town;
mod trace;
