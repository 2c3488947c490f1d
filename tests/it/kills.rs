//! kill -9 of the desk and of the service: nothing committed is lost, doubled or paid twice.

mod campaign;
pub(crate) mod folder;
mod points;
mod waves;
