//! Finds an expression's groups in the lines of a file again and again with the crate `regex`; prints the lines of a pass, the bytes
//! in their groups and the nanoseconds of the quickest pass. The expression is ASCII's, as in RE2: classes are of bytes.

use regex::bytes::RegexBuilder;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let body = std::fs::read(&arguments[1]).expect("the file is read");
    let source = std::fs::read_to_string(&arguments[2]).expect("the expression is read");
    let limit = Duration::from_millis(arguments[3].parse().expect("milliseconds"));
    let lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
    let regex = RegexBuilder::new(&source)
        .unicode(false)
        .build()
        .expect("the expression is accepted");
    let mut locations = regex.capture_locations();
    let mut best = Duration::MAX;
    let mut matched = 0usize;
    let mut seen = 0usize;
    let began = Instant::now();
    while began.elapsed() < limit {
        let start = Instant::now();
        matched = 0;
        seen = 0;
        for line in &lines {
            if regex.captures_read(&mut locations, line).is_none() {
                continue;
            }
            matched += 1;
            for group in 1..locations.len() {
                if let Some((from, to)) = locations.get(group) {
                    seen += to - from;
                }
            }
        }
        best = best.min(start.elapsed());
    }
    println!("{} {} {}", matched, seen, best.as_nanos());
}
