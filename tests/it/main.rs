//! Stories and contracts: one test binary over the whole program.

mod contract;
mod desk;
mod floors;
mod hands;
mod pty;
mod readme;
mod stories;
