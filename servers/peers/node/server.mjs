// node:http with one fixed response; more than one thread is node:cluster.
//
//   node server.mjs --port 8080
import cluster from 'node:cluster';
import http from 'node:http';
import os from 'node:os';
import { parseArgs } from 'node:util';

const { values: args } = parseArgs({
  options: {
    host: { type: 'string', default: '::' },
    port: { type: 'string', default: '8080' },
    threads: { type: 'string', default: `${os.cpus().length}` },
    body: { type: 'string', default: 'Hello, World!' },
    'body-size': { type: 'string' },
  },
});

let body = Buffer.from(args.body);
if (args['body-size'] !== undefined) {
  const size = Number(args['body-size']);
  body = Buffer.from(args.body + '0123456789'.repeat(size / 10 + 1)).subarray(0, size);
}
const headers = { 'Content-Type': 'text/plain', 'Content-Length': body.length };

if (cluster.isPrimary && Number(args.threads) > 1) {
  for (let i = 0; i < Number(args.threads); i++) cluster.fork();
  cluster.on('exit', (worker, code) => process.exit(code));
} else {
  http
    .createServer((request, response) => {
      response.writeHead(200, headers);
      response.end(body);
    })
    .listen({ host: args.host, port: Number(args.port), backlog: 4096 });
}
