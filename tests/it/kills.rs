//! kill -9: of the desk and of the service, at random moments and at chosen
//! ones. Nothing that was committed is lost, doubled or paid twice.

mod campaign;
pub(crate) mod folder;
mod points;
mod waves;
