/**
 * A command's outcome as the journal keeps it.
 *
 * - `outcomeOf(command, effect, answer)`, `failureOf(error)`.
 */
import type { CommandEffect } from "@devflow/core/command";
import { errorReport } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import type { Answer } from "../command.ts";
import { Arrival, type Outcome, RecordedReceipt } from "../journal/index.ts";
import { comparisonIn } from "./comparison.ts";
import { cleanText } from "./seal-input.ts";

/** Reads whose data the QA report uses; none of them contains text from the page. */
const keptData: ReadonlySet<string> = new Set(["vitals", "is"]);

export function outcomeOf(command: string, effect: CommandEffect, answer: Answer): Outcome {
  const receipt = RecordedReceipt.safeParse(answer.data);
  if (effect !== "read" && receipt.success) return { kind: "receipt", receipt: cleaned(receipt.data) };
  const arrival = Arrival.safeParse(answer.data);
  if (effect !== "read" && arrival.success) return { kind: "arrived", arrival: cleaned(arrival.data) };
  if (effect !== "read") return { kind: "done" };
  const read = { kind: "read", bytes: Buffer.byteLength(answer.text), sha256: hashBytes(answer.text) } as const;
  const data = command === "screenshot" ? comparisonIn(answer.data) : keptData.has(command) ? answer.data : undefined;
  return data === undefined ? read : { ...read, data: plain(data) };
}

export function failureOf(error: unknown): Outcome {
  const { code, message } = errorReport(error);
  return { kind: "failed", code, message: cleanText(message) };
}

/** Any text in it may come from the page. */
function cleaned<T>(seen: T): T {
  return JSON.parse(JSON.stringify(seen), (_, value: unknown) =>
    typeof value === "string" ? cleanText(value) : value,
  ) as T;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
