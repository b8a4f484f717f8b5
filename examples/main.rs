//! Runs an example: `cargo run --release -p example NAME`.

use example::ALL;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    match ALL.iter().find(|(name, _)| *name == wanted) {
        Some((_, example)) => example(),
        None => {
            Err(format!("no example is named {wanted:?}: take {}", ALL.map(|(name, _)| name).join(", "))
                .into())
        }
    }
}
