-- a comment
local x = require("x")
local function f(a, b)
  for i, v in ipairs(a) do print("i " .. i, v) end
  if b then return marker(a) else return { x = 1, [2] = "t" } end
end
return f
