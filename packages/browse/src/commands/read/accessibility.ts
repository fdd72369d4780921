/** Runs axe-core in Devflow's isolated world of each frame, so that the page cannot tamper with the result. */
import { DevflowError } from "@devflow/core/errors";
import { z } from "zod";
import type { Answer, TabScope } from "../../command.ts";
import { type IsolatedContext, isolatedContexts } from "../../page-world/isolated-contexts.ts";
import { captureTree } from "../../snapshot/capture-tree.ts";
import { quote } from "../../snapshot/line.ts";

const answerShape = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullable(),
    help: z.string(),
    helpUrl: z.string(),
    nodes: z.array(z.object({ target: z.string(), html: z.string(), failure: z.string() })),
  }),
);
type Violation = z.infer<typeof answerShape>[number];

const severity = ["critical", "serious", "moderate", "minor"];
const maxNodes = 3;

export async function accessibility(
  input: { readonly tags?: readonly string[] | undefined },
  { tab }: TabScope,
): Promise<Answer> {
  // Capturing the tree makes sure that every frame has its isolated world.
  await captureTree(tab);
  const { default: axe } = await import("axe-core");
  const contexts = await isolatedContexts(tab);
  const found = (await Promise.all(contexts.map((context) => audit(context, axe.source, input.tags)))).flat();
  const violations = merged(found);
  const lines = violations.flatMap(({ id, impact, help, nodes }) => [
    `${impact ?? "minor"} ${id}: ${help} (${nodes.length})`,
    ...nodes.slice(0, maxNodes).map(({ target, html }) => `  ${target} ${quote(html, 120)}`),
  ]);
  const text = lines.join("\n") || "axe-core found no violations";
  return { text, data: { violations, rules: input.tags ?? "all" }, fromPage: true };
}

async function audit(
  context: IsolatedContext,
  source: string,
  tags: readonly string[] | undefined,
): Promise<Violation[]> {
  const options = {
    iframes: false,
    resultTypes: ["violations"],
    ...(tags && { runOnly: { type: "tag", values: tags } }),
  };
  const expression = `(async () => {
    if (!globalThis.axe) { ${source} }
    const { violations } = await globalThis.axe.run(document, ${JSON.stringify(options)});
    return violations.map(({ id, impact, help, helpUrl, nodes }) => ({ id, impact, help, helpUrl,
      nodes: nodes.slice(0, 50).map((node) => ({ target: node.target.flat().join(" "), html: node.html.slice(0, 300), failure: node.failureSummary ?? "" })) }));
  })()`;
  const { result, exceptionDetails } = await context.cdp.send("Runtime.evaluate", {
    expression,
    contextId: context.contextId,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails) {
    const problem = exceptionDetails.exception?.description?.split("\n")[0] ?? exceptionDetails.text;
    throw new DevflowError("browse_script_failed", { details: { problem } });
  }
  return answerShape.parse(result.value);
}

function merged(found: readonly Violation[]): Violation[] {
  const byRule = new Map<string, Violation>();
  for (const violation of found) {
    const known = byRule.get(violation.id);
    byRule.set(violation.id, known ? { ...known, nodes: [...known.nodes, ...violation.nodes] } : violation);
  }
  const rank = ({ impact }: Violation) => severity.indexOf(impact ?? "minor");
  return [...byRule.values()].sort((a, b) => rank(a) - rank(b));
}
