//! Memory of the card: bounded, and overwritten when it is given back.

use crate::card::{Gpu, PATIENCE};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use volery_channel::error::{Error, Result};
use wgpu::BufferUsages as Usage;

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

    /// Writes words from byte `at` on, behind all that was submitted. Copies of them are overwritten.
    pub(crate) fn write<T: bytemuck::NoUninit>(&self, at: u64, words: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        if bytes.is_empty() {
            return;
        }
        let length = (bytes.len() as u64).next_multiple_of(4);
        let staging = self.gpu.staging.take(&self.gpu.device, length);
        match staging.get_mapped_range_mut(..bytes.len() as u64) {
            Ok(mut range) => range.slice(..).copy_from_slice(bytes),
            Err(why) => self.gpu.fail(why),
        }
        staging.unmap();
        let mut encoder = self.gpu.encoder();
        encoder.copy_buffer_to_buffer(&staging, 0, &self.buffer, at, length);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.staging.take_back(staging, length);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let mut encoder = self.gpu.encoder();
        encoder.clear_buffer(&self.buffer, 0, None);
        self.gpu.queue.submit([encoder.finish()]);
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

/// Words on their way from the card.
pub(crate) struct Reading {
    gpu: Arc<Gpu>,
    staging: wgpu::Buffer,
    submitted: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
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
        let submitted = gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        // Nobody hears it where this was dropped.
        staging.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        Self { gpu: gpu.clone(), staging, submitted, mapped }
    }

    /// Waits for the words, which may be secret.
    ///
    /// # Errors
    /// `Device` where the card has failed.
    pub(crate) fn wait<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(self) -> Result<Vec<T>> {
        self.gpu.wait(Some(self.submitted.clone()))?;
        let failed = || self.gpu.failed("it does not give back what it has computed");
        // Another thread that waits may be the one to say so.
        self.mapped.recv_timeout(PATIENCE).map_err(|_| failed())?.map_err(|_| failed())?;
        let words = {
            let range = self.staging.get_mapped_range(..).map_err(|_| failed())?;
            bytemuck::pod_collect_to_vec(&range)
        };
        self.staging.unmap();
        Ok(words)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut encoder = self.gpu.encoder();
        encoder.clear_buffer(&self.staging, 0, None);
        self.gpu.queue.submit([encoder.finish()]);
    }
}
