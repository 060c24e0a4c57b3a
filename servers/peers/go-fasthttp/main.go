// valyala/fasthttp with one fixed response.
//
//	go build . && ./go-fasthttp --port 8080
package main

import (
	"flag"
	"log"
	"net"
	"runtime"
	"strings"

	"github.com/valyala/fasthttp"
)

func main() {
	host := flag.String("host", "::", "address to listen on")
	port := flag.String("port", "8080", "port to listen on")
	threads := flag.Int("threads", runtime.NumCPU(), "CPUs that run Go code at the same time")
	text := flag.String("body", "Hello, World!", "response body")
	size := flag.Int("body-size", -1, "cut or continue the body to this many bytes")
	flag.Parse()

	runtime.GOMAXPROCS(*threads)
	body := []byte(*text)
	if *size >= 0 {
		body = []byte(*text + strings.Repeat("0123456789", *size/10+1))[:*size]
	}

	listener, err := net.Listen("tcp", net.JoinHostPort(*host, *port)) // ListenAndServe knows IPv4 only
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(fasthttp.Serve(listener, func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("text/plain")
		ctx.SetBody(body)
	}))
}
