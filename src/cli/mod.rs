//! Choose: the commands of the binary.
