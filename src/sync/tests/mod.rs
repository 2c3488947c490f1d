//! The outbox's rules together, over real files, against a small reference,
//! and who may send at all.

mod outbox_faults;
mod outbox_model;
mod outbox_turns;
mod outbox_world;
mod renewal;
