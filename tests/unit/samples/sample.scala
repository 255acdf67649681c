package a.b
import scala.collection.mutable
// a comment
class A(val x: Int) extends B {
  def f(a: Int, s: String = "t"): Int = {
    for (i <- 1 to 10) println(s"i $i")
    if (a > 0) marker(a) else x
  }
}
