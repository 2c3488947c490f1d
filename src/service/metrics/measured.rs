//! Metrics that are read from the database on request: queues, lanes, channels, credits, webhooks, processes.

use std::time::Duration;

use crate::carriers::dashboard::MailImportProgress;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, delivery_log, processes};
use crate::metrics::exposition::{Exposition, format_seconds};
use crate::state::ServiceState;
use model::time::Clock;
use sqlite::read_row;

/// Timeout of all queries together; a scraper waits for 10 seconds.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

/// Name, length and earliest due time of each queue.
const QUEUES_QUERY: &str =
    "SELECT 'egress' AS queue, count(*) AS length, min(due_at) AS oldest FROM egress WHERE state = 'waiting'
    UNION ALL SELECT 'ingress', count(*), min(due_at) FROM ingress WHERE done_at IS NULL AND name NOT LIKE 'file %'
    UNION ALL SELECT 'deliveries', count(*), min(due_at) FROM deliveries WHERE due_at IS NOT NULL
    UNION ALL SELECT 'timers', count(*), min(at) FROM due";
/// Waiting messages and webhook deliveries of each workspace that has any.
const WORKSPACE_QUEUES_QUERY: &str = "SELECT channels.workspace, 'egress' AS queue, count(*) AS length
    FROM egress JOIN channels ON channels.id = egress.channel WHERE state = 'waiting' GROUP BY channels.workspace
    UNION ALL SELECT channels.workspace, 'deliveries', count(*)
    FROM deliveries JOIN webhooks ON webhooks.id = deliveries.webhook JOIN channels ON channels.id = webhooks.channel
    WHERE due_at IS NOT NULL GROUP BY channels.workspace ORDER BY 1, 2 LIMIT 2000";
const LANES_QUERY: &str =
    "SELECT CASE WHEN state IN ('departed', 'recalled') THEN 'claimed' ELSE state END AS state,
    count(DISTINCT lane) AS lanes FROM egress
    WHERE state IN ('waiting', 'claimed', 'departed', 'recalled', 'unknown') GROUP BY 1";
/// Bounded to the oldest channels, since each one is a label. Ids of further workspaces and channels are
/// random, so they reveal no name.
const CHANNELS_QUERY: &str = "SELECT channels.id, workspace, kind, trouble IS NOT NULL AS is_troubled, mark
    FROM connected_channels JOIN channels ON channels.id = connected_channels.channel
    ORDER BY channels.created_at, channels.id LIMIT 1000";
/// Bounded to the oldest webhooks, since each one is a label.
const MAX_ENDPOINTS: u32 = 1_000;
/// Bounded to the oldest workspaces, since each one is a label.
const CREDITS_QUERY: &str = "SELECT id, balance FROM workspaces ORDER BY created_at, id LIMIT 1000";
const SUSPENDED_QUERY: &str = "SELECT count(*) FROM workspaces WHERE suspended_at IS NOT NULL";
const PEOPLE_QUERY: &str = "SELECT workspace, count(*) AS people FROM team_people WHERE removed_at IS NULL
    GROUP BY workspace ORDER BY workspace LIMIT 1000";
const WEBHOOKS_QUERY: &str =
    "SELECT CASE WHEN NOT active THEN 'given up' WHEN failing_since IS NULL THEN 'well' ELSE 'failing' END
    AS state, count(*) AS webhooks FROM webhooks GROUP BY 1";
const SERVER_CLOCK_QUERY: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";

struct ConnectedChannel {
    id: String,
    workspace: String,
    kind: String,
    is_troubled: bool,
    /// Position up to which it was read.
    mark: String,
}

impl ConnectedChannel {
    fn labels(&self) -> [(&'static str, &str); 3] {
        [("channel", self.kind.as_str()), ("workspace", &self.workspace), ("id", &self.id)]
    }
}

struct DatabaseMetrics {
    queues: Vec<(String, i64, Option<i64>)>,
    /// Workspace, queue and length.
    workspace_queues: Vec<(String, String, i64)>,
    lanes: Vec<(String, i64)>,
    channels: Vec<ConnectedChannel>,
    credits: Vec<(String, i64)>,
    /// Number of suspended workspaces.
    suspended: i64,
    people: Vec<(String, i64)>,
    webhooks: Vec<(String, i64)>,
    /// Id, waiting deliveries and dead letters of each webhook.
    endpoints: Vec<(String, i64, i64)>,
    processes: i64,
    /// Time by the server's clock; `None` for a file.
    server_clock: Option<i64>,
}

/// Writes the metrics. If the database does not answer in time, it writes only that.
pub async fn write(service: &ServiceState, page: &mut Exposition) {
    write_loads(service, page);
    let is_shared = service.database.is_shared();
    let reading = service.database.search(move |db| DatabaseMetrics::read(db, is_shared));
    let told: Option<Result<DatabaseMetrics, DatabaseError>> =
        tokio::time::timeout(QUERY_TIMEOUT, reading).await.ok();
    let measured = told.and_then(|result| {
        result.inspect_err(|cause| tracing::warn!(%cause, "metrics could not be read")).ok()
    });
    page.begin_family("frontdesk_database_up", "gauge", "1 if the database answers, otherwise 0.");
    page.write_sample("frontdesk_database_up", &[], u8::from(measured.is_some()));
    if let Some(measured) = measured {
        let now = service.clock.now().micros();
        measured.write(page, now);
        measured.write_clock(page, now - service.clock.shift());
    }
}

fn write_loads(service: &ServiceState, page: &mut Exposition) {
    let loads = service.database.loads();
    let mut gauge = |name: &str, kind: &str, help: &str, values: Vec<u64>| {
        page.begin_family(name, kind, help);
        for ((pool, _), value) in loads.iter().zip(values) {
            page.write_sample(name, &[("pool", pool)], value);
        }
    };
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let of = |figure: fn(&crate::database::load::LoadSnapshot) -> usize| {
        loads.iter().map(|load| count(figure(&load.1))).collect()
    };
    gauge(
        "frontdesk_database_connections",
        "gauge",
        "Connections to the database.",
        of(|load_reading| load_reading.connections),
    );
    gauge(
        "frontdesk_database_connections_busy",
        "gauge",
        "Connections in use.",
        of(|load_reading| load_reading.busy),
    );
    gauge(
        "frontdesk_database_jobs_waiting",
        "gauge",
        "Jobs that wait for a connection.",
        of(|load_reading| load_reading.waiting),
    );
    let turned_away = loads.iter().map(|load| load.1.turned_away).collect();
    let help = "Jobs that were refused because they waited too long for a connection.";
    gauge("frontdesk_database_jobs_turned_away_total", "counter", help, turned_away);
    let name = "frontdesk_database_transactions_total";
    page.begin_family(name, "counter", "Transactions of this process that wrote.");
    page.write_sample(name, &[], service.database.commits());
    let name = "frontdesk_background_leader";
    page.begin_family(name, "gauge", "1 if this process runs the scheduled work, otherwise 0.");
    page.write_sample(name, &[], u8::from(service.database.is_leader()));
}

impl DatabaseMetrics {
    fn read(db: &dyn DbSession, is_shared: bool) -> Result<Self, DatabaseError> {
        let processes = if is_shared { processes::count(db)? } else { 1 };
        Ok(Self {
            queues: db.fetch_all(QUEUES_QUERY, &[], |row| {
                Ok((row.get("queue")?, row.get("length")?, row.get("oldest")?))
            })?,
            workspace_queues: db.fetch_all(WORKSPACE_QUEUES_QUERY, &[], |row| {
                Ok((row.get("workspace")?, row.get("queue")?, row.get("length")?))
            })?,
            lanes: db.fetch_all(LANES_QUERY, &[], |row| Ok((row.get("state")?, row.get("lanes")?)))?,
            channels: db.fetch_all(CHANNELS_QUERY, &[], |row| {
                Ok(read_row!(row, ConnectedChannel { id, workspace, kind, is_troubled, mark }))
            })?,
            credits: db.fetch_all(CREDITS_QUERY, &[], |row| Ok((row.get("id")?, row.get("balance")?)))?,
            suspended: db.fetch_scalar(SUSPENDED_QUERY, &[])?,
            people: db.fetch_all(PEOPLE_QUERY, &[], |row| Ok((row.get("workspace")?, row.get("people")?)))?,
            webhooks: db
                .fetch_all(WEBHOOKS_QUERY, &[], |row| Ok((row.get("state")?, row.get("webhooks")?)))?,
            endpoints: delivery_log::count_by_webhook(db, MAX_ENDPOINTS)?,
            processes,
            server_clock: if is_shared { Some(db.fetch_scalar(SERVER_CLOCK_QUERY, &[])?) } else { None },
        })
    }

    fn write(&self, page: &mut Exposition, now: i64) {
        let name = "frontdesk_queue_length";
        page.begin_family(name, "gauge", "Entries in a queue, due or not.");
        for (queue, length, _) in &self.queues {
            page.write_sample(name, &[("queue", queue)], length);
        }
        let name = "frontdesk_queue_age_seconds";
        page.begin_family(name, "gauge", "Seconds since the oldest entry of a queue was due.");
        for (queue, _, oldest) in &self.queues {
            let age = oldest.map_or(0, |oldest| u128::try_from(now.saturating_sub(oldest)).unwrap_or(0));
            page.write_sample(name, &[("queue", queue)], format_seconds(age));
        }
        let name = "frontdesk_workspace_queue_length";
        page.begin_family(name, "gauge", "Entries of a workspace in a queue, due or not.");
        for (workspace, queue, length) in &self.workspace_queues {
            page.write_sample(name, &[("workspace", workspace), ("queue", queue)], length);
        }
        let name = "frontdesk_lanes";
        page.begin_family(name, "gauge", "Conversations with queued messages, by state.");
        for state in ["waiting", "claimed", "unknown"] {
            let lanes = self.lanes.iter().find(|lane| lane.0 == state).map_or(0, |lane| lane.1);
            page.write_sample(name, &[("state", state)], lanes);
        }
        let name = "frontdesk_channel_up";
        page.begin_family(name, "gauge", "1 if a connected channel works, otherwise 0.");
        for channel in &self.channels {
            page.write_sample(name, &channel.labels(), u8::from(!channel.is_troubled));
        }
        self.write_earlier(page);
        page.begin_family("frontdesk_credits", "gauge", "Remaining credits of a workspace.");
        for (workspace, balance) in &self.credits {
            page.write_sample("frontdesk_credits", &[("workspace", workspace)], balance);
        }
        page.begin_family("frontdesk_workspaces_suspended", "gauge", "Suspended workspaces.");
        page.write_sample("frontdesk_workspaces_suspended", &[], self.suspended);
        page.begin_family("frontdesk_team_people", "gauge", "People who share the inbox of a workspace.");
        for (workspace, people) in &self.people {
            page.write_sample("frontdesk_team_people", &[("workspace", workspace)], people);
        }
        let name = "frontdesk_webhooks";
        page.begin_family(name, "gauge", "Webhooks, by state of their deliveries.");
        for state in ["well", "failing", "given up"] {
            let count = self.webhooks.iter().find(|group| group.0 == state).map_or(0, |group| group.1);
            page.write_sample(name, &[("state", state)], count);
        }
        let name = "frontdesk_webhook_endpoint_deliveries";
        page.begin_family(name, "gauge", "Deliveries to one webhook that wait, and dead letters.");
        for (webhook, waiting, dead) in &self.endpoints {
            page.write_sample(name, &[("webhook", webhook), ("state", "waiting")], waiting);
            page.write_sample(name, &[("webhook", webhook), ("state", "dead")], dead);
        }
        page.begin_family("frontdesk_processes", "gauge", "Processes that serve the database.");
        page.write_sample("frontdesk_processes", &[], self.processes);
    }

    /// Marks of other channels than email do not parse and are skipped.
    fn write_earlier(&self, page: &mut Exposition) {
        let name = "frontdesk_earlier_mails";
        page.begin_family(
            name,
            "gauge",
            "Mails from before the mailbox was connected, imported and remaining.",
        );
        for channel in &self.channels {
            let Some(earlier) = MailImportProgress::of(&channel.mark) else { continue };
            let [_, workspace, id] = channel.labels();
            let left = earlier.total.saturating_sub(earlier.filed);
            page.write_sample(name, &[("state", "filed"), workspace, id], earlier.filed);
            page.write_sample(name, &[("state", "left"), workspace, id], left);
        }
    }

    /// Timestamps are set by the clock of the writing process, so the clocks should agree.
    fn write_clock(&self, page: &mut Exposition, now: i64) {
        let Some(server) = self.server_clock else { return };
        let millis = i32::try_from(now.saturating_sub(server) / 1_000).unwrap_or(i32::MAX);
        let name = "frontdesk_clock_ahead_seconds";
        page.begin_family(
            name,
            "gauge",
            "Seconds by which this machine's clock is ahead of the database server's.",
        );
        page.write_sample(name, &[], f64::from(millis) / 1_000.0);
    }
}
