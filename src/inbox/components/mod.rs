//! Building blocks of all screens: text fields, lists, marks, borders.

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
pub mod spoken;
pub mod text_buffer;
pub mod text_line;
pub mod text_prompt;
pub mod text_view;
pub(crate) mod time_prompt;
pub(crate) mod word_boundaries;
