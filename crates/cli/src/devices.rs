//! Graphics processors, as options name them.

use crate::args::Protocol;
use crate::failure::{Failure, Result};
use crate::print::notice;
use std::sync::{Arc, OnceLock};
use volery::{Correlations, Device, System};

/// The fields over which there are waves of as many lanes as both parties agree on, and devices walk.
pub const FIELDS: [&str; 2] = ["f2", "f61"];

/// The devices of the parties in this process, each with its own, which are opened when they are asked for. The first
/// is the prover's where both parties are here, and the last the verifier's.
#[derive(Clone, Default)]
pub struct Devices {
    asked: Option<Asked>,
    opened: Arc<OnceLock<Vec<Arc<dyn Device>>>>,
}

/// The devices that are asked for: card number `number`, or the first ones there are.
#[derive(Clone)]
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "no card can be opened"))]
struct Asked {
    number: Option<usize>,
    /// Whether the processor is no choice.
    needed: bool,
    /// The bytes that each may take.
    memory: u64,
    parties: usize,
}

impl Devices {
    /// The devices that were asked for, for statements over `field` by `system` and these correlations.
    ///
    /// # Errors
    /// Where there is no such device, or it has no part in such statements.
    pub fn of(
        typed: &Protocol,
        (system, field): (System, &str),
        correlations: Option<Correlations>,
    ) -> Result<Self> {
        let memory = typed.device_memory.parse().ok().filter(|memory| (64..=1 << 20).contains(memory));
        let memory: u64 = memory
            .ok_or_else(|| Failure::usage("--device-memory: write a number of MB, from 64 to 1048576"))?;
        let unknown = || Failure::usage("write cpu, gpu, gpu:N or auto").of("device");
        let (number, needed) = match typed.device.split_once(':') {
            None if typed.device == "cpu" => return Ok(Self::default()),
            None if typed.device == "auto" => (None, false),
            None if typed.device == "gpu" => (None, true),
            Some(("gpu", number)) => (Some(number.parse().map_err(|_| unknown())?), true),
            _ => return Err(unknown()),
        };
        let no_part = if system != System::QUICKSILVER || !FIELDS.contains(&field) {
            Some("cards walk over statements over f2 and f61 by quicksilver alone: leave it out")
        } else if !correlations.is_none_or(Correlations::is_lpn) {
            Some("cards expand shares by LPN alone: name its set by --vole, such as wan, or leave that out")
        } else {
            None
        };
        match no_part {
            Some(why) if needed => Err(Failure::usage(why).of("device")),
            Some(why) => {
                notice(format_args!("--device auto takes the processor: {why}"));
                Ok(Self::default())
            }
            None => {
                let asked = Asked { number, needed, memory: memory << 20, parties: 1 };
                Ok(Self { asked: Some(asked), ..Self::default() })
            }
        }
    }

    /// The devices of both parties, where both run here.
    pub fn of_both(self) -> Self {
        let asked = self.asked.map(|asked| Asked { parties: 2, ..asked });
        Self { asked, ..Self::default() }
    }

    /// The device of the only party here, or of the prover.
    ///
    /// # Errors
    /// Where it cannot be opened, and the processor is no choice.
    pub fn first(&self) -> Result<Option<Arc<dyn Device>>> {
        Ok(self.all()?.first().cloned())
    }

    /// The device of the verifier, where both parties are here.
    pub fn last(&self) -> Option<Arc<dyn Device>> {
        self.opened.get()?.last().cloned()
    }

    /// The names of those that are open.
    pub fn names(&self) -> Option<Vec<String>> {
        let opened = self.opened.get().filter(|opened| !opened.is_empty())?;
        Some(opened.iter().map(|device| device.name().to_owned()).collect())
    }

    fn all(&self) -> Result<&[Arc<dyn Device>]> {
        if let (Some(asked), None) = (&self.asked, self.opened.get()) {
            let opened = match open(asked) {
                Err(why) if !asked.needed => {
                    notice(format_args!("--device auto takes the processor: {}", why.line));
                    Vec::new()
                }
                opened => opened.map_err(|why| why.of("device"))?,
            };
            let _ = self.opened.set(opened);
        }
        Ok(self.opened.get().map_or(&[], Vec::as_slice))
    }
}

#[cfg(feature = "gpu")]
fn open(&Asked { number, needed, memory, parties }: &Asked) -> Result<Vec<Arc<dyn Device>>> {
    let found = volery_gpu::cards();
    // Software in the place of a card is for tests: it is taken where it is asked for.
    let cards = found.iter().filter(|card| !card.is_software).count();
    if cards == 0 && !needed && !found.is_empty() {
        return Err(Failure::usage(
            "no graphics processor is found, but software in its place: ask for it by gpu",
        ));
    }
    // Each party opens a card for itself, the same one where there is one: who waits for it is in nobody's way.
    let number = |party: usize| number.unwrap_or(party % cards.max(1));
    let open = |party| match volery_gpu::Card::open(number(party), memory) {
        Ok(card) => Ok(Arc::new(card) as Arc<dyn Device>),
        Err(why) => Err(Failure::usage(why)),
    };
    (0..parties).map(open).collect()
}

#[cfg(not(feature = "gpu"))]
fn open(_: &Asked) -> Result<Vec<Arc<dyn Device>>> {
    Err(Failure::usage("this program was built without graphics processors: build it with --features gpu"))
}
