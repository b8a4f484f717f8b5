//! volery: zero-knowledge proofs for programs too large for memory.
//!
//! A prover convinces one verifier that it knows a secret which makes a public program accept. Both walk the
//! same program gate by gate; nothing holds the whole circuit. This library opens no sockets by itself and
//! spawns no threads, but for [`channel::Shaped`], which is for benches, and those that [`Options::threads`]
//! asks for: [`channel::Tcp`] makes a link where one is wanted, and everything else borrows it.
//!
//! ```text
//!   circuit ── pushes gates ──▶ Prover ── messages ──▶ Channel ═══ link ═══ Channel ──▶ Verifier ◀── pushes ── circuit
//! ```
//!
//! A statement is a Rust value that implements [`Circuit`] for every [`Backend`]; one page states, checks,
//! proves and verifies it:
//!
//! ```
//! use std::{thread, time::Duration};
//! use volery::channel::{Channel, Party, pipe};
//! use volery::circuit::{Backend, Circuit};
//! use volery::{F2, Options, Result, prove, verify};
//!
//! /// "I know two different bits."
//! struct Different;
//! impl<B: Backend<F = F2>> Circuit<B> for Different {
//!     fn run(&self, b: &mut B) -> Result<()> {
//!         let (x, y) = (b.witness()?, b.witness()?);
//!         let both = b.mul(x, y)?;
//!         b.assert_zero(both, "not both one")?;
//!         let one = b.constant(true.into());
//!         let sum = b.add(x, y);
//!         let neither = b.add(sum, one);
//!         b.assert_zero(neither, "not both zero")
//!     }
//! }
//!
//! let (here, there) = pipe(Duration::from_secs(10));
//! let prover = thread::spawn(move || {
//!     let mut channel = Channel::new(Party::Prover, here);
//!     prove(&Different, [true, false].map(F2::from), &mut channel, &Options::default())
//! });
//! let mut channel = Channel::new(Party::Verifier, there);
//! let (_accepted, report) = verify(&Different, &mut channel, &Options::default())?;
//! assert_eq!(report.gates.mul, 1);
//! prover.join().unwrap()?;
//! # Ok::<(), volery::Error>(())
//! ```
//!
//! Over another field a session names its [`Setting`]: the field, and the extension of its MACs. Who is told
//! its name while it runs takes an [`AnySetting`] from [`setting()`].
//!
//! ```
//! # use std::{thread, time::Duration};
//! # use volery::channel::{Channel, Party, pipe};
//! use volery::circuit::gadget::Element;
//! use volery::circuit::{Backend, Circuit};
//! use volery::{F61, Options, Over, Result, prove_over, verify_over};
//!
//! /// "I know two numbers whose product is public."
//! struct Factors(F61);
//! impl<B: Backend<F = F61>> Circuit<B> for Factors {
//!     fn run(&self, b: &mut B) -> Result<()> {
//!         let (x, y) = (Element::witness(b)?, Element::witness(b)?);
//!         let product = x.mul(b, y)?;
//!         product.assert_equal(b, Element::Public(self.0), "the product")
//!     }
//! }
//!
//! # let (here, there) = pipe(Duration::from_secs(10));
//! # let prover = thread::spawn(move || {
//! #     let mut channel = Channel::new(Party::Prover, here);
//! let witness = [3, 5].map(F61::new);
//! prove_over::<Over<F61>>(&Factors(F61::new(15)), witness, &mut channel, &Options::default())
//! # });
//! # let mut channel = Channel::new(Party::Verifier, there);
//! # let factors = Factors(F61::new(15));
//! # let (_accepted, report) =
//! #     verify_over::<Over<F61>>(&factors, &mut channel, &Options::default())?;
//! # assert!(report.security.statistical >= 40);
//! # prover.join().unwrap()?;
//! # Ok::<(), volery::Error>(())
//! ```
#![forbid(unsafe_code)]

mod session;

#[doc(inline)]
pub use volery_channel::{error, random};
#[doc(inline)]
pub use volery_garbled::garble;
#[doc(inline)]
pub use volery_quicksilver::sharded;

/// Proof systems: where it is decided whether a statement is believed.
pub mod zk {
    #[doc(inline)]
    pub use volery_garbled::{jko, stack};
    #[doc(inline)]
    pub use volery_limbo as limbo;
    #[doc(inline)]
    pub use volery_proof::reading::Sink;
    #[doc(inline)]
    pub use volery_proof::verdict::{Accepted, Gates};
    #[doc(inline)]
    pub use volery_quicksilver as quicksilver;
    #[doc(inline)]
    pub use volery_quicksilver::voleith;
    #[doc(inline)]
    pub use volery_vole::macs::{BitMacs, FieldMacs, Macs, Values};
    #[doc(inline)]
    pub use volery_wolverine as wolverine;
}

pub mod circuit {
    //! Statements: programs of additions, multiplications and assertions over a field.
    //!
    //! A statement is written once, knows no party, and is pushed gate by gate into a [`Backend`]: the prover and
    //! the verifier of a proof system, [`Clear`] evaluation, or [`Count`]. [`gadget`] and [`code`] have parts of
    //! statements, [`Program`] and [`Relation`] statements by name or from files.

    #[doc(inline)]
    pub use volery_circuit::{
        Accesses, Alternatives, Announced, Argued, Arguing, Backend, Bilinear, BitWire, Branch, Cells,
        Circuit, Clause, Clauses, Clear, Conversions, Convolution, ConvolvedAxis, Count, Crossings, Elements,
        Entries, FixedPoint, Function, HIGHEST_DEGREE, Known, Machine, Matrices, Matrix, Memories, Mixed,
        MixedCircuit, MixedCount, MixedShape, Need, Npy, NumberWire, OneOf, Padded, Permutations,
        Polynomials, Port, PortValue, Put, ReadValues, Repeat, Returned, Rows, Scan, Scanned, Sequence,
        Shape, Sharded, Sharding, Size, Sparse, StatementFile, Sums, Tables, Term, Value, ValueStream,
        Values, Whole, Wires, Witness, Written, address_width, assert_entries, check_lanes, check_mixed,
        check_range, check_sizes, clauses, look_up_by_one, nothing_asserted, widest, with_options,
        witness_ended,
    };
    #[doc(inline)]
    pub use volery_formats::{
        Bristol, Dialect, Format, Initial, Netlist, NetlistOptions, Pin, PinBit, PortBit, R1cs, R1csShape,
        R1csWitness, Sieve, SieveStream, StreamKind, experimental, public_json,
    };
    #[doc(inline)]
    pub use volery_gadgets::{
        Bound, Dimensions, InnerProduct, MatrixProduct, Reduction, ShortSolution, code, gadget,
    };
    #[doc(inline)]
    pub use volery_statements::{
        AnyOf, Arithmetic, FieldRelation, Given, Network, Part, Parts, Program, Relation, Reversible, Split,
        SplitStatement, Statement, Turned, field_of, snippets,
    };

    /// Statements as streams of gates, which are recorded once and executed in any backend.
    pub mod stream {
        #[doc(inline)]
        pub use volery_circuit::stream::{
            AllShards, Argues, Beyond, Block, ClauseSource, ClauseStream, Dependence, Everything, Execute,
            Executor, Functions, GatesAlone, Handle, HintFunction, MixedRecorder, MixedSource, MixedStreamed,
            OneField, Op, Order, Record, Recorder, Shard, ShardSource, Source, Stream, Streamed,
            StreamedClauses, SumsOfProducts, Traced, VectorHandle, Vectors, fingerprint, fingerprint_of,
        };
    }
}

/// Channels over links between two parties.
pub mod channel {
    #[doc(inline)]
    pub use volery_channel::channel::{
        Abort, Carried, Channel, Directions, Flip, Fork, Hello, LANES, Link, Listener, MAGIC, Nonce, Party,
        Pipe, Playback, Receiving, Recording, Sending, Shaped, Tape, Tcp, Traffic, fork, is_loopback, pipe,
        service_hello, shake_hands,
    };
    #[cfg(feature = "tls")]
    #[doc(inline)]
    pub use volery_channel::channel::{Identity, NoIdentity, Peers, SIGNATURE, SecretKey, Tls, TlsConfig};
}

/// Threads that share the work of one party.
pub mod pool {
    #[doc(inline)]
    pub use volery_channel::pool::Pool;
}

/// Oblivious transfers.
pub mod ot {
    #[doc(inline)]
    pub use volery_vole::ot::{base, pprf};

    /// Transfers of keys whose sender is committed to both of each pair.
    pub mod committing {
        #[doc(inline)]
        pub use volery_vole::ot::committing::{Opening, Received, Receiver, Sender};
    }

    /// Correlated transfers from few by trees.
    pub mod softspoken {
        #[doc(inline)]
        pub use volery_vole::ot::softspoken::{BLOCK, Depth, Receiver, Sender};
    }
}

/// Random values of the prover under MACs, whose key the verifier has.
pub mod vole {
    #[doc(inline)]
    pub use volery_vole::vole::{
        BoxedVole, Delta, Key, LEAST_BLOCK, Mac, Share, Shares, Vole, cot, ideal, lpn,
    };

    /// Shares over F_2 by learning parity with noise.
    pub mod extend {
        #[doc(inline)]
        pub use volery_vole::vole::extend::{Prover, SECURITY, Verifier};
    }

    /// Shares over any other field.
    pub mod subfield {
        #[doc(inline)]
        pub use volery_vole::vole::subfield::{Delta, Key, base_error, guess, ideal, likeliest};

        /// Shares by transfers alone.
        pub mod direct {
            #[doc(inline)]
            pub use volery_vole::vole::subfield::direct::{Prover, SHORTEST, Verifier};
        }

        /// Shares by learning parity with noise.
        pub mod extend {
            #[doc(inline)]
            pub use volery_vole::vole::subfield::extend::{Prover, Verifier};
        }
    }
}

/// Traffic of systems that choose no correlations, from the size of a statement alone.
pub mod estimate {
    #[doc(inline)]
    pub use volery_garbled::estimate::{jko, stack};
    #[doc(inline)]
    pub use volery_quicksilver::session::voleith::estimate as voleith;
}

pub use channel::Carried;
pub use circuit::{Backend, Circuit, check_mixed};
pub use error::{Error, Result};
pub use garble::seeds::Seeds;
pub use ot::softspoken::Depth;
pub use session::{
    AnyClaim, AnyProofs, AnyRelation, AnySetting, AnyStatement, AnyVerifications, Compiled, InShards, Named,
    ProverSession, Queries, QueryProver, QueryVerifier, Registered, VerifierSession, prove, prove_by,
    prove_each_of_over, prove_one_of, prove_one_of_over, prove_one_of_to_file, prove_over, prove_to,
    prove_to_file, prove_to_file_over, prove_to_over, read_label, setting, settings, verify, verify_by,
    verify_each_of_over, verify_from, verify_from_over, verify_one_of, verify_one_of_from,
    verify_one_of_over, verify_over,
};
pub use vole::lpn::Params;
pub use volery_garbled::session::{Garbling, Stacking};
pub use volery_limbo::session::{Limbo, Proof, Simulated, Simulation};
pub use volery_primitives::hash::Construction;
pub use volery_primitives::{
    Arch, Bls12381, Bn254, ChoiceError, Extension, F2, F61, F61x2, F64, F128, F256, F65537, F65537x4, Field,
    Goldilocks, Goldilocksx2, MacField, Q32, Q32x2, RuntimeExtension, RuntimePrime, RuntimePrime256, U256,
    with_fields,
};
pub use volery_proof::analysis::Analysis;
pub use volery_proof::binary::Binary;
pub use volery_proof::clear::InTheClear;
pub use volery_proof::correlations::{Choice, Correlations, Grounds, Line, Pace, Reason, Use, Waits};
pub use volery_proof::device::Device;
pub use volery_proof::estimate::Estimate;
pub use volery_proof::facts::SettingFacts;
pub use volery_proof::file::{LONGEST_LABEL, MOST_WORK};
pub use volery_proof::method::{Choices, Method};
pub use volery_proof::options::{LEAST_SECURITY, Options, Record, Security};
pub use volery_proof::over::{Over, ShortBinary};
pub use volery_proof::report::{Details, Fact, Report, text};
pub use volery_proof::run::{Agreement, Outcome, ProofRun};
pub use volery_proof::session::{
    Analyse, Proved, ProverEnd, ProverGates, Secrets, Verified, VerifierEnd, VerifierGates, Work,
};
pub use volery_proof::setting::{Ends, Setting};
pub use volery_proof::system::{
    Claim, Facts, ProofFiles, ProofOfClauses, ProofSystem, ProvesMany, System, VerifiesMany,
};
pub use volery_proof::witness::{Reread, Stream, check};
pub use volery_quicksilver::Committed;
pub use volery_quicksilver::session::direct::{
    Direct, DirectClauses, Proposition, Provable, ProvableClauses, Stated,
};
pub use volery_quicksilver::session::mixed::{Converted, ProvableMixed, prove_mixed, verify_mixed};
pub use volery_quicksilver::session::voleith::{FileProof, InTheHead};
pub use volery_quicksilver::session::{OverMacs, ProvesCompiled, QuicksilverOver, VerifiesCompiled};
pub use volery_wolverine::session::Wolverine;
pub use zk::wolverine::{Checked, CheckedBy, Checking, LONGEST_BLOCK};
pub use zk::{Accepted, Gates, Sink};
