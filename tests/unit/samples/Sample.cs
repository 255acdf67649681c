using System;
namespace N {
    // a comment
    class A : B {
        private int x = 1;
        public int F(int a, string s = "t") {
            foreach (var i in new[] {1, 2}) { Console.WriteLine($"i {i}"); }
            return a > 0 ? Marker(a) : x;
        }
    }
}
