//! Stories and contracts: one test binary over the whole program.

mod assistant;
mod contract;
#[macro_use]
mod desk;
mod floors;
mod hands;
mod openapi;
mod pty;
mod raw_http;
mod readme;
mod scripting;
mod service;
mod service_mail;
mod simulation;
mod stories;
