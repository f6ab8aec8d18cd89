//! Decodes a file of line protocol again and again with the crate `influxdb_line_protocol`; prints the points of a pass and the
//! nanoseconds of the quickest one.

use influxdb_line_protocol::{parse_lines, FieldValue};
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let body = std::fs::read_to_string(&arguments[1]).expect("the file is read");
    let limit = Duration::from_millis(arguments[2].parse().expect("milliseconds"));
    let mut best = Duration::MAX;
    let mut points = 0;
    let began = Instant::now();
    while began.elapsed() < limit {
        let start = Instant::now();
        points = decode(&body);
        best = best.min(start.elapsed());
    }
    println!("{} {}", points, best.as_nanos());
}

/// Reads every part of every point as a typed value.
fn decode(body: &str) -> usize {
    let mut points = 0;
    let mut seen = 0usize;
    for line in parse_lines(body) {
        let line = line.expect("the line is well formed");
        seen += line.series.measurement.len();
        for (key, value) in line.series.tag_set.iter().flatten() {
            seen += key.len() + value.len();
        }
        for (key, value) in &line.field_set {
            seen += key.len();
            seen += match value {
                FieldValue::I64(value) => *value as usize & 1,
                FieldValue::U64(value) => *value as usize & 1,
                FieldValue::F64(value) => usize::from(*value > 0.0),
                FieldValue::String(value) => value.len(),
                FieldValue::Boolean(value) => usize::from(*value),
            };
        }
        seen += usize::from(line.timestamp.is_some());
        points += 1;
    }
    std::hint::black_box(seen);
    points
}
