// Go's net/http with one fixed response.
//
//	go build . && ./go-nethttp --port 8080
package main

import (
	"flag"
	"log"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
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
	length := strconv.Itoa(len(body))

	log.Fatal(http.ListenAndServe(net.JoinHostPort(*host, *port), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", length) // a body over 2 KB would be chunked without it
		w.Write(body)
	})))
}
