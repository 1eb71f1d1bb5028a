// Input of the differential suite: what rustc itself does with little, optimised: without std.
#![no_std]

pub trait Shape {
    fn area(&self) -> u64;
}

pub struct Triangle(pub u64, pub u64);

impl Shape for Triangle {
    fn area(&self) -> u64 {
        self.0 * self.1 / 2
    }
}

pub fn largest(shapes: &[Triangle]) -> Option<u64> {
    shapes.iter().map(Shape::area).filter(|area| area % 3 != 0).max()
}
