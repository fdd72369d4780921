/**
 * Names the prompts of a promptfoo matrix.
 *
 * - `variantsOf(columns)` a name for the prompt of each column: its label, or "prompt 2" if the label is the prompt itself, so that
 *   an edited prompt stays the same variant; null if the matrix has only one prompt.
 */
interface PromptColumn {
  readonly prompt: string | null;
  /** The prompt as written; if its label is equal to it, it has none. */
  readonly raw?: string | null;
}

const longestLabel = 60;

export function variantsOf(columns: readonly PromptColumn[]): (string | null)[] {
  const prompts = [...new Set(columns.map(({ prompt }) => prompt))];
  if (prompts.length <= 1) return columns.map(() => null);
  return columns.map(({ prompt, raw }) => {
    const isLabel = prompt !== null && prompt !== raw && prompt.length <= longestLabel && !/[\n{]/.test(prompt);
    return isLabel ? prompt : `prompt ${prompts.indexOf(prompt) + 1}`;
  });
}
