-- Exact counts and latency percentiles of a wrk run, as one line of JSON after wrk's own text.
--
--   wrk -t1 -c64 -d2 --latency -s scripts/wrk/report.lua http://127.0.0.1:8080/
--   wrk -t1 -c64 -d2 --latency -s scripts/wrk/report.lua http://127.0.0.1:8080/ -- 16
--
-- The number behind -- is the pipeline depth: so many requests in one write. Latencies are in microseconds, and wrk
-- has corrected them for coordinated omission: to each that is longer than it expects it adds shorter ones, which it
-- makes up. What it expects is the time between two responses of a connection, but what it measures is the time of a
-- whole batch. So with a depth above 1 most of its latencies are made up, and neither mean nor percentiles mean
-- anything; counts do. bench leaves them out.

init = function(args)
   local depth = tonumber(args[1]) or 1
   if depth > 1 then
      local batch = string.rep(wrk.format(), depth)
      request = function() return batch end
   end
end

done = function(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      '{"report":"wrk","duration_us":%d,"requests":%d,"bytes":%d,'
         .. '"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,'
         .. '"mean_us":%.3f,"stdev_us":%.3f,"max_us":%d,'
         .. '"p50_us":%d,"p75_us":%d,"p90_us":%d,"p99_us":%d,"p999_us":%d,"p9999_us":%d}\n',
      summary.duration, summary.requests, summary.bytes,
      errors.connect, errors.read, errors.write, errors.status, errors.timeout,
      latency.mean, latency.stdev, latency.max,
      latency:percentile(50), latency:percentile(75), latency:percentile(90), latency:percentile(99),
      latency:percentile(99.9), latency:percentile(99.99)))
end
