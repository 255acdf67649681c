#!/usr/bin/env python3
"""Docs."""
from __future__ import annotations
import os, sys as system
from a.b import (c,
                 d as e)

X: int = 3
@decorator(1, k=2)
class A(B, metaclass=M):
    """Doc
    string."""
    x = 1; y = 2
    def f(self, a, *args, b: int = 3, **kw) -> "A":
        if a and not b or a in [1, 2]:
            return a if b else -a
        elif a is not None: pass
        else:
            for i, j in enumerate(args):
                if i: continue
                break
            else:
                x = 1
        while True:
            try:
                raise ValueError("x") from None
            except (A, B) as e:  # comment
                del e
            except Exception: pass
            finally:
                yield i
        with open("f") as f, g() as (h, k):
            global q
            nonlocal_ = lambda z, *y: z ** 2 // 3
        return {
            "a": 1, **kw,
            'b': [i for i in range(3) if i],
        }

async def co():
    await x
    async for i in y: print(f"a{i!r:>{3}}b", r'\n', b"x", """t""" 'u')
    assert x == 1.5e-3 + .5 + 0x1f, "msg"
    match x:
        case [1, 2] | {"a": y}: pass
        case Point(x=0) if y:
            z = x[1:2, ::3] @ y
x = (1,
     2) \
    + 3
if (n := 10) > 5: print(n); del n
print(*a, **b)
