-- call-heavy: Lua functions, methods, string and table functions of the library
local n = tonumber(arg[1] or 22)
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
local Account = {}
Account.__index = Account
function Account.new(b) return setmetatable({balance = b}, Account) end
function Account:deposit(v) self.balance = self.balance + v; return self.balance end
local acc, words, total = Account.new(0), {}, 0
for i = 1, 40 * n do
  total = total + fib(n % 5 + 8)
  for j = 1, 20 do total = total + acc:deposit(j) % 7 end
  words[#words + 1] = string.format("%d:%s", i % 50, string.rep("x", i % 9))
end
table.sort(words)
print(total, #words, table.concat(words, ","):len())
