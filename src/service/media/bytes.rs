//! Storage of uploaded files' bytes, in a folder or in the database. Bytes are stored before the row that
//! names them.

use std::io::Read;

use crate::database::session::DbSession;
use crate::database::{DatabaseError, WriteScope, media as stored};
use crate::errors::ApiError;
use crate::media::files::MediaStore;
use crate::state::ServiceState;

impl ServiceState {
    /// Stores a file's bytes durably.
    pub async fn store_media<B>(&self, id: &str, bytes: B) -> Result<(), ApiError>
    where
        B: AsRef<[u8]> + Send + 'static,
    {
        let id = id.to_owned();
        let MediaStore::Folder(files) = &self.media else {
            let insert = move |db: &dyn DbSession| Ok(stored::insert_bytes(db, &id, bytes.as_ref())?);
            return self.database.write_in(WriteScope::Unordered, insert).await;
        };
        let files = files.clone();
        let written = tokio::task::spawn_blocking(move || files.store(&id, bytes.as_ref())).await;
        written.map_err(|cause| ApiError::internal(&cause))?.map_err(|cause| ApiError::internal(&cause))
    }

    pub async fn read_media(&self, id: &str) -> Result<Vec<u8>, ApiError> {
        let id = id.to_owned();
        let MediaStore::Folder(files) = &self.media else {
            return self.database.read(move |db| Ok(stored::read_all_parts(db, &id)?)).await;
        };
        let files = files.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut bytes = Vec::new();
            files.open(&id)?.read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        });
        read.await.map_err(|cause| ApiError::internal(&cause))?.map_err(|cause| ApiError::internal(&cause))
    }

    /// Removes the bytes of erased files, and wipes the deleted data from the database; a server does so in
    /// the background.
    pub async fn remove_erased(&self, files: Vec<String>) {
        for id in files {
            self.remove_media(&id).await;
        }
        drop(self.database.wipe().await);
    }

    /// Removes a file's bytes; a failure is only logged.
    pub async fn remove_media(&self, id: &str) {
        let id = id.to_owned();
        let MediaStore::Folder(files) = &self.media else {
            let removed: Result<(), DatabaseError> =
                self.database.write_in(WriteScope::Unordered, move |db| stored::remove_bytes(db, &id)).await;
            if let Err(cause) = removed {
                tracing::warn!(%cause, "an uploaded file that is no longer needed could not be removed");
            }
            return;
        };
        files.remove(&id);
    }
}
