/**
 * What was run: the model, its provider and the variant of the prompt. Runs that differ in them answer different questions, so they
 * are compared cell by cell and never pooled.
 *
 * - `variantKey(run)` one key for all three; `variantTitle(run)` for people, null if the run names none.
 */
import type { EvalRun } from "../results/result.ts";

type Varied = Pick<EvalRun, "model" | "provider" | "variant">;

export function variantKey({ model, provider, variant }: Varied): string {
  return [model ?? "", provider ?? "", variant ?? ""].join("\u0000");
}

export function variantTitle({ model, provider, variant }: Varied): string | null {
  const names = model !== null && provider && !model.startsWith(provider) ? [provider, model] : [model ?? provider];
  return [...names, variant].filter(Boolean).join(" · ") || null;
}
