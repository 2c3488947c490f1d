//! Check of the webhook receiver's address.

use std::io::ErrorKind;
use std::net::TcpListener;

use crate::cli::doctor::CheckResult;
use crate::cli::doctor::problem::Problem;
use crate::config::ReceiverConfig;

/// Checks the receiver, if one is configured. A running inbox or engine of this desk uses its address.
pub fn check_receiver(receiver: Option<&ReceiverConfig>, is_desk_running: bool) -> Option<CheckResult> {
    let ReceiverConfig { listen, public_url } = receiver?;
    Some(match TcpListener::bind(listen) {
        Ok(_) => {
            CheckResult::ok("receiver", format!("{listen} is free; the service delivers to {public_url}"))
        }
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_desk_running => {
            CheckResult::ok("receiver", format!("{listen} is in use; an inbox or engine of this desk runs"))
        }
        Err(error) if error.kind() == ErrorKind::AddrInUse => CheckResult::fail(
            Problem::Receiver,
            "receiver",
            format!("another program uses {listen}"),
            "end it, or set another port in [receiver] listen",
        ),
        Err(error) => CheckResult::fail(
            Problem::Receiver,
            "receiver",
            format!("cannot listen on {listen}: {error}"),
            "set an address of this machine in [receiver] listen",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_address_a_used_one_and_one_of_another_machine() {
        assert_eq!(check_receiver(None, false), None);
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let used = taken.local_addr().expect("an address");
        let cases = [
            (used, true, "ok", "is in use"),
            (used, false, "fail", "another program uses"),
            ("127.0.0.1:0".parse().expect("an address"), false, "ok", "is free"),
            ("192.0.2.1:8790".parse().expect("an address"), false, "fail", "192.0.2.1:8790"),
        ];
        for (listen, runs, verdict, words) in cases {
            let config = ReceiverConfig { listen, public_url: "https://desk.example".to_owned() };
            let found = check_receiver(Some(&config), runs).expect("a finding").line();
            assert!(found.starts_with(verdict) && found.contains(words), "{found}");
        }
    }
}
