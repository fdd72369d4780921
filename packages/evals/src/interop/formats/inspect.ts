/** Inspect AI's logs: `.eval` (a ZIP with one entry per sample) and `.json`; also logs of killed runs, which have only the journal. */

import { refuse } from "../../results/refuse.ts";
import type { EvalResult, ImportedRun } from "../../results/result.ts";
import { type Fields, fields, instant, list, number, pick, text } from "../fields.ts";
import { again, fileTitle, type Importer, Losses, notNumbersWarning, type Reading, runOf, Tally } from "../importer.ts";
import { type JsonPlan, streamJson } from "../json-stream.ts";
import { readDirectory, type ZipDirectory, type ZipEntry } from "../zip/directory.ts";
import { Unpacker } from "../zip/entry.ts";
import { inspectResult, inspectStatus, unreadOfSample, usagesOf } from "./inspect-sample.ts";

const carried = [
  "every sample with id, input, epoch as repeat, output, target",
  "all scores (C, P, I, N as 1, ½, 0, 0), answer and explanation of failed ones",
  "errors distinguished from failures, limits, tokens per model, working time, turns",
  "task, model, git commit, run id, status of the run",
];
const lost = [
  "events, transcript and store",
  "metrics and reductions (recomputed from the samples)",
  "sandbox and solver configuration",
];
const counts =
  "results.total_samples; errors = total_samples − completed_samples; with one scorer of C and I, passed = accuracy × completed_samples";

/** An agent's transcript can be a hundred times as large as the rest; it is skipped without being held in memory. */
const samplePlan: JsonPlan = Object.fromEntries(
  unreadOfSample.filter((member) => member !== "attachments").map((member) => [member, "skip" as const]),
);

export const inspectArchive: Importer = {
  id: "inspect-eval",
  title: "Inspect .eval (deflate and zstd)",
  madeBy: "inspect eval task.py",
  carried,
  lost,
  counts,
  recognises: (head) =>
    head.kind === "zip" &&
    (/\.eval$/i.test(head.name) || /^PK[\s\S]{2,60}(?:_journal\/|header\.json|samples\/)/.test(head.text)),
  read: readArchive,
};

export const inspectJson: Importer = {
  id: "inspect-json",
  title: "Inspect .json",
  madeBy: "inspect eval task.py --log-format json",
  carried,
  lost,
  counts,
  recognises: (head) => head.members.has("eval.task") || (head.members.has("eval") && head.members.has("status")),
  read: readWholeJson,
};

async function* readWholeJson(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, limits } = reading;
  const parts = () => streamJson(source.text(), { samples: "stream", reductions: "skip" }, source.name, limits);
  const firstPass = new FirstPass(reading);
  let header: Fields = {};
  for await (const part of parts()) {
    if (part.kind === "item") firstPass.add(fields(part.value));
    else {
      header = fields(part.value);
      firstPass.warnings.push(...notNumbersWarning(part.notNumbers));
    }
  }
  yield await firstPass.run(header, async function* () {
    for await (const part of parts()) {
      if (part.kind === "item") yield inspectResult(fields(part.value), reading.passAt);
    }
  });
}

async function* readArchive(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, limits } = reading;
  const directory = await readDirectory(source, limits);
  const firstPass = new FirstPass(reading);
  firstPass.warnings.push(...directory.warnings);
  const header = await readHeader(reading, directory);
  if (header === null) {
    throw refuse(
      `${source.name} is a ZIP archive but not an Inspect log: it has neither header.json nor _journal/start.json.`,
      "Push the log that Inspect wrote: devflow eval push logs/<name>.eval",
    );
  }
  for await (const sample of archivedSamples(reading, directory, firstPass)) firstPass.add(sample);
  yield await firstPass.run(header, async function* () {
    for await (const sample of archivedSamples(reading, directory, null)) yield inspectResult(sample, reading.passAt);
  });
}

async function readHeader(reading: Reading, directory: ZipDirectory): Promise<Fields | null> {
  const unpacker = new Unpacker(reading.source, reading.limits);
  for (const name of ["header.json", "_journal/start.json"]) {
    const entry = directory.entries.get(name);
    if (entry !== undefined) return fields(await readEntry(reading, unpacker, entry, { reductions: "skip" }, null));
  }
  return null;
}

/** Samples first; summaries only for samples that were not written. */
async function* archivedSamples(
  reading: Reading,
  directory: ZipDirectory,
  firstPass: FirstPass | null,
): AsyncGenerator<Fields> {
  const unpacker = new Unpacker(reading.source, reading.limits);
  const seen = new Set<string>();
  for (const entry of directory.entries.values()) {
    if (!/^samples\/(?:[^/]+\.json|[^/]+\/sample\.json)$/.test(entry.name)) continue;
    const sample = fields(await readEntry(reading, unpacker, entry, samplePlan, firstPass));
    seen.add(identityOf(sample));
    yield sample;
  }
  const journal = [...directory.entries.values()].filter((entry) =>
    /^_journal\/summaries\/\d+\.json$/.test(entry.name),
  );
  const whole = directory.entries.get("summaries.json");
  for (const entry of whole === undefined ? journal : [whole]) {
    for (const item of list(await readEntry(reading, unpacker, entry, {}, firstPass))) {
      const summary = fields(item);
      if (seen.has(identityOf(summary))) continue;
      seen.add(identityOf(summary));
      firstPass?.onlySummary();
      yield summary;
    }
  }
}

function identityOf(sample: Fields): string {
  return JSON.stringify([sample.id ?? null, sample.epoch ?? 1]);
}

async function readEntry(
  reading: Reading,
  unpacker: Unpacker,
  entry: ZipEntry,
  plan: JsonPlan,
  firstPass: FirstPass | null,
): Promise<unknown> {
  const name = `${reading.source.name}, ${entry.name}`;
  for await (const part of streamJson(unpacker.pieces(entry), plan, name, reading.limits)) {
    if (part.kind !== "rest") continue;
    firstPass?.warnings.push(...notNumbersWarning(part.notNumbers).map((warning) => `${entry.name}: ${warning}`));
    return part.value;
  }
  return null;
}

/** The first pass over the samples: counts, losses, warnings; then the run. */
class FirstPass {
  readonly warnings: string[] = [];
  private readonly tally = new Tally();
  private readonly losses = new Losses();
  private summaries = 0;
  private unscored = 0;

  private readonly reading: Reading;

  constructor(reading: Reading) {
    this.reading = reading;
  }

  add(sample: Fields): void {
    const status = inspectStatus(sample, this.reading.passAt);
    this.tally.add(status);
    if (status === "skipped") this.unscored += 1;
    for (const member of unreadOfSample) {
      if (member in sample && member !== "attachments") this.losses.note(`samples[].${member}`);
    }
  }

  onlySummary(): void {
    this.summaries += 1;
  }

  async run(header: Fields, results: () => AsyncGenerator<EvalResult>): Promise<ImportedRun> {
    const spec = fields(header.eval);
    const stats = fields(header.stats);
    const revision = fields(spec.revision);
    const { totals } = this.tally;
    this.remark(header, totals.total);
    const began = instant(stats.started_at) ?? instant(spec.created);
    const ended = instant(stats.completed_at);
    const run = await runOf(this.reading, {
      suite: text(spec.task) ?? fileTitle(this.reading.source),
      source: "inspect",
      totals,
      ...(text(spec.run_id) === null
        ? {}
        : { runId: [spec.run_id, spec.eval_id ?? spec.task_id].filter(Boolean).join("/") }),
      ...(began === null ? {} : { at: began }),
      durationMs: began === null || ended === null ? null : Date.parse(ended) - Date.parse(began),
      model: text(spec.model),
      gitSha: text(revision.commit),
      costs: usagesOf(stats.model_usage),
      extra: {
        ...pick(header, ["status", "error", "invalidated", "tags"]),
        ...pick(spec, ["task_version", "tags", "metadata", "packages"]),
        ...(revision.dirty === true ? { git_dirty: true } : {}),
      },
    });
    const status = text(header.status);
    const partial = () => (status === "success" ? null : `Inspect did not finish it (${status ?? "killed"})`);
    return { run, results: again(results), losses: this.losses.sentences, warnings: this.warnings, partial };
  }

  private remark(header: Fields, total: number): void {
    const status = text(header.status);
    if (status !== "success") {
      this.warnings.push(
        `Inspect did not finish this run (${status ?? "killed"}): only the finished samples are imported`,
      );
    }
    const said = number(fields(header.results).total_samples);
    if (said !== null && said !== total)
      this.warnings.push(`the log claims ${said} samples but contains ${total}; those it contains are used`);
    if (this.summaries > 0) {
      this.warnings.push(
        `${this.summaries} sample(s) have only a summary: inputs may be shortened, outputs are missing`,
      );
    }
    if (this.unscored > 0) this.warnings.push(`${this.unscored} sample(s) have no valid score and are skipped`);
    if ("results" in header) this.losses.note("results.scores[].metrics");
    if ("plan" in header) this.losses.note("plan");
  }
}
