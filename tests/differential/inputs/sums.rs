// Input of the differential suite: Rust with threads, iterators, hash maps and a caught panic.
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..4u64)
        .map(|worker| {
            let sender = sender.clone();
            thread::spawn(move || {
                let sum: u64 = (0..50_000u64).filter(|n| n % 4 == worker).map(|n| n * n).sum();
                sender.send((worker, sum)).unwrap();
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    drop(sender);
    let sums: BTreeMap<u64, u64> = receiver.iter().collect();
    println!("{:?}", sums);
    let failure = thread::spawn(|| {
        let values: Vec<u32> = Vec::new();
        values[sums_index()]
    })
    .join();
    println!("{}", failure.is_err());
}

fn sums_index() -> usize {
    std::env::args().count()
}
