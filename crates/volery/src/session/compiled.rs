//! Settings by their place in this library: the systems that are compiled for each, once, whoever uses it.

use crate::session::any::AnySetting;
use crate::session::any::two_fields::{self, Open};
use core::any::Any;
use core::marker::PhantomData;
use core::ops::Deref;
use volery_channel::error::{Error, Result};
use volery_garbled::session::{Jko, Stack};
use volery_limbo::session::{Simulated, named as limbo};
use volery_primitives::{F61, with_chosen_fields, with_fields};
use volery_proof::binary::Binary;
use volery_proof::clear::InTheClear;
use volery_proof::over::{Over, ShortBinary};
use volery_proof::setting::{self, Setting};
use volery_proof::system::{ProofSystem, System};
use volery_quicksilver::Committed;
use volery_quicksilver::session::voleith::Voleith;
use volery_quicksilver::session::{self as by_quicksilver, QuicksilverOver};
use volery_statements::{FieldRelation, Program, Relation};
use volery_wolverine::session::named as wolverine;

/// A setting for which this library compiles its proof systems.
pub trait Registered: setting::Registered + by_quicksilver::Registered {
    /// The public programs that are named or read from files.
    type Program: Program;

    /// Opens statements by name over it and F_2 together, where there are any.
    fn with_bits() -> Option<Open> {
        None
    }

    /// The setting by its name, as [`setting()`](crate::setting()) finds it.
    fn by_name() -> &'static dyn AnySetting;

    /// The systems over it: see [`Named::compiled`].
    fn registered() -> &'static (dyn Any + Sync);
}

/// A [`Setting`] that is [`Registered`]: what statements are proved over by this library's systems.
pub trait Named: Simulated<Macs: Committed> + Registered {
    /// The systems and functions that are compiled for it.
    fn compiled() -> &'static Compiled<Self> {
        let registered: &'static dyn Any = Self::registered();
        registered.downcast_ref().expect("its own")
    }

    /// QuickSilver, with what it alone has.
    fn quicksilver() -> &'static dyn QuicksilverOver<Self> {
        by_quicksilver::over::<Self>()
    }
}

impl<S: Simulated<Macs: Committed> + Registered> Named for S {}

/// The systems that are compiled for `S` in this library, and statements over its field [in the clear](InTheClear).
pub struct Compiled<S: Setting>(&'static [fn() -> &'static dyn ProofSystem<S::F>]);

impl<S: Setting> Compiled<S> {
    /// The proof systems over it.
    pub fn systems(&self) -> impl Iterator<Item = &'static dyn ProofSystem<S::F>> {
        self.0.iter().map(|system| system())
    }
}

impl<S: Setting> Deref for Compiled<S> {
    type Target = dyn InTheClear<S::F>;

    fn deref(&self) -> &Self::Target {
        S::clear()
    }
}

/// QuickSilver, which takes statements that are compiled for it, where that is the `system`.
pub(super) fn quicksilver<S: Named>(system: System) -> Option<&'static dyn QuicksilverOver<S>> {
    (system == System::QUICKSILVER).then(S::quicksilver)
}

/// `system` over `S`.
///
/// # Errors
/// `Invalid` where it is over other fields, or not one of those that are compiled.
pub(super) fn find<S: Named>(system: System) -> Result<&'static dyn ProofSystem<S::F>> {
    let found = S::compiled().systems().find(|found| found.system() == system);
    found.ok_or_else(|| {
        let (over, field) = (system.facts().over, S::name());
        Error::invalid(if over.is_empty() || over.contains(&field.as_str()) {
            format!("{system} is not compiled for {field}: give it to `prove_by` and `verify_by`")
        } else {
            let (over, others) = (over.join(", "), names::<S>(|_| true));
            format!("{system} is over {over}, and not over {field}: take {others}, or another field")
        })
    })
}

/// The error of a system that proves single statements, where several are to be proved on one set-up.
pub(super) fn only_single<S: Named>(system: System) -> Error {
    Error::invalid(format!(
        "{system} proves single statements, by `prove` and `verify`, or `prove_one_of` and `verify_one_of`; over fields \
         other than F_2 take {}, and for several statements in a session quicksilver or wolverine",
        names::<S>(|_| true)
    ))
}

/// The names of those systems over `S` that `which` says.
fn names<S: Named>(which: impl Fn(&dyn ProofSystem<S::F>) -> bool) -> String {
    let systems = S::compiled().systems().filter(|system| which(*system));
    systems.map(|system| system.system().name()).collect::<Vec<_>>().join(", ")
}

/// QuickSilver over `S`, as any other system.
fn over<S: by_quicksilver::Supported>() -> &'static dyn ProofSystem<S::F> {
    by_quicksilver::over::<S>()
}

impl Registered for Binary {
    type Program = Relation;

    #[inline(never)]
    fn by_name() -> &'static dyn AnySetting {
        &PhantomData::<Self>
    }

    // What is inlined elsewhere would be compiled there, with all systems.
    #[inline(never)]
    fn registered() -> &'static (dyn Any + Sync) {
        static COMPILED: Compiled<Binary> =
            Compiled(&[over::<Binary>, || &Jko, || &Stack, limbo::f2, wolverine::f2, || &Voleith]);
        &COMPILED
    }
}

impl Registered for ShortBinary {
    type Program = Relation;

    #[inline(never)]
    fn by_name() -> &'static dyn AnySetting {
        &PhantomData::<Self>
    }

    #[inline(never)]
    fn registered() -> &'static (dyn Any + Sync) {
        static COMPILED: Compiled<ShortBinary> = Compiled(&[over::<ShortBinary>]);
        &COMPILED
    }
}

/// Compiles the systems over such settings in this crate.
macro_rules! register {
    ($($values:ident: $($macs:ident)+;)+) => {$($(
        impl Registered for Over<volery_primitives::$values, volery_primitives::$macs> {
            type Program = FieldRelation<volery_primitives::$values>;

            #[inline(never)]
            fn with_bits() -> Option<Open> {
                beyond!(with bits: $values $macs)
            }

            #[inline(never)]
            fn by_name() -> &'static dyn AnySetting {
                &PhantomData::<Self>
            }

            #[inline(never)]
            fn registered() -> &'static (dyn Any + Sync) {
                static COMPILED: Compiled<Over<volery_primitives::$values, volery_primitives::$macs>> =
                    Compiled(beyond!(systems: $values $macs));
                &COMPILED
            }
        }
    )+)+};
}

/// Parts of some settings beyond QuickSilver. [`System`](super::System) says of which systems, by name.
macro_rules! beyond {
    (with bits: F61 $macs:ident) => {
        Some(two_fields::open_with_files::<Self>)
    };
    (with bits: Goldilocks $macs:ident) => {
        Some(two_fields::open::<Self>)
    };
    (with bits: Bn254 $macs:ident) => {
        Some(two_fields::open::<Self>)
    };
    (with bits: RuntimePrime $macs:ident) => {
        Some(two_fields::open::<Self>)
    };
    (with bits: RuntimePrime256 $macs:ident) => {
        Some(two_fields::open::<Self>)
    };
    (with bits: $values:ident $macs:ident) => {
        None
    };
    (systems: F61 F61) => {
        &[over::<Over<F61>>, limbo::f61, wolverine::f61]
    };
    (systems: F61 $macs:ident) => {
        &[over::<Over<F61, volery_primitives::$macs>>, limbo::f61x2, wolverine::f61x2]
    };
    (systems: F65537 $macs:ident) => {
        &[over::<Over<volery_primitives::F65537, volery_primitives::$macs>>, limbo::f65537, wolverine::f65537]
    };
    (systems: Q32 $macs:ident) => {
        &[over::<Over<volery_primitives::Q32, volery_primitives::$macs>>, wolverine::q32]
    };
    (systems: $values:ident $macs:ident) => {
        &[over::<Over<volery_primitives::$values, volery_primitives::$macs>>]
    };
}

with_fields!(register);
with_chosen_fields!(register);
