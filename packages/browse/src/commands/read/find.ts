import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { captureTree, factsFor } from "../../snapshot/capture-tree.ts";
import { lineOf } from "../../snapshot/line.ts";
import { type OutlineNode, outlineOf } from "../../snapshot/outline.ts";
import { placesOf } from "../../snapshot/places.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import type { findRecord } from "../read.ts";

type FindInput = BrowseInput<typeof findRecord>;

export async function find(input: FindInput, { tab }: TabScope): Promise<Answer> {
  const pattern = patternOf(input);
  const tree = await captureTree(tab, { pattern: pattern.source });
  const outline = outlineOf(tree);
  const found = outline.filter(({ page }) => pattern.test(page.name) || pattern.test(page.text ?? ""));
  const shown = found.slice(0, input.limit);
  const { of: facts } = await factsFor(
    tab,
    shown.map(({ page }) => page),
  );
  const book = refBookOf(tab);
  const places = placesOf(
    tree,
    found.filter(({ interactive }) => interactive).map(({ page }) => page),
  );
  const lines = shown.map((node) => {
    const { page, role } = node;
    const ref = page.ref === undefined ? undefined : book.refFor(page.ref, { role, name: page.name });
    const place = places.get(page);
    const line = lineOf({ ...node, depth: 0, ...(place && { place }) }, ref, facts.get(page.ref ?? ""));
    return place ? line : `${line}${placeOf(outline, node)}`;
  });
  if (found.length > shown.length) lines.push(`… ${found.length - shown.length} more: --limit ${found.length}`);
  const nothing = `nothing on the page contains ${JSON.stringify(input.words)}`;
  return { text: lines.join("\n") || nothing, data: { found: lines, total: found.length }, fromPage: true };
}

/** The nearest named container, to distinguish equal lines. */
function placeOf(outline: readonly OutlineNode[], node: OutlineNode): string {
  for (let at = node.parent; at >= 0; at = outline[at]!.parent) {
    const { page, role } = outline[at]!;
    if (page.name !== "") return `  in ${role} ${JSON.stringify(page.name.slice(0, 60))}`;
  }
  return "";
}

function patternOf({ words, regex }: FindInput): RegExp {
  try {
    return new RegExp(regex ? words : RegExp.escape(words), "iu");
  } catch (error) {
    const details = {
      problem: `${words} is not a regular expression.`,
      next: "Omit --regex to search for plain text.",
    };
    throw new DevflowError("input_invalid", { details, cause: error });
  }
}
