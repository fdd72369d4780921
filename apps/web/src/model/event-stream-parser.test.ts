import { expect, test } from "bun:test";
import { createEventStreamParser, type Frame } from "./event-stream-parser.ts";

const text =
  'retry: 1000\n\n: hello\nid: a:1,b:2\nevent: change\ndata: {"name":"Grüße 🌊"}\n\nevent:ready\r\ndata:one\r\ndata: two\r\n\r\nevent: no-data\n\ndata: last\n\n';
const frames: Frame[] = [
  { event: "change", data: '{"name":"Grüße 🌊"}', id: "a:1,b:2" },
  { event: "ready", data: "one\ntwo", id: undefined },
  { event: "message", data: "last", id: undefined },
];

test("frames are complete wherever the network splits the bytes", () => {
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const seen: Frame[] = [];
    const parser = createEventStreamParser((frame) => seen.push(frame));
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.slice(at, at + size));
    expect(seen).toEqual(frames);
  }
});

test("a frame without its closing empty line is not emitted", () => {
  const seen: Frame[] = [];
  createEventStreamParser((frame) => seen.push(frame)).push(new TextEncoder().encode("event: change\ndata: {}\n"));
  expect(seen).toEqual([]);
});
