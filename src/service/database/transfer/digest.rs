//! Digest of a table's rows, independent of their order and of the engine.

use sha2::{Digest, Sha256};

use crate::database::rows::SqlValue;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableDigest {
    rows: u64,
    sum: u128,
}

impl TableDigest {
    pub fn add(&mut self, row: &[SqlValue<'_>]) {
        let mut hash = Sha256::new();
        for value in row {
            add_value(&mut hash, *value);
        }
        let hash = hash.finalize();
        let half: [u8; 16] = std::array::from_fn(|place| hash[place]);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(u128::from_le_bytes(half));
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }
}

/// NUL is left out of texts, as a server does not store it.
fn add_value(hash: &mut Sha256, value: SqlValue<'_>) {
    let (kind, bytes): (u8, &[u8]) = match value {
        SqlValue::Null => (0, &[]),
        SqlValue::Int(number) => {
            hash.update([1]);
            hash.update(number.to_le_bytes());
            return;
        }
        SqlValue::Text(text) => {
            let length = text.bytes().filter(|byte| *byte != 0).count();
            hash.update([2]);
            hash.update(u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes());
            text.split('\0').for_each(|part| hash.update(part));
            return;
        }
        SqlValue::Bytes(bytes) => (3, bytes),
    };
    hash.update([kind]);
    hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
    hash.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[SqlValue<'_>]]) -> TableDigest {
        let mut digest = TableDigest::default();
        rows.iter().for_each(|row| digest.add(row));
        digest
    }

    #[test]
    fn rows_count_in_any_order_and_each_value_in_its_place() {
        use SqlValue::{Bytes, Int, Null, Text};
        let (one, two): (&[_], &[_]) = (&[Int(1), Text("a")], &[Int(2), Null]);
        assert_eq!(of(&[one, two]), of(&[two, one]));
        assert_eq!(of(&[one, two]).rows(), 2);
        let others: [&[SqlValue<'_>]; 6] = [
            &[Int(1), Text("b")],
            &[Text("a"), Int(1)],
            &[Int(1), Bytes(b"a")],
            &[Int(1), Text("")],
            &[Int(1), Null],
            &[Int(1), Text("a"), Null],
        ];
        for other in others {
            assert_ne!(of(&[one]), of(&[other]), "{other:?}");
        }
        assert_ne!(of(&[&[Text("ab"), Text("c")]]), of(&[&[Text("a"), Text("bc")]]));
        assert_ne!(of(&[one, one]), of(&[two, two]), "twice the same does not cancel out");
        assert_eq!(of(&[&[Text("a\0b")]]), of(&[&[Text("ab")]]));
    }
}
