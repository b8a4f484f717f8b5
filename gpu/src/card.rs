//! A card, as it was found and opened.

use crate::kernel::Kernels;
use crate::memory::{Staging, Write};
use crate::{elements, tables, walk};
use core::fmt::Display;
use core::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use volery_channel::error::{Error, Result};
use volery_proof::device::{Device, Plan, PlanOfElements, Walk, WalkOfElements};
use volery_vole::vole::device::{Expander, Forest, Growing, Held, OriginOfElements};

/// The bytes of writes that wait at most.
const MOST_WRITTEN: u64 = 1 << 24;

/// The longest wait for a card.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A card that is open: its device, and what it has failed in, if it has.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) kernels: Kernels,
    /// The table of AES.
    pub(crate) columns: wgpu::Buffer,
    pub(crate) staging: Staging,
    /// What is to be written before the next submission, and buffers that are to be overwritten behind it.
    written: Mutex<Vec<Write>>,
    given_back: Mutex<Vec<wgpu::Buffer>>,
    pub(crate) name: String,
    /// The bytes that may be used, those that are, and those of the largest buffer.
    pub(crate) memory: u64,
    pub(crate) used: AtomicU64,
    pub(crate) largest: u64,
    /// The first failure. Whoever has submitted what failed cannot be told from others: so all hear of it from then on.
    failure: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits what `encoder` has, behind what was written, and has the buffers be overwritten that were given back.
    pub(crate) fn submit(&self, mut encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
        let given_back = mem::take(&mut *self.given_back.lock().unwrap_or_else(PoisonError::into_inner));
        given_back.iter().for_each(|buffer| encoder.clear_buffer(buffer, 0, None));
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let writes = (!written.is_empty()).then(|| {
            let mut encoder = self.encoder();
            written.iter().for_each(|write| write.encode(&mut encoder));
            encoder.finish()
        });
        let submitted = self.queue.submit(writes.into_iter().chain([encoder.finish()]));
        written.drain(..).for_each(|write| write.give_back(&self.staging));
        submitted
    }

    /// Has something be written before all that is submitted next.
    pub(crate) fn write(&self, write: Write) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push(write);
        if written.iter().map(Write::bytes).sum::<u64>() > MOST_WRITTEN {
            drop(written);
            self.submit(self.encoder());
        }
    }

    /// Has a buffer be overwritten behind what is submitted next.
    pub(crate) fn overwrite(&self, buffer: &wgpu::Buffer) {
        self.given_back.lock().unwrap_or_else(PoisonError::into_inner).push(buffer.clone());
    }

    /// Waits for what was submitted up to here, or for all.
    ///
    /// # Errors
    /// `Device` where the card has failed.
    pub(crate) fn wait(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(PATIENCE) };
        // Where the card is gone, it panics.
        let polled = catch_unwind(AssertUnwindSafe(|| self.device.poll(wait)));
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (failure, polled) {
            (Some(why), _) => Err(self.failed(why)),
            (None, Err(_)) => Err(self.failed("it is gone")),
            (None, Ok(Err(why))) => Err(self.failed(why)),
            (None, Ok(Ok(_))) => Ok(()),
        }
    }

    /// Has whoever waits next hear of a failure.
    pub(crate) fn fail(&self, why: impl Display) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert_with(|| why.to_string());
    }

    /// The error of a card that has failed.
    pub(crate) fn failed(&self, why: impl Display) -> Error {
        Error::Device(format!("{}: {why}", self.name))
    }
}

/// A graphics processor.
pub struct Card(Arc<Gpu>);

/// The lanes of a wave: the threads of a large card's walk. Where buffers are small, as software's are, fewer.
const LANES: u32 = 1 << 15;
const FEW_LANES: u32 = 1 << 12;
/// The bytes of a buffer from which there may be many.
const LARGE: u64 = 1 << 30;

/// What is said where there is no card.
const NONE: &str = "no graphics processor is found: a driver of Vulkan and its loader (libvulkan1 of Debian) have to be \
                    installed, and in a container passed in";

/// A card that is found.
pub struct Found {
    /// Its name.
    pub name: String,
    /// Whether it is software in the place of a card.
    pub is_software: bool,
}

/// The cards that are found, the fastest kind first.
pub fn cards() -> Vec<Found> {
    let infos = adapters().into_iter().map(|adapter| adapter.get_info());
    let found =
        infos.map(|info| Found { is_software: info.device_type == wgpu::DeviceType::Cpu, name: info.name });
    found.collect()
}

/// The libraries of the drivers. They stay: one that is unloaded while threads have yet to end that spoke to it crashes
/// when these do.
static INSTANCE: LazyLock<wgpu::Instance> = LazyLock::new(|| {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
});

fn adapters() -> Vec<wgpu::Adapter> {
    let mut adapters = pollster::block_on(INSTANCE.enumerate_adapters(wgpu::Backends::VULKAN));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}

impl Card {
    /// Opens card number `number`, as [`cards`] has them, of which `memory` bytes may be used.
    ///
    /// # Errors
    /// `Device` where there is none, or it cannot be opened.
    pub fn open(number: usize, memory: u64) -> Result<Self> {
        let adapters = adapters();
        let found = adapters.len();
        let Some(adapter) = adapters.into_iter().nth(number) else {
            return Err(Error::Device(match found {
                0 => NONE.into(),
                _ => format!(
                    "there is no graphics processor number {number}: {found} are found, from number 0 on"
                ),
            }));
        };
        let (name, limits) = (adapter.get_info().name, adapter.limits());
        let largest = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        if limits.max_compute_invocations_per_workgroup < 1024
            || limits.max_compute_workgroup_storage_size < 1 << 15
            || !adapter.features().contains(wgpu::Features::IMMEDIATES)
        {
            return Err(Error::Device(format!(
                "{name}: its groups are too small: kernels take 1,024 threads with 32 KB, and immediates"
            )));
        }
        let asked = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: wgpu::Features::IMMEDIATES,
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        });
        let (device, queue) = pollster::block_on(asked)
            .map_err(|why| Error::Device(format!("{name}: it cannot be opened: {why}")))?;
        let failure = Arc::<Mutex<Option<String>>>::default();
        let keep = |failure: &Arc<Mutex<Option<String>>>| {
            let failure = failure.clone();
            move |why: String| {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
            }
        };
        let (errs, vanishes) = (keep(&failure), keep(&failure));
        device.on_uncaptured_error(Arc::new(move |why: wgpu::Error| errs(why.to_string())));
        device.set_device_lost_callback(move |_, why| vanishes(format!("it is gone: {why}")));
        let table = tables::columns();
        let columns = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size_of_val(&table) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&columns, 0, bytemuck::cast_slice(&table));
        let (kernels, staging) = (Kernels::default(), Staging::default());
        let used = AtomicU64::new(0);
        let (written, given_back) = (Mutex::default(), Mutex::default());
        let gpu = Gpu {
            device,
            queue,
            kernels,
            columns,
            staging,
            written,
            given_back,
            name,
            memory,
            used,
            largest,
            failure,
        };
        Ok(Self(Arc::new(gpu)))
    }

    /// The bytes of its memory that are in use.
    pub fn memory_in_use(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.0
    }
}

// Behind all memory, which holds it.
impl Drop for Gpu {
    fn drop(&mut self) {
        self.submit(self.encoder());
        let _ = self.wait(None);
    }
}

impl Expander for Card {
    fn grow(&self, forest: &Forest<'_>) -> Result<Box<dyn Growing>> {
        Ok(Box::new(crate::forest::Grown::new(self.gpu(), forest)?))
    }

    fn hold_elements(&self, origin: &OriginOfElements) -> Result<Arc<dyn Held>> {
        Ok(Arc::new(elements::Iteration::new(self.gpu(), origin)?))
    }
}

impl Device for Card {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn lanes(&self) -> u32 {
        if self.0.largest < LARGE { FEW_LANES } else { LANES }
    }

    fn walk(&self, plan: &Plan<'_>) -> Result<Box<dyn Walk>> {
        Ok(Box::new(walk::OnCard::new(self.gpu(), plan)?))
    }

    fn walk_elements(&self, plan: &PlanOfElements<'_>) -> Result<Box<dyn WalkOfElements>> {
        Ok(Box::new(elements::OnCard::new(self.gpu(), plan)?))
    }
}
