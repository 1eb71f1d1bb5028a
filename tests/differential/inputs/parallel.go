// Input of the differential suite: goroutines, channels, maps, a garbage collector at work.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
)

type Tree struct {
	Left, Right *Tree
}

func grow(depth int) *Tree {
	if depth == 0 {
		return &Tree{}
	}
	return &Tree{grow(depth - 1), grow(depth - 1)}
}

func (tree *Tree) count() int {
	if tree.Left == nil {
		return 1
	}
	return 1 + tree.Left.count() + tree.Right.count()
}

func main() {
	var group sync.WaitGroup
	results := make([]int, 16)
	for i := range results {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for turn := 0; turn < 5; turn++ {
				results[i] += grow(10).count()
			}
		}(i)
	}
	group.Wait()
	runtime.GC()
	text, err := os.ReadFile("text")
	if err != nil {
		panic(err)
	}
	counts := map[string]int{}
	for _, word := range strings.Fields(string(text)) {
		counts[word]++
	}
	words := make([]string, 0, len(counts))
	for word := range counts {
		words = append(words, word)
	}
	sort.Strings(words)
	first, _ := json.Marshal(words[:10])
	defer func() { fmt.Println("recovered:", recover()) }()
	fmt.Println(results, len(words), string(first))
	fmt.Printf("%x\n", sha256.Sum256(text))
	var none *Tree
	fmt.Println(none.Left)
}
