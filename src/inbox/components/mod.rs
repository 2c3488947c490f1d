//! What every screen is built of: text fields, lists, marks, strokes.

pub mod loading_view;
pub mod marks;
pub mod paged_rows;
pub mod paint_view;
pub mod picker;
pub mod text_buffer;
pub mod text_line;
pub(crate) mod time_prompt;
