//! The whole stack in one process and under one hand-turned clock: service,
//! engine, stores, customers, people and a faulty line between them, for days
//! of simulated time. Everything follows from a seed.
//!
//! `FRONTDESK_SEEDS` says how many seeds are run (10), the first being
//! `FRONTDESK_FIRST_SEED` (1), and `FRONTDESK_SIMULATED_HOURS` for how long
//! (24). `FRONTDESK_SEED` runs that one seed alone and keeps its trace.

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
mod seeds;
mod stale;
mod takeover;
mod town;
mod trace;
