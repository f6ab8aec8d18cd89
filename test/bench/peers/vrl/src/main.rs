//! Runs a program of the crate `vrl` over every point of a file of line protocol again and again; prints the points of a pass, the
//! keys they have afterwards and the nanoseconds of the quickest pass. A pass decodes the lines into events and runs the program;
//! nothing is encoded.

use influxdb_line_protocol::{parse_lines, FieldValue};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use vrl::compiler::runtime::Runtime;
use vrl::compiler::{compile, Program, TargetValue, TimeZone};
use vrl::value::{KeyString, ObjectMap, Secrets, Value};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let source = std::fs::read_to_string(&arguments[1]).expect("the program is read");
    let body = std::fs::read_to_string(&arguments[2]).expect("the lines are read");
    let limit = Duration::from_millis(arguments[3].parse().expect("milliseconds"));
    let program = compile(&source, &vrl::stdlib::all())
        .unwrap_or_else(|errors| panic!("the program is accepted: {errors:?}"))
        .program;
    let mut best = Duration::MAX;
    let mut counts = (0, 0);
    let began = Instant::now();
    while began.elapsed() < limit {
        let start = Instant::now();
        counts = run(&program, &body);
        best = best.min(start.elapsed());
    }
    println!("{} {} {}", counts.0, counts.1, best.as_nanos());
}

/// Points, and the keys of all of them afterwards.
fn run(program: &Program, body: &str) -> (usize, usize) {
    let zone = TimeZone::default();
    let mut runtime = Runtime::default();
    let mut points = 0;
    let mut keys = 0;
    for line in parse_lines(body) {
        let line = line.expect("the line is well formed");
        let mut event = ObjectMap::new();
        for (key, value) in line.series.tag_set.iter().flatten() {
            event.insert(KeyString::from(key.as_str()), Value::from(value.as_str()));
        }
        for (key, value) in &line.field_set {
            event.insert(KeyString::from(key.as_str()), field(value));
        }
        let mut target = TargetValue {
            value: Value::Object(event),
            metadata: Value::Object(BTreeMap::new()),
            secrets: Secrets::new(),
        };
        runtime
            .resolve(&mut target, program, &zone)
            .unwrap_or_else(|error| panic!("the program runs: {error}"));
        runtime.clear();
        keys += target.value.as_object().map_or(0, BTreeMap::len);
        points += 1;
        std::hint::black_box(&target);
    }
    (points, keys)
}

fn field(value: &FieldValue) -> Value {
    match value {
        FieldValue::I64(value) => Value::from(*value),
        FieldValue::U64(value) => Value::from(*value as i64),
        FieldValue::F64(value) => Value::from_f64_or_zero(*value),
        FieldValue::String(value) => Value::from(value.as_str()),
        FieldValue::Boolean(value) => Value::from(*value),
    }
}
