/**
 * A digest of what a run says, whatever its file looks like: cases, repeats, verdicts and scores, in any order.
 *
 * - `add(result)`, `value`.
 */
import { hashBytes } from "@devflow/core/hash";
import type { EvalResult } from "../results/result.ts";

type Digested = Pick<EvalResult, "name" | "inputSha" | "repeat" | "status" | "scores">;

export class ResultsDigest {
  #sum = 0n;
  #count = 0;

  add({ name, inputSha, repeat, status, scores }: Digested): void {
    // Other tools write floating-point numbers with other last digits.
    const rounded = Object.entries(scores)
      .map(([criterion, score]) => [criterion, Number(score.toPrecision(9))])
      .sort();
    const digest = hashBytes(JSON.stringify([name, inputSha, repeat, status, rounded]));
    this.#sum = (this.#sum + BigInt(`0x${digest}`)) % 2n ** 256n;
    this.#count += 1;
  }

  get value(): string {
    return `${this.#count} ${this.#sum.toString(16)}`;
  }
}
