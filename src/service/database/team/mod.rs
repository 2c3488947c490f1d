//! Tables of the team.

pub mod changes;
pub mod conversations;
pub mod notes;
pub mod people;
pub mod replies;
pub mod work;
