import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { endsWithin, redactJson, redactJsonText, redactPieces, redactSecrets, redactStream } from "./index.ts";

/** Assembled from parts, so that no secret scanner takes this file for a leak. */
const github = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
const aws = `AKIA${"QWERTYUIOPASDFGH"}`;
const pem = [
  "-----BEGIN RSA PRIVATE KEY-----",
  ..."abc".split("").map((letter) => `${letter}B3dE5gH7jK9+/`.repeat(4)),
  "-----END RSA PRIVATE KEY-----",
].join("\n");

async function streamed(chunks: readonly (string | Uint8Array)[], known: readonly string[] = []): Promise<Buffer> {
  const source = async function* () {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  };
  return Buffer.concat(await Array.fromAsync(redactStream(source(), { known })));
}

const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
};

describe("a stream", () => {
  const text = `start\nkey ${github} and\nDB_PASSWORD=\ncorrect-horse-7\n${pem}\nAuthorization: Bearer ${github}\nid=${aws}`;

  test("gives the same result wherever its chunks are cut", async () => {
    const whole = redactSecrets(text).text;
    expect(whole).not.toContain(github.slice(4));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 8 }), async (cuts) => {
        expect((await streamed(cutAt(text, cuts))).toString()).toBe(whole);
      }),
      { numRuns: 300 },
    );
    expect((await streamed([...text])).toString()).toBe(whole);
  });

  test("a known value is found across chunks, also with letters beyond ASCII", async () => {
    expect((await streamed(["it is voil", "à-tout-7", "!\n"], ["voilà-tout-7"])).toString()).toBe(
      "it is [redacted:known]!\n",
    );
  });

  test("bytes that are not text stay as they are, and a key among them is found", async () => {
    const noise = Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x80]);
    const out = await streamed([noise, ` ${github} `, noise]);
    expect(out).toEqual(Buffer.concat([noise, Buffer.from(" [redacted:github] "), noise]));
  });

  test("what was read before a stream broke off is passed on, and then the failure", async () => {
    const source = async function* () {
      yield Buffer.from(`key ${github}`);
      throw new Error("broken off");
    };
    const seen: string[] = [];
    const read = async () => {
      for await (const chunk of redactStream(source())) seen.push(chunk.toString());
    };
    await expect(read()).rejects.toThrow("broken off");
    expect(seen).toEqual(["key [redacted:github]"]);
  });

  test("a line without an end is passed on in parts, and a key where they meet is found", async () => {
    const filler = "lorem ipsum ".repeat(5_000);
    for (const shift of [0, 10, 30, 50]) {
      const line = `${filler}${"x".repeat(1_500 + shift)} ${github} ${filler.slice(0, 3_980)}${filler}`;
      const chunks = cutAt(line, [65_537, 70_001, 90_000]);
      expect((await streamed(chunks)).toString()).toBe(line.replace(github, "[redacted:github]"));
    }
  });

  test("a megabyte takes less than a second of processor time, with keys and without line ends too", async () => {
    const line =
      "12:00:01 INFO packages/runs/src/engine/file.ts compiled in 12 ms, 5626abf0f72e58d7a153368ba57db4c673c0e171\n";
    for (const one of [line, line.replaceAll("\n", " "), `${line}token ${github}\n`]) {
      const chunk = Buffer.from(one.repeat(Math.ceil(65_536 / one.length)));
      const before = process.cpuUsage();
      await streamed(Array.from({ length: Math.ceil(1_000_000 / chunk.length) }, () => chunk));
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6).toBeLessThan(1);
    }
  });
});

test.each([
  ["key ghp_aB3d", true],
  ["export DB_PASSWORD=", true],
  ["password: ", true],
  ["Authorization: Bearer ", true],
  ["-----BEGIN PRIVATE KEY-----\nabc\n", true],
  ["done.\n", false],
  ["$ ", false],
  ["50 % \u001b[0m", false],
  [`${pem}\n`, false],
])("whether a secret may go on after %j: %p", (text, expected) => {
  expect(endsWithin(text)).toBe(expected);
});

describe("JSON", () => {
  test("stays JSON of the same shape, and everything but the secrets stays", () => {
    const text = `{\n  "note": "first\\n${github}",\n  "password": "hunter2",  "n": [1, "${aws}", null], "${github}": true\n}\n`;
    const { text: clean, count } = redactJsonText(text);
    expect(clean).toBe(
      '{\n  "note": "first\\n[redacted:github]",\n  "password": "[redacted:password]",  "n": [1, "[redacted:aws]", null], "[redacted:github]": true\n}\n',
    );
    expect(count).toBe(4);
    expect(redactJsonText(clean)).toEqual({ text: clean, count: 0 });
  });

  test("a key that begins in one string does not reach into the next", () => {
    const [begin = "", ...rest] = pem.split("\n");
    const value = { a: `${begin}\n${rest[0]}`, b: "plain", c: rest.at(-1) ?? "" };
    expect(redactJson(value).value).toEqual({ a: "[redacted:private-key]", b: "plain", c: rest.at(-1) ?? "" });
  });

  test("an open certificate hides no other string", () => {
    const random = "q7Rz0KpX2vB9nLw4TsY6mJh8Gd3Fa5Ce";
    expect(redactJson(["-----BEGIN CERTIFICATE-----", random]).value[1]).toBe("[redacted:random-token]");
  });

  test("a value without secrets is the same value, however deep", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}"x"${"]".repeat(5_000)}`) as unknown;
    expect(redactJson(deep)).toEqual({ value: deep, count: 0 });
    expect(redactJson(undefined)).toEqual({ value: undefined, count: 0 });
  });

  test("any JSON stays JSON, and is unchanged when nothing was found", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const { count, text: clean } = redactJsonText(text);
        // A string of random letters may look like a secret; the document stays JSON even then.
        expect(count === 0 ? clean === text : JSON.parse(clean) !== undefined).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test("the words of a command: a flag and its value are seen together", () => {
  const { pieces, count } = redactPieces(["curl", "--token", "abc-123-def", "-H", `X: ${github}`, "plain words"], {
    separator: " ",
  });
  expect(pieces).toEqual([
    "curl",
    "--token",
    "[redacted:assigned-secret]",
    "-H",
    "X: [redacted:github]",
    "plain words",
  ]);
  expect(count).toBe(2);
});

test("in a diff a secret of several lines keeps the number of lines and their marks", () => {
  const added = (line: string) => `+${line}`;
  const diff = ["@@ -0,0 +1,5 @@", ...pem.split("\n").map(added), " end"].join("\n");
  expect(redactSecrets(diff, { keepLines: true }).text).toBe(
    ["@@ -0,0 +1,5 @@", ...pem.split("\n").map(() => "+[redacted:private-key]"), " end"].join("\n"),
  );
});
