//! Journeys: longer stretches of work, key by key.

mod campaign;
mod connection;
mod counted;
mod credits;
mod first;
mod support_loop;
mod takeover;
mod triage;
mod window;
