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
    /// The key schedule, for ciphers that are bit-sliced.
    expand_keys: "bytes" "schedule" "expand_keys";
    /// The key schedule, for ciphers by tables.
    public_keys: "public_keys";
    /// The keys of the hashes of trees.
    level_keys: "bytes" "aes" "schedule" "level_keys";
    /// A verifier's trees.
    verifier_trees: "bytes" "aes" "trees" "verifier_trees";
    /// A prover's trees.
    prover_trees: "bytes" "aes" "trees" "prover_trees";
    /// The sums of the check of trees.
    weigh: "field" "weigh";
    /// The encoded secret.
    encode: "tables" "encode";
    /// Generators' output.
    counter: "tables" "counter";
    /// The lowest bits of words.
    pack: "pack";
    /// A prover's walk in the clear.
    clear: "run" "clear";
    /// A prover's walk under MACs.
    fold_macs: "run" "field" "prover" "fold";
    /// A verifier's walk under keys.
    fold_keys: "run" "field" "verifier" "fold";
    /// The keys of the hashes of trees whose leaves are elements.
    leaf_keys: "bytes" "aes" "schedule" "leaf_keys";
    /// A verifier's trees whose leaves are elements.
    leaf_roots: "bytes" "aes" "prime" "leaves" "leaf_roots";
    /// A prover's trees whose leaves are elements.
    leaf_paths: "bytes" "aes" "prime" "leaves" "leaf_paths";
    /// The encoded secret of a prover over elements.
    encode_tags: "bytes" "aes" "prime" "tags" "encode_elements";
    /// The encoded secret of a verifier over elements.
    encode_keys: "bytes" "aes" "prime" "keys" "encode_elements";
    /// A prover's walk over elements.
    walk_tags: "prime" "tags" "prove" "walk";
    /// A verifier's walk over elements.
    walk_keys: "prime" "keys" "verify" "walk";
    /// The sums of products of elements.
    weigh_products: "bytes" "aes" "prime" "weigh_products";
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
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Kernels write it before they read it.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
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
        let whole = |buffer| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size: None::<NonZeroU64> })
        };
        let entries = buffers
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: whole(buffer) });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        // All of them are public.
        pass.set_immediates(0, bytemuck::cast_slice(parameters));
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
