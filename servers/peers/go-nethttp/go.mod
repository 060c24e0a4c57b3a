module go-nethttp

go 1.19
