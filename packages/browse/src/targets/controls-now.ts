/**
 * The controls that are on the page now and have certain words.
 *
 * - `controlsNow(tab, lines)` those of the first of these lines that has any.
 */
import type { Tab } from "../command.ts";
import { captureTree } from "../snapshot/capture-tree.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { placeTargets } from "../snapshot/place-targets.ts";
import { rolelessControls } from "../snapshot/roleless-controls.ts";
import { controlsNamed, type LineTarget, plain, type Roleless } from "./by-words.ts";
import { frameNames } from "./frames.ts";

export interface ControlsNow {
  readonly tree: PageTree;
  readonly nodes: readonly PageNode[];
}

/** `hasRole`: without looking for what can be clicked or edited and has no role for it, which takes some more messages. */
export async function controlsNow(
  tab: Tab,
  lines: readonly LineTarget[],
  { hasRole = false }: { readonly hasRole?: boolean } = {},
): Promise<ControlsNow | undefined> {
  const tree = await captureTree(tab).catch(() => undefined);
  if (!tree) return undefined;
  for (const line of lines) {
    const nodes = await inFrame(tab, line, controlsNamed(tree, line));
    if (nodes.length > 0) return { tree, nodes };
  }
  if (hasRole) return undefined;
  const { editables, clickables } = await rolelessControls(tab);
  const roleless: Roleless = { editables, clickables: new Set(clickables.map(({ ref }) => ref)) };
  const placed = placeTargets(tree, clickables, true);
  for (const line of lines) {
    const nodes = await inFrame(tab, line, controlsNamed(placed, line, roleless));
    if (nodes.length > 0) return { tree: placed, nodes };
  }
  return undefined;
}

async function inFrame(tab: Tab, { frame }: LineTarget, nodes: readonly PageNode[]): Promise<readonly PageNode[]> {
  if (frame === undefined || nodes.length === 0) return nodes;
  const names = await frameNames(tab, nodes);
  return nodes.filter((node) => plain(names.get(node.frame) ?? "").includes(plain(frame.replace(/…$/, ""))));
}
