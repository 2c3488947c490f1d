//! The commands of "From one laptop to a team in ten minutes" (docs/team.md), run in their order by real processes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::binary::{Binary, Ended, RunningProcess, free_port};
use crate::book::{page, split_words, typed};

const HEADING: &str = "## From one laptop to a team in ten minutes";
/// Address on the page: the proxy's.
const PUBLIC_URL: &str = "https://desk.example.com";
/// Address on the page: the service's, behind the proxy.
const LISTEN: &str = "127.0.0.1:8787";
const CUSTOMER: &str = "+34600111222";

/// A customer writes on WhatsApp.
fn inbound(listen: &str) {
    let body = format!(r#"{{"channel": "whatsapp", "from": "{CUSTOMER}", "text": "Hola"}}"#);
    let head = format!(
        "POST /dev/inbound HTTP/1.1\r\nhost: {listen}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(listen).expect("it listens");
    stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Machine of the service and the desks, with the page's names replaced by those of the test.
struct Machines {
    service: Binary,
    desks: Vec<Binary>,
    /// Tokens that no desk has used yet.
    tokens: Vec<String>,
    listen: String,
}

impl Machines {
    fn new() -> Self {
        let service = Binary::new();
        for folder in ["backup", "safe"] {
            std::fs::create_dir(service.folder().join(folder)).expect("a folder");
        }
        let listen = format!("127.0.0.1:{}", free_port());
        Self { service, desks: Vec::new(), tokens: Vec::new(), listen }
    }

    fn translate(&self, words: &[String]) -> Vec<String> {
        let folder = self.service.folder().display();
        let local = |word: &String| match word.as_str() {
            LISTEN => self.listen.clone(),
            word if word.starts_with("service.db") => format!("{folder}/{word}"),
            word if word.starts_with('/') => format!("{folder}{word}"),
            word => word.to_owned(),
        };
        words.iter().map(local).collect()
    }

    /// Starts a service, and waits until it listens. The platforms are simulated.
    fn serve(&self, words: &[String]) -> RunningProcess {
        let words = self.translate(words);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("--dev");
        let mut running = RunningProcess(self.service.command(&words).spawn().expect("it runs"));
        let mut line = String::new();
        BufReader::new(running.0.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("listening on "), "{line}");
        running
    }

    fn on_service(&self, words: &[String]) -> String {
        let words = self.translate(words);
        self.service.ok(&words.iter().map(String::as_str).collect::<Vec<_>>(), "")
    }

    /// Each token signs in at a desk of its own. The proxy of the page is left out: desks reach the service itself.
    fn join(&mut self) {
        let url = format!("http://{}", self.listen);
        for token in self.tokens.drain(..) {
            let desk = Binary::new();
            desk.ok(&["join", &url], &token);
            self.desks.push(desk);
        }
    }

    fn send(&self, desk: usize, words: &str) -> Ended {
        self.desks[desk].run(&["send", CUSTOMER, words, "--beside-ai"], "")
    }
}

#[test]
fn commands_of_the_page_make_a_team() {
    let text = page("docs/team.md");
    let (_, part) = text.split_once(HEADING).expect("the part");
    let part = part.split("\n## ").next().expect("its text");
    let mut machines = Machines::new();
    let mut serving: Vec<RunningProcess> = Vec::new();
    let mut run: Vec<String> = Vec::new();
    for line in typed(part).map(str::trim).filter(|line| !line.is_empty()) {
        let words = split_words(line);
        let (program, arguments) = words.split_first().expect("a program");
        let command = format!("{program} {}", arguments.first().map_or("", String::as_str));
        match command.as_str() {
            "frontdesk serve" => {
                assert!(arguments.contains(&PUBLIC_URL.to_owned()), "{line}");
                serving.push(machines.serve(arguments));
                inbound(&machines.listen);
            }
            "frontdesk admin" => {
                let out = machines.on_service(arguments);
                if arguments.contains(&"add".to_owned()) {
                    let token = out.split_whitespace().last().expect("a token");
                    assert!(token.starts_with("desk_"), "{out}");
                    machines.tokens.push(token.to_owned());
                }
                if arguments.contains(&"list".to_owned()) {
                    assert_eq!(out.matches("1 session\t").count(), 3, "{out}");
                    // Lea is a viewer still.
                    let refused = machines.send(2, "Hello");
                    assert_eq!(refused.code, Some(1), "{}", refused.out);
                    assert!(refused.err.contains("a viewer cannot change anything"), "{}", refused.err);
                }
            }
            "frontdesk join" => {
                assert_eq!(arguments[1..], [PUBLIC_URL.to_owned()]);
                machines.join();
            }
            "frontdesk " => {
                for desk in &machines.desks {
                    let listed = desk.ok(&["list"], "");
                    assert!(listed.contains(CUSTOMER), "{listed}");
                }
            }
            _ if program == "cp" => {
                let [from, to] = &machines.translate(arguments)[..] else { panic!("{line}") };
                std::fs::copy(from, to).expect("copied");
            }
            _ => panic!("no command of the page: {line}"),
        }
        run.push(command);
    }
    assert_eq!(run.len(), 11, "{run:?}");
    let sent = machines.send(2, "Hello from Lea");
    assert_eq!((sent.code, sent.err.as_str()), (Some(0), ""), "Lea is an agent now");
    let removed = machines.desks[1].run(&["list"], "");
    assert_eq!(removed.code, Some(1), "Ben was removed: {}", removed.out);
    restore(&machines, serving);
}

/// Serves the backup with the copy of the key, as if the machine were lost: people are still signed in.
fn restore(machines: &Machines, serving: Vec<RunningProcess>) {
    drop(serving);
    let words =
        ["serve", "--db", "/backup/monday.db", "--key-file", "/safe/service.db.key", "--listen", LISTEN];
    let restored = machines.serve(&words.map(str::to_owned));
    let listed = machines.desks[0].ok(&["list"], "");
    assert!(listed.contains(CUSTOMER), "{listed}");
    drop(restored);
}
