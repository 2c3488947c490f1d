//! frontdesk: a human-takeover inbox in the terminal, with an embedded
//! service that speaks the same interface.

pub mod model;
pub mod wire;

pub mod client;
pub mod store;
pub mod sync;

pub mod app;
pub mod ui;

pub mod service;

pub mod cli;
pub mod config;
pub mod shell;
