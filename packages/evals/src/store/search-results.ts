/**
 * Searches results by what the index does not have.
 *
 * - `searchOf(filter)` whether a result has the words, a score below the limit and the metadata; undefined if nothing of that was
 *   asked for.
 */
import type { EvalResult } from "../results/result.ts";
import type { ResultQuery } from "./index-queries.ts";

export function searchOf({
  text,
  below,
  metadata,
}: NonNullable<ResultQuery["filter"]>): ((result: EvalResult) => boolean) | undefined {
  if (!text && !below && !metadata) return undefined;
  const wanted = text?.toLowerCase();
  return (result) => {
    const { output, error, failures, scores } = result;
    const score = below && Object.hasOwn(scores, below.criterion) ? scores[below.criterion] : undefined;
    if (below && (score === undefined || score >= below.limit)) return false;
    if (wanted && !JSON.stringify([output, error, failures]).toLowerCase().includes(wanted)) return false;
    return !metadata || hasMetadata(result, metadata);
  };
}

function hasMetadata(
  { tags, extra }: EvalResult,
  { key, value }: { readonly key: string; readonly value: string },
): boolean {
  if (key === "tag") return tags.includes(value);
  return [extra, extra.metadata].some((members) => {
    const isObject = typeof members === "object" && members !== null;
    return isObject && Object.hasOwn(members, key) && String((members as Record<string, unknown>)[key]) === value;
  });
}
