//! Reduces the page size after a response was too large, so that one huge item does not block the others.

/// Fallback page sizes, in rows.
const SMALLER: [u32; 2] = [10, 1];
/// Number of pages read before the full size is requested again.
const AFTER: u32 = 20;

#[derive(Debug, Default)]
pub(crate) struct PageSize {
    /// Maximum rows, and the number of pages it still applies to.
    bound: Option<(u32, u32)>,
}

impl PageSize {
    /// Returns the number of rows to request instead of `wanted`.
    pub(crate) fn of(&self, wanted: u32) -> u32 {
        self.bound.map_or(wanted, |(most, _)| wanted.min(most))
    }

    /// Reduces the size after a page of `asked` rows was too large.
    pub(crate) fn too_large(&mut self, asked: u32) {
        let smaller = SMALLER.into_iter().find(|entry| *entry < asked).unwrap_or(1);
        self.bound = Some((smaller, AFTER));
    }

    /// Counts a page that was read.
    pub(crate) fn answered(&mut self) {
        self.bound = self.bound.and_then(|(most, left)| Some((most, left.checked_sub(1)?)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_shrink_and_grow_again() {
        let mut size = PageSize::default();
        assert_eq!(size.of(50), 50);
        size.too_large(50);
        assert_eq!((size.of(50), size.of(5)), (10, 5));
        size.too_large(10);
        assert_eq!(size.of(50), 1);
        size.too_large(1);
        assert_eq!(size.of(50), 1, "there is nothing smaller");
        (0..AFTER).for_each(|_| size.answered());
        assert_eq!(size.of(50), 1);
        size.answered();
        assert_eq!(size.of(50), 50);
    }
}
