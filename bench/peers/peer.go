// SPDX-License-Identifier: MIT
//
// The measurements of gtrace-bench with goroutines, on one P.
package main

/*
static void empty(void) {}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

func perOperation(begin time.Time, operations int) float64 {
	return float64(time.Since(begin).Nanoseconds()) / float64(operations)
}

func yield() float64 {
	const yields = 1000000
	var running sync.WaitGroup
	begin := time.Now()
	for i := 0; i < 2; i++ {
		running.Add(1)
		go func() {
			for i := 0; i < yields; i++ {
				runtime.Gosched()
			}
			running.Done()
		}()
	}
	running.Wait()
	return perOperation(begin, 2*yields)
}

func spawnBatches(batches, batch int) {
	var running sync.WaitGroup
	for b := 0; b < batches; b++ {
		for i := 0; i < batch; i++ {
			running.Add(1)
			go func() { running.Done() }()
		}
		running.Wait()
	}
}

func spawn() float64 {
	const batch, batches = 100, 5000
	spawnBatches(10, batch)
	begin := time.Now()
	spawnBatches(batches, batch)
	return perOperation(begin, batch*batches)
}

func channel() float64 {
	const trips = 500000
	there, back := make(chan int64), make(chan int64)
	go func() {
		for value := range there {
			back <- value
		}
	}()
	begin := time.Now()
	for i := int64(0); i < trips; i++ {
		there <- i
		<-back
	}
	figure := perOperation(begin, trips)
	close(there)
	return figure
}

func call() float64 {
	const calls = 5000000
	begin := time.Now()
	for i := 0; i < calls; i++ {
		C.empty()
	}
	return perOperation(begin, calls)
}

func residentBytes() float64 {
	var size, resident float64
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Fscan(strings.NewReader(string(text)), &size, &resident)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
	return resident * float64(os.Getpagesize())
}

func parkedBytes() float64 {
	const count = 100000
	stop := make(chan struct{})
	var parked sync.WaitGroup
	before := residentBytes()
	for i := 0; i < count; i++ {
		parked.Add(1)
		go func() {
			parked.Done()
			<-stop
		}()
	}
	parked.Wait()
	runtime.Gosched()
	figure := (residentBytes() - before) / count
	close(stop)
	return figure
}

func main() {
	measurements := map[string]func() float64{
		"yield": yield, "spawn": spawn, "channel": channel, "call": call,
		"parked_bytes": parkedBytes,
	}
	runtime.GOMAXPROCS(1)
	if len(os.Args) == 2 {
		if measure := measurements[os.Args[1]]; measure != nil {
			fmt.Printf("figure %.4f\n", measure())
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: peer yield|spawn|channel|call|parked_bytes")
	os.Exit(2)
}
