//! Any text as the file of a service: a service or an error, never a panic. Its key and its peers' file are there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;
use volery::channel::SecretKey;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join("volery-fuzz-service-file");
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let key = folder.join("service.key");
    if !key.exists() {
        SecretKey::generate().and_then(|new| new.write_new(&key)).expect("a new key");
    }
    let identity = SecretKey::read(&key).expect("a key").identity();
    std::fs::write(folder.join("peers"), format!("{identity} name\n")).expect("a file of peers");
    folder.join("service.toml")
});

fuzz_target!(|text: &str| {
    volery_serve::makes_sense(&FILE, text);
});
