//! A server whose answers come from a closure; it records requests.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::raw_http::RawRequest;

type Answering = dyn Fn(&RawRequest) -> (u16, String) + Send + Sync;

pub struct StandIn {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<RawRequest>>>,
}

impl StandIn {
    pub fn start(answer: impl Fn(&RawRequest) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer): (_, Arc<Answering>) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream.expect("a connection"), &kept, &*answer));
            }
        });
        Self { address, requests }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn requests(&self) -> Vec<RawRequest> {
        self.requests.lock().expect("the requests").clone()
    }

    pub fn take_requests(&self) -> Vec<RawRequest> {
        std::mem::take(&mut *self.requests.lock().expect("the requests"))
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<RawRequest>>, answer: &Answering) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let request = loop {
        let Ok(count) = stream.read(&mut buffer) else { return };
        if count == 0 {
            return;
        }
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(request) = RawRequest::parse(&bytes) {
            break request;
        }
    };
    kept.lock().expect("the requests").push(request.clone());
    let (status, body) = answer(&request);
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n");
    // The client may have given up.
    let _ = stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
}
