//! Lines that strace 6.1 wrote of servers of this suite and others. Only where two halves or broken lines matter they
//! are shortened.

use super::*;

fn one(line: &str) -> Call {
    let calls = parse(line);
    assert_eq!(calls.len(), 1, "{line}");
    calls[0].clone()
}

#[test]
fn a_write_to_a_socket() {
    let call = one(
        r#"21264 1796044537.898489 sendto(11<socket:[4805656]>, "HTTP/1.1 200 OK\r\nContent-Type: t"..., 115, MSG_NOSIGNAL, NULL, 0) = 115 <0.000122>"#,
    );
    assert_eq!(
        (call.pid, call.name.as_str(), call.kind()),
        (21264, "sendto", Kind::Write)
    );
    assert_eq!(
        (call.value, call.moved(), call.error.as_deref()),
        (Some(115), Some(115), None)
    );
    assert_eq!(call.object(), Some("socket:[4805656]"));
    assert!(call.begins_with("HTTP/1.") && !call.found_nothing());
    assert!((call.returned_s() - 1_796_044_537.898_611).abs() < 1e-5);
}

#[test]
fn the_first_buffer_of_several() {
    let call = one(
        r#"11425 1796046269.102304 writev(4<socket:[11540665]>, [{iov_base="HTTP/1.1 200 OK\r\nServer: nginx/1"..., iov_len=148}, {iov_base="Hello, World!", iov_len=13}], 2) = 161 <0.000052>"#,
    );
    assert!(call.begins_with("HTTP/1."));
    assert_eq!(call.moved(), Some(161));
}

#[test]
fn what_accept_returns_is_a_connection() {
    let call = one(
        r#"21264 1796044537.898237 accept4(3<socket:[4804606]>, {sa_family=AF_INET, sin_port=htons(46348), sin_addr=inet_addr("127.0.0.1")}, [128 => 16], SOCK_CLOEXEC|SOCK_NONBLOCK) = 11<socket:[4805656]> <0.000011>"#,
    );
    assert_eq!((call.kind(), call.value), (Kind::Accept, Some(11)));
    assert_eq!(call.object(), Some("socket:[4804606]"));
    assert_eq!(call.opened.as_deref(), Some("socket:[4805656]"));
}

#[test]
fn errors_have_their_name() {
    let call = one(
        "21264 1796044537.898376 accept4(3<socket:[4804606]>, 0x7fbc77b5e938, [128], SOCK_CLOEXEC|SOCK_NONBLOCK) = -1 EAGAIN (Resource temporarily unavailable) <0.000011>",
    );
    assert_eq!(
        (call.value, call.error.as_deref(), call.opened),
        (Some(-1), Some("EAGAIN"), None)
    );
    let call = one(
        "13585 1796046272.089676 read(5<socket:[11542696]>, 0x7ff7c6d75910, 16) = -1 ECONNRESET (Connection reset by peer) <0.000010>",
    );
    assert_eq!(
        (call.error.as_deref(), call.moved(), call.found_nothing()),
        (Some("ECONNRESET"), None, false)
    );
}

#[test]
fn two_halves_are_one_call() {
    let calls = parse(
        "21264 10.000000 epoll_wait(7<anon_inode:[eventpoll]>,  <unfinished ...>\n\
         21262 10.010000 --- SIGTERM {si_signo=SIGTERM, si_code=SI_USER, si_pid=21255, si_uid=0} ---\n\
         21262 10.020000 futex(0x7f, FUTEX_WAKE, 1) = 0 <0.000001>\n\
         21264 10.030000 <... epoll_wait resumed>[{events=EPOLLIN, data={u32=4, u64=4}}], 1024, 1000) = 1 <0.030000>\n",
    );
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["futex", "epoll_wait"], "in the order of return");
    assert_eq!(
        (calls[1].at_s, calls[1].took_s, calls[1].value),
        (10.0, 0.03, Some(1))
    );
    assert_eq!(calls[1].object(), Some("anon_inode:[eventpoll]"));
}

#[test]
fn what_never_returned_is_no_call() {
    let log = "21263 1.5 exit(0 <unfinished ...>\n\
               21263 1.6 +++ exited with 0 +++\n\
               21291 1.7 <... futex resumed>) = 0 <0.1>\n\
               strace: Process 5 attached\n\
               \n\
               99 1.8 rt_sig";
    assert_eq!(parse(log), []);
    let call = one("21264 1796044537.912155 exit(0) = ?");
    assert_eq!((call.value, call.took_s), (None, 0.0));
    let call = one(
        "5 2.0 futex(0x1, FUTEX_WAIT, 0, NULL) = ? ERESTARTSYS (To be restarted if SA_RESTART is set) <0.12>",
    );
    assert_eq!((call.value, call.error), (None, None));
}

#[test]
fn what_a_buffer_holds_does_not_confuse() {
    let call = one(
        r#"13585 1796046271.971510 write(5<socket:[11542696]>, "a) = 7 <0.1>, \"(", 16) = 16 <0.000015>"#,
    );
    assert_eq!(
        (call.name.as_str(), call.value, call.took_s),
        ("write", Some(16), 0.000_015)
    );
    let call = one(
        r"13585 1796046271.971429 poll([{fd=5<socket:[11542696]>, events=POLLIN}], 1, 5000) = 1 ([{fd=5, revents=POLLIN}]) <0.000009>",
    );
    assert_eq!(
        (call.value, call.kind(), call.object()),
        (Some(1), Kind::Other, None)
    );
}
