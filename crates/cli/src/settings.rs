//! Settings by the arguments, decided before anything runs.

mod advice;
mod checking;
mod security;
mod simulation;
mod system;

pub use simulation::{CHALLENGES, LIMBO_SECURITY, PREFERENCES, TREES};
pub use system::{named, system, system_of_party};

use crate::args::{Output, Protocol};
use crate::devices::{Devices, FIELDS};
use crate::failure::{Called, Failure, Result, one_named, one_of};
use crate::fields::{BOOLEAN, Field, is_boolean};
use advice::or_take;
use std::num::NonZeroUsize;
use std::time::Duration;
use system::{no_part, not_of, those};
use volery::channel::LANES;
use volery::circuit::{Shape, Size};
use volery::{
    Arch, Construction, Correlations, Garbling, LEAST_SECURITY, Method, Options, Seeds, Stacking, System,
};

/// The longest wait that can be asked for: a year.
const LONGEST_WAIT: f64 = 365.0 * 86_400.0;

/// The most threads that can be asked for.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// How a proof is to run and what is to be printed.
pub struct Settings {
    /// The field or fields of the statement.
    pub field: Field,
    /// The proof system, with what is its own to choose.
    pub method: Method,
    /// The source of correlations, unless that is left to the handshake.
    pub correlations: Option<Correlations>,
    /// The bandwidth of the link in Mbit/s, where it is known.
    pub bandwidth: Option<f64>,
    /// Whether a prover does as much work for each clause.
    pub fixed_work: bool,
    /// The most that a file may ask of its verifier.
    pub most_work: u32,
    /// The bits of security that were asked for.
    pub security: Option<u32>,
    /// Whether less security may be asked for than convinces anybody.
    pub insecure_parameters: bool,
    non_interactive: bool,
    /// The instruction set.
    pub arch: Arch,
    /// The number of threads of this party, or of each party where both run here.
    pub threads: NonZeroUsize,
    /// The devices of the parties here.
    pub devices: Devices,
    /// The most lanes of a wave, where that was asked for.
    pub wave: Option<u32>,
    /// The longest wait for the peer.
    pub timeout: Duration,
    /// Whether one JSON object is printed.
    pub json: bool,
    /// Whether no progress is shown.
    pub quiet: bool,
}

impl Settings {
    /// The settings by the system that is asked for, or QuickSilver.
    ///
    /// # Errors
    /// Where an option is none, or has no part in the system or the field.
    pub fn new(field: Field, typed: &Protocol, output: &Output) -> Result<Self> {
        Self::of(field, system(typed, System::default())?, typed, output)
    }

    /// The settings by a system that is settled.
    pub fn of(field: Field, system: System, typed: &Protocol, output: &Output) -> Result<Self> {
        if system.facts().bits_only && !is_boolean(field) {
            return Err(Failure::naming(|called| {
                let (option, field) = (called.name("field"), field.name());
                format!(
                    "{system} is over {BOOLEAN}, and not over {field}: leave it out, or leave out {option}"
                )
            })
            .of("system"));
        }
        if !field.is_by(system) {
            return Err(Failure::usage(format_args!(
                "{system} is over {}, and not over {}: take one of these, or {}, over a link",
                system.facts().over.join(", "),
                field.name(),
                System::QUICKSILVER
            ))
            .of("system"));
        }
        let coins = if system.facts().simulates {
            "asks the verifier for coins, but for a proof that is a file"
        } else if !system.facts().talks {
            "has no verifier to ask, so that this goes without saying"
        } else {
            "is made of messages to and fro"
        };
        let apart = [
            ("vole", typed.vole != AUTO, "draws no correlations"),
            ("non-interactive", typed.non_interactive, coins),
        ];
        if let Some((option, _, why)) =
            apart.into_iter().find(|(_, given, _)| *given && !system.facts().correlated)
        {
            return Err(no_part(option, system, why, &those(|facts| facts.correlated)));
        }
        // Each refuses what has no part in the system, and gives what is the system's own to choose.
        let choices = [
            garbling(typed, system)?,
            checking::checking(field, &typed.checking, system)?,
            simulation::simulation(field, &typed.simulation, system)?,
            simulation::in_the_head(&typed.simulation, system)?,
        ];
        let method = choices.into_iter().flatten().next().unwrap_or(system.into());
        let most_work = simulation::most_work(&typed.simulation)?;
        let correlations = correlations(field, &typed.vole)?;
        if typed.non_interactive && !field.non_interactive() {
            let advice = or_take(field, |other| other.non_interactive());
            let advice = advice(Called::Options);
            return Err(Failure::usage(format_args!(
                "--non-interactive: over {} a prover could search for a transcript with convenient \
                 challenges, so that they are coins of the verifier: leave it out{advice}",
                field.name()
            )));
        }
        if typed.non_interactive && system.facts().triples {
            checking::possible(field, method.of(), true).map_err(|why| why.at("--non-interactive"))?;
        }
        let security = typed.security.as_deref().map(str::parse).transpose();
        let security =
            security.map_err(|_| Failure::usage("write a number of bits, such as 100").of("security"))?;
        if let Some(asked) = security.filter(|asked| *asked < LEAST_SECURITY && !typed.insecure_parameters) {
            return Err(Failure::naming(|called| {
                let insecure = called.advice(", or for tests and measurements add --insecure-parameters");
                format!(
                    "by {asked} bits a false statement is accepted in one of 2^{asked} tries: ask for \
                     {LEAST_SECURITY} at least{insecure}"
                )
            })
            .of("security"));
        }
        Ok(Self {
            field,
            method,
            correlations,
            bandwidth: None,
            fixed_work: false,
            most_work,
            security,
            insecure_parameters: typed.insecure_parameters,
            non_interactive: typed.non_interactive,
            arch: arch()?,
            threads: threads(typed, 0)?,
            devices: Devices::of(typed, (system, &field.name()), correlations)?,
            wave: typed.wave.as_deref().map(|text| wave(text, (system, field))).transpose()?,
            timeout: timeout(typed)?,
            json: output.json,
            quiet: output.quiet,
        })
    }

    /// The settings over a link of this bandwidth, where it was given.
    pub fn over(self, typed: Option<&str>) -> Result<Self> {
        let bandwidth = typed.map(bandwidth).transpose()?;
        if bandwidth.is_some() && !self.system().facts().correlated {
            return Err(not_of(
                "--bandwidth",
                self.system(),
                "has nothing to choose by it",
                &those(|facts| facts.correlated),
            ));
        }
        Ok(Self { bandwidth, ..self })
    }

    /// The settings where both parties run on this machine, by what was typed.
    pub fn of_both(self, typed: &Protocol) -> Result<Self> {
        Ok(Self { threads: threads(typed, 2)?, devices: self.devices.of_both(), ..self })
    }

    /// The settings with as much work for each clause, if that is asked for.
    pub fn fixed_work(self, asked: bool) -> Result<Self> {
        if asked && !self.system().facts().clauses {
            let others = those(|facts| facts.clauses);
            return Err(not_of("--fixed-work", self.system(), "has no clauses to hide", &others));
        }
        Ok(Self { fixed_work: asked, ..self })
    }

    /// Options for a statement with this digest and, where it was counted, this size, whose witness was
    /// checked where it should be.
    pub fn options(&self, statement: [u8; 32], size: Option<Size>) -> Result<Options> {
        let options = Options {
            method: self.method.clone(),
            statement: Some(statement),
            size,
            correlations: self.correlations,
            bandwidth: self.bandwidth,
            fixed_work: self.fixed_work,
            most_work: self.most_work,
            security: self.security,
            insecure_parameters: self.insecure_parameters,
            non_interactive: self.non_interactive,
            check: false,
            arch: self.arch,
            threads: self.threads,
            lanes: self.wave,
            device: self.devices.first()?,
            ..Options::default()
        };
        self.offer(&options)?;
        Ok(options)
    }

    /// The multiplications of a circuit of this shape as the system does them: what is a polynomial to
    /// quicksilver takes several.
    pub fn mul(&self, shape: &Shape) -> u64 {
        if self.system().facts().polynomials { shape.mul } else { shape.mul_by_gates() }
    }

    /// The size of a circuit of this shape, as soundness depends on it.
    pub fn size(&self, shape: &Shape) -> Size {
        if self.system().facts().polynomials { self.field.size(shape) } else { shape.size_by_gates() }
    }

    /// The proof system.
    pub fn system(&self) -> System {
        self.method.system()
    }

    /// The correlations that were asked for by --vole.
    pub fn vole(&self) -> &'static str {
        self.correlations.map_or(AUTO, Correlations::name)
    }
}

/// The hash and the seeds that are asked of `system`, if it garbles.
fn garbling(typed: &Protocol, system: System) -> Result<Option<Method>> {
    let Protocol { gate_hash, seeds, .. } = typed;
    let mut stacking = Stacking::default();
    if let Some(name) = gate_hash {
        let all = Construction::ALL;
        one_of("--gate-hash", name, &all.map(Construction::name))?;
        if !system.facts().garbles {
            return Err(not_of("--gate-hash", system, "garbles no gates", &those(|facts| facts.garbles)));
        }
        stacking.construction = all.into_iter().find(|hash| hash.name() == name).expect("one of them");
    }
    if let Some(name) = seeds {
        one_of("--seeds", name, &Seeds::ALL.map(Seeds::name))?;
        if !system.facts().of_clauses {
            let others = those(|facts| facts.of_clauses);
            return Err(not_of("--seeds", system, "has no clauses with seeds", &others));
        }
        stacking.seeds = Seeds::ALL.into_iter().find(|seeds| seeds.name() == name).expect("one of them");
    }
    let construction = stacking.construction;
    let method = if system.facts().of_clauses { stacking.into() } else { Garbling { construction }.into() };
    Ok(system.facts().garbles.then_some(method))
}

/// The longest wait for the peer.
///
/// # Errors
/// Where it is no number of seconds.
pub fn timeout(typed: &Protocol) -> Result<Duration> {
    wait(&typed.timeout)
}

/// The longest wait that --timeout says.
///
/// # Errors
/// Where it is no number of seconds.
pub fn wait(text: &str) -> Result<Duration> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST_WAIT);
    let seconds = seconds.ok_or_else(|| Failure::usage("--timeout: write a number of seconds, above 0"))?;
    Ok(Duration::from_secs_f64(seconds))
}

/// The number of threads of a party, where `parties` parties share this machine.
///
/// # Errors
/// Where what was typed is no number of them.
pub fn threads(typed: &Protocol, parties: usize) -> Result<NonZeroUsize> {
    let Some(text) = &typed.threads else {
        let all = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = NonZeroUsize::new(all.saturating_sub(parties)).unwrap_or(NonZeroUsize::MIN);
        return Ok(threads.min(MOST_THREADS));
    };
    let threads = text.parse().ok().filter(|threads| *threads <= MOST_THREADS);
    threads.ok_or_else(|| Failure::usage(format_args!("--threads: write a number from 1 to {MOST_THREADS}")))
}

/// The most lanes of a wave.
fn wave(text: &str, (system, field): (System, Field)) -> Result<u32> {
    if system != System::QUICKSILVER || !FIELDS.contains(&&*field.name()) {
        return Err(Failure::usage(
            "--wave: waves are of statements over f2 and f61 by quicksilver: leave it out",
        ));
    }
    let lanes = text.parse::<u32>().ok();
    let lanes = lanes.filter(|lanes| lanes.is_power_of_two() && LANES.contains(lanes));
    lanes.ok_or_else(|| {
        let (fewest, most) = (LANES.start(), LANES.end());
        Failure::usage(format_args!("--wave: write a power of two from {fewest} to {most}"))
    })
}

/// The choice that is left to the handshake.
pub const AUTO: &str = "auto";

/// A bandwidth in Mbit/s.
pub fn bandwidth(text: &str) -> Result<f64> {
    let number = text.parse().ok().filter(|mbps| (1.0..=1e6).contains(mbps));
    number.ok_or_else(|| Failure::usage("--bandwidth: write a number of Mbit/s, from 1 to 1000000"))
}

fn correlations(field: Field, name: &str) -> Result<Option<Correlations>> {
    if name == AUTO {
        return Ok(None);
    }
    let mut there = vec![AUTO];
    let all = field.correlations();
    there.extend(all.iter().map(|correlations| correlations.name()));
    one_named("vole", name, &there)?;
    Ok(all.into_iter().find(|correlations| correlations.name() == name))
}

/// The instruction set: the fastest, or the one that the environment names; an empty name is none.
pub fn arch() -> Result<Arch> {
    use volery_primitives::arch::ARCH_VARIABLE;
    match std::env::var_os(ARCH_VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) => Arch::from_name(&name.to_string_lossy())
            .map_err(|why| Failure::usage(format_args!("{ARCH_VARIABLE}: {why}"))),
        None => Ok(Arch::detect()),
    }
}
