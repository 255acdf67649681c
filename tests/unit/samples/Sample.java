package a.b;
import java.util.*;
import static java.lang.Math.max;
/** Doc. */
@Deprecated @SuppressWarnings({"unchecked", "x"})
public abstract class Sample<T extends Comparable<T> & Runnable> extends Base<List<T>> implements A, B {
	private static final int[] N = {1, 2, 0x1f, 0b11, 1_000};
	protected T t; int a = 1, b[] = new int[3];
	static { System.out.println("static"); }
	enum Color { RED(1), GREEN { void f() {} }, BLUE; Color(int... i) {} }
	@interface Ann { int value() default 3; }
	record P(int x, String y) { P { if (x < 0) throw new Error(); } }
	public Sample(T t) throws Exception { super(); this.t = t; }
	@Override public <U> U go(final U u, List<? super T> l) {
		int i = 0; long k = 3L; double d = .5 + 1.5e-3 + 2.; char c = '\'';
		if (i++ < ++i && !(u instanceof String) || a >>> 2 == 3) { return u; } else if (a > b.length) i--; else ;
		for (int j = 0, m = 3; j < m; j++) { if (j == 2) continue; break; }
		for (String s : l) System.out.print(s + "x" + c);
		while (i > 0) i -= 1; do { i += 2; } while (i < 3);
		label: switch (i) { case 1: case 2: break label; default: i = a > 3 ? 1 : -2; }
		var r = switch (i) { case 1 -> "one"; case 2, 3 -> { yield "two"; } default -> throw new Error("x"); };
		try (Reader q = open()) { q.read(); } catch (A | B e) { throw e; } finally { done(); }
		Runnable f = () -> {}; Function<Integer, Integer> g = (x) -> x * 2; h(String::valueOf, int[]::new);
		synchronized (this) { assert i > 0 : "msg"; }
		return (U) (Object) l.get(0).<T>foo();
	}
	abstract void x();
}
