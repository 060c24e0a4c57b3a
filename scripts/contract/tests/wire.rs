//! The wire cases against a right server, which passes all, and against liars, each of which fails its case.

#[allow(dead_code)] // the process cases use the rest
mod fake;

use std::sync::RwLock;

use contract::{Judge, Outcome, Selection, Verdict, capabilities, check_wire};
use fake::Lie;

fn engine() -> Judge {
    Judge::Ours {
        body: b"Hello, World!".to_vec(),
        extra_fields: Vec::new(),
        engine: true,
    }
}

/// Tests run side by side, and liars are found out on a busy machine as well; who is in the right needs it alone
/// for the cases that look at the clock.
static MACHINE: RwLock<()> = RwLock::new(());

fn check(lie: Lie, judge: &Judge, selection: &Selection) -> Vec<Outcome> {
    let _beside = MACHINE.read();
    check_wire(fake::start(lie), judge, selection)
}

fn check_alone(lie: Lie, judge: &Judge, selection: &Selection) -> Vec<Outcome> {
    let _alone = MACHINE.write();
    check_wire(fake::start(lie), judge, selection)
}

fn failures(outcomes: &[Outcome]) -> Vec<String> {
    let failed = outcomes
        .iter()
        .filter(|outcome| outcome.verdict != Verdict::Pass || !outcome.alive);
    failed
        .map(|outcome| format!("{}: {}\n{}", outcome.id, outcome.reason, outcome.exchange))
        .collect()
}

#[test]
fn a_right_server_passes_all() {
    let mut outcomes = check_alone(Lie::None, &engine(), &Selection::Quick);
    outcomes.extend(check(Lie::None, &engine(), &Selection::Waiting));
    assert_eq!(outcomes.len(), 32);
    assert_eq!(failures(&outcomes), [""; 0]);
}

/// The lies, and the cases that each must fail.
const LIES: &[(Lie, &[&str])] = &[
    (Lie::KeepsHttp10, &["ab-request"]),
    (Lie::KeepsSilently, &["ab-keepalive"]),
    (Lie::TwoBlanks, &["ab-keepalive"]),
    (
        Lie::IgnoresClose,
        &["connection-close", "close-ends-pipeline"],
    ),
    (Lie::AnswersBehindClose, &["close-ends-pipeline"]),
    (
        Lie::SkipsNoBody,
        &[
            "body-not-a-request",
            "chunked-then-request",
            "expect-continue",
        ],
    ),
    (Lie::TrustsBothLengths, &["length-and-chunked"]),
    (Lie::TakesAnyLength, &["bad-length"]),
    (
        Lie::TakesAnyEncoding,
        &["bad-transfer-encoding", "length-and-chunked"],
    ),
    (Lie::ChecksNoHost, &["host-missing", "host-twice"]),
    (Lie::HeadWithBody, &["head-no-body"]),
    (Lie::NeverContinues, &["expect-continue"]),
    (Lie::OriginFormOnly, &["absolute-form"]),
    (Lie::ReadIsRequest, &["byte-by-byte", "half-second-request"]),
    (Lie::HoldsBack, &["half-second-request"]),
    (
        Lie::DropsPipelined,
        &["pipeline-16", "pipeline-20000", "head-no-body"],
    ),
    (Lie::LosesOne, &["pipeline-20000", "wrk-request"]),
    (
        Lie::ClosesOnGarbage,
        &["garbage-behind-good", "bad-field", "host-missing"],
    ),
    (Lie::GivesUpAtFin, &["half-close"]),
    (Lie::TakesAnyField, &["bad-field"]),
    (Lie::NoEmptyLine, &["leading-empty-line"]),
    (Lie::TakesAnyVersion, &["not-http11"]),
    (Lie::ResetsLarge, &["too-large"]),
    (Lie::SixteenFields, &["browser-heads"]),
    (Lie::Stalls, &["no-stall"]),
    (Lie::LosesConnections, &["burst"]),
    (Lie::WrongOnce, &["pipeline-20000", "wrk-request"]),
    (Lie::TakesAnyChunk, &["bad-chunk"]),
    (Lie::OpensTunnels, &["connect"]),
    (Lie::FrozenDate, &["date-moves"]),
    (Lie::DateAnHourOff, &["date-moves"]),
    (Lie::NoDate, &["date-moves", "ab-request"]),
    (Lie::Impatient, &["silent-client"]),
    (Lie::WrongBody, &["ab-request", "burst"]),
    (Lie::ExtraField, &["ab-request", "absolute-form"]),
    (Lie::OtherType, &["absolute-form"]),
    (Lie::SaysKeepAlive, &["absolute-form"]),
    (Lie::OldVersion, &["absolute-form", "connection-close"]),
    (Lie::OtherReason, &["absolute-form", "ab-request"]),
    (Lie::Error500, &["absolute-form", "wrk-request", "no-stall"]),
];

#[test]
fn each_lie_fails_its_case() {
    // Side by side, since most failures are found by waiting; a third at a time, so that none is starved.
    for some in LIES.chunks(14) {
        std::thread::scope(|scope| {
            for (lie, ids) in some {
                scope.spawn(|| fails(*lie, ids));
            }
        });
    }
}

fn fails(lie: Lie, ids: &[&str]) {
    let outcomes = check(
        lie,
        &engine(),
        &Selection::ids(ids.iter().copied()).unwrap(),
    );
    assert_eq!(outcomes.len(), ids.len());
    for outcome in &outcomes {
        assert_eq!(
            outcome.verdict,
            Verdict::Fail,
            "{lie:?} passes {}",
            outcome.id
        );
        assert!(outcome.alive, "{lie:?}, {}: {}", outcome.id, outcome.reason);
        assert!(
            !outcome.reason.is_empty() && !outcome.reason.contains('\n'),
            "{lie:?}: {outcome:?}"
        );
    }
}

/// No lie fails a case that has nothing to do with it: such a test would prove nothing about the case.
#[test]
fn a_lie_fails_nothing_else() {
    for (lie, id) in [
        (Lie::ChecksNoHost, "bad-length"),
        (Lie::Stalls, "byte-by-byte"),
        (Lie::SixteenFields, "too-large"),
    ] {
        let outcomes = check(lie, &engine(), &Selection::ids([id]).unwrap());
        assert_eq!(failures(&outcomes), [""; 0], "{lie:?}");
    }
}

#[test]
fn a_silent_client_that_is_never_closed_fails_ours_and_is_no_verdict_on_others() {
    let silent = Selection::ids(["silent-client"]).unwrap();
    let (ours, other) = std::thread::scope(|scope| {
        let ours = scope.spawn(|| check(Lie::WaitsForEver, &engine(), &silent));
        let other = check(Lie::Other, &Judge::Foreign, &silent);
        (ours.join().unwrap(), other)
    });
    assert_eq!(ours[0].verdict, Verdict::Fail);
    assert_eq!(other[0].verdict, Verdict::Skip, "{:?}", other[0]);
}

#[test]
fn a_server_that_is_not_there_fails_all_at_once() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let outcomes = check_wire(nobody, &engine(), &Selection::Quick);
    assert_eq!(outcomes.len(), 30);
    for outcome in outcomes {
        assert_eq!((outcome.verdict, outcome.alive), (Verdict::Fail, false));
        assert!(
            outcome
                .reason
                .starts_with("the server does not answer: cannot connect to"),
            "{}",
            outcome.reason
        );
    }
}

#[test]
fn a_server_that_dies_is_not_alive() {
    let outcomes = check(
        Lie::DiesOfGarbage,
        &engine(),
        &Selection::ids(["host-missing"]).unwrap(),
    );
    assert_eq!(
        (outcomes[0].verdict, outcomes[0].alive),
        (Verdict::Fail, false),
        "{:?}",
        outcomes[0]
    );
}

#[test]
fn a_failure_shows_the_bytes() {
    let outcomes = check(
        Lie::Error500,
        &engine(),
        &Selection::ids(["absolute-form"]).unwrap(),
    );
    let right = "> GET http://x/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n\n< HTTP/1.1 500 Internal Server Error\\r\\n";
    assert!(
        outcomes[0].exchange.starts_with(right),
        "{}",
        outcomes[0].exchange
    );
    assert_eq!(outcomes[0].reason, "status 500, not 200");
}

/// Another server may send other fields, another body, chunked, and may close: that is HTTP as well.
#[test]
fn other_servers_are_judged_as_a_client_would() {
    for lie in [Lie::Other, Lie::OtherHttp10] {
        let outcomes = check_alone(lie, &Judge::Foreign, &Selection::Quick);
        assert_eq!(failures(&outcomes), [""; 0], "{lie:?}");
        let as_ours = check(lie, &engine(), &Selection::ids(["absolute-form"]).unwrap());
        assert_eq!(as_ours[0].verdict, Verdict::Fail, "{lie:?}");
    }
}

/// Where cases side by side would starve one another they run in turn. Only the one that holds many connections may
/// fail, if a thousand requests on each of those before take too long.
#[test]
fn a_server_of_one_connection_at_a_time_is_judged_by_one_at_a_time() {
    let outcomes = check(Lie::OtherInTurn, &Judge::Foreign, &Selection::Quick);
    let others: Vec<Outcome> = outcomes
        .into_iter()
        .filter(|outcome| outcome.id != "wrk-request")
        .collect();
    assert_eq!(failures(&others), [""; 0]);
}

#[test]
fn capabilities_tell_what_a_generator_may_ask() {
    let truth = capabilities(fake::start(Lie::None));
    let all = [
        &truth.http10,
        &truth.http10_keep_alive,
        &truth.keep_alive,
        &truth.close,
    ];
    let more = [
        &truth.server_closes,
        &truth.pipelining,
        &truth.ab,
        &truth.ab_keep_alive,
    ];
    assert!(
        all.into_iter().chain(more).all(contract::Ability::is_yes),
        "{truth:?}"
    );

    let kept = capabilities(fake::start(Lie::KeepsSilently));
    assert_eq!(
        kept.ab_keep_alive.reason(),
        Some("it does not close the connection")
    );
    assert!(kept.ab.is_yes());

    let dropping = capabilities(fake::start(Lie::DropsPipelined));
    assert_eq!(
        dropping.pipelining.reason(),
        Some("pipelined response 2 of 16: no answer within 1.5 s")
    );

    let closing = capabilities(fake::start(Lie::OtherHttp10));
    assert_eq!(
        closing.keep_alive.reason(),
        Some("it closes after each response")
    );
    assert!(
        closing.close.is_yes() && closing.ab_keep_alive.is_yes(),
        "{closing:?}"
    );
    assert!(!closing.pipelining.is_yes());
}

#[test]
fn an_unknown_case_is_named() {
    assert_eq!(
        Selection::ids(["no-such"]).unwrap_err().to_string(),
        "unknown case `no-such`"
    );
}
