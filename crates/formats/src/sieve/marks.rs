//! Marks of the wires that are set, and nothing else of them: two bits a wire where numbers are near each
//! other.

use super::pages::{Page, Pages};
use super::wires::PAGE;

/// The wires of one type that are set, or were deleted.
#[derive(Default)]
pub(super) struct Marks {
    pages: Pages<Marked>,
    /// How many are set, or remembered.
    used: u64,
}

/// Two bits for each of [`PAGE`] wires in a row: whether it is set, and whether it was deleted, where that is
/// remembered.
#[derive(Default)]
struct Marked {
    set: u64,
    gone: u64,
}

impl Page for Marked {
    fn is_empty(&self) -> bool {
        self.set | self.gone == 0
    }
}

fn bit(id: u64) -> u64 {
    1 << (id % PAGE)
}

impl Marks {
    /// Whether wire `id` is set.
    #[inline(always)]
    pub(super) fn is_set(&self, id: u64) -> bool {
        self.pages.of(id).is_some_and(|page| page.set & bit(id) != 0)
    }

    /// Whether wire `id` was deleted, and this was remembered.
    pub(super) fn is_gone(&self, id: u64) -> bool {
        self.pages.of(id).is_some_and(|page| page.gone & bit(id) != 0)
    }

    /// Says that wire `id` is set; whether it was not.
    #[inline(always)]
    pub(super) fn set(&mut self, id: u64) -> bool {
        let page = self.pages.make(id);
        let fresh = page.set & bit(id) == 0;
        self.used += u64::from(fresh && page.gone & bit(id) == 0);
        page.set |= bit(id);
        page.gone &= !bit(id);
        fresh
    }

    /// Says that wire `id` is not set; whether it was.
    #[inline(always)]
    pub(super) fn clear(&mut self, id: u64) -> bool {
        let was = self.pages.change(id, |page| {
            let was = page.set & bit(id) != 0;
            page.set &= !bit(id);
            was
        });
        let was = was == Some(true);
        self.used -= u64::from(was);
        was
    }

    /// Says that wire `id`, which is set, is deleted, and remembers it.
    pub(super) fn bury(&mut self, id: u64) {
        let page = self.pages.make(id);
        page.set &= !bit(id);
        page.gone |= bit(id);
    }

    /// How many wires are set, those included of which is remembered that they were deleted.
    pub(super) fn used(&self) -> u64 {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_are_marked() {
        let mut marks = Marks::default();
        for id in [0, 1, 63, 64, 1 << 40, u64::MAX] {
            assert_eq!(
                (marks.is_set(id), marks.set(id), marks.set(id), marks.is_set(id)),
                (false, true, false, true)
            );
        }
        assert_eq!(marks.used(), 6);
        assert_eq!(
            (marks.clear(63), marks.clear(63), marks.clear(62), marks.used()),
            (true, false, false, 5)
        );
        marks.bury(1 << 40);
        assert_eq!((marks.is_set(1 << 40), marks.is_gone(1 << 40), marks.used()), (false, true, 5));
        assert_eq!((marks.set(1 << 40), marks.is_gone(1 << 40), marks.used()), (true, false, 5));
    }
}
