//! frontdesk: a human-takeover inbox for an AI messaging assistant, in the
//! terminal, with an embedded service that speaks the same interface.
//!
//! # The screen, and where its parts are below `src/inbox`
//!
//! ```text
//!  All 4   1 Harbor chat 3   2 Harbor bot 1   3 …           412 credits   inbox/tabs_view.rs
//! ┌ MINE 1 ────────────────┬ Maria Lopez · +34 … ── AI paused · you have it ┐
//! │▌Maria Lopez         6m │              Thu 20 Nov                        │
//! │▌ where is…             │ Maria  10:02  Hi, where is my order?           │  screens/history/view.rs
//! ├ WITH THE AI 2 ─────────┤ AI     10:02  Your order number?         read  │  screens/history/lines.rs
//! │ João Pereira       14m │ ── new since you looked ──                     │
//! │ thanks!                ├ Reply · 1 credit ─────────────────────── 0/4096 ┤
//! │ screens/conversations/ │ screens/composer/                              │
//! └────────────────────────┴────────────────────────────────────────────────┘
//!  Enter open · t take · d done · s later · ? help    2 new need a person   status.rs, hints.rs
//! ```
//!
//! # The crates
//!
//! Each part is a crate of the workspace in a folder of its name under `src/`; [`cli`], [`config`] and
//! [`shell`] are modules of this crate. Imports go only downward: `tests/it/floors.rs` lists what each crate
//! may use. `model` and `inbox` have no async, IO, clock or lock, and only the `view` files of `inbox` draw.
//! `client`, `receiver`, `net`, `store` and `sync` never draw. They meet only in `shell`, which turns a
//! received webhook into a poll by `sync`.
//!
//! | crate or module | holds |
//! |---|---|
//! | [`disk`] | files and folders private to this user |
//! | [`sqlite`] | queries and rows by column name, for both databases |
//! | [`model`] | domain types, bounds, prices, safe text |
//! | [`api`] | the contract: requests, answers, paths and errors of both sides |
//! | [`inbox`] | the screen: keys, selection, deadlines, drawing |
//! | [`client`] | requests, failures, retries, rate limits |
//! | [`receiver`] | webhook endpoint: challenges, signatures |
//! | [`net`] | guarded requests to configured hosts, Data Connections, language models |
//! | [`store`] | tables, rows, drafts, search, the outbox |
//! | [`sync`] | polling and sending |
//! | [`platforms`] | WhatsApp, Telegram, Twilio, mailboxes and their simulation |
//! | [`service`] | the embedded service and its rules |
//! | [`shell`] | the loop, the terminal, threads, signals |
//! | [`cli`], [`config`] | commands, scripting, the configuration file |
//!
//! `docs/architecture.md` says file by file where a change goes (a key, a mark, a column, a field, an
//! operation, a popup, a page, a platform, a fault, a setting, a command, an SQL column) and has the
//! glossary; `docs/testing.md` describes the tests.
//!
//! # Invariants
//!
//! - Only [`inbox::Inbox::update`] changes the inbox, and only the shell holds it.
//!   Events and effects are closed enums of plain data.
//! - The screen shows only data from the store or text typed in a field. The echo of a reply is its queued
//!   row.
//! - No request changes the server unless it is an outbox row, whose exact bytes and key are on disk before
//!   the first byte is sent. A row leaves the outbox only when the server accepted it or a person dropped it.
//! - A cursor moves only in the transaction that saved its page; news is announced after the commit.
//! - A load's result names its query; if that is no longer the current one, it is dropped. Selection is by
//!   id; a list never moves under the cursor, unless the cursor rests untouched on the first row: then it
//!   follows the top.
//! - No string chosen by a customer or a server selects a recipient or an identity; [`model::selector`]
//!   parses what a person typed by its shape.
//! - Each failure is classified once, in `client/errors.rs`, and stays one value up to the words, exit code
//!   and JSON of a command. An unknown outcome is a value, too.
//! - Time and randomness are passed in as values; `.clippy.toml` bans the clocks.
//! - Text from outside reaches a widget only as [`model::text::SafeText`]; [`model::secret::Secret`] prints
//!   as dots; [`inbox::sweep_view`] checks every frame again.
//! - Nothing is unbounded: bodies, queues, pages, histories, marks per cell.
//!
//! # One key press
//!
//! The input thread reads `p`, [`shell::decoder`] decodes it, and [`shell::input`] puts it into
//! [`shell::event_queue`]. The loop in `shell/run.rs` wakes, moves it to the [`inbox::input_queue`], which holds it
//! while a read is awaited, and passes `Event::Key` to [`inbox::Inbox::update`]; the key map of
//! [`inbox::keymap`], built from [`inbox::command::TABLE`], resolves it, its row says if it is allowed and what
//! it does, and the result is the effect `FileWrite::Enqueue`. The writing thread prepares the intent's bytes
//! and key and commits them to `outbox.db`; the row returns as `Event::Enqueued`, and list and history reload
//! and show `AI pausing`. The engine wakes, claims the row, sends it, and stores the answer; its news makes the
//! screen reload and show `AI paused`.
//!
//! # One inbound message
//!
//! A tab's poll task calls `pollNewMessages`. Unknown ids are stored with their conversation in one
//! transaction; only then the news reaches the mailbox. The inbox marks the list and the open history as
//! stale and requests them; the reading thread answers from `cache.db`. The selected row keeps its place, and
//! the bell rings if the person is looking elsewhere.

pub use {api, client, disk, inbox, model, net, platforms, receiver, service, sqlite, store, sync};

pub mod cli;
pub mod config;
pub mod shell;
