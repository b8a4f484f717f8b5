//! Options behind the name of a file: `?steps=20&init=private`.

use volery_channel::error::{Error, Result};

/// How a netlist is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetlistOptions {
    /// How many steps of a circuit with latches are proved.
    pub steps: Option<u64>,
    /// The first values of latches.
    pub init: Initial,
    /// A bad state counts in any step, and not in the last alone.
    pub any_bad: bool,
    /// Gates are taken as they stand: no XOR or MUX is looked for.
    pub plain: bool,
}

/// The source of the first values of latches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// The file; a latch that it leaves open takes a bit of the input `state`.
    #[default]
    File,
    /// Zero.
    Zero,
    /// The input `state`.
    Private,
    /// The input `state`, which has to be public.
    Public,
}

impl NetlistOptions {
    /// The options that `text` writes: `key=value`, with `&` between them.
    ///
    /// # Errors
    /// `Invalid` that names the key.
    pub fn parse(text: &str) -> Result<Self> {
        let mut options = Self::default();
        let mut seen = Vec::new();
        for pair in text.split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let wrong = |known: &str| Error::invalid(format!("{key}={value}: write {key}={known}"));
            match (key, value) {
                ("steps", _) => {
                    let steps = value.parse().ok().filter(|steps| *steps > 0);
                    options.steps = Some(steps.ok_or_else(|| wrong("N, a number of steps from 1 on"))?);
                }
                ("init", "file") => options.init = Initial::File,
                ("init", "zero") => options.init = Initial::Zero,
                ("init", "private") => options.init = Initial::Private,
                ("init", "public") => options.init = Initial::Public,
                ("init", _) => return Err(wrong("file, zero, private or public")),
                ("bad", "last") => options.any_bad = false,
                ("bad", "any") => options.any_bad = true,
                ("bad", _) => return Err(wrong("last or any")),
                ("plain", "" | "1") => options.plain = true,
                ("plain", "0") => options.plain = false,
                ("plain", _) => return Err(wrong("0 or 1")),
                _ => {
                    return Err(Error::invalid(format!(
                        "there is no option {key:?} of a circuit file: there are count, steps, init, bad and plain"
                    )));
                }
            }
            if seen.contains(&key) {
                return Err(Error::invalid(format!("the option {key} is given twice: give it once")));
            }
            seen.push(key);
        }
        Ok(options)
    }

    /// The options as text, which is the same for the same options.
    pub(super) fn canonical(&self) -> String {
        let init = match self.init {
            Initial::File => "file",
            Initial::Zero => "zero",
            Initial::Private => "private",
            Initial::Public => "public",
        };
        let steps = self.steps.unwrap_or(0);
        let (any, plain) = (u8::from(self.any_bad), u8::from(self.plain));
        format!("steps={steps}&init={init}&any={any}&plain={plain}")
    }
}
