//! The outbox under faults, compared with the service's database.

mod cell;
mod matrix;
pub(crate) mod reads;
mod screen;
pub(crate) mod world;
pub(crate) mod writes;
