//! Real mail servers for one run of the tests, on ports of their own: Dovecot keeps the mailboxes
//! and takes mail for submission, Exim relays. A shell that reads its input until the end stops
//! both, also if the tests are killed.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use frontdesk::model::time::{Clock, Timestamp};
use frontdesk::service::carriers::dashboard::MailSince;
use frontdesk::shell::clock::SystemClock;

use super::stand_in;
use crate::binary::free_port;
use crate::raw_http::RawRequest;
use crate::skipping::skip;
use crate::waiting::{until, until_so};

/// Folder of the servers that a nested run of this binary uses.
const SERVERS: &str = "FRONTDESK_TEST_MAIL";
/// If `demanded`, missing mail servers fail the tests.
const DEMAND: &str = "FRONTDESK_MAIL";
/// User of both servers; Exim runs as no other.
const USER: &str = "Debian-exim";
/// TLS certificate of both, for `localhost` and 127.0.0.2.
const CERTIFICATE: &str = "certificate.pem";
pub const PASSWORD: &str = "correct horse";

const RUN: &str = r#"
    set -e
    trap 'rm -rf "$1"' EXIT
    /usr/sbin/dovecot -c "$1/dovecot.conf"
    /usr/sbin/exim4 -C "$1/exim.conf" -bd -q2s
    echo up
    cat >/dev/null
    /usr/sbin/dovecot -c "$1/dovecot.conf" stop || true
    kill "$(cat "$1/exim.pid")" || true
"#;

const DOVECOT: &str = r"
base_dir = FOLDER/run
state_dir = FOLDER/run
log_path = FOLDER/dovecot.log
default_internal_user = USER
default_internal_group = USER
default_login_user = USER
protocols = imap lmtp submission
listen = 127.0.0.1, 127.0.0.2, 127.0.0.3
ssl = yes
ssl_cert = <FOLDER/certificate.pem
ssl_key = <FOLDER/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
auth_failure_delay = 0
auth_cache_size = 0
mail_location = maildir:FOLDER/mail/%u
mail_fsync = never
mail_max_userip_connections = 100
first_valid_uid = 1
passdb {
  driver = static
  mechanisms = plain login
  args = password=PASSWORD
}
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = FOLDER/oauth2.conf
}
userdb {
  driver = static
  args = uid=USER gid=USER home=FOLDER/home/%u allow_all_users=yes
}
service anvil {
  chroot =
  # A wrong password of one story would hold up the logins of all.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  process_min_avail = 1
  inet_listener imap {
    port = IMAP
  }
  inet_listener imaps {
    port = SECUREREAD
    ssl = yes
  }
}
service submission-login {
  chroot =
  inet_listener submission {
    port = SUBMISSION
  }
  inet_listener submissions {
    port = SECURESEND
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    port = LMTP
  }
}
submission_relay_host = 127.0.0.1
submission_relay_port = RELAY
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \Sent
    auto = subscribe
  }
  mailbox Trash {
    special_use = \Trash
    auto = subscribe
  }
}
";

const OAUTH: &str = r"
introspection_mode = auth
introspection_url = http://127.0.0.1:TOKENS/introspect
username_attribute = user
active_attribute = active
active_value = true
";

const EXIM: &str = r"
admin_groups = USER
trusted_groups = USER
spool_directory = FOLDER/spool
log_file_path = FOLDER/exim-%slog
pid_file_path = FOLDER/exim.pid
primary_hostname = mail.shop.example
daemon_smtp_ports = RELAY
local_interfaces = 127.0.0.1
keep_environment =
tls_advertise_hosts =
deliver_drop_privilege
host_lookup =
rfc1413_query_timeout = 0s
smtp_accept_max = 200
smtp_accept_queue_per_connection = 10000
smtp_load_reserve = 1000
acl_smtp_rcpt = acl_rcpt
begin acl
acl_rcpt:
  deny senders = ^delegated-.*
       message = this login may not send as somebody else
  deny local_parts = refused
       message = no such person here
  accept
begin routers
aliases:
  driver = redirect
  local_parts = ^sales-.*
  data = desk-${sg{$local_part}{^sales-}{}}@$domain
bounced:
  driver = redirect
  local_parts = ^bounced.*
  data = :fail: nobody of this name is here
  allow_fail
everybody:
  driver = manualroute
  transport = into_mailboxes
  route_list = * 127.0.0.1 byname
  self = send
begin transports
into_mailboxes:
  driver = smtp
  protocol = lmtp
  port = LMTP
  allow_localhost
  hosts_try_prdr =
begin retry
* * F,1h,2s
";

#[derive(Debug, Clone, Copy)]
struct Ports {
    imap: u16,
    submission: u16,
    lmtp: u16,
    relay: u16,
    tokens: u16,
    secure_imap: u16,
    secure_submission: u16,
}

impl Ports {
    fn of(next: &mut dyn FnMut() -> u16) -> Self {
        Self {
            imap: next(),
            submission: next(),
            lmtp: next(),
            relay: next(),
            tokens: next(),
            secure_imap: next(),
            secure_submission: next(),
        }
    }
}

pub struct MailServers {
    folder: PathBuf,
    ports: Ports,
    _keeper: Option<Child>,
}

/// A mailbox that only one test uses.
pub struct TestMailbox {
    servers: &'static MailServers,
    pub address: String,
    /// Port for sending: the server's own or that of a proxy.
    pub smtp_port: u16,
    /// Port for reading: the server's own or that of a proxy.
    pub imap_port: u16,
    /// Other addresses whose mail reaches it.
    pub aliases: Vec<String>,
    /// Further folders that are read.
    pub folders: Vec<String>,
    /// True if the assistant answers.
    pub auto_reply: bool,
    /// True for login with OAuth tokens.
    pub tokens: bool,
    /// Earliest mail that is imported as threads.
    pub since: MailSince,
}

/// Returns the servers, `None` with a message if they are not installed.
pub fn servers() -> Option<&'static MailServers> {
    static RUNNING: OnceLock<Option<MailServers>> = OnceLock::new();
    let found = RUNNING.get_or_init(start).as_ref();
    let demanded = std::env::var(DEMAND).is_ok_and(|var| var == "demanded");
    assert!(found.is_some() || !demanded, "no mail servers are installed");
    found
}

fn start() -> Option<MailServers> {
    if let Some(folder) = std::env::var_os(SERVERS) {
        let folder = PathBuf::from(folder);
        let told = std::fs::read_to_string(folder.join("ports")).expect("ports");
        let mut ports = told.split(' ').map(|part| part.parse().expect("a port"));
        let mut next = || ports.next().expect("a port");
        let ports = Ports::of(&mut next);
        return Some(MailServers { folder, ports, _keeper: None });
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"));
    let installed =
        ["/usr/sbin/dovecot", "/usr/sbin/exim4", "/usr/lib/dovecot/submission", "/usr/lib/dovecot/lmtp"];
    if !is_root || !installed.iter().all(|text| Path::new(text).exists()) {
        skip(
            "stories with real mail servers, which need Dovecot (imapd, lmtpd, submissiond) and Exim, started by root",
        );
        return None;
    }
    let ports = Ports::of(&mut free_port);
    let folder = std::env::temp_dir().join(format!("fd-mail-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir(&folder).expect("a folder");
    let filled = |text: &str| {
        let values = [
            ("FOLDER", folder.display().to_string()),
            ("USER", USER.to_owned()),
            ("PASSWORD", PASSWORD.replace(' ', "_")),
            ("IMAP", ports.imap.to_string()),
            ("SUBMISSION", ports.submission.to_string()),
            ("LMTP", ports.lmtp.to_string()),
            ("RELAY", ports.relay.to_string()),
            ("TOKENS", ports.tokens.to_string()),
            ("SECUREREAD", ports.secure_imap.to_string()),
            ("SECURESEND", ports.secure_submission.to_string()),
        ];
        values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    };
    for (name, text) in [("dovecot.conf", DOVECOT), ("exim.conf", EXIM), ("oauth2.conf", OAUTH)] {
        std::fs::write(folder.join(name), filled(text)).expect("written");
    }
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.2".to_owned()]);
    let made = made.expect("a certificate");
    std::fs::write(folder.join(CERTIFICATE), made.cert.pem()).expect("written");
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    let Ports { imap, submission, lmtp, relay, tokens, secure_imap, secure_submission } = ports;
    let all = format!("{imap} {submission} {lmtp} {relay} {tokens} {secure_imap} {secure_submission}");
    std::fs::write(folder.join("ports"), all).expect("written");
    let begin =
        format!("chown -R {USER} \"$1\"; chmod 755 \"$1\"; exec runuser -u {USER} -- sh -c \"$0\" x \"$1\"");
    let mut keeper = Command::new("sh")
        .args(["-c", &begin, RUN])
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut told = String::new();
    BufReader::new(keeper.stdout.take().expect("piped")).read_line(&mut told).expect("read");
    let log = || std::fs::read_to_string(folder.join("dovecot.log")).unwrap_or_default();
    assert_eq!(told, "up\n", "the servers do not start: {}", log());
    for port in [imap, submission, lmtp, relay] {
        until_so("a server that listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
    }
    Some(MailServers { folder, ports, _keeper: Some(keeper) })
}

/// Returns the password in the form the servers store.
pub fn password() -> String {
    PASSWORD.replace(' ', "_")
}

impl MailServers {
    pub fn mailbox(&'static self) -> TestMailbox {
        let address = format!("desk-{}@shop.example", uuid::Uuid::new_v4().simple());
        TestMailbox {
            servers: self,
            address,
            smtp_port: self.ports.submission,
            imap_port: self.ports.imap,
            aliases: Vec::new(),
            folders: Vec::new(),
            auto_reply: false,
            tokens: false,
            since: MailSince::Now,
        }
    }

    /// CA certificate for clients of the servers.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join(CERTIFICATE)
    }

    /// Environment variable that passes the servers to a nested run.
    pub fn nested(&self) -> (&'static str, &Path) {
        (SERVERS, &self.folder)
    }

    /// Waits for a mail to an address, from any sender.
    #[track_caller]
    pub fn letters_for(&self, address: &str, text: &str) -> String {
        until(text, || {
            let found = self.letters(address);
            found.iter().find(|letter| letter.contains(text)).cloned().ok_or_else(|| found.join("\n---\n"))
        })
    }

    pub fn letters(&self, address: &str) -> Vec<String> {
        letters_in(&self.folder.join("mail").join(address))
    }
}

fn letters_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for part in ["new", "cur"] {
        let entries = std::fs::read_dir(folder.join(part)).into_iter().flatten().flatten();
        found.extend(entries.map(|entry| entry.path()));
    }
    found.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    // A mail may have been moved since the listing.
    found
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

impl TestMailbox {
    pub fn token_port(&self) -> u16 {
        self.servers.ports.tokens
    }

    pub fn imap_url(&self) -> String {
        format!("imap://{}@127.0.0.1:{}", self.address, self.imap_port)
    }

    pub fn smtp_url(&self) -> String {
        format!("smtp://{}@127.0.0.1:{}", self.address, self.smtp_port)
    }

    /// IMAP and SMTP URLs with TLS from the first byte.
    pub fn secure_urls(&self, host: &str) -> (String, String) {
        let Ports { secure_imap, secure_submission, .. } = self.servers.ports;
        let address = &self.address;
        (
            format!("imaps://{address}@{host}:{secure_imap}"),
            format!("smtps://{address}@{host}:{secure_submission}"),
        )
    }

    /// IMAP and SMTP URLs with STARTTLS, for a host other than `localhost`.
    pub fn starttls_urls(&self, host: &str) -> (String, String) {
        let Ports { imap, submission, .. } = self.servers.ports;
        let address = &self.address;
        (format!("imap://{address}@{host}:{imap}"), format!("smtp://{address}@{host}:{submission}"))
    }

    pub fn submission(&self) -> u16 {
        self.servers.ports.submission
    }

    /// Delivers a mail and waits for it: two mails in transit could arrive in either order.
    pub fn receives(&self, from: &str, mail: &str) {
        self.receives_at(&self.address, from, mail);
    }

    /// Delivers a mail for another address of the mailbox.
    pub fn receives_at(&self, to: &str, from: &str, mail: &str) {
        let mut id = String::new();
        let mut server = Lines::to(self.servers.ports.relay);
        server.says("220");
        let body = mail.replace("\r\n", "\n").replace('\n', "\r\n").replace("\r\n.", "\r\n..");
        for (command, good) in [
            ("HELO customer.example".to_owned(), "250"),
            (format!("MAIL FROM:<{from}>"), "250"),
            (format!("RCPT TO:<{to}>"), "250"),
            ("DATA".to_owned(), "354"),
            (format!("{body}\r\n."), "250"),
            ("QUIT".to_owned(), "221"),
        ] {
            server.tell(&command);
            let told = server.says(good);
            if let Some((_, queued)) = told.split_once(" id=") {
                id = queued.trim().to_owned();
            }
        }
        // Exim removes the spool file after the delivery.
        let queued = self.servers.folder.join(format!("spool/input/{id}-H"));
        assert!(!id.is_empty(), "it is told what it is called");
        until_so("what was written arrives", || !queued.exists());
    }

    /// Delivers a plain mail; returns its `Message-ID`.
    pub fn hears(&self, from: &str, subject: &str, text: &str, more: &str) -> String {
        let id = format!("<{}@mail.example>", uuid::Uuid::new_v4().simple());
        let mail = format!(
            "From: Maria Lopez <{from}>\nTo: {}\nSubject: {subject}\nMessage-ID: {id}\n{more}\
             Content-Type: text/plain; charset=utf-8\n\n{text}\n",
            self.address
        );
        self.receives(from, &mail);
        id
    }

    pub fn inbox(&self) -> Vec<String> {
        self.servers.letters(&self.address)
    }

    pub fn folder(&self, name: &str) -> Vec<String> {
        letters_in(&self.servers.folder.join("mail").join(&self.address).join(format!(".{name}")))
    }

    /// Returns the mails from this mailbox to an address.
    pub fn reached(&self, address: &str) -> Vec<String> {
        let mut all = self.servers.letters(address);
        all.retain(|text| text.contains(&self.address));
        all
    }

    #[track_caller]
    pub fn waits_for(&self, address: &str, text: &str) -> String {
        until(text, || {
            let found = self.reached(address);
            found.iter().find(|entry| entry.contains(text)).cloned().ok_or_else(|| found.join("\n---\n"))
        })
    }

    /// Runs IMAP commands as another client; returns the answers.
    pub fn elsewhere(&self, commands: &[&str]) -> String {
        let mut server = Lines::to(self.servers.ports.imap);
        server.says("* OK");
        let login = format!("a LOGIN {} {}", self.address, password());
        let mut told = String::new();
        for command in std::iter::once(login.as_str()).chain(commands.iter().copied()) {
            server.tell(command);
            if command.starts_with("a ") && !command.ends_with('}') {
                told.push_str(&server.until("a "));
            } else if command.ends_with('}') {
                told.push_str(&server.until("+ "));
            }
        }
        told
    }

    /// Adds older mails to folders over one connection.
    pub fn holds(&self, mails: impl IntoIterator<Item = OldMail>) {
        let mut server = Lines::to(self.servers.ports.imap);
        server.says("* OK");
        server.tell(&format!("a LOGIN {} {}", self.address, password()));
        assert!(server.until("a ").contains("a OK"), "it is let in");
        for OldMail { folder, flags, at, text } in mails {
            let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
            let (at, size) = (internal_date(at), text.len());
            server.tell(&format!("a APPEND {folder} ({flags}) \"{at}\" {{{size}}}"));
            server.until("+ ");
            server.tell(&text);
            let told = server.until("a ");
            assert!(told.contains("a OK"), "{told}");
        }
    }

    pub fn flags(&self) -> String {
        let told = self.elsewhere(&["a SELECT INBOX", "a FETCH 1:* (FLAGS)"]);
        told.lines().filter(|line| line.contains("FETCH (")).collect::<Vec<_>>().join("\n")
    }

    /// Ends all connections and changes the UIDs of all mails, once no client is connected.
    pub fn numbered_anew(&self) {
        self.cut();
        until("an empty mailbox", || {
            let told = self.doveadm(&["who", &self.address]).stdout;
            let told = String::from_utf8_lossy(&told).into_owned();
            if told.contains(&self.address) { Err(told) } else { Ok(()) }
        });
        self.numbered_anew_unnoticed();
    }

    /// [`numbered_anew`](Self::numbered_anew) while clients are connected, without notifying them.
    pub fn numbered_anew_unnoticed(&self) {
        let folder = self.servers.folder.join("mail").join(&self.address);
        // Dovecot uses the second as UIDVALIDITY; within the same second the mails would get other
        // numbers under the same validity, which the protocol forbids.
        let list = std::fs::read_to_string(folder.join("dovecot-uidlist")).unwrap_or_default();
        let validity = list.split_whitespace().find_map(|word| word.strip_prefix('V')?.parse::<i64>().ok());
        until_so("another second", || validity.is_none_or(|validity| SystemClock.now().seconds() > validity));
        for entry in std::fs::read_dir(&folder).expect("a mailbox").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("dovecot") {
                // The last delivery may still be cleaning up.
                let removed = std::fs::remove_file(entry.path());
                let is_gone = removed.or_else(|error| match error.kind() {
                    io::ErrorKind::NotFound => Ok(()),
                    _ => Err(error),
                });
                is_gone.expect("removed");
            }
        }
    }

    /// Sets the UID of the inbox's next mail.
    pub fn numbered_from(&self, number: u32) {
        let next = number.to_string();
        let done =
            self.doveadm(&["mailbox", "update", "-u", &self.address, "--min-next-uid", &next, "INBOX"]);
        assert!(done.status.success(), "{done:?}");
    }

    pub fn cut(&self) {
        // The command fails if there is no connection.
        self.doveadm(&["kick", &self.address]);
    }

    fn doveadm(&self, asked: &[&str]) -> Output {
        let config = self.servers.folder.join("dovecot.conf");
        Command::new("doveadm").arg("-c").arg(config).args(asked).output().expect("it runs")
    }
}

/// A mail that is in a mailbox before the mailbox is connected.
pub struct OldMail {
    pub folder: &'static str,
    pub flags: &'static str,
    pub at: Timestamp,
    pub text: String,
}

/// Formats a time for IMAP.
fn internal_date(at: Timestamp) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let iso = at.iso();
    let text = iso.as_str();
    let month: usize = text[5..7].parse().expect("a month");
    format!("{}-{}-{} {} +0000", &text[8..10], MONTHS[month - 1], &text[..4], &text[11..19])
}

struct Lines(BufReader<TcpStream>);

impl Lines {
    fn to(port: u16) -> Self {
        Self(BufReader::new(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a server")))
    }

    fn tell(&mut self, line: &str) {
        let stream = self.0.get_mut();
        stream.write_all(format!("{line}\r\n").as_bytes()).expect("sent");
    }

    #[track_caller]
    fn says(&mut self, good: &str) -> String {
        let told = self.until(good);
        assert!(told.starts_with(good), "{told}");
        told
    }

    /// Reads up to a line with this beginning, or to the end of the connection.
    fn until(&mut self, begin: &str) -> String {
        let mut told = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("read") == 0 {
                return told;
            }
            told.push_str(&line);
            let refused =
                line.starts_with(['4', '5']) && begin.starts_with(|begin: char| begin.is_ascii_digit());
            if line.starts_with(begin) || refused {
                return told;
            }
        }
    }
}

/// OAuth token endpoint and its introspection. Frees the port when dropped.
pub struct TokenServer {
    port: u16,
    ends: Arc<AtomicBool>,
    /// True if the owner does not agree.
    denies: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl TokenServer {
    /// Code that the owner types, and the page for it.
    pub const TYPED_CODE: &str = "ABCD-EFGH";
    pub const PAGE: &str = "https://login.example/device";

    /// Starts on the port the mail servers ask, once it is free. Good tokens are for `address`.
    pub fn start(port: u16, address: &str) -> Self {
        Self::with(port, address, false)
    }

    /// Starts a server that rotates its refresh token; access tokens last one second.
    pub fn rotating(port: u16, address: &str) -> Self {
        Self::with(port, address, true)
    }

    fn with(port: u16, address: &str, rotates: bool) -> Self {
        let listener = until("the port", || TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
        let (address, ends) = (address.to_owned(), Arc::new(AtomicBool::new(false)));
        let (denies, asked) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (ended, denied, noted) = (Arc::clone(&ends), Arc::clone(&denies), Arc::clone(&asked));
        let thread = std::thread::spawn(move || {
            let (mut count_issued, mut count_polls) = (0, 0);
            for mut stream in listener.incoming().flatten() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                // A client that only connects must not block the others.
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                let Some(request) = stand_in::read(&mut stream) else { continue };
                let RawRequest { target, headers, body, .. } = request;
                let asked = format!("{target} {headers:?} {}", String::from_utf8_lossy(&body));
                noted.lock().expect("whole").push(asked.clone());
                let body = if let Some(body) = consent_answer(&asked, &denied, &mut count_polls) {
                    body
                } else if asked.contains("/introspect") {
                    let good = asked.contains("good-token");
                    format!(r#"{{"active": "{good}", "user": "{address}"}}"#)
                } else if rotates && asked.contains(&format!("refresh_token={}&", rotated(count_issued))) {
                    count_issued += 1;
                    let next = rotated(count_issued);
                    format!(r#"{{"access_token": "good-token", "expires_in": 1, "refresh_token": "{next}"}}"#)
                } else if !rotates && asked.contains("refresh_token=good-refresh") {
                    r#"{"access_token": "good-token", "expires_in": 3600}"#.to_owned()
                } else {
                    r#"{"error": "invalid_grant", "error_description": "it was taken back"}"#.to_owned()
                };
                let status = if body.contains("error") { 400 } else { 200 };
                let answer = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                // The client may be gone.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { port, ends, denies, asked, thread: Some(thread) }
    }

    /// Lets the owner refuse.
    pub fn denies(&self) {
        self.denies.store(true, Ordering::SeqCst);
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("whole").clone()
    }

    pub fn was_asked(&self, part: &str) -> bool {
        self.asked().iter().any(|asked| asked.contains(part))
    }
}

/// Answers what a device or a browser asks until the owner has agreed; the first poll comes too early.
fn consent_answer(asked: &str, denied: &AtomicBool, polls: &mut u32) -> Option<String> {
    if asked.contains("/devicecode") {
        let (code, page) = (TokenServer::TYPED_CODE, TokenServer::PAGE);
        return Some(format!(
            r#"{{"device_code": "device-7", "user_code": "{code}", "verification_uri": "{page}", "interval": 0}}"#
        ));
    }
    let agreed = r#"{"access_token": "good-token", "expires_in": 3600, "refresh_token": "good-refresh"}"#;
    if asked.contains("device_code=device-7") {
        *polls += 1;
        return Some(match (*polls, denied.load(Ordering::SeqCst)) {
            (1, _) => r#"{"error": "authorization_pending"}"#.to_owned(),
            (_, true) => r#"{"error": "access_denied"}"#.to_owned(),
            (_, false) => agreed.to_owned(),
        });
    }
    asked.contains("code=good-code&").then(|| agreed.to_owned())
}

fn rotated(count: usize) -> String {
    if count == 0 { "good-refresh".to_owned() } else { format!("good-refresh-{count}") }
}

impl Drop for TokenServer {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes the thread, which blocks in `accept`.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
