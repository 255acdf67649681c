//! crate docs
#![allow(dead_code)]
use std::collections::{HashMap, hash_map::Entry as E};
/// A thing.
#[derive(Debug, Clone)]
pub struct Thing<'a, T: 'a + Clone> where T: Copy { name: &'a str, pub(crate) t: T, }
struct Unit;
struct Pair(u8, pub i32);
enum Shape { Circle { r: f64 }, Square(f64), Empty = 3 }
trait Area { const N: usize = 1; fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2. } }
impl<'a, T> Thing<'a, T> where T: Clone + Copy {
    fn new(name: &'a str, t: T) -> Self { Thing { name, t } }
    async unsafe fn go(&mut self) -> Result<(), Box<dyn std::error::Error>> { self.f().await?; Ok(()) }
}
macro_rules! my { ($a:expr, $($b:ident),*) => { $a + 1 $(; let $b = 2)* }; () => {}; }
mod inner { pub mod deep { pub fn f<const N: usize>() -> [u8; N] { [0; N] } } }
fn main() {
    let mut v: Vec<Vec<u8>> = vec![vec![1u8, 2], vec![]];
    let s = "a\"b"; let r = r#"raw "q" "#; let b = b"bytes"; let c = 'x'; let n = '\n';
    let x = if v.len() > 1 && !s.is_empty() || false { 1..2 } else { 0..=3; 4..5 };
    'outer: loop { while let Some(q) = v.pop() { if q.is_empty() { break 'outer; } continue; } }
    match (c, n) { ('a'..='z', _) | ('A', 'B') if b.len() > 2 => println!("{} {:?}", s, r), (_, k @ 'c') => {}, _ => (), }
    for i in (0..10).rev().step_by(2) { v[0][i as usize] += 1 << 2; }
    let f = move |a: i32, &b| -> i32 { a - -b * *&b };
    let t = (1, 2.0, 0x_ff_u32, 1e-3); let y = t.0 + f(1, &2); let z = x.start..;
    return;
}
