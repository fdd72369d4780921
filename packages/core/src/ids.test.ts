import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isUuid, uuidv5, uuidv7 } from "./ids.ts";

const timeOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

describe("uuidv7", () => {
  test("has the version and the variant of RFC 9562, and starts with the time", () => {
    const before = Date.now();
    const id = uuidv7();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThanOrEqual(Date.now() + 1000);
  });

  test("the RFC's example time has the RFC's example prefix", () => {
    const program = `import { uuidv7 } from ${JSON.stringify(join(import.meta.dir, "ids.ts"))}; console.log(uuidv7(1645557742000));`;
    const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
    expect(stdout.toString()).toStartWith("017f22e2-79b0-7");
  });

  test("ids of one millisecond sort in creation order, even when the counter overflows", () => {
    const now = Date.now() + 60_000;
    const ids = Array.from({ length: 20_000 }, () => uuidv7(now) as string);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("ids keep their order when the clock steps back, and follow it when it advances", () => {
    const now = Date.now() + 120_000;
    const ids = [now, now - 60_000, 0, now + 1, now - 1, now + 5000].map((at) => uuidv7(at) as string);
    expect(ids).toEqual(ids.toSorted());
    expect(timeOf(ids.at(-1) ?? "")).toBe(now + 5000);
  });
});

describe("uuidv5", () => {
  test("matches the RFC 9562 example", () => {
    expect(uuidv5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com") as string).toBe(
      "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    );
  });

  test("is the same for the same input, and differs for another name or namespace", () => {
    const one = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    const other = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
    expect(uuidv5(one, "é")).toBe(uuidv5(one, "é"));
    expect(new Set([uuidv5(one, "a"), uuidv5(one, "b"), uuidv5(other, "a")]).size).toBe(3);
  });
});

test("isUuid tells a uuid from other text", () => {
  expect([uuidv7(), "2ED6657D-E927-568B-95E1-2665A8AEA6A2"].map(isUuid)).toEqual([true, true]);
  expect(
    ["", "2ed6657d-e927-568b-95e1-2665a8aea6a", "2ed6657de927568b95e12665a8aea6a2", `${uuidv7()} `].map(isUuid),
  ).toEqual([...[false, false, false, false]]);
});
