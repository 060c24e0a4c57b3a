#!/usr/bin/perl
# Mojolicious::Lite with one fixed response: its daemon for one process, its prefork for more.
#
#   perl server.pl --port 8080
use Mojolicious::Lite -signatures;
use Getopt::Long;
use Mojo::File qw(tempdir);
use Mojo::Server::Daemon;
use Mojo::Server::Prefork;

my ($host, $port, $threads, $body, $size) = ('::', 8080, 1, 'Hello, World!');
GetOptions('host=s' => \$host, 'port=i' => \$port, 'threads=i' => \$threads, 'body=s' => \$body, 'body-size=i' => \$size)
  or exit 2;
$body = substr $body . '0123456789' x ($size / 10 + 1), 0, $size if defined $size;

any '/*any' => {any => ''} => sub ($c) {
    my ($keep_alive, $headers) = ($c->tx->keep_alive, $c->res->headers);
    $headers->connection('close')      if !$keep_alive;
    $headers->connection('keep-alive') if $keep_alive && $c->req->version eq '1.0';    # or `ab -k` waits for ever
    $headers->content_type('text/plain');
    $c->render(data => $body);
};

app->mode('production');
app->log->level('error');
my %options = (
    app          => app,
    listen       => ['http://' . ($host =~ /:/ ? "[$host]" : $host) . ":$port"],
    silent       => 1,
    backlog      => 4096,
    max_clients  => 10_000,
    max_requests => 1_000_000_000,    # the default closes a connection after 100
);
my $temp = tempdir;
my $server
  = $threads > 1
  ? Mojo::Server::Prefork->new(%options, workers => $threads, accepts => 0, pid_file => $temp->child('pid'))
  : Mojo::Server::Daemon->new(%options);
$server->run;
