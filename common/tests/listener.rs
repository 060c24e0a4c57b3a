//! Listeners on real ports.

use std::net::{SocketAddr, TcpListener, TcpStream};

use clap::Parser;
use common::{Args, listener};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn args(port: u16) -> Args {
    Cli::parse_from(["test", "--host", "127.0.0.1", "--port", &port.to_string()]).args
}

#[test]
fn a_free_address_can_be_bound_and_nothing_listens_there() {
    let address = listener::free_address(&args(0)).unwrap();
    assert_ne!(address.port(), 0);
    assert!(TcpStream::connect(address).is_err());
    assert!(TcpListener::bind(address).is_ok());
}

#[test]
fn a_port_in_use_is_no_free_address() {
    let holder = listener::bind(&args(0)).unwrap();
    let address: SocketAddr = holder.local_addr().unwrap();
    let error = listener::free_address(&args(address.port())).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("cannot listen on {address}")),
        "{error}"
    );
}
