//! Macros: recorded, kept as steps, and played.

pub(crate) mod playing;
pub mod recording;
pub mod steps;
pub(crate) mod view;

use crate::features::macros::playing::{Awaited, Playing};
use crate::features::macros::recording::Recording;

/// Macros: those that are kept, and the one under way.
#[derive(Debug, Default)]
pub struct Macros {
    pub(crate) recording: Recording,
    pub(crate) playing: Option<Playing>,
    pub(crate) awaited: Awaited,
}
