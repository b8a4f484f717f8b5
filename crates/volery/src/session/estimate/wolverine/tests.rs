//! What was foretold is sent, to the byte.
