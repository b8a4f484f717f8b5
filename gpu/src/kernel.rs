//! The kernels, and how they are put together from their texts.

use crate::card::Gpu;
use core::num::NonZeroU64;
use std::sync::OnceLock;

/// A kernel, which is compiled when it is run for the first time.
pub(crate) struct Kernel {
    name: &'static str,
    texts: &'static [&'static str],
    pipeline: OnceLock<wgpu::ComputePipeline>,
}

macro_rules! kernels {
    ($($(#[$about:meta])* $name:ident: $($text:literal)+;)+) => {
        /// All kernels.
        pub(crate) struct Kernels {
            $($(#[$about])* pub(crate) $name: Kernel,)+
        }

        #[cfg(test)]
        impl Kernels {
            fn all(&self) -> Vec<&Kernel> {
                vec![$(&self.$name),+]
            }
        }

        impl Default for Kernels {
            fn default() -> Self {
                Self {
                    $($name: Kernel {
                        name: stringify!($name),
                        texts: &[$(include_str!(concat!("kernels/", $text, ".wgsl"))),+],
                        pipeline: OnceLock::new(),
                    },)+
                }
            }
        }
    };
}

kernels! {
    /// The key schedule.
    expand_keys: "bytes" "schedule" "expand_keys";
    /// The keys of the hashes of trees.
    level_keys: "bytes" "aes" "schedule" "level_keys";
    /// A verifier's trees.
    roots: "bytes" "aes" "trees" "roots";
    /// A prover's trees.
    paths: "bytes" "aes" "trees" "paths";
    /// The encoded secret.
    encode: "bytes" "aes" "encode";
    /// A generator's output.
    counter: "bytes" "aes" "counter";
    /// The lowest bits of words.
    pack: "pack";
    /// A prover's walk in the clear.
    clear: "run" "clear";
    /// A prover's walk under MACs.
    fold_macs: "run" "field" "prover" "fold";
    /// A verifier's walk under keys.
    fold_keys: "run" "field" "verifier" "fold";
}

impl Kernel {
    fn pipeline(&self, gpu: &Gpu) -> &wgpu::ComputePipeline {
        self.pipeline.get_or_init(|| {
            let text = self.texts.concat();
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(self.name),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(self.name),
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
    }

    /// Runs the kernel behind what `encoder` has, in so many groups, on these parameters and buffers, each with its
    /// number.
    pub(crate) fn run(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        groups: usize,
        parameters: &[u32],
        buffers: &[(u32, &wgpu::Buffer)],
    ) {
        if groups == 0 {
            return;
        }
        let pipeline = self.pipeline(gpu);
        // All of them are public.
        let words: &[u8] = bytemuck::cast_slice(parameters);
        let parameters = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: words.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&parameters, 0, words);
        let whole = |buffer| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: None::<NonZeroU64> })
        };
        let parameters = wgpu::BindGroupEntry { binding: 0, resource: whole(&parameters) };
        let others = buffers
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: whole(buffer) });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[parameters].into_iter().chain(others).collect::<Vec<_>>(),
        });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(u32::try_from(groups).expect("a few groups"), 1, 1);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn kernels_are_compiled() {
        let card = crate::testing::card();
        for kernel in card.gpu().kernels.all() {
            kernel.pipeline(card.gpu());
            card.gpu().wait(None).unwrap();
        }
    }
}
