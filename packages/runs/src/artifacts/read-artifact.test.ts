import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, open, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { readArtifact } from "./read-artifact.ts";

let folder: string;
let outside: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "devflow-artifacts-"));
  outside = await mkdtemp(join(tmpdir(), "devflow-outside-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(outside, { recursive: true });
});

const at = (name: string) => join(folder, name);
const read = (name: string, maxBytes?: number) =>
  readArtifact({ path: at(name), folder, ...(maxBytes ? { maxBytes } : {}) });

async function faultOf(name: string): Promise<string> {
  const reading = await read(name);
  return reading.ok ? "ok" : reading.fault;
}

describe("a regular file", () => {
  test("is read with size, hash and content", async () => {
    const text = '{"a": "ä\u{1F600}"}\n';
    await writeFile(at("good.json"), text);
    const reading = await read("good.json");
    expect(reading).toMatchObject({
      ok: true,
      text,
      bytes: Buffer.byteLength(text),
      sha256: hashBytes(text),
      json: { ok: true, value: { a: "ä\u{1F600}" } },
    });
  });

  test("that is not JSON is read, and the parser's message is kept", async () => {
    await writeFile(at("half.json"), '{"a": ');
    const reading = await read("half.json");
    expect(reading).toMatchObject({ ok: true, text: '{"a": ', json: { ok: false } });
    expect(reading.ok && !reading.json.ok && reading.json.error).toStartWith("not JSON: ");
  });

  test("nested deeper than the parser supports is reported as a fault of the file", async () => {
    await writeFile(at("deep.json"), "[".repeat(2_000_000));
    expect(await read("deep.json")).toMatchObject({ ok: true, json: { ok: false } });
  });

  test("of exactly the limit is read, one byte more is not", async () => {
    await writeFile(at("limit.json"), JSON.stringify("x".repeat(98)));
    expect((await read("limit.json", 100)).ok).toBe(true);
    expect(await read("limit.json", 99)).toMatchObject({ ok: false, fault: "too_large", bytes: 100 });
  });
});

describe("anything else at its path is named", () => {
  test("nothing", async () => {
    expect(await faultOf("absent.json")).toBe("missing");
    expect(await faultOf("absent/absent.json")).toBe("missing");
  });

  test("a symbolic link, also to a good file and also a dangling one", async () => {
    await writeFile(at("target.json"), "{}");
    await symlink(at("target.json"), at("link.json"));
    await symlink(at("nowhere"), at("dangling.json"));
    expect([await faultOf("link.json"), await faultOf("dangling.json")]).toEqual(["symlink", "symlink"]);
  });

  test("a directory", async () => {
    await mkdir(at("folder.json"));
    expect(await read("folder.json")).toMatchObject({
      fault: "directory",
      message: "there is a directory where the file should be; remove it and write a regular file",
    });
  });

  test("a named pipe without a writer, without blocking", async () => {
    execFileSync("mkfifo", [at("pipe.json")]);
    expect(await faultOf("pipe.json")).toBe("fifo");
  });

  test("a socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("s.json"), resolve));
    expect(await faultOf("s.json")).toBe("socket");
    await new Promise((resolve) => server.close(resolve));
  });

  test("a device", async () => {
    expect(await readArtifact({ path: "/dev/null", folder: "/dev" })).toMatchObject({ ok: false, fault: "device" });
  });

  test("a file with a second name", async () => {
    await writeFile(join(outside, "secret.json"), "{}");
    await writeFile(at("one.json"), "{}");
    await link(at("one.json"), at("two.json"));
    expect([await faultOf("one.json"), await faultOf("two.json")]).toEqual(["hard_link", "hard_link"]);
  });

  test("a file in a folder that is a link to elsewhere", async () => {
    await writeFile(join(outside, "answer.json"), "{}");
    await symlink(outside, at("away"));
    expect(await faultOf("away/answer.json")).toBe("outside");
    expect(await readArtifact({ path: join(outside, "answer.json"), folder })).toMatchObject({ fault: "outside" });
  });

  test("a file of 2 GB, which is not read", async () => {
    await (await open(at("huge.json"), "w")).close();
    await truncate(at("huge.json"), 2 * 1024 ** 3);
    expect(await read("huge.json")).toMatchObject({
      fault: "too_large",
      bytes: 2_147_483_648,
      sha256: undefined,
      message: "the file has 2147483648 bytes and may have at most 10485760; it was not read",
    });
  });

  test.each([
    ["empty", Buffer.alloc(0)],
    ["binary", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1])],
    ["binary", Buffer.from("{}", "utf16le")],
    ["not_utf8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ["not_utf8", Buffer.from('{"a": "ä"}', "latin1")],
    ["byte_order_mark", Buffer.from("\uFEFF{}")],
  ])("%s content, with its hash", async (fault, content) => {
    await writeFile(at("content.json"), content);
    expect(await read("content.json")).toMatchObject({
      ok: false,
      fault,
      bytes: content.length,
      sha256: hashBytes(content),
    });
  });
});

test("a file that is written to during the read does not count as finished", async () => {
  await writeFile(at("busy.json"), JSON.stringify("x".repeat(3_000_000)));
  const file = await open(at("busy.json"), "r+");
  let isWriting = true;
  const writer = (async () => {
    for (let n = 0; isWriting; n++) await file.write(`"${n % 10}`, 0);
  })();
  // On a busy machine the writer may pause for a whole read, and then the file is legitimately complete.
  const found: string[] = [];
  while (!found.includes("changed") && found.length < 200) found.push(await faultOf("busy.json"));
  isWriting = false;
  await writer;
  await file.close();
  expect(found.at(-1)).toBe("changed");
  expect(found.slice(0, -1).every((one) => one === "ok")).toBe(true);
});

test("a file that is removed again and again is reported as missing, vanished or complete, and nothing else", async () => {
  let isWorking = true;
  const worker = (async () => {
    while (isWorking) {
      await writeFile(at("new.json"), "{}");
      await rm(at("new.json"));
    }
  })();
  const seen = new Set<string>();
  for (let n = 0; n < 300; n++) seen.add(await faultOf("new.json"));
  isWorking = false;
  await worker;
  for (const fault of seen) expect(["ok", "missing", "vanished", "changed", "empty"]).toContain(fault);
});
