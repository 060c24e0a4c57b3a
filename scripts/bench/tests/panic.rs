//! A panic of bench ends its servers. Alone in its binary: what is started here are this process's only children.

#![cfg(target_os = "linux")]

use bench::interrupt::Interrupt;
use bench::os::{descendants, processes};
use bench::target::{Launch, Server, free_port};

#[test]
fn a_panic_ends_the_whole_tree() {
    let launch = Launch {
        name: "sleeper".into(),
        argv: ["sh", "-c", "sleep 60 & sleep 60"]
            .map(str::to_owned)
            .to_vec(),
        env: Vec::new(),
        dir: ".".into(),
    };
    let tree = || {
        let mut tree = descendants(&processes(), std::process::id().cast_signed());
        tree.retain(|pid| *pid != std::process::id().cast_signed());
        tree
    };
    let address = (std::net::Ipv4Addr::LOCALHOST, free_port().unwrap()).into();
    let panicked = std::panic::catch_unwind(|| {
        let _server = Server::start(&launch, address, "test", &Interrupt::default()).unwrap();
        while tree().len() < 3 {
            std::thread::yield_now();
        }
        panic!("on purpose");
    });
    assert!(panicked.is_err());
    assert_eq!(tree(), Vec::<i32>::new());
}
