//! Copies uploaded files between a folder and a database.

use sha2::{Digest, Sha256};

use crate::database::DatabaseError;
use crate::database::transfer::{Transfer, TransferSide};

pub struct CopiedMedia {
    id: String,
    digest: [u8; 32],
}

/// Copies all uploaded files; missing ones are counted.
pub fn copy(
    source: &dyn TransferSide,
    target: &dyn TransferSide,
    moved: &mut Transfer,
) -> Result<Vec<CopiedMedia>, DatabaseError> {
    let mut copied = Vec::new();
    let mut ids: Vec<_> = crate::database::media::all_ids(source.session())?.into_iter().collect();
    ids.sort_unstable();
    for id in ids {
        // A single upload fits into memory.
        let mut parts = Vec::new();
        if source.read_media(&id, &mut |part| parts.push(part.to_vec()))? {
            target.write_media(&id, &parts)?;
            copied.push(CopiedMedia { id, digest: digest(&parts) });
            moved.media += 1;
        } else {
            moved.missing_media += 1;
        }
    }
    Ok(copied)
}

pub fn compare(target: &dyn TransferSide, copied: &[CopiedMedia]) -> Result<(), DatabaseError> {
    for CopiedMedia { id, digest } in copied {
        let mut hash = Sha256::new();
        let found = target.read_media(id, &mut |part| hash.update(part))?;
        if !found || hash.finalize().as_slice() != digest {
            return Err(DatabaseError::Differs(format!("uploaded file {id}")));
        }
    }
    Ok(())
}

fn digest(parts: &[Vec<u8>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}
