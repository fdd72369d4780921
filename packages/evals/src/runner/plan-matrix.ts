/**
 * Everything that a run will ask, before it asks anything. Pure.
 *
 * - `planCells(providers, prompts)` one cell for each provider and prompt, with the name under which its run is stored.
 * - `planCalls(cells, cases, repeats)` the calls in their order: repeat by repeat, case by case, cell by cell; throws
 *   `input_invalid` if a prompt needs a variable that a case does not have.
 *
 * A call's key is computed from everything that its answer depends on, so an answer from before a crash is used only for the
 * same question.
 */
import { DevflowError } from "@devflow/core/errors";
import { hash, hashBytes } from "@devflow/core/hash";
import type { EvalCase } from "../cases/index.ts";
import { variantTitle } from "../compare/index.ts";
import type { ChatMessage, Provider } from "../providers/provider.ts";
import { type ProviderSpec, providerKind } from "../providers/provider-spec.ts";
import { type Prompt, renderPrompt } from "./render-prompt.ts";

export interface MatrixCell {
  /** Unique in the matrix, and the same in the next run and on all screens. */
  readonly title: string;
  readonly spec: ProviderSpec;
  readonly provider: Provider;
  readonly prompt: Prompt;
  /** As the stored run names them. */
  readonly run: { readonly model: string | null; readonly provider: string; readonly variant: string | null };
}

export interface PlannedCall {
  readonly key: string;
  readonly cell: number;
  readonly caseNo: number;
  readonly repeat: number;
  readonly prompt: string | readonly ChatMessage[];
}

export function planCells(
  providers: readonly { readonly spec: ProviderSpec; readonly provider: Provider }[],
  prompts: readonly Prompt[],
): MatrixCell[] {
  const cells = providers.flatMap(({ spec, provider }) =>
    prompts.map((prompt): MatrixCell => {
      const kind = providerKind(spec.id);
      const isModel = "is" in kind && kind.is === "model";
      const named = isModel ? (spec.id.split(":")[0] ?? spec.id) : spec.id;
      const variant = [spec.name, prompt.name].filter(Boolean).join(" · ") || null;
      const run = { model: provider.model ?? null, provider: named, variant };
      const title = variantTitle(run) ?? spec.id;
      return { title, spec, provider, prompt, run };
    }),
  );
  const twice = cells.find((cell, at) => cells.findIndex(({ title }) => title === cell.title) !== at);
  if (!twice) return cells;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `Two variants are called "${twice.title}".`,
      next: "Give each provider its own name: { id: …, name: … }",
    },
  });
}

export function planCalls(cells: readonly MatrixCell[], cases: readonly EvalCase[], repeats: number): PlannedCall[] {
  const unfit = cases.filter(({ comparison, tierChain }) => comparison || tierChain);
  if (unfit[0]) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `"${unfit[0].name}" is an A/B test or a tier chain, which only a command can run.`,
        next: "Leave it out (--skip-tag, --case), or check it with a command: devflow eval check <cases> -- <command>",
      },
    });
  }
  const rendered = cells.map(({ prompt }) => cases.map((one) => renderPrompt(prompt, one.input)));
  rejectMissing(cells, cases, rendered);
  const questions = cells.map(({ spec, prompt: { name: variant } }, cell) =>
    cases.map(({ name, inputSha }, caseNo) => {
      const prompt = rendered[cell]?.[caseNo]?.prompt ?? "";
      return { prompt, sha: hash({ ...stemOf(spec), variant, case: [name, inputSha], prompt }) };
    }),
  );
  const calls: PlannedCall[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const caseNo of cases.keys()) {
      for (const cell of cells.keys()) {
        const { prompt, sha } = questions[cell]![caseNo]!;
        calls.push({ key: hashBytes(`${sha} ${repeat}`).slice(0, 32), cell, caseNo, repeat, prompt });
      }
    }
  }
  return calls;
}

/** What the answer depends on besides the prompt. How long to wait and how many at once are not part of it. */
function stemOf(spec: ProviderSpec) {
  const {
    id,
    name = null,
    base_url = null,
    model = null,
    max_tokens,
    temperature = null,
    tools,
    args,
    cwd = null,
  } = spec;
  return { id, name, base_url, model, max_tokens, temperature, tools, args, cwd };
}

function rejectMissing(
  cells: readonly MatrixCell[],
  cases: readonly EvalCase[],
  rendered: readonly (readonly { readonly missing: readonly string[] }[])[],
): void {
  const faults = new Set<string>();
  for (const [cell, row] of rendered.entries()) {
    for (const [caseNo, { missing }] of row.entries()) {
      const { name = "", file = "", line = 0 } = cases[caseNo] ?? {};
      const prompt = cells[cell]?.prompt.name || "the prompt";
      if (missing.length > 0) {
        faults.add(`  ${file}:${line} "${name}" has no ${missing.join(", ")}, which ${prompt} needs`);
      }
    }
  }
  if (faults.size === 0) return;
  const shown = [...faults].slice(0, 50);
  if (faults.size > shown.length) shown.push(`  … and ${faults.size - shown.length} more`);
  throw new DevflowError("input_invalid", {
    details: { problem: `Prompts cannot be filled:\n${shown.join("\n")}`, next: "Add the members to the cases." },
  });
}
