//! Heads that are too large (RFC 6585 5, RFC 9110 15.5.15).

use std::io::Write;

use super::Wire;
use crate::fault::Fault;

/// Case `too-large`: the answer arrives in order although the server has not read all that was sent.
pub(crate) fn too_large(wire: &Wire) -> Result<(), Fault> {
    let fields: String = (0..100)
        .map(|number| format!("X-Field-{number}: x\r\n"))
        .collect();
    let variants = [
        (
            "101 fields",
            (format!("GET / HTTP/1.1\r\nHost: x\r\n{fields}\r\n"), 431),
        ),
        (
            "70 KB target",
            (
                format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(70 * 1024)),
                414,
            ),
        ),
        (
            "1 MiB field",
            (
                format!(
                    "GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n",
                    "a".repeat(1 << 20)
                ),
                431,
            ),
        ),
    ];
    wire.each(&variants, |(request, status)| {
        answered_in_order(wire, request.as_bytes(), *status)
    })
}

fn answered_in_order(wire: &Wire, request: &[u8], status: u16) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    let mut writer = client.writer()?;
    client.note_sent(request);
    std::thread::scope(|scope| {
        // Goes on sending whatever is answered meanwhile, as a client does that reads only afterwards.
        scope.spawn(move || writer.write_all(request));
        let response = client.response("GET")?;
        if !wire.judge.is_ours() {
            return Ok(()); // RFC 9110 sets no limits: another server may have larger ones
        }
        wire.judge
            .refused(&response, &[status])
            .map_err(|reason| client.fault(reason))?;
        client.must_finish()
    })
}
