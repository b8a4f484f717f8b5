//! The one step from the name of a field to types, for statements that have no name.

/// `$of(…)` over the setting of a field.
macro_rules! over {
    (@ [$found:lifetime $name:ident ($($of:ident)::+) ($($argument:expr),*)] $values:ident $macs:ident) => {
        if $name == <volery::Over<volery::$values, volery::$macs> as volery::Setting>::name() {
            break $found $($of)::+::<volery::Over<volery::$values, volery::$macs>>($($argument),*);
        }
    };
    ($call:tt $($values:ident: $($macs:ident)+;)+) => { $($(over! { @ $call $values $macs })+)+ };
    ($field:expr, $($of:ident)::+ ($($argument:expr),*)) => {
        'found: {
            let name = $field.name();
            if name == <volery::Binary as volery::Setting>::name() {
                break 'found $($of)::+::<volery::Binary>($($argument),*);
            }
            if name == <volery::ShortBinary as volery::Setting>::name() {
                break 'found $($of)::+::<volery::ShortBinary>($($argument),*);
            }
            volery::with_fields!(over ['found name ($($of)::+) ($($argument),*)]);
            unreachable!("no bench is over {name}")
        }
    };
}

pub(crate) use over;
