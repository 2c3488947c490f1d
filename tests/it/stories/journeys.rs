//! Journeys: whole stretches of work, key by key, as people live through them.

mod campaign;
mod connection;
mod credits;
mod first;
mod takeover;
mod triage;
mod window;
