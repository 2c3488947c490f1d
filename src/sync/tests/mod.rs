//! The outbox's rules together, over real files, against a small reference.

mod outbox_faults;
mod outbox_model;
mod outbox_turns;
mod outbox_world;
