import { expect, test } from "bun:test";
import fc from "fast-check";
import { streamOf } from "../../testing/read-all.ts";
import { defaultLimits } from "../results/limits.ts";
import { type JsonPart, type JsonPlan, streamJson } from "./json-stream.ts";

async function partsOf(text: string, plan: JsonPlan, pieceBytes: number): Promise<JsonPart[]> {
  const parts: JsonPart[] = [];
  for await (const part of streamJson(streamOf(text, pieceBytes), plan, "it", defaultLimits)) parts.push(part);
  return parts;
}

const itemsOf = (parts: readonly JsonPart[]) => parts.filter((part) => part.kind === "item").map((part) => part.value);

test("an array is read as JSON.parse would, wherever the chunks are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(0, 1, 2),
      async (values, pieceBytes, indent) => {
        const text = JSON.stringify({ before: '\\"[{', list: values, after: { deep: values } }, null, indent);
        const parts = await partsOf(text, { list: "stream", after: { deep: "skip" } }, pieceBytes);
        expect(itemsOf(parts)).toEqual(JSON.parse(JSON.stringify(values)));
        const rest = parts.at(-1);
        expect(rest?.kind === "rest" && { ...(rest.value as object) }).toMatchObject({ before: '\\"[{', list: [] });
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

test("strings of backslashes and quotes are skipped correctly", async () => {
  const tricky = ["\\", "\\\\", '"', '\\"', "\\\\\\", '\\\\"]}', "[{"];
  for (let pieceBytes = 1; pieceBytes < 8; pieceBytes += 1) {
    const parts = await partsOf(
      JSON.stringify({ skipped: tricky, list: tricky }),
      { skipped: "skip", list: "stream" },
      pieceBytes,
    );
    expect(itemsOf(parts)).toEqual(tricky);
  }
});

test("a planned member of another type is kept as it is", async () => {
  const [rest] = await partsOf('{"list":"none","object":[1]}', { list: "stream", object: { x: "stream" } }, 4);
  expect(rest?.kind === "rest" && { ...(rest.value as object) }).toEqual({ list: "none", object: [1] });
});

test.each(["[1,]", "[1 2]", '{"a" 1}', '{"a":1,}', "{a:1}", "[1]x", '{"list":[1}}', '{"list":[}]}'])(
  "%s is refused",
  async (text) => {
    const plan: JsonPlan = text.startsWith("[") ? "stream" : { list: "stream" };
    await expect(partsOf(text, plan, 3)).rejects.toThrow(/not valid JSON|truncated/);
  },
);
