//! Think: the whole state of the screen and every decision about it.
//!
//! Knows nothing of terminals, files, sockets or clocks.
