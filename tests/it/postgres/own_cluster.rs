//! A PostgreSQL server of one test, which may be restarted, filled up and replaced.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::cluster;
use crate::skipping::skip;

/// Runs a cluster; each line of the input is a shell command whose end is reported. PostgreSQL
/// refuses to run as root.
const RUN: &str = r#"
    set -e
    trap 'umount "$1/small" 2>/dev/null; [ "$KEEP" ] || rm -rf "$1"' EXIT
    data="$1/data"
    [ -d "$data" ] || "$0/initdb" -D "$data" -U frontdesk --auth=trust --no-sync --no-instructions -E UTF8 --locale=C >"$1/log" 2>&1
    cat >>"$data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$1'
shared_buffers = 32MB
fsync = off
$2
END
    "$0/pg_ctl" -D "$data" -w -t 60 -l "$1/log" start >/dev/null
    echo up
    set +e
    while read -r line; do
        eval "$line" >>"$1/log" 2>&1 </dev/null
        echo "done $?"
    done
    for data in "$1"/data "$1"/standby; do
        "$0/pg_ctl" -D "$data" -m "${KEEP:-immediate}" stop >/dev/null 2>&1
    done
"#;
const AS_SOMEBODY: &str = r#"
    if [ "$(id -u)" = 0 ]; then
        install -d -o postgres -m 700 "$1"
        set -- "$1" "$2" "$3" runuser -u postgres --
    else
        mkdir -p -m 700 "$1"
        set -- "$1" "$2" "$3"
    fi
    folder=$1 run=$2 settings=$3
    shift 3
    exec "$@" $UNSHARE sh -c "$run" "$0" "$folder" "$settings"
"#;
/// A namespace in which an unprivileged user can mount a disk.
const ROOM: &str = "unshare --user --map-current-user --keep-caps --mount";

fn fresh() -> PathBuf {
    std::env::temp_dir().join(format!("fd-pg-{}", uuid::Uuid::new_v4().simple()))
}

pub struct OwnCluster {
    folder: PathBuf,
    _keeper: Child,
    commands: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl OwnCluster {
    /// Starts a server with these lines in its configuration; `None` if none is installed.
    pub fn start(settings: &str) -> Option<Self> {
        cluster::server()?;
        Some(Self::begin(fresh(), settings, &[]).expect("it starts"))
    }

    /// Starts a server that can mount a small disk; `None` if the system does not allow that.
    pub fn start_in_a_room(settings: &str) -> Option<Self> {
        cluster::server()?;
        let begun = Self::begin(fresh(), settings, &[("UNSHARE", ROOM)]);
        if begun.is_none() {
            skip("a full disk, since no small one can be mounted");
        }
        begun
    }

    /// Starts a server in this folder. Variables: `KEEP` is the mode of the stop and keeps the
    /// folder,
    /// `UNSHARE` the command that creates a namespace.
    pub fn begin(folder: PathBuf, settings: &str, more: &[(&str, &str)]) -> Option<Self> {
        let mut keeper = Command::new("sh")
            .args(["-c", AS_SOMEBODY])
            .args([cluster::programs()?, folder.clone()])
            .args([RUN, settings])
            .env_remove("UNSHARE")
            .env_remove("KEEP")
            .envs(more.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let commands = keeper.stdin.take().expect("piped");
        let mut told = BufReader::new(keeper.stdout.take().expect("piped"));
        let mut line = String::new();
        told.read_line(&mut line).expect("read");
        (line == "up\n").then_some(Self { folder, _keeper: keeper, commands, told })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a shell command: `$0` is the folder of the programs, `$1` that of the cluster.
    pub fn run(&mut self, command: &str) {
        writeln!(self.commands, "{command}").expect("it listens");
        let mut line = String::new();
        self.told.read_line(&mut line).expect("read");
        let log = || std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert_eq!(line, "done 0\n", "{command}: {}", log());
    }
}
