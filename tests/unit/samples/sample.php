<?php
namespace App;
use Some\Thing;
class A extends B {
    private int $x = 1;
    public function f(array $a, ?string $s = null): int {
        foreach ($a as $k => $v) { echo "k $k\n"; }
        return $this->marker($a[0] ?? 2) + count($a);
    }
}
