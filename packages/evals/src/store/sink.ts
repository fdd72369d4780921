/**
 * The interface for sending a stored run to the team; the team system implements it.
 *
 * - `ResultSink.accept(record)` gets a header first, then chunks of at most 1 MB; ids are the same when a run is sent again, so
 *   that the receiver can drop duplicates.
 * - `feedSink(sink, file)` sends one stored run, without detectable secrets.
 */
import { uuidv5 } from "@devflow/core/ids";
import type { EvalResult } from "../results/result.ts";
import type { RunFile } from "./run-file.ts";
import type { RunRecord } from "./run-record.ts";
import { secretCleaner } from "./without-secrets.ts";

export type SinkRecord =
  | { readonly id: string; readonly kind: "eval_run"; readonly record: RunRecord }
  | {
      readonly id: string;
      readonly kind: "eval_results";
      readonly runId: string;
      readonly suite: string;
      /** 0-based. */
      readonly index: number;
      readonly isLast: boolean;
      readonly results: readonly EvalResult[];
    };

export interface ResultSink {
  accept(record: SinkRecord): Promise<void>;
}

const maxSinkBytes = 1_000_000;
/** Reserved for the data around the results. */
const budget = maxSinkBytes - 2_000;
const namespace = "6f1f4d4e-3c52-5b0e-9a51-0d1a7a1c5e01";

export async function feedSink(sink: ResultSink, file: RunFile): Promise<{ readonly chunks: number }> {
  const { runId, suite } = file.record.run;
  const id = (part: string) => uuidv5(namespace, `${suite}\n${runId}\n${file.record.contentSha ?? ""}\n${part}`);
  const clean = await secretCleaner();
  await sink.accept({ id: id("run"), kind: "eval_run", record: clean.record(file.record) });
  let index = 0;
  let results: EvalResult[] = [];
  let bytes = 0;
  const send = async (isLast: boolean) => {
    await sink.accept({ id: id(`results ${index}`), kind: "eval_results", runId, suite, index, isLast, results });
    index += 1;
    results = [];
    bytes = 0;
  };
  for await (const block of file.all()) {
    for (const whole of block) {
      const { result, size } = fitted(clean.result(whole));
      if (bytes + size > budget && results.length > 0) await send(false);
      results.push(result);
      bytes += size;
    }
  }
  await send(true);
  return { chunks: index };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** A result larger than a chunk is sent without its texts; the complete result stays on the machine that pushed it. */
function fitted(result: EvalResult): { readonly result: EvalResult; readonly size: number } {
  const size = sizeOf(result);
  if (size <= budget) return { result, size };
  const { failures, ...rest } = result;
  const slim: EvalResult = {
    ...rest,
    input: null,
    output: null,
    comparison: null,
    error: result.error?.slice(0, 2000) ?? null,
    responsePreview: result.responsePreview?.slice(0, 2000) ?? null,
    failures: failures.slice(0, 20).map((failure) => ({
      type: failure.type,
      expectationType: failure.expectationType,
      message: failure.message.slice(0, 500),
      criterion: failure.criterion,
      expected: null,
      actual: null,
      details: null,
      scores: null,
    })),
    extra: { left_out: { reason: "larger than 1 MB", bytes: size } },
  };
  const slimSize = sizeOf(slim);
  if (slimSize <= budget) return { result: slim, size: slimSize };
  const bare: EvalResult = { ...slim, scores: {}, tags: [], usage: [], failures: [] };
  return { result: bare, size: sizeOf(bare) };
}
