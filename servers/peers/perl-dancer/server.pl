#!/usr/bin/perl
# Dancer 1 with one fixed response, on the server that it brings: HTTP/1.0, one request a connection.
#
#   perl server.pl --port 8080
use strict;
use warnings;
use Dancer ':script';
use Getopt::Long;
use HTTP::Server::Simple::PSGI;    # Dancer loads it when it serves: too late for `perl -c` to miss it

my ($host, $port, $threads, $body, $size) = ('::', 8080, 1, 'Hello, World!');
GetOptions('host=s' => \$host, 'port=i' => \$port, 'threads=i' => \$threads, 'body=s' => \$body, 'body-size=i' => \$size)
  or exit 2;
$body = substr $body . '0123456789' x ($size / 10 + 1), 0, $size if defined $size;

set server       => $host eq '::' ? '0.0.0.0' : $host;    # its server knows IPv4 alone
set port         => $port;
set startup_info => 0;
set content_type => 'text/plain';

any qr{.*} => sub { $body };

dance;
