/**
 * `EVAL_VERBOSE`: logs each case's result and the judges' prompts and answers in full, one file per case.
 *
 * - `verboseLog(folder, now)` writes `YYYYMMDD-<test-name>-<random>.txt`, private to the user, without headers and keys.
 */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import type { JudgeExchange } from "../judges/index.ts";
import type { ResultRecord } from "./result-record.ts";

export interface VerboseLog {
  exchange(exchange: JudgeExchange): void;
  /** Writes the case's file, with the judge calls since the last one. */
  finish(result: ResultRecord): Promise<void>;
}

export function verboseLog(folder: string, now: () => number): VerboseLog {
  let exchanges: JudgeExchange[] = [];
  return {
    exchange(exchange) {
      exchanges.push(exchange);
    },
    async finish(result) {
      const seen = exchanges;
      exchanges = [];
      const day = new Date(now()).toISOString().slice(0, 10).replaceAll("-", "");
      const name =
        result.name
          .normalize("NFC")
          .replace(/[^\p{L}\p{N}_-]+/gu, "-")
          .slice(0, 80) || "case";
      const parts = [
        `${result.name}: ${result.status}`,
        `## Result\n${JSON.stringify(result, null, 2)}`,
        ...seen.flatMap(({ model, profile, system, turns, answer }) => [
          `## Asked ${model} (${profile})\n### System\n${system}`,
          ...turns.map(({ role, text }) => `### ${role}\n${text}`),
          `### Answer\n${answer}`,
        ]),
      ];
      await ensurePrivateFolder(folder);
      const path = join(folder, `${day}-${name}-${randomBytes(4).toString("hex")}.txt`);
      await writeFile(path, `${parts.join("\n\n").toWellFormed()}\n`, { mode: 0o600, flag: "wx" });
    },
  };
}
