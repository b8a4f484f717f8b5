//! The tests of `volery-processor`, in one program.

mod arithmetic;
mod calls;
mod control;
mod faults;
mod files;
mod kit;
mod memory;
mod programs;
mod random;
mod steps;
mod suite;
