//! What a load is made of, with a host and generators that only write down what they are asked for.

use super::*;
use crate::candidate::{Choice, choose};
use crate::executor::Started;
use crate::executor::mock::measured;
use crate::generator::Generator;
use crate::model::{Heat, Mode, ServerCost, Target};
use crate::prepare::Missing;
use std::cell::RefCell;

#[derive(Clone, Default)]
struct Paper {
    loads: Rc<RefCell<Vec<(GeneratorKind, Duration)>>>,
    seen: Rc<RefCell<Vec<(f64, u64)>>>,
}

impl Host for Paper {
    fn prepare(&mut self, _: &[Candidate], _: &Values) -> anyhow::Result<Vec<Option<Missing>>> {
        Ok(Vec::new())
    }

    fn describe(&mut self, _: &Candidate, _: &Values, _: &mut Target) {}

    fn start(&mut self, _: &Order) -> Result<Started, StartError> {
        Ok(Started {
            address: ([127, 0, 0, 1], 1).into(),
            seconds: 0.001,
        })
    }

    fn check_owner(&mut self) -> Result<(), StartError> {
        Ok(())
    }

    fn watch(&mut self, _: Duration) -> Result<(), StartError> {
        Ok(())
    }

    fn seen(&mut self, seconds: f64, responses: u64) -> Result<(ServerCost, Heat), StartError> {
        self.seen.borrow_mut().push((seconds, responses));
        Ok((ServerCost::default(), Heat::default()))
    }

    fn celsius(&mut self) -> Option<f64> {
        None
    }

    fn ended(&mut self) -> Option<String> {
        None
    }

    fn stop(&mut self) -> Result<Vec<String>, StartError> {
        Ok(Vec::new())
    }
}

struct Written<'a>(&'a Paper, GeneratorKind);

impl Generator for Written<'_> {
    fn kind(&self) -> GeneratorKind {
        self.1
    }

    fn version(&self) -> anyhow::Result<String> {
        Ok(String::new())
    }

    fn cannot(&self, _: &Load) -> Option<String> {
        None
    }

    /// Half a second of measured time, and a third as many responses again in the drain.
    fn run(&self, _: &Load, _: SocketAddr, time: Duration, _: &Site) -> anyhow::Result<Loaded> {
        self.0.loads.borrow_mut().push((self.1, time));
        Ok(Loaded {
            elapsed_s: 0.5,
            responses: 300,
            all_responses: 400,
            ..measured(600.0, 10.0).loaded
        })
    }
}

impl Generators for Paper {
    fn of_kind(&self, kind: GeneratorKind) -> Box<dyn Generator + '_> {
        Box::new(Written(self, kind))
    }
}

/// Measures once, after this warm-up, with this generator.
fn measure(warmup: Duration, kind: GeneratorKind) -> Paper {
    let paper = Paper::default();
    let setting = Setting {
        bin: PathBuf::new(),
        cpus: CpuPlan {
            server: os::allowed(),
            ..CpuPlan::default()
        },
        port: None,
        body_size: 13,
        body_sizes: BTreeMap::new(),
        request: RequestKind::Minimal,
        path: "/".into(),
        warmup,
        duration: TIME,
        site: Site {
            cpus: os::allowed(),
            mark: String::new(),
            interrupt: crate::interrupt::Interrupt::default(),
        },
    };
    let choice = Choice {
        with: vec!["a=server {port}".into()],
        ..Choice::default()
    };
    let candidate = choose(None, &choice).unwrap().remove(0);
    let mut real = Real::over(setting, Box::new(paper.clone()), Rc::new(paper.clone()));
    real.start(&candidate, 1).unwrap();
    let load = Load {
        mode: Mode::Keepalive,
        pipeline_depth: 16,
        connections: 64,
        rate: None,
        wrk_threads: None,
        requests: None,
        request: RequestKind::Minimal,
        fields: Vec::new(),
        path: "/".into(),
    };
    real.measure(&load, kind).unwrap();
    paper
}

/// Length of the measured load.
const TIME: Duration = Duration::from_secs(2);

#[test]
fn each_load_is_warmed_up_by_a_generator_that_knows_its_length() {
    use GeneratorKind::{Embedded, Wrk};
    let loads = |warmup, kind| measure(warmup, kind).loads.take();
    let (half, one) = (Duration::from_millis(500), Duration::from_secs(1));
    assert_eq!(loads(half, Wrk), [(Embedded, half), (Wrk, TIME)]);
    assert_eq!(loads(one, Wrk), [(Wrk, one), (Wrk, TIME)]);
    assert_eq!(loads(half, Embedded), [(Embedded, half), (Embedded, TIME)]);
    assert_eq!(loads(Duration::ZERO, Wrk), [(Wrk, TIME)]);
}

/// perl-mojolicious in mode pipeline: the drain gave as much as a third of the measured time, and made 168 % of 100 %.
#[test]
fn cpu_time_of_the_drain_is_no_part_of_how_busy_the_server_was() {
    let paper = measure(Duration::ZERO, GeneratorKind::Embedded);
    let (seconds, responses) = paper.seen.take()[0];
    assert_eq!(responses, 400);
    assert!((seconds - 0.5 * 400.0 / 300.0).abs() < 1e-12, "{seconds}");
}
