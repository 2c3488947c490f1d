//! What every screen is built of: text fields, lists, marks, strokes.

pub mod confirm;
pub mod dialog;
pub(crate) mod field_view;
pub(crate) mod form;
pub mod list;
pub mod loading_view;
pub mod marks;
pub mod paged_rows;
pub mod paint_view;
pub mod picker;
pub mod shown_rows;
pub mod text_buffer;
pub mod text_line;
pub mod text_prompt;
pub mod text_view;
pub(crate) mod time_prompt;
pub(crate) mod words;
