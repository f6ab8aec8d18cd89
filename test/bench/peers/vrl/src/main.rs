//! Runs a program of the crate `vrl` over every point of a file of line protocol again and again; prints the points of a pass, the
//! keys they have afterwards and the nanoseconds of the quickest pass. A pass decodes the lines into events, runs the program and encodes
//! the events as points in protobuf.

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
    let mut encoded = Vec::with_capacity(body.len() * 2);
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
        if let Some(event) = target.value.as_object() {
            encode(
                &mut encoded,
                line.series.measurement.as_str(),
                event,
                line.timestamp.unwrap_or(0),
            );
        }
    }
    std::hint::black_box(&encoded);
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

/// Appends a point: a message of protobuf as Millrace writes it.
fn encode(out: &mut Vec<u8>, name: &str, event: &ObjectMap, time: i64) {
    let point = open(out, 1);
    bytes(out, 1, name.as_bytes());
    for (key, value) in event {
        let field = open(out, 2);
        bytes(out, 1, key.as_str().as_bytes());
        match value {
            Value::Integer(number) => {
                out.push(2 << 3);
                varint(out, *number as u64);
            }
            Value::Float(number) => {
                out.push(4 << 3 | 1);
                out.extend_from_slice(&number.into_inner().to_le_bytes());
            }
            Value::Boolean(flag) => out.extend_from_slice(&[5 << 3, u8::from(*flag)]),
            Value::Bytes(text) => bytes(out, 11, text),
            _ => {}
        }
        close(out, field);
    }
    out.push(3 << 3);
    varint(out, time as u64);
    close(out, point);
}

/// Begins a message whose length is not known yet; gives where it begins.
fn open(out: &mut Vec<u8>, field: u8) -> usize {
    out.extend_from_slice(&[field << 3 | 2, 0x80, 0x80, 0]);
    out.len()
}

/// Fills the length in: three bytes of seven bits.
fn close(out: &mut [u8], start: usize) {
    let length = out.len() - start;
    assert!(length < 1 << 21, "a point of this size is not measured");
    out[start - 3] = 0x80 | (length & 0x7f) as u8;
    out[start - 2] = 0x80 | (length >> 7 & 0x7f) as u8;
    out[start - 1] = (length >> 14) as u8;
}

fn bytes(out: &mut Vec<u8>, field: u8, text: &[u8]) {
    out.push(field << 3 | 2);
    varint(out, text.len() as u64);
    out.extend_from_slice(text);
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
