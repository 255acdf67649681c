import type { X } from './x'
declare module "m" { export function f(a: string): void }
namespace N.M { export const a = 1 }
abstract class C<T extends object = {}> extends D<T> implements I, J {
  private readonly x?: number = 1
  static y!: string
  constructor(public a: string, protected b?: number) { super() }
  abstract m(): void
  get z(): number { return this.x! }
  @dec() method<U>(this: C<U>, ...r: U[]): asserts r is U[] { }
}
interface I { (a: number): string; new (x: string): I; [k: string]: any; readonly p?: number; m?(): void }
type A = { [K in keyof T]?: T[K] } | (string & {}) | `a${string}b` | [a: number, ...b: string[]]
type F = typeof x extends infer R ? R : never
enum E { A = 1, B, C = "x" }
const enum G { Z }
function over(a: string): void
function over(a: any) { let v = <any>a as unknown as string; return v satisfies string }
let u: unique symbol, g: Array<Array<number>> = [[1]], fn: (a: number) => void = a => {}
let nn = a!.b!.c
export = C
