// SPDX-License-Identifier: MIT
// Objects with many and with few properties, deletion, prototypes, JSON: a load for the property tree.
var o = {};
for (var r = 0; r < 5; r++) for (var i = 0; i < 2000; i++) o["k" + (i * 7919 % 2003)] = i;
var n = 0;
for (var k in o) { n++; if (n % 3 == 0) delete o[k]; }
var s = 0; for (var k in o) s += o[k];
print(n, s);
function F(n) { this.n = n; }
F.prototype.get = function () { return this.n; };
var t = 0; for (i = 0; i < 30000; i++) t += new F(i).get();
print(t); try { Object.preventExtensions(o); (function () { "use strict"; o.zzz = 1; })(); } catch (e) { print(e); }
print(JSON.stringify({ a: [1, 2, { b: 3 }], c: "x" }));
