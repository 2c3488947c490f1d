//! Stories and contracts: one test binary over the whole program.

mod admin;
mod assistant;
mod binary;
mod channel;
mod connections;
mod contract;
#[macro_use]
mod desk;
mod development;
mod exits;
mod faults;
mod floors;
mod hands;
mod kills;
mod mail_page;
mod openapi;
mod outages;
mod packaging;
mod pictures;
mod plain;
mod proxy;
mod pty;
mod raw_http;
mod reachable;
mod readme;
mod receiving;
mod scripting;
mod searching;
mod service;
mod service_mail;
mod serving;
mod sharing;
mod simulation;
mod stories;
mod wall;
