import type { Answer, TabScope } from "../../command.ts";
import { takeSnapshot } from "../../snapshot/take-snapshot.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";

export interface SnapshotInput {
  readonly interactive: boolean;
  readonly compact: boolean;
  readonly depth?: number | undefined;
  readonly scope?: string | undefined;
  readonly diff: boolean;
  readonly annotate?: string | undefined;
  readonly clickables: boolean;
  readonly budget?: number | undefined;
}

export async function snapshot(input: SnapshotInput, scope: TabScope): Promise<Answer> {
  const within = input.scope === undefined ? undefined : (await resolveTarget(scope.tab, input.scope)).locator;
  const taken = await takeSnapshot(scope.tab, { ...input, within, signal: scope.signal });
  const { text, tree: _tree, ...data } = taken;
  return { text: text || "(nothing on the page)", data, fromPage: true };
}
