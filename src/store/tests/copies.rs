//! Both files restored from an older copy: waiting rows may have been sent since.

use std::fs;
use std::path::Path;

use crate::tests::{at, channel, send};
use crate::{Store, StoreOptions};
use model::outbox::{RowState, StopReason};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

fn queue(folder: &Path) {
    let store = Store::open(folder).unwrap();
    store.enqueue(send("a", "one", 0), at(0)).unwrap();
    store.enqueue(send("b", "two", 0), at(0)).unwrap();
}

/// Claims the first row, as if its bytes left.
async fn attempt(store: &Store) {
    let row = store.lane_rows(&channel()).await.unwrap().remove(0);
    store.claim(&row.row.id, row.fencing_token, at(2), "").await.unwrap().expect("claimed");
}

/// Opens the files and returns the states of all rows.
async fn states(options: StoreOptions, folder: &Path) -> (Option<String>, Vec<RowState>) {
    let store = Store::open_with(folder, options).unwrap();
    let rows = store.lane_rows(&channel()).await.unwrap();
    (store.restored(), rows.into_iter().map(|row| row.row.state).collect())
}

fn assert_doubtful((said, states): (Option<String>, Vec<RowState>)) {
    assert!(said.as_ref().is_some_and(|said| said.contains("2 changes may have been sent")), "{said:?}");
    let is_unknown = |state: &RowState| matches!(state, RowState::Stopped(StopReason::Unknown, _));
    assert!(states.len() == 2 && states.iter().all(is_unknown), "{states:?}");
}

fn assert_queued((said, states): (Option<String>, Vec<RowState>)) {
    assert_eq!(said, None);
    assert!(states.iter().all(|state| matches!(state, RowState::Queued)), "{states:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_a_copy_takes_the_place_of_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let [data, backup] = ["data", "backup"].map(|name| folder.path().join(name));
    queue(&data);
    copy(&data, &backup);
    assert_queued(states(StoreOptions::default(), &data).await);
    fs::rename(&data, folder.path().join("old")).unwrap();
    fs::rename(&backup, &data).unwrap();
    assert_doubtful(states(StoreOptions::default(), &data).await);
    // The restored outbox is the newest from now on.
    assert_eq!(states(StoreOptions::default(), &data).await.0, None);
}

#[tokio::test]
async fn files_that_older_ones_are_copied_over_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let [data, backup] = ["data", "backup"].map(|name| folder.path().join(name));
    queue(&data);
    copy(&data, &backup);
    let store = Store::open(&data).unwrap();
    attempt(&store).await;
    drop(store);
    copy(&backup, &data);
    assert_doubtful(states(StoreOptions::default(), &data).await);
}

#[tokio::test]
async fn files_older_than_the_mark_in_another_folder_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let [data, backup, state] = ["data", "backup", "state"].map(|name| folder.path().join(name));
    let options = || StoreOptions { marks: Some(state.clone()), ..StoreOptions::default() };
    queue(&data);
    copy(&data, &backup);
    let store = Store::open_with(&data, options()).unwrap();
    attempt(&store).await;
    drop(store);
    fs::remove_dir_all(&data).unwrap();
    copy(&backup, &data);
    assert_doubtful(states(options(), &data).await);
}

#[tokio::test]
async fn a_folder_that_is_moved_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let [data, moved] = ["data", "moved"].map(|name| folder.path().join(name));
    queue(&data);
    fs::rename(&data, &moved).unwrap();
    assert_queued(states(StoreOptions::default(), &moved).await);
}

#[tokio::test]
async fn two_processes_keep_one_mark() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = [(); 2].map(|()| Store::open(folder.path()).unwrap());
    first.enqueue(send("a", "one", 0), at(0)).unwrap();
    second.enqueue(send("b", "two", 0), at(0)).unwrap();
    first.enqueue(send("c", "three", 0), at(0)).unwrap();
    attempt(&second).await;
    drop((first, second));
    let is_mark = |name: &str| name.starts_with("outbox.") && name.ends_with(".mark");
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let marks = names.filter(|name| is_mark(&name.to_string_lossy())).count();
    assert_eq!(marks, 1);
    assert_eq!(Store::open(folder.path()).unwrap().restored(), None);
}
