//! The one step from the name of a field to types, for statements that have no name.

/// `$of(…)` over the setting of a field.
macro_rules! over {
    ($field:expr, $($of:ident)::+ ($($argument:expr),*)) => {
        match &*$field.name() {
            "f61" => $($of)::+::<volery::Over<volery::F61>>($($argument),*),
            "f61x2" => $($of)::+::<volery::Over<volery::F61, volery::F61x2>>($($argument),*),
            "goldilocks" => $($of)::+::<volery::Over<volery::Goldilocks>>($($argument),*),
            "goldilocksx2" => {
                $($of)::+::<volery::Over<volery::Goldilocks, volery::Goldilocksx2>>($($argument),*)
            }
            "q32" => $($of)::+::<volery::Over<volery::Q32, volery::Q32x2>>($($argument),*),
            "f65537" => $($of)::+::<volery::Over<volery::F65537, volery::F65537x4>>($($argument),*),
            "f256" => $($of)::+::<volery::Over<volery::F256, volery::F128>>($($argument),*),
            "bn254" => $($of)::+::<volery::Over<volery::Bn254>>($($argument),*),
            "bls12-381" => $($of)::+::<volery::Over<volery::Bls12381>>($($argument),*),
            "f2" => $($of)::+::<volery::Binary>($($argument),*),
            other => unreachable!("no bench is over {other}"),
        }
    };
}

pub(crate) use over;
