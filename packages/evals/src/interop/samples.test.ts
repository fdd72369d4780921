import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { exporters, exportRun } from "./export/export-run.ts";
import { samples } from "./fixtures/samples.ts";
import { readAll, streamOf } from "./read-all.ts";

const fixtures = join(import.meta.dir, "fixtures");

describe.each(samples)("$file", ({ file, format, counts, says }) => {
  test(`has the counts of its own tool (${says})`, async () => {
    const runs = await readAll(join(fixtures, file));
    expect(runs.map(({ run }) => Object.values(run.totals))).toEqual(counts.map((row) => [...row]));
    expect(runs.map(({ run }) => run.source)).toEqual(counts.map(() => format));
    for (const { run, results } of runs) {
      const found = ["pass", "fail", "error", "skipped"].map(
        (status) => results.filter((result) => result.status === status).length,
      );
      expect([results.length, ...found]).toEqual(Object.values(run.totals));
      const keys = results.map(({ name, inputSha, repeat }) => JSON.stringify([name, inputSha, repeat]));
      expect(new Set(keys).size).toBe(results.length);
    }
  });

  test("is the same through a pipe that comes in small pieces", async () => {
    const path = join(fixtures, file);
    const piped = await readAll(streamOf(await Bun.file(path).bytes(), 777), { name: file });
    expect(piped.map(({ results }) => results)).toEqual((await readAll(path)).map(({ results }) => results));
  });

  test.each(exporters.filter(({ id }) => id !== "markdown").map(({ id }) => id))("comes back from %s", async (as) => {
    for (const { run, results } of await readAll(join(fixtures, file))) {
      let written = "";
      for await (const piece of exportRun(run, results, as)) written += piece;
      const back = await readAll(streamOf(written));
      expect(back).toHaveLength(1);
      expect(back[0]!.run.totals).toEqual(run.totals);
      const verdicts = (list: typeof results) =>
        list.map(({ name, status, repeat, inputSha }) => ({ name, status, repeat, inputSha }));
      expect(verdicts(back[0]!.results)).toEqual(verdicts(results));
      if (as === "jsonl") expect(back[0]).toMatchObject({ run, results, losses: [], warnings: [] });
    }
  });
});
