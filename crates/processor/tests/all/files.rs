//! ELF files that are none, and that lie.

use crate::kit::{DATA, TEXT, addi, bytes, call, file, why};
use volery_processor::{MOST_MEMORY, Program};

fn good() -> Vec<u8> {
    let text = bytes(&[&[addi(10, 0, 0)][..], &call(93)].concat());
    file(TEXT, &[(TEXT, &text, text.len() as u32, 5), (DATA, &[1, 2, 3], 4096, 6)])
}

/// The good file with these bytes at this place.
fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = good();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[track_caller]
fn refused(file: &[u8], words: &str) {
    let told = why(Program::read(file));
    assert!(told.starts_with("this is no program that can be run: ") && told.contains(words), "{told}");
}

#[test]
fn headers_of_other_files() {
    assert_eq!(Program::read(&good()).expect("a program").instructions(), 3);
    refused(b"", "its header lies beyond its end");
    refused(&[0; 52], "it does not begin as one");
    refused(&with(4, &[2]), "it is for 64 bits: compile by -march=rv32im");
    refused(&with(5, &[2]), "it is not little-endian");
    refused(&with(16, &[1, 0]), "it is not linked");
    refused(&with(16, &[3, 0]), "link it by -static -no-pie");
    refused(&with(18, &[62, 0]), "it is for machine 62, and not RISC-V");
    refused(&with(36, &[1]), "it has compressed instructions");
    refused(&with(36, &[4]), "compile by -mabi=ilp32");
    refused(&with(36, &[8]), "it is for 16 registers");
    refused(&with(24, &[2]), "it begins at 0x10002, where no instruction is");
    refused(&with(24, &DATA.to_le_bytes()), "it begins at 0x20000");
}

#[test]
fn segments_that_lie() {
    let header = |segment: usize, field: usize| 52 + 32 * segment + 4 * field;
    refused(&with(44, &[0, 0]), "it has nothing to load");
    refused(&with(44, &[0xff, 0xff]), "it has 65535 segments, and 1024 is the most");
    refused(&with(44, &[0xff, 0x3]), "its table of segments lies beyond its end");
    refused(&with(42, &[40, 0]), "its program headers have 40 bytes");
    refused(&with(28, &[0xff; 4]), "its table of segments lies beyond its end");
    refused(&with(header(0, 1), &[0xff; 4]), "its segment 0 at 0x10000 lies beyond its end");
    refused(&with(header(0, 4), &[0xff; 4]), "bytes in the file, for 12 in memory");
    refused(&with(header(1, 0), &[3]), "it needs a dynamic linker");
    refused(&with(header(1, 2), &[0, 0, 1, 0]), "its segments at 0x10000 and 0x10000 overlap");
    refused(&with(header(1, 2), &[8, 0, 1, 0]), "its segments at 0x10000 and 0x10008 overlap");
    refused(&with(header(1, 2), &[0; 4]), "its segment 1 at 0x0 lies below 0x1000");
    let most = (MOST_MEMORY as u32).to_le_bytes();
    refused(&with(header(1, 5), &most), "it asks for more than 1073741824 bytes of memory");
    let mut file = with(header(1, 2), &[0, 0xf0, 0xff, 0xff]);
    file[header(1, 5)..][..4].copy_from_slice(&0x1001u32.to_le_bytes());
    refused(&file, "its segment 1 at 0xfffff000 ends beyond 2^32");
}

/// A segment of nothing is none, whatever it says.
#[test]
fn empty_segments_are_left_out() {
    let text = bytes(&call(93));
    let file = file(TEXT, &[(TEXT, &text, 8, 5), (0, &[], 0, 6), (TEXT, &[], 0, 5)]);
    Program::read(&file).expect("a program");
}

/// Linkers leave out flags where a script names none.
#[test]
fn where_nothing_is_executable_the_entry_is() {
    let text = bytes(&[&[addi(10, 0, 9)][..], &call(93)].concat());
    let program = Program::read(&file(TEXT, &[(TEXT, &text, 12, 0)])).expect("a program");
    let ended = crate::kit::run(&program, &[], &[]).expect("it ends");
    assert_eq!(ended.claim.end, volery_processor::Told::Exit(9));
}

#[test]
fn memory_has_to_have_room() {
    let text = bytes(&call(93));
    let file = file(0xffff_0000, &[(0xffff_0000, &text, 8, 5)]);
    let program = Program::read(&file).expect("a program");
    let told = why(crate::kit::run(&program, &[], &[]));
    assert!(told.contains("heap and stack have no room behind it"), "{told}");
}

/// Instructions may end with the last address, and bytes behind their last word are none.
#[test]
fn segments_may_end_with_the_last_address() {
    let text = bytes(&call(93));
    for (address, more) in [(0xffff_fffd, &[0x13, 0, 0][..]), (0xffff_fffc, &[0x13, 0, 0, 0])] {
        let file = file(TEXT, &[(TEXT, &text, 8, 5), (address, more, more.len() as u32, 5)]);
        let program = Program::read(&file).expect("a program");
        assert_eq!(program.instructions(), 2 + more.len() / 4);
        assert!(program.instruction(TEXT + 4).is_some());
        assert_eq!(program.instruction(0xffff_fffc).is_some(), more.len() == 4);
    }
}

/// The good file with sections of these kinds, contents and links.
fn with_sections(sections: &[(u32, &[u8], u32)]) -> Vec<u8> {
    let mut file = good();
    let mut table = Vec::new();
    for (kind, content, link) in sections {
        let fields = [0, *kind, 0, 0, file.len() as u32, content.len() as u32, *link, 0, 0, 0];
        table.extend(fields.iter().flat_map(|field: &u32| field.to_le_bytes()));
        file.extend_from_slice(content);
    }
    let at = file.len() as u32;
    file[32..36].copy_from_slice(&at.to_le_bytes());
    file[46..48].copy_from_slice(&40u16.to_le_bytes());
    file[48..50].copy_from_slice(&(sections.len() as u16).to_le_bytes());
    file.extend(table);
    file
}

/// A function of this name, at an address.
fn symbol(name: u32, address: u32) -> [u8; 16] {
    let mut symbol = [0; 16];
    symbol[..4].copy_from_slice(&name.to_le_bytes());
    symbol[4..8].copy_from_slice(&address.to_le_bytes());
    symbol[12] = 2;
    symbol
}

/// Names have an end, and of several tables one is read: each header could show the same one.
#[test]
fn names_and_tables_are_bounded() {
    let names = vec![b'a'; 1 << 20];
    let (first, second) = (symbol(0, TEXT).repeat(1 << 12), symbol(0, TEXT + 4));
    let mut sections = vec![(2, &first[..], 1), (3, &names[..], 0)];
    sections.resize(1000, (2, &second[..], 1));
    let program = Program::read(&with_sections(&sections)).expect("a program");
    assert_eq!(program.symbols().place(TEXT + 4).function, Some(("a".repeat(256), 4)));
}

#[test]
fn symbols_are_bounded() {
    let most = 1 << 20;
    for (behind, found) in [(0, false), (1, true)] {
        let mut table = symbol(0, TEXT).repeat(most - behind);
        table.extend(symbol(1, TEXT));
        let file = with_sections(&[(2, &table, 1), (3, b"\0main\0", 0)]);
        let place = Program::read(&file).expect("a program").symbols().place(TEXT);
        assert_eq!(place.function.is_some(), found);
    }
}

/// Every file that is cut short, and every single byte that is another: an error or a program, and no panic.
#[test]
fn damaged_files_end_in_errors() {
    let whole = include_bytes!("../../../../examples/programs/quicksort.elf");
    for length in (0..whole.len()).step_by(37) {
        let _ = Program::read(&whole[..length]).map(|program| program.symbols().place(TEXT).to_string());
    }
    let mut file = whole.to_vec();
    let header = 0..52 + 32 * 3;
    let sections = whole.len() - 40 * 20..whole.len();
    for at in header.chain(sections) {
        for value in [0, 1, 0x7f, 0xff] {
            let before = file[at];
            file[at] = value;
            if let Ok(program) = Program::read(&file) {
                let _ = program.symbols().place(TEXT + 100).to_string();
                let inputs = volery_processor::Inputs { cycles: 1000, ..crate::kit::inputs(&[]) };
                let locate = |address| program.symbols().place(address);
                let run = volery_processor::Run::new(&program, inputs, &locate);
                let _ = run.in_the_clear(&[7; 32], &mut volery_processor::Nobody);
            }
            let _ = volery_processor::section(&file, ".debug_line");
            file[at] = before;
        }
    }
}
