// Package p is a sample.
package p

import (
	"fmt"
	str "strings"
)

import . "os"

const (
	A = iota
	B
	C = 1 << iota
)

var x, y int = 1, 2

type T struct {
	name string `json:"name"`
	*Embedded
	f func(int, ...string) (a, b int)
}

type I interface {
	M(int) error
	~int | ~string
}

func (t *T) M(i int) (err error) {
	defer func() { recover() }()
	if v, ok := t.m[i]; ok && v > 3 {
		return nil
	} else if !ok {
		i++
	} else {
		i--
	}
	for i := 0; i < 10; i++ {
		switch {
		case i == 1, i == 2:
			continue
		default:
			break
		}
	}
	for range t.c { fmt.Println("x"); go t.f(1, "a"...) }
	select {
	case v := <-t.c:
		_ = v
	case t.c <- 1:
	}
	m := map[string][]int{"a": {1, 2}, "b": nil,
	}
	r, raw := 'x', `raw
string`
	z := x &^ y + -x*3.5e1 - 0x1p-2
label:
	for {
		goto label
	}
	return fmt.Errorf("%v %v %v %v", m, r, raw, z)
}

func G[K comparable, V any](m map[K]V) []K { return nil }
