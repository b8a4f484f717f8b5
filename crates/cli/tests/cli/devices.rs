//! Devices, by a program that was built without graphics processors, and the lanes of waves.

use crate::kit::volery;

#[test]
fn devices_that_have_no_part_are_refused() {
    let demo = |more: &[&str]| volery(&[&["demo", "--quiet"], more].concat());
    demo(&["--device", "card"]).refused(2, &["--device", "write cpu, gpu, gpu:N or auto"]);
    demo(&["--device", "gpu:x"]).refused(2, &["--device", "write cpu, gpu, gpu:N or auto"]);
    // Correlations that nobody has named may be what a card expands.
    demo(&["--device", "gpu"]).refused(2, &["--device", "--features gpu"]);
    demo(&["--device", "gpu", "--vole", "softspoken8"]).refused(2, &["--device", "by LPN alone", "wan"]);
    demo(&["--device", "gpu", "--system", "limbo"]).refused(2, &["--device", "by quicksilver alone"]);
    demo(&["--device", "gpu:1", "--vole", "tiny"]).refused(2, &["--device", "--features gpu"]);
    demo(&["--device-memory", "3"]).refused(2, &["--device-memory", "from 64 to 1048576"]);
    demo(&["--wave", "100"]).refused(2, &["--wave", "a power of two from 64 to 65536"]);
    demo(&["--wave", "256", "--system", "limbo"]).refused(2, &["--wave", "by quicksilver: leave it out"]);
}

#[test]
fn auto_takes_the_processor_where_there_is_no_card() {
    let ended = volery(&["demo", "--quiet", "--json", "--device", "auto", "--vole", "tiny", "--wave", "256"])
        .expect(0);
    assert!(ended.err.contains("--device auto takes the processor") && ended.err.contains("--features gpu"));
    assert!(ended.json()["devices"].is_null());
    let ended = volery(&["demo", "--quiet", "--device", "auto", "--vole", "softspoken8"]).expect(0);
    assert!(ended.err.contains("takes the processor: cards expand shares by LPN alone"), "{}", ended.err);
}
