module Main where
import Data.List (sort)
-- a comment
data T = A Int | B String
f :: Int -> Int
f x = case x of
  0 -> marker x
  _ -> let y = x + 1
       in y * 2
main :: IO ()
main = do
  print (f 1)
  mapM_ print (sort [3, 2])
