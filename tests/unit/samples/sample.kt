package a.b
import kotlin.math.max
// a comment
class A(val x: Int) : B() {
    fun f(a: Int, s: String = "t"): Int {
        for (i in 1..10) { println("i $i") }
        return if (a > 0) marker(a) else x
    }
}
