//! The databases that are measured: on a cluster of their own, made by the
//! service and filled by statements of the server.

use std::path::{Path, PathBuf};
use std::process::Command;

use frontdesk::model::account::Environment;
use frontdesk::service::keys;

use crate::cluster;
use crate::load::{Job, next_cursor, request};
use crate::own_cluster::OwnCluster;
use crate::server_process::ServerProcess;

/// As a server of one's own has it: every commit is on the disk. Checkpoints come
/// between runs and not in them.
pub const SETTINGS: &str = "fsync = on
shared_buffers = 1GB
max_connections = 200
max_wal_size = 16GB
checkpoint_timeout = 1h";
/// Messages of a conversation.
const TURNS: usize = 10;

/// A database of many workspaces, each with a channel and a key.
pub struct World {
    pub url: String,
    pub workspaces: usize,
    conversations: usize,
    keys: Vec<String>,
    /// Where its keys and scripts are.
    folder: PathBuf,
}

impl World {
    /// Takes what is kept under this name in the cluster's folder, or makes it.
    pub async fn make(cluster: &OwnCluster, name: &str, messages: usize, workspaces: usize) -> Self {
        let folder = cluster.folder().join(format!("world-{name}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (url, kept) = (cluster::url(cluster.folder(), name), folder.join("keys"));
        let conversations = messages / workspaces / TURNS;
        // Keys of an earlier form are not taken.
        let stored = std::fs::read_to_string(&kept).ok();
        if let Some(keys) = stored.filter(|text| text.lines().all(keys::is_well_formed)) {
            let keys: Vec<_> = keys.lines().map(str::to_owned).collect();
            assert_eq!(keys.len(), workspaces, "{} is another world's: remove it", folder.display());
            return Self { url, workspaces, conversations, keys, folder };
        }
        let server = cluster::url(cluster.folder(), "postgres");
        cluster::run(&server, &format!("DROP DATABASE IF EXISTS {name}")).await.expect("dropped");
        cluster::run(&server, &format!("CREATE DATABASE {name}")).await.expect("made");
        let made: Vec<_> =
            (0..workspaces).map(|_| keys::generate(Environment::Live, &mut rand::rng())).collect();
        let keys: Vec<_> = made.iter().map(|fresh_key| fresh_key.text.clone()).collect();
        let world = Self { url, workspaces, conversations, keys, folder };
        drop(world.serve(None));
        let digits = |hash: &keys::KeyHash| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let row = |(number, key): (usize, &keys::FreshKey)| {
            let (hash, tail) = (digits(&key.hash), &key.tail);
            format!("('key_{number}', '\\x{hash}', 'ch_{number}', 'live', '{tail}', 0)")
        };
        let rows: Vec<_> = made.iter().enumerate().map(row).collect();
        cluster::run(&world.url, &world.filling(&rows.join(", "))).await.expect("filled");
        cluster::run(&world.url, "VACUUM ANALYZE").await.expect("looked through");
        cluster::run(&world.url, "CHECKPOINT").await.expect("on the disk");
        std::fs::write(kept, world.keys.join("\n")).expect("written");
        world
    }

    /// Messages of all workspaces and conversations by turns, a month of them, so
    /// that the pages of one lie apart on the disk. No number ends as those do that
    /// the simulated operator has plans for.
    fn filling(&self, keys: &str) -> String {
        let Self { workspaces, conversations, .. } = self;
        let peers = workspaces * conversations;
        let messages = peers * TURNS;
        format!(
            "SET session_replication_role = replica; -- what refers to what is right
            SET maintenance_work_mem = '1GB';
            CREATE FUNCTION moment(serial BIGINT) RETURNS BIGINT LANGUAGE SQL STABLE RETURN
                CAST(extract(epoch FROM now()) * 1000000 AS BIGINT)
                - ({messages} - serial) * (2592000000000 / {messages});
            CREATE FUNCTION conversation(peer BIGINT) RETURNS TEXT LANGUAGE SQL IMMUTABLE RETURN
                'conv_' || lpad(to_hex(peer), 22, '0');
            CREATE FUNCTION words(serial BIGINT) RETURNS TEXT LANGUAGE SQL IMMUTABLE RETURN
                left(repeat('hello where is my order número 1041 gracias the bicycle ', 3), 20 + (serial % 100)::INT);
            INSERT INTO workspaces (id, name, balance, created_at)
                SELECT 'shop_' || n, 'Shop ' || n, 1000000000, moment(0) FROM generate_series(0, {workspaces} - 1) n;
            INSERT INTO ledger (workspace, amount, reason, reference, at)
                SELECT id, balance, 'opening', id, created_at FROM workspaces WHERE name LIKE 'Shop %';
            INSERT INTO channels (id, workspace, kind, assistant, created_at)
                SELECT 'ch_' || n, 'shop_' || n, 'whatsapp', 'Shop', moment(0) FROM generate_series(0, {workspaces} - 1) n;
            INSERT INTO keys (id, hash, channel, environment, tail, created_at) VALUES {keys};
            INSERT INTO conversations (id, channel, peer, name, message_count, preview, last_at, first_at, created_at,
                    last_inbound_at)
                SELECT conversation(p), 'ch_' || p % {workspaces}, '+346' || lpad(p::TEXT, 8, '0') || '55', 'Customer ' || p,
                    {TURNS}, words(p), moment(p + {peers} * {last}), moment(p), moment(p), moment({messages})
                FROM generate_series(0, {peers} - 1) p;
            -- As after a day of sends: the server plans by how much is there.
            INSERT INTO idempotency (api_key, name, fingerprint, status, body, at)
                SELECT 'key_' || s % {workspaces}, 'kept ' || s, '', 200, '', moment({messages})
                FROM generate_series(1, {messages} / 4) s;
            CREATE TEMPORARY TABLE later AS SELECT indexname, indexdef FROM pg_indexes
                WHERE tablename = 'messages' AND schemaname = current_schema() AND indexname <> 'messages_pkey';
            DO $$ DECLARE it RECORD; BEGIN
                FOR it IN SELECT * FROM later LOOP EXECUTE 'DROP INDEX ' || it.indexname; END LOOP; END $$;
            INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind, status,
                    created_at, delivered_at, read_at)
                SELECT 'msg_' || lpad(to_hex(moment(s)), 14, '0') || lpad(to_hex(s), 8, '0'), conversation(s % {peers}),
                    'ch_' || s % {workspaces}, 'wamid.' || lpad(to_hex(s), 28, '0'),
                    CASE WHEN is_in THEN 'inbound' ELSE 'outbound' END, CASE WHEN is_in THEN 'customer' ELSE 'ai' END,
                    words(s), 'text', CASE WHEN is_in THEN 'received' ELSE 'read' END, moment(s),
                    CASE WHEN NOT is_in THEN moment(s) END, CASE WHEN NOT is_in THEN moment(s) END
                FROM (SELECT s, s / {peers} % 2 = 0 AS is_in FROM generate_series(0, {messages} - 1) s) AS turns;
            DO $$ DECLARE it RECORD; BEGIN
                FOR it IN SELECT * FROM later LOOP EXECUTE it.indexdef; END LOOP; END $$;",
            last = TURNS - 1,
        )
    }

    /// Starts a process on it, where it says only on these processors.
    pub fn serve(&self, processors: Option<&str>) -> ServerProcess {
        let binary = env!("CARGO_BIN_EXE_frontdesk");
        let mut command =
            processors.map_or_else(|| Command::new(binary), |processor| on_processor(processor, binary));
        command.args(["serve", "--dev", "--unlimited", "--listen", "127.0.0.1:0", "--db", &self.url]);
        command.arg("--key-file").arg(self.folder.join("service.key"));
        ServerProcess::start(command)
    }

    /// What so many callers ask, each in one workspace after another.
    pub fn jobs(&self, kind: &str, callers: usize) -> Vec<Job> {
        (0..callers).map(|caller| self.job(kind, caller)).collect()
    }

    fn job(&self, kind: &str, caller: usize) -> Job {
        let (keys, conversations, workspaces) = (self.keys.clone(), self.conversations, self.workspaces);
        let (kind, mut number) = (kind.to_owned(), 0);
        Box::new(move |last| {
            let cursor = next_cursor(last).filter(|_| !kind.starts_with("send"));
            number += usize::from(cursor.is_none());
            let workspace = if kind == "send to one" { 0 } else { (caller * 13 + number * 7) % workspaces };
            let peer = workspace + (caller + number) % conversations * workspaces;
            let rest = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
            let key = Some(keys[workspace].as_str());
            let get = |path: String| request("GET", &path, key, None, "");
            match kind.as_str() {
                "conversations" => get(format!("/v1/conversations?limit=50{rest}")),
                "messages" => get(format!("/v1/messages?limit=50{rest}")),
                "trigger" => get("/v1/triggers/new-message".to_owned()),
                _ => {
                    let (to, idem) = (format!("+346{peer:08}55"), uuid::Uuid::new_v4().simple().to_string());
                    let text = format!("message {number} of caller {caller}, about forty characters");
                    let body = serde_json::json!({"to": to, "type": "text", "text": {"body": text}});
                    request("POST", "/v1/messages/send", key, Some(&idem), &body.to_string())
                }
            }
        })
    }

    /// Runs a script of statements without the service: how many of them in a
    /// second.
    pub fn bare(&self, cluster: &OwnCluster, clients: usize, seconds: u64, script: &str) -> f64 {
        let file = self.folder.join("script.sql");
        let (workspaces, peers) = (self.workspaces, self.workspaces * self.conversations);
        let setting =
            format!("\\set workspace random(0, {workspaces} - 1)\n\\set peer random(0, {peers} - 1)\n");
        std::fs::write(&file, setting + script).expect("written");
        let programs = cluster::programs().expect("a server is installed");
        let mut pgbench = Command::new(programs.join("pgbench"));
        pgbench.args(["-n", "-M", "prepared", "-j", "2", "-U", "frontdesk", "-c", &clients.to_string()]);
        pgbench.args(["-T", &seconds.to_string(), "-h"]).args([cluster.folder(), Path::new("-f"), &file]);
        let done = pgbench.arg(cluster::name_in(&self.url)).output().expect("pgbench runs");
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        let rate = told.split("tps = ").nth(1).and_then(|part| part.split(' ').next()?.parse().ok());
        rate.unwrap_or_else(|| panic!("{told}{}", String::from_utf8_lossy(&done.stderr)))
    }
}

/// A command that runs on these processors, in a session of its own: the system
/// shares them out evenly between sessions.
pub fn on_processor(list: &str, program: &str) -> Command {
    let mut command = Command::new("setsid");
    command.args(["taskset", "-c", list, program]);
    command
}

/// A message, inserted and committed.
pub const INSERT: &str = "\\set serial random(0, 9000000000000000000)
INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind, status, created_at)
VALUES ('msg_' || :serial, conversation(:peer), 'ch_' || :workspace, 'wamid.' || :serial, 'outbound', 'api',
    'a message, about forty characters of it', 'text', 'sent', moment(:peer));
";
/// The query of a page.
pub const PAGE: &str = "SELECT * FROM conversations
WHERE channel = 'ch_' || :workspace AND (last_at, id) < (9000000000000000000, '')
ORDER BY last_at DESC, id DESC LIMIT 51;
";
