extern crate std;

use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, vec};

use super::{Incoming, Lines};
use crate::bytes::{Framer, Next};

fn random(seed: &mut u32, below: usize) -> usize {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*seed >> 8) as usize % below
}

fn shown(kind: &str, bytes: &[u8]) -> String {
    format!("{kind} {}", String::from_utf8_lossy(bytes))
}

/// Everything that the framer has; parts of a line joined.
fn of_framer(framer: &mut Framer<Vec<u8>>, has_ended: bool, found: &mut Vec<String>) {
    loop {
        let next = match framer.next() {
            Next::NeedMore if has_ended => framer.finish(),
            next => next,
        };
        match next {
            Next::Line(line) => found.push(shown("line", line)),
            Next::Part(part) => found.push(shown("part", part)),
            Next::TooLong => found.push("too long".to_string()),
            Next::Lost => found.push("lost".to_string()),
            Next::NeedMore => return,
        }
    }
}

fn of_lines(lines: &mut Lines, memory: &[u8], has_ended: bool, found: &mut Vec<String>) {
    loop {
        match lines.next(memory, !has_ended) {
            Incoming::Line(line) => {
                found.push(shown("line", &memory[line.text.clone()]));
                lines.drop_line(&line);
            }
            Incoming::Part(part) => found.push(shown("part", &memory[part])),
            Incoming::TooLong => found.push("too long".to_string()),
            Incoming::Lost => found.push("lost".to_string()),
            Incoming::NeedMore => return,
        }
    }
}

#[test]
fn without_a_tool_lines_are_those_of_the_framer() {
    let mut seed = 1;
    for _ in 0..4000 {
        let capacity = 4 + random(&mut seed, 6);
        let (mut framer, mut lines) = (Framer::new(vec![0; capacity]), Lines::new());
        let mut memory = vec![0; capacity];
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let mut stream = Vec::new();
        if random(&mut seed, 3) == 0 {
            stream.extend(b"\xEF\xBB\xBF");
        }
        for _ in 0..random(&mut seed, 30) {
            stream.push(b"abc\n\nd\r"[random(&mut seed, 7)]);
        }
        let mut rest = &stream[..];
        while !rest.is_empty() {
            let wanted = 1 + random(&mut seed, 5);
            let space = lines.space(&mut memory);
            let count = wanted.min(rest.len()).min(space.len());
            space[..count].copy_from_slice(&rest[..count]);
            lines.received(count, &memory);
            assert_eq!(framer.push(&rest[..count]), count);
            rest = &rest[count..];
            if random(&mut seed, 8) == 0 {
                framer.lost();
                lines.lost(&mut memory);
            }
            of_framer(&mut framer, false, &mut expected);
            of_lines(&mut lines, &memory, false, &mut found);
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(&stream));
        }
        of_framer(&mut framer, true, &mut expected);
        of_lines(&mut lines, &memory, true, &mut found);
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(&stream));
    }
}

/// Lines are numbers, so that each can be found again.
#[test]
fn held_and_queued_lines_keep_their_bytes_and_their_order() {
    let mut seed = 7;
    for _ in 0..500 {
        let mut memory = [0; 40];
        let mut lines = Lines::new();
        let (mut number, mut sent) = (0, Vec::new());
        let mut next_served = 0;
        let mut held: Option<String> = None;
        let mut queue: Vec<String> = Vec::new();
        let mut dropped: Vec<String> = Vec::new();
        for _ in 0..100 {
            let (front, rest) = memory.split_at_mut(lines.held());
            if let Some(held) = &held {
                assert_eq!(&*front, format!("{held}\n").as_bytes());
            }
            // Some bytes come in.
            while sent.len() < 6 {
                sent.extend(format!("{number}\n").bytes());
                number += 1;
            }
            let space = lines.space(rest);
            let count = (1 + random(&mut seed, 5)).min(space.len());
            space[..count].copy_from_slice(&sent[..count]);
            sent.drain(..count);
            lines.received(count, rest);
            assert_eq!(lines.is_full(rest), lines.space(rest).is_empty());
            let mut from = 0;
            let mut queued = Vec::new();
            while let Some(line) = lines.queued_from(from, rest) {
                queued.push(String::from_utf8(rest[line.text.clone()].to_vec()).unwrap());
                from = line.end;
            }
            assert_eq!(queued, queue);
            match random(&mut seed, 5) {
                // A line is served, and waits if it can.
                0..3 => {
                    if let Incoming::Line(line) = lines.next(rest, true) {
                        let text = String::from_utf8(rest[line.text.clone()].to_vec()).unwrap();
                        assert_eq!(text, next_served.to_string());
                        next_served += 1;
                        if held.is_some() && random(&mut seed, 2) == 0 {
                            lines.queue(&line, rest);
                            queue.push(text);
                        } else if held.is_none() && queue.is_empty() {
                            lines.hold(&line, &mut memory);
                            held = Some(text);
                        } else {
                            lines.drop_line(&line);
                            dropped.push(text);
                        }
                    }
                }
                3 => {
                    if let Some(line) = lines.last_queued(rest) {
                        assert_eq!(queue.pop().unwrap().as_bytes(), &rest[line.text.clone()]);
                        lines.unqueue(&line, rest);
                    }
                }
                // The tool is done, and the next one begins.
                _ => {
                    if held.take().is_some() {
                        lines.release(&mut memory);
                    }
                    if let Some(line) = lines.queued_from(0, &memory) {
                        held = Some(queue.remove(0));
                        lines.hold(&line, &mut memory);
                    }
                }
            }
        }
    }
}

#[test]
fn a_batch_that_is_served_in_part_moves_with_the_bytes_around_it() {
    let mut memory = *b"first\nsecond\nbatch\nlast\n";
    let mut lines = Lines::new();
    lines.received(memory.len(), &memory);
    for _ in 0..2 {
        let Incoming::Line(line) = lines.next(&memory, true) else { panic!("there is a line") };
        lines.queue(&line, &mut memory);
    }
    let Incoming::Line(batch) = lines.next(&memory, true) else { panic!("there is a line") };
    lines.keep_serving(batch);
    // The first line is held, and put back.
    let first = lines.queued_from(0, &memory).unwrap();
    lines.hold(&first, &mut memory);
    let held = lines.held();
    let text = |lines: &mut Lines, memory: &[u8]| match lines.next(memory, true) {
        Incoming::Line(line) => {
            let text = String::from_utf8_lossy(&memory[line.text.clone()]).into_owned();
            lines.keep_serving(line);
            text
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(text(&mut lines, &memory[held..]), "batch");
    lines.requeue();
    assert_eq!(lines.held(), 0);
    assert_eq!(lines.queued_from(0, &memory), Some(first.clone()));
    assert_eq!(text(&mut lines, &memory), "batch");
    // Both lines before it are served.
    lines.unqueue(&first, &mut memory);
    let second = lines.queued_from(0, &memory).unwrap();
    assert_eq!(&memory[second.text.clone()], b"second");
    lines.unqueue(&second, &mut memory);
    lines.space(&mut memory);
    assert_eq!(text(&mut lines, &memory), "batch");
    let Incoming::Line(batch) = lines.next(&memory, true) else { panic!("there is a line") };
    lines.drop_line(&batch);
    assert_eq!(text(&mut lines, &memory), "last");
}
