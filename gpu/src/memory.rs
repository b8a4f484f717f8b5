//! Memory of the card: bounded, and overwritten when it is given back.

use crate::card::{Gpu, PATIENCE};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use volery_channel::error::{Error, Result};
use volery_primitives::F128;
use wgpu::BufferUsages as Usage;
use zeroize::Zeroizing;

/// A buffer that is overwritten when it is dropped.
pub(crate) struct Memory {
    gpu: Arc<Gpu>,
    buffer: wgpu::Buffer,
}

impl core::ops::Deref for Memory {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

impl Memory {
    /// A buffer of so many bytes, of zeroes.
    ///
    /// # Errors
    /// `Device` where that is more than the card may use, or has.
    pub(crate) fn new(gpu: &Arc<Gpu>, bytes: u64) -> Result<Self> {
        let bytes = bytes.next_multiple_of(16).max(16);
        if bytes > gpu.largest {
            return Err(Error::Device(format!(
                "{}: a map needs {} MB of its memory in one piece, where it gives {} MB",
                gpu.name,
                bytes >> 20,
                gpu.largest >> 20
            )));
        }
        let used = gpu.used.fetch_add(bytes, Ordering::Relaxed);
        if used + bytes > gpu.memory {
            gpu.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Error::Device(format!(
                "{}: a map needs {} MB of its memory at least, of {} MB that may be taken",
                gpu.name,
                (used + bytes) >> 20,
                gpu.memory >> 20
            )));
        }
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        Ok(Self { gpu: gpu.clone(), buffer })
    }

    /// A buffer with these words.
    ///
    /// # Errors
    /// As for [`Memory::new`].
    pub(crate) fn with<T: bytemuck::NoUninit>(gpu: &Arc<Gpu>, words: &[T]) -> Result<Self> {
        let memory = Self::new(gpu, size_of_val(words) as u64)?;
        memory.write(0, words);
        Ok(memory)
    }

    /// Writes words that are public from byte `at` on, behind all that was submitted.
    pub(crate) fn write_public<T: bytemuck::NoUninit>(&self, at: u64, words: &[T]) {
        self.gpu.queue.write_buffer(&self.buffer, at, bytemuck::cast_slice(words));
    }

    /// A buffer with these elements.
    ///
    /// # Errors
    /// As for [`Memory::new`].
    pub(crate) fn with_elements(gpu: &Arc<Gpu>, elements: &[F128]) -> Result<Self> {
        let memory = Self::new(gpu, size_of_val(elements) as u64)?;
        memory.write_elements(0, elements);
        Ok(memory)
    }

    /// Writes words from byte `at` on, behind all that was submitted. Copies of them are overwritten.
    pub(crate) fn write<T: bytemuck::NoUninit>(&self, at: u64, words: &[T]) {
        self.write_by(at, size_of_val(words), |put| put(bytemuck::cast_slice(words)));
    }

    /// Writes elements, as [`Memory::write`] does words.
    pub(crate) fn write_elements(&self, at: u64, elements: &[F128]) {
        self.write_by(at, size_of_val(elements), |put| {
            let mut some = Zeroizing::new([[0; 16]; 256]);
            for elements in elements.chunks(some.len()) {
                some.iter_mut().zip(elements).for_each(|(bytes, element)| *bytes = element.to_bytes());
                put(some[..elements.len()].as_flattened());
            }
        });
    }

    /// Writes so many bytes, which `work` puts there piece by piece.
    fn write_by(&self, at: u64, bytes: usize, work: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        if bytes == 0 {
            return;
        }
        let length = (bytes as u64).next_multiple_of(4);
        let staging = self.gpu.staging.take(&self.gpu.device, length);
        match staging.get_mapped_range_mut(..bytes as u64) {
            Ok(mut range) => {
                let mut written = 0;
                work(&mut |piece| {
                    range.slice(written..written + piece.len()).copy_from_slice(piece);
                    written += piece.len();
                });
            }
            Err(why) => self.gpu.fail(why),
        }
        staging.unmap();
        self.gpu.write(Write { staging, to: self.buffer.clone(), at, length });
    }
}

// At once, with readings that were given back before: nobody may submit anything behind it.
impl Drop for Memory {
    fn drop(&mut self) {
        self.gpu.overwrite(&self.buffer);
        self.gpu.submit(self.gpu.encoder());
        self.gpu.used.fetch_sub(self.buffer.size(), Ordering::Relaxed);
    }
}

/// Memory on the way to the card, which is used again: to ask for some takes long.
#[derive(Clone, Default)]
pub(crate) struct Staging(Arc<Mutex<Vec<wgpu::Buffer>>>);

/// The bytes of the least of it.
const LEAST: u64 = 1 << 12;

impl Staging {
    /// Memory for so many bytes at least, mapped.
    fn take(&self, device: &wgpu::Device, bytes: u64) -> wgpu::Buffer {
        let size = bytes.next_power_of_two().max(LEAST);
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = free.iter().position(|staging| staging.size() == size) {
            return free.swap_remove(place);
        }
        drop(free);
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: Usage::MAP_WRITE | Usage::COPY_SRC,
            mapped_at_creation: true,
        })
    }

    /// Takes it back once it is copied: its first bytes are overwritten.
    fn take_back(&self, staging: wgpu::Buffer, bytes: u64) {
        let (free, again) = (self.0.clone(), staging.clone());
        staging.map_async(wgpu::MapMode::Write, .., move |mapped| {
            if mapped.is_err() {
                return;
            }
            if let Ok(mut range) = again.get_mapped_range_mut(..bytes) {
                range.slice(..).fill(0);
            }
            free.lock().unwrap_or_else(PoisonError::into_inner).push(again);
        });
    }
}

/// Memory on its way to a buffer of the card, from a byte on.
pub(crate) struct Write {
    staging: wgpu::Buffer,
    to: wgpu::Buffer,
    at: u64,
    length: u64,
}

impl Write {
    pub(crate) fn bytes(&self) -> u64 {
        self.length
    }

    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(&self.staging, 0, &self.to, self.at, self.length);
    }

    /// Gives the memory back once this is submitted.
    pub(crate) fn give_back(self, staging: &Staging) {
        staging.take_back(self.staging, self.length);
    }
}

/// Words on their way from the card.
pub(crate) struct Reading {
    gpu: Arc<Gpu>,
    staging: wgpu::Buffer,
    submitted: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    /// Whether it is mapped, or is going to be.
    is_mapped: bool,
}

impl Reading {
    /// Begins to read pieces of buffers, each from a byte on and of so many, behind what `encoder` has.
    pub(crate) fn begin(
        gpu: &Arc<Gpu>,
        mut encoder: wgpu::CommandEncoder,
        pieces: &[(&wgpu::Buffer, u64, u64)],
    ) -> Self {
        let size = pieces.iter().map(|(_, _, bytes)| bytes).sum::<u64>().max(4);
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: Usage::MAP_READ | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        let mut to = 0;
        for (buffer, at, bytes) in pieces {
            encoder.copy_buffer_to_buffer(buffer, *at, &staging, to, *bytes);
            to += bytes;
        }
        let submitted = gpu.submit(encoder);
        let (sender, mapped) = mpsc::channel();
        // Nobody hears it where this was dropped.
        staging.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        Self { gpu: gpu.clone(), staging, submitted, mapped, is_mapped: true }
    }

    /// Waits for the words, which may be secret.
    ///
    /// # Errors
    /// `Device` where the card has failed.
    pub(crate) fn wait<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(self) -> Result<Vec<T>> {
        self.wait_with(bytemuck::pod_collect_to_vec)
    }

    /// Waits for elements.
    ///
    /// # Errors
    /// As for [`Reading::wait`].
    pub(crate) fn wait_for_elements(self) -> Result<Zeroizing<Vec<F128>>> {
        let elements =
            |bytes: &[u8]| bytes.as_chunks().0.iter().map(|bytes| F128::from_bytes(*bytes)).collect();
        self.wait_with(|bytes| Zeroizing::new(elements(bytes)))
    }

    /// Waits for elements, and hands them out piece by piece.
    ///
    /// # Errors
    /// As for [`Reading::wait`].
    pub(crate) fn wait_for_pieces(self, take: &mut dyn FnMut(&[F128])) -> Result<()> {
        self.wait_with(|bytes| {
            let mut some = Zeroizing::new([F128(0); 256]);
            for bytes in bytes.as_chunks().0.chunks(some.len()) {
                some.iter_mut().zip(bytes).for_each(|(element, bytes)| *element = F128::from_bytes(*bytes));
                take(&some[..bytes.len()]);
            }
        })
    }

    fn wait_with<T>(mut self, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        self.gpu.wait(Some(self.submitted.clone()))?;
        let failed = || self.gpu.failed("it does not give back what it has computed");
        // Another thread that waits may be the one to say so.
        self.mapped.recv_timeout(PATIENCE).map_err(|_| failed())?.map_err(|_| failed())?;
        let taken = take(&self.staging.get_mapped_range(..).map_err(|_| failed())?);
        self.staging.unmap();
        self.is_mapped = false;
        Ok(taken)
    }
}

// Its turn's memory is given back later, if nothing else is submitted.
impl Drop for Reading {
    fn drop(&mut self) {
        if self.is_mapped {
            // Nobody has waited for it.
            self.staging.unmap();
        }
        self.gpu.overwrite(&self.staging);
    }
}
