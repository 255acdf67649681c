#!/usr/bin/env node
'use strict'
import def, { a as b, c } from './m.js'
import * as ns from "n";
export default class A extends (B, C) { static #p = 1; x = 2; get y() { return this.#p } static { init() } async *gen() { yield* 1 } constructor(...r) { super(...r) } }
export const k = 1, { d, e = 2, ...rest } = obj, [f, , g] = arr
let i = 0
const re = /ab+[/]c/gi, t = `a${i + 1}b`, n = 1_000n + .5 + 1.e3 + 0xff
function h(x, y = 3, { z }) {
  if (x) return y
  else if (y) { i++ } else --i
  for (let j = 0; j < 3; j++) { if (j === 1) continue; break }
  for (const v of arr) f(v); for (var p in o) ;
  while (i --> 0) {}
  do i += 2; while (i < 3)
  outer: switch (x) { case 1: case 2: break outer; default: throw new Error('x') }
  try { q() } catch { } finally { r() }
  return
  x
}
const arrow = async (a1, b1) => { await a1?.b?.[0]?.(1) ?? b1 }, id = x => x
var o = { a, 'b': 1, [c + d]: 2, m() {}, get p() { return 1 }, set p(v) {}, ...rest, async f() {}, 3: 4 }
i = a + +b - -c ** 2 / 3 % 4 << 1 >>> 2 && !x || ~y ? typeof z : void 0
delete o.a, new Foo, new.target, i = (1, 2)
a
++i
