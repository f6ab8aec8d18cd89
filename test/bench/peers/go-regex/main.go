// Searches a file for an expression again and again with the package regexp; prints the matches of a pass, 0 or 1, and the nanoseconds
// of the median one.
package main

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"time"
)

func main() {
	expression := regexp.MustCompile(os.Args[1])
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	milliseconds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	matches := 0
	times := []time.Duration{}
	for began := time.Now(); len(times) < 3 || time.Since(began) < time.Duration(milliseconds)*time.Millisecond; {
		start := time.Now()
		matches = len(expression.FindAllIndex(text, 1))
		times = append(times, time.Since(start))
	}
	sort.Slice(times, func(a, b int) bool { return times[a] < times[b] })
	fmt.Println(matches, times[len(times)/2].Nanoseconds())
}
