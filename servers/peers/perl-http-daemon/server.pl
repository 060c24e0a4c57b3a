#!/usr/bin/perl
# HTTP::Daemon with one fixed response. A process serves one connection at a time.
#
#   perl server.pl --port 8080
use strict;
use warnings;
use Getopt::Long;
use HTTP::Daemon;
use HTTP::Response;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my ($host, $port, $threads, $body, $size) = ('::', 8080, 1, 'Hello, World!');
GetOptions('host=s' => \$host, 'port=i' => \$port, 'threads=i' => \$threads, 'body=s' => \$body, 'body-size=i' => \$size)
  or exit 2;
$body = substr $body . '0123456789' x ($size / 10 + 1), 0, $size if defined $size;

my $daemon = HTTP::Daemon->new(LocalAddr => $host, LocalPort => $port, V6Only => 0, ReuseAddr => 1, Listen => 4096)
  or die "cannot listen on $host port $port: $@\n";
$SIG{PIPE} = 'IGNORE';    # a client that leaves must not end the process

my @children;
for (2 .. $threads) {
    my $pid = fork // die "cannot fork: $!\n";
    if (!$pid) { @children = (); last }
    push @children, $pid;
}
$SIG{TERM} = $SIG{INT} = sub { kill TERM => @children; exit 0 };

my $response = HTTP::Response->new(200, 'OK', ['Content-Type' => 'text/plain', 'Content-Length' => length $body], $body);
while (1) {
    my $connection = $daemon->accept or next;
    setsockopt $connection, IPPROTO_TCP, TCP_NODELAY, 1;    # or each kept-alive response waits for a delayed ACK
    while (my $request = $connection->get_request) {
        my ($option) = ($request->header('Connection') // '') =~ /^(close|keep-alive)$/i;
        $option ? $response->header(Connection => lc $option) : $response->remove_header('Connection');
        $connection->send_response($response);
    }
    $connection->close;
}
