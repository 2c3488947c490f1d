//! What crosses screens: undo, macros, notifications, credits, modal editing.

pub(crate) mod bursts;
pub mod clipboard;
pub mod credits;
pub mod handover;
pub(crate) mod jump_list;
pub mod macros;
pub(crate) mod notifications;
pub(crate) mod offers;
pub mod privacy;
pub(crate) mod tutor;
pub mod undo;
pub(crate) mod undo_send;
pub mod vim;
