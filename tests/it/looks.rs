//! How the desk looks: colour is for what needs a person, and the newest message is above the composer.

mod calm;
mod grounds;
mod newest;
