//! The outbox under faults, compared with the service's database.

mod cell;
mod matrix;
mod reads;
mod screen;
pub(crate) mod world;
mod writes;
