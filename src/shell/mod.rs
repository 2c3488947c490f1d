//! Run: the one loop that owns the app, the terminal and the hands.
