// Decodes a file of line protocol again and again with github.com/influxdata/line-protocol/v2; prints the points of a pass and the
// nanoseconds of the quickest one. With the third argument "sorted" it also sorts the tags of each point by their keys, as Millrace does.
package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
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
	sorted := len(os.Args) > 3 && os.Args[3] == "sorted"
	best := time.Duration(1 << 62)
	points := 0
	for began := time.Now(); time.Since(began) < time.Duration(milliseconds)*time.Millisecond; {
		start := time.Now()
		points = decode(body, sorted)
		best = min(best, time.Since(start))
	}
	fmt.Println(points, best.Nanoseconds())
}

var seen int

type tag struct{ key, value []byte }

func byKey(a, b tag) int { return bytes.Compare(a.key, b.key) }

// decode reads every part of every point as a typed value. When sorted is true, it sorts the tags that are not in order yet.
func decode(body []byte, sorted bool) int {
	points := 0
	var tags []tag
	decoder := lineprotocol.NewDecoderWithBytes(body)
	for decoder.Next() {
		name, err := decoder.Measurement()
		check(err)
		seen += len(name)
		tags = tags[:0]
		for {
			key, value, err := decoder.NextTag()
			check(err)
			if key == nil {
				break
			}
			seen += len(key) + len(value)
			if sorted {
				tags = append(tags, tag{key, value})
			}
		}
		if sorted && !slices.IsSortedFunc(tags, byKey) {
			slices.SortFunc(tags, byKey)
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
