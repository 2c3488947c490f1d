//! Stories and contracts: one test binary over the whole program.

mod floors;
mod hands;
