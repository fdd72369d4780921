import { describe, expect, test } from "bun:test";
import { readAll, streamOf } from "../../testing/read-all.ts";
import { samplePath, samples } from "../../testing/samples.ts";
import { exporters, exportRun } from "./export/export-run.ts";

describe.each(samples)("$file", ({ file, format, counts, says }) => {
  test(`has the counts of its own tool (${says})`, async () => {
    const runs = await readAll(samplePath(file));
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

  test("is read the same from a pipe in small chunks", async () => {
    const path = samplePath(file);
    const piped = await readAll(streamOf(await Bun.file(path).bytes(), 777), { name: file });
    expect(piped.map(({ results }) => results)).toEqual((await readAll(path)).map(({ results }) => results));
  });

  test.each(exporters.filter(({ id }) => id !== "markdown").map(({ id }) => id))("comes back from %s", async (as) => {
    for (const { run, results } of await readAll(samplePath(file))) {
      let written = "";
      for await (const piece of exportRun(run, results, as)) written += piece;
      const back = await readAll(streamOf(written));
      expect(back).toHaveLength(1);
      expect(back[0]!.run.totals).toEqual(run.totals);
      const verdicts = (list: typeof results) =>
        list.map(({ name, status, repeat, inputSha }) => ({ name, status, repeat, inputSha }));
      expect(verdicts(back[0]!.results)).toEqual(verdicts(results));
      const members = Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null));
      if (as === "jsonl") expect(back[0]).toMatchObject({ run: members, results, losses: [], warnings: [] });
    }
  });
});
