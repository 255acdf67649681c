(* a comment *)
open List
type t = A of int | B of string
let rec f x = match x with
  | 0 -> marker x
  | n when n > 3 -> let y = n + 1 in y * 2
  | _ -> f (x - 1)
let () = print_string "done"; ignore (f 3)
