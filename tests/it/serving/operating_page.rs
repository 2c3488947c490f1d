//! The commands of the page about operating the service (docs/service.md), run in their order by real processes.

use std::process::Command;

use super::*;
use crate::binary::signal;
use crate::book::{page, split_words, typed};
use crate::postgres::cluster;
use crate::waiting::until_found;

/// Database server on the page.
const SERVER_URL: &str = "postgres://frontdesk@db.example/frontdesk";
const CUSTOMERS: [(&str, &str, &str); 3] = [
    ("whatsapp", "+34600111222", "Ana"),
    ("email", "maria@mail.example", "Maria"),
    ("telegram", "7", "Maria"),
];

/// Machine of the operator, with the page's names replaced by those of the test.
struct Machine {
    binary: Binary,
    /// Folder of a database server, if one is installed.
    server: Option<&'static Path>,
    /// Address of the database on it.
    url: String,
    running: Option<Process>,
}

/// A service that runs until dropped.
struct Process {
    child: Child,
    address: String,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Machine {
    fn new() -> Self {
        let binary = Binary::new();
        for folder in ["var/lib/frontdesk", "var/log/frontdesk", "run/secrets", "backup"] {
            std::fs::create_dir_all(binary.folder().join(folder)).expect("a folder");
        }
        Self { binary, server: cluster::server(), url: String::new(), running: None }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.binary.folder().join(name.trim_start_matches('/'))
    }

    /// Makes an empty database on the server.
    async fn empty_server(&mut self) {
        if let Some(server) = self.server {
            self.url = cluster::database(server).await;
        }
    }

    fn translate(&self, words: &[String]) -> Vec<String> {
        let is_file = |word: &str| {
            ["service.db", "frontdesk.key", "person.json", "erased.json", "service.toml"]
                .iter()
                .any(|file| word.starts_with(file))
        };
        let local = |word: &String| match word.as_str() {
            SERVER_URL => self.url.clone(),
            word if word.starts_with('/') || is_file(word) => path_text(&self.file(word)).to_owned(),
            word => word.to_owned(),
        };
        words.iter().map(local).collect()
    }

    /// Starts a service as the page says, on a free port and with simulated platforms.
    async fn serve(&mut self, words: &[String]) {
        self.stop();
        let mut words = self.translate(words);
        match words.iter().position(|word| word == "--listen") {
            Some(place) => words[place + 1] = "127.0.0.1:0".to_owned(),
            None => words.extend(["--listen".to_owned(), "127.0.0.1:0".to_owned()]),
        }
        words.push("--dev".to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = self.binary.command(&words).spawn().expect("it runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let (_, rest) = line.trim().split_once("http://").unwrap_or_else(|| panic!("{words:?} {line:?}"));
        let address = rest.trim_end_matches("/v1").to_owned();
        let process = Process { child, address };
        until_found("it is ready", async || match process.ask("GET", "/ready", &Value::Null) {
            answer if answer.status == 200 => Ok(()),
            answer => Err(format!("{answer:?}")),
        })
        .await;
        for (channel, from, name) in CUSTOMERS {
            let username = (channel == "telegram").then_some("maria");
            let body = serde_json::json!({"channel": channel, "from": from, "name": name, "username": username,
                "subject": "An order", "text": "Hello"});
            let answer = process.ask("POST", "/dev/inbound", &body);
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        self.running = Some(process);
    }

    /// Ends the service as the page says.
    fn stop(&mut self) {
        let Some(mut process) = self.running.take() else { return };
        signal(process.child.id(), "TERM");
        assert_eq!(process.child.wait().expect("it ends").code(), Some(0));
    }

    fn run(&self, words: &[String]) -> String {
        let words = self.translate(words);
        self.binary.ok(&words.iter().map(String::as_str).collect::<Vec<_>>(), "")
    }

    /// Runs a line of the page in a shell, in the machine's folder.
    fn run_in_shell(&self, line: &str) {
        let line = line.replace(" /backup/", " backup/");
        let mut shell = Command::new("sh");
        let done = shell.args(["-ec", &line]).current_dir(self.binary.folder()).output().expect("a shell");
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// Does what the text of the page says before a command.
    async fn prepare(&mut self, words: &[String]) {
        let has = |word: &str| words.iter().any(|known| known == word);
        if has("move") && has(SERVER_URL) && words.last().is_some_and(|word| word == SERVER_URL) {
            self.stop();
            self.empty_server().await;
            // From here on the page keeps the key beside the file.
            let key = self.file("/run/secrets/frontdesk.key");
            std::fs::rename(key, self.file("service.db.key")).expect("moved");
        } else if has("retention") {
            let text = page("docs/service.md");
            let (_, rest) = text.split_once("```toml\n").expect("the table");
            let (table, _) = rest.split_once("```").expect("its end");
            std::fs::write(self.file("service.toml"), table).expect("written");
        } else if has("suspend") {
            let database = self.file("service.db");
            let second = ["admin", "--db", path_text(&database), "workspace", "add", "--name", "Second shop"];
            self.binary.ok(&second, "");
        } else if has("key-file") {
            self.stop();
            std::fs::remove_file(self.file("service.db.key")).expect("lost");
        } else if has("backup") && has(SERVER_URL) {
            // That of the page was moved into the file.
            self.empty_server().await;
            let key = "frontdesk.key".to_owned();
            let words = ["serve", "--db", SERVER_URL, "--key-file", &key].map(str::to_owned);
            self.serve(&words).await;
        }
    }
}

impl Process {
    fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let json = "content-type: application/json";
        write_request(&mut stream, &self.address, (method, path), &[json], &bytes);
        Answer::read(&mut stream)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_of_the_page_operate_a_service() {
    let text = page("docs/service.md");
    let mut machine = Machine::new();
    machine.empty_server().await;
    let mut count = 0;
    for line in typed(&text).map(str::trim).filter(|line| !line.is_empty()) {
        let words = split_words(line);
        let (program, arguments) = words.split_first().expect("a program");
        if machine.server.is_none() && line.contains(SERVER_URL) {
            continue;
        }
        count += 1;
        machine.prepare(arguments).await;
        match program.as_str() {
            "frontdesk" if arguments[0] == "serve" => machine.serve(arguments).await,
            "frontdesk" if arguments[0] == "doctor" => {
                // The doctor checks a desk as well, and this folder has none.
                let words = machine.translate(arguments);
                let out = machine.binary.run(&words.iter().map(String::as_str).collect::<Vec<_>>(), "").out;
                assert!(out.contains("served by process") && out.contains("sealing key"), "{out}");
            }
            "frontdesk" => {
                let out = machine.run(arguments);
                if line.contains("audit --since 7d") {
                    assert!(out.contains("workspace suspend") && out.contains("person export"), "{out}");
                }
            }
            "openssl" => machine.run_in_shell(line),
            "mv" | "rm" => {
                machine.stop();
                machine.run_in_shell(line);
            }
            _ => panic!("no command of the page: {line}"),
        }
    }
    machine.stop();
    assert!(count > 20 || machine.server.is_none(), "{count}");
    assert!(machine.file("/var/log/frontdesk/service.log").exists(), "the log is in a file");
    for name in ["person.json", "erased.json", "backup/server.db"] {
        assert!(machine.file(name).exists() || machine.server.is_none(), "{name}");
    }
}
