//! Requests to hosts that a configuration or a customer named. All pass the guard.
//!
//! | folder | content |
//! |---|---|
//! | `guard/` | fetching of URLs from outside, restricted to permitted addresses |
//! | `connections/` | data connections |
//! | `assist/` | client of language models |

pub mod assist;
pub mod connections;
pub mod guard;
