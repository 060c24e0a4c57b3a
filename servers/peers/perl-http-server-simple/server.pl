#!/usr/bin/perl
# HTTP::Server::Simple with one fixed response: HTTP/1.0, one request a connection.
#
#   perl server.pl --port 8080
package FixedServer;
use strict;
use warnings;
use parent 'HTTP::Server::Simple::CGI';
use Getopt::Long;
use Socket qw(AF_INET6);

my ($host, $port, $threads, $body, $size) = ('::', 8080, 1, 'Hello, World!');
GetOptions('host=s' => \$host, 'port=i' => \$port, 'threads=i' => \$threads, 'body=s' => \$body, 'body-size=i' => \$size)
  or exit 2;
$body = substr $body . '0123456789' x ($size / 10 + 1), 0, $size if defined $size;

sub handle_request {
    my ($self, $cgi) = @_;
    print "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ", length $body, "\r\n\r\n";
    print $body if $ENV{REQUEST_METHOD} ne 'HEAD';
}

# CGI dies of a Content-Length that it cannot count; the server must not.
sub handler {
    my $self = shift;
    eval { $self->SUPER::handler(@_) };
}

sub print_banner { }

# The hook that the module offers for it: more processes that accept from the same listener.
sub after_setup_listener {
    my @children;
    for (2 .. $threads) {
        my $pid = fork // die "cannot fork: $!\n";
        if (!$pid) { @children = (); last }
        push @children, $pid;
    }
    $SIG{TERM} = $SIG{INT} = sub { kill TERM => @children; exit 0 };
}

my $server = FixedServer->new($port, $host =~ /:/ ? AF_INET6 : ());
$server->host($host);
$server->run;
