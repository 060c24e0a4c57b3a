-- Pipelines 16 requests at a time: wrk -t1 -c32 -d2 -s scripts/wrk/pipeline.lua http://127.0.0.1:8080/
local depth = 16

init = function()
   local one = wrk.format()
   batch = string.rep(one, depth)
end

request = function()
   return batch
end
