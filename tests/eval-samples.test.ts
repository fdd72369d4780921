import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { samplePath, samples } from "@devflow/evals/testing";
import { runCli, temporaryHome } from "@devflow/testkit";

interface Line {
  readonly runId: string;
  readonly suite: string;
  readonly source: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
}

const countsOf = ({ total, passed, failed, errors, skipped }: Line) => [total, passed, failed, errors, skipped];
const formats = ["junit", "csv", "jsonl", "promptfoo", "otlp", "markdown"] as const;

describe.each(samples)("devflow eval push $file", ({ file, format, counts, says }) => {
  test(`counts as its own tool does (${says}), and each export of it counts the same again`, async () => {
    const home = temporaryHome();
    const devflow = (...words: string[]) => runCli(["eval", ...words], { home });
    const pushed = await devflow("push", samplePath(file), "--json");
    const { runs } = pushed.json<{ runs: Line[] }>();
    expect(runs.map(countsOf)).toEqual(counts.map((row) => [...row]));
    expect(runs.map(({ source }) => source)).toEqual(counts.map(() => format));

    for (const { suite, runId, ...line } of runs) {
      for (const as of formats) {
        const path = join(home.path, `export-${as}`);
        const exported = await devflow("export", `${suite}/${runId}`, "--as", as, "--output", path);
        expect([as, exported.code]).toEqual([as, 0]);
        if (as === "markdown") {
          expect(readFileSync(path, "utf8")).toContain(`: ${line.passed} of ${line.total} passed`);
          continue;
        }
        const again = temporaryHome();
        const back = await runCli(["eval", "push", path, "--json"], { home: again });
        expect([as, back.json<{ runs: Line[] }>().runs.map(countsOf)]).toEqual([
          as,
          [countsOf({ suite, runId, ...line })],
        ]);
      }
    }
  }, 60_000);
});
