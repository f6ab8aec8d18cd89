// Decodes a file of line protocol again and again with github.com/influxdata/line-protocol/v2; prints the points of a pass and the
// nanoseconds of the quickest one.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
)

func main() {
	body, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	milliseconds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	best := time.Duration(1 << 62)
	points := 0
	for began := time.Now(); time.Since(began) < time.Duration(milliseconds)*time.Millisecond; {
		start := time.Now()
		points = decode(body)
		best = min(best, time.Since(start))
	}
	fmt.Println(points, best.Nanoseconds())
}

var seen int

// decode reads every part of every point as a typed value.
func decode(body []byte) int {
	points := 0
	decoder := lineprotocol.NewDecoderWithBytes(body)
	for decoder.Next() {
		name, err := decoder.Measurement()
		check(err)
		seen += len(name)
		for {
			key, value, err := decoder.NextTag()
			check(err)
			if key == nil {
				break
			}
			seen += len(key) + len(value)
		}
		for {
			key, value, err := decoder.NextField()
			check(err)
			if key == nil {
				break
			}
			seen += len(key) + int(value.Kind())
		}
		_, err = decoder.Time(lineprotocol.Nanosecond, time.Time{})
		check(err)
		points++
	}
	return points
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
