import Foundation
// a comment
class A: B {
    var x = 1
    func f(a: Int, s: String = "t") -> Int {
        for i in 1...10 { print("i \(i)") }
        guard a > 0 else { return x }
        return marker(a)
    }
}
