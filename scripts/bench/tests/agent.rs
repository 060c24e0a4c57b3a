//! The far side of `--on`, without ssh: `bench agent` as a child process, spoken to over its pipes.

#![cfg(target_os = "linux")]

use bench::candidate::{Candidate, Choice, choose};
use bench::executor::{Executor, Host, Order, Real, Setting, Started};
use bench::generator::{Generators, Load, Loaded, Site};
use bench::interrupt::Interrupt;
use bench::model::{CpuPlan, GeneratorKind, Mode, RequestKind};
use bench::os;
use bench::remote::protocol::{Hello, Request};
use bench::remote::{Arrived, Crew, Far, Freight, Link};
use bench::target::StartError;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Not a test: the server's main.
#[test]
#[ignore = "a server that other tests start"]
fn serves() {
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    for stream in listener.incoming().map_while(Result::ok) {
        std::thread::spawn(move || answer(stream));
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        if line.ends_with("\r\n\r\n") {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")?;
            line.clear();
        }
    }
    Ok(())
}

fn candidate() -> Candidate {
    let me = std::env::current_exe().unwrap();
    let with = format!(
        "mine=env PORT={{port}} '{}' --exact serves --ignored",
        me.display()
    );
    let choice = Choice {
        with: vec![with],
        ..Choice::default()
    };
    let mut candidate = choose(None, &choice).unwrap().remove(0);
    candidate.target.contract = contract::targets::Contract::Exempt;
    candidate
}

/// A folder as the far shell makes it.
fn folder() -> PathBuf {
    let folder = tempfile::tempdir().unwrap().keep();
    let bin = folder.join("target/release");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(bin.join("bench"), "").unwrap();
    folder
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.arg("agent").arg(folder);
    command
}

fn arrive(folder: &Path) -> Arrived {
    let mut link = Link::over("pi@board", command(folder), &Interrupt::default()).unwrap();
    link.beat();
    Arrived {
        hello: link.ask(&Request::Hello).unwrap(),
        link,
        freight: Freight::default(),
    }
}

fn order() -> Order {
    Order {
        target: candidate().target,
        threads: 1,
        cpus: os::allowed(),
        port: None,
        body_size: 13,
        path: "/".into(),
    }
}

fn start(link: &mut Link) -> Started {
    let started: Result<Started, StartError> =
        link.ask(&Request::Start { order: order() }).unwrap();
    started.unwrap()
}

fn load(connections: u32) -> Load {
    Load {
        mode: Mode::Keepalive,
        pipeline_depth: 16,
        connections,
        rate: None,
        wrk_threads: None,
        requests: None,
        request: RequestKind::Minimal,
        fields: Vec::new(),
        path: "/".into(),
    }
}

fn setting() -> Setting {
    Setting {
        bin: PathBuf::new(),
        cpus: CpuPlan {
            server: os::allowed(),
            generator: os::allowed(),
            pinned: false,
            shared: true,
        },
        port: None,
        body_size: 13,
        body_sizes: BTreeMap::new(),
        request: RequestKind::Minimal,
        path: "/".into(),
        warmup: Duration::ZERO,
        duration: Duration::from_millis(300),
        site: Site {
            cpus: os::allowed(),
            mark: "none".into(),
            interrupt: Interrupt::default(),
        },
    }
}

/// Waits until nobody listens there and the folder is gone.
fn nothing_is_left(folder: &Path, started: Started, limit: Duration) {
    let began = Instant::now();
    while folder.exists() || TcpStream::connect(started.address).is_ok() {
        assert!(
            began.elapsed() < limit,
            "{} or its server is left",
            folder.display()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_cell_is_measured_as_it_is_here() {
    let folder = folder();
    let far = Far::new(arrive(&folder), &"pi@board".parse().unwrap());
    let crew = Crew::new(vec![arrive(&self::folder()), arrive(&self::folder())]);
    let mut executor = Real::over(setting(), Box::new(far), Rc::new(crew));
    let candidate = candidate();
    assert!(executor.start(&candidate, 1).unwrap() > 0.0);
    assert_eq!(executor.inspect(&candidate).response.unwrap().body_bytes, 5);
    let measured = executor.measure(&load(3), GeneratorKind::Embedded).unwrap();
    let loaded = &measured.loaded;
    assert!(
        loaded.responses > 0 && loaded.errors.total() == 0,
        "{loaded:?}"
    );
    assert!(
        loaded.latency.p99_us.is_some(),
        "merged out of two histograms"
    );
    assert!(
        loaded.in_flight.unwrap() > 2.0,
        "each has its share: {:?}",
        loaded.in_flight
    );
    assert!(
        measured.server.cpu_us_per_request.unwrap() > 0.5,
        "{:?}",
        measured.server
    );
    assert!(measured.server.pss_load_bytes.unwrap() > 100_000);
    assert_eq!(executor.ended(), None);
    assert_eq!(executor.stop(), Ok(Vec::new()));
    drop(executor);
    assert!(!folder.exists());
}

#[test]
fn what_cannot_start_there_is_the_same_error_as_here() {
    let mut order = order();
    order.target.run = vec!["./no-such-program".into(), "{port}".into()];
    let mut far = Far::new(arrive(&folder()), &"pi@board".parse().unwrap());
    let error = far.start(&order).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot start `./no-such-program`"),
        "{error}"
    );
    assert!(!error.is_fatal());
}

#[test]
fn when_the_connection_ends_nothing_is_left() {
    let folder = folder();
    let mut there = arrive(&folder);
    let started = start(&mut there.link);
    drop(there);
    nothing_is_left(&folder, started, Duration::from_secs(5));
}

/// A network that is gone without a word.
#[test]
fn ten_seconds_without_a_heartbeat_are_the_end() {
    let folder = folder();
    let mut link = Link::over("pi@board", command(&folder), &Interrupt::default()).unwrap();
    let _: Hello = link.ask(&Request::Hello).unwrap();
    let began = Instant::now();
    let started = start(&mut link);
    nothing_is_left(&folder, started, Duration::from_secs(30));
    assert!(
        began.elapsed() > Duration::from_secs(9),
        "{:?}",
        began.elapsed()
    );
    let error = link.ask::<Option<String>>(&Request::Ended).unwrap_err();
    assert!(
        error.is_fatal() && error.to_string().contains("pi@board"),
        "{error}"
    );
}

/// Also where it is the agent itself that is killed, and the server's environment does not show who started it.
#[test]
fn an_agent_that_is_killed_leaves_no_server() {
    let folder = folder();
    let mut agent = spawn(&folder);
    let mut order = order();
    order.target.run.insert(1, "-i".into());
    let started = ask(&mut agent, &Request::Start { order });
    let started: Result<Started, StartError> = serde_json::from_str(&started).unwrap();
    let started = started.unwrap();
    agent.kill().unwrap();
    agent.wait().unwrap();
    let began = Instant::now();
    while TcpStream::connect(started.address).is_ok() {
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "the server is left"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    // In a run the far shell removes it.
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_interrupt_ends_a_load_under_way_and_the_agent() {
    let (servers, loads) = (folder(), folder());
    let mut there = arrive(&servers);
    let started = start(&mut there.link);
    let mut link = arrive(&loads).link;
    let began = Instant::now();
    link.send(&Request::Load {
        generator: GeneratorKind::Embedded,
        load: load(2),
        address: started.address,
        duration_s: 60.0,
    })
    .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    link.send(&Request::Interrupt).unwrap();
    let loaded: Result<Loaded, String> = link.answer().unwrap();
    assert!(loaded.unwrap().responses > 0);
    assert!(began.elapsed() < Duration::from_secs(20));
    drop(link);
    assert!(!loads.exists());
}

#[test]
fn another_version_is_one_line() {
    let folder = folder();
    let mut agent = spawn(&folder);
    writeln!(
        agent.stdin.as_mut().unwrap(),
        "{{\"do\":\"something-new\"}}"
    )
    .unwrap();
    let output = agent.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("both sides must be of one version"), "{told}");
    assert_eq!(told.lines().count(), 1);
    assert!(!folder.exists());
}

#[test]
fn a_generator_that_is_not_there_names_its_host() {
    let mut bare = command(&folder());
    bare.env("PATH", "/nonexistent");
    let mut link = Link::over("pi@board", bare, &Interrupt::default()).unwrap();
    link.beat();
    let crew = Crew::new(vec![Arrived {
        hello: link.ask(&Request::Hello).unwrap(),
        link,
        freight: Freight::default(),
    }]);
    let error = crew
        .of_kind(GeneratorKind::Wrk)
        .version()
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("pi@board: wrk cannot be started"),
        "{error}"
    );
}

fn spawn(folder: &Path) -> Child {
    command(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn ask(agent: &mut Child, request: &Request) -> String {
    let line = serde_json::to_string(request).unwrap();
    writeln!(agent.stdin.as_mut().unwrap(), "{line}").unwrap();
    let mut answer = String::new();
    let stdout = agent.stdout.as_mut().unwrap();
    BufReader::new(stdout).read_line(&mut answer).unwrap();
    answer
}
