import { expect, test } from "bun:test";
import { sanitiseJsonText } from "./sanitise-json-text.ts";

const rows: [string, string, boolean][] = [
  ['{"a":1.000000000000000000001}', '{"a":1.000000000000000000001}', false],
  ['{"a":"x\\u0000y"}', '{"a":"x\\ufffdy"}', true],
  ['{"a\\u0000":1}', '{"a\\ufffd":1}', true],
  ['{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}', false],
  ['{"a":"\\uD83D"}', '{"a":"\\ufffd"}', true],
  ['{"a":"\\ude00\\ud83d"}', '{"a":"\\ufffd\\ufffd"}', true],
  ['{"a":"\\ud83d\\ud83d\\ude00"}', '{"a":"\\ufffd\\ud83d\\ude00"}', true],
  // A backslash followed by the letters u0000 is six harmless characters.
  ['{"a":"\\\\u0000"}', '{"a":"\\\\u0000"}', false],
  ['{"a":"\\\\\\u0000"}', '{"a":"\\\\\\ufffd"}', true],
  ['{"a":"\\"\\u0000"}', '{"a":"\\"\\ufffd"}', true],
];

test.each(rows)("%s is stored as %s", (given, json, sanitised) => {
  expect(sanitiseJsonText(given)).toEqual({ json, sanitised });
});
