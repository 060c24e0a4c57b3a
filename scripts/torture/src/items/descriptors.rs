//! A server that may have few open files: full service again as soon as there are some.

use std::net::TcpStream;
use std::time::Duration;

use contract::Target;

use crate::client::PATIENCE;
use crate::context::Context;
use crate::outcome::{Figures, Trouble};
use crate::server::{Options, Server};

/// The shell lowers both limits before it becomes the server: ours raise the soft one to the hard one.
const FEW: [&str; 4] = ["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"];

/// Item `few-descriptors`: 100 connections at once, of which it can have no more than 64; ten times over.
pub fn few(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let options = Options {
        wrapper: &FEW,
        ..Options::default()
    };
    let mut server = Server::start_with(context, target, &options)?;
    for _ in 0..context.count(10, 3) {
        context.go_on()?;
        let held: Vec<_> = (0..100)
            .filter_map(|_| TcpStream::connect_timeout(&server.addr(), PATIENCE).ok())
            .collect();
        figures.raise("connections", held.len() as u32);
        std::thread::sleep(Duration::from_millis(50));
        drop(held);
        server.expect_service_within(Duration::from_secs(3))?;
        figures.raise("descriptors_after", server.usage()?.descriptors as f64);
    }
    server.stop().map(drop)
}
