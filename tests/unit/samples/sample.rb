# a comment
require 'set'
module M
  class A < B
    attr_reader :x
    def f(a, b = 1, *rest)
      rest.each { |r| puts "r #{r}" }
      return marker(a) unless b > 1
      a + b
    end
  end
end
