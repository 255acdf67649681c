-- Closures over shared variables, coroutines, closing, sorting, recursion and garbage: a load for the lists of open upvalues and of objects.
local t = {}
for i = 1, 20000 do t[i] = (i * 7919) % 20011 end
table.sort(t)
local fs = {}
for i = 1, 2000 do local x, y = i, {} ; fs[i] = function() x = x + 1; y[#y + 1] = x; return x end end
local s = 0
for j = 1, 3 do for i = 1, #fs do s = s + fs[i]() end end
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(s, t[1], t[#t], fib(24))
local co = {}
for i = 1, 200 do co[i] = coroutine.wrap(function() local z = i; local f = function() z = z + 1 return z end; while true do coroutine.yield(f()) end end) end
for r = 1, 5 do for i = 1, #co do s = s + co[i]() end end
print(s, select(2, pcall(function() local a = {} ; setmetatable(a, { __close = function() s = 1 end }); local b <close> = a; error("x", 0) end)), s)
local parts = {}
for i = 1, 3000 do parts[#parts + 1] = string.format("%d:%s", i, ("x"):rep(i % 7)) end
print(#table.concat(parts, ","), collectgarbage("count") > 10)
local sum = 0
for i = 1, 500 do
  local n, m = i, -i
  local function up() n = n + 1 end
  local function both() m = m + n return n + m end
  up()
  sum = sum + both()
end
print(sum)
