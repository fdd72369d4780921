import { writeFile } from "node:fs/promises";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { changeLines } from "../../receipts/change-lines.ts";
import { changesBetween } from "../../receipts/describe-diff.ts";
import { annotatedScreenshot } from "../../snapshot/annotate.ts";
import { lastTree } from "../../snapshot/capture-tree.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Snapshot, takeSnapshot } from "../../snapshot/take-snapshot.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import type { snapshotRecord } from "../read.ts";

type SnapshotInput = BrowseInput<typeof snapshotRecord>;

const maxChanges = 60;

export async function snapshot(input: SnapshotInput, scope: TabScope): Promise<Answer> {
  const { tab } = scope;
  const before = lastTree(tab);
  const within = input.scope === undefined ? undefined : (await resolveTarget(tab, input.scope)).locator;
  const taken = await takeSnapshot(tab, {
    ...input,
    within,
    signal: scope.signal,
    boxes: input.annotate !== undefined,
  });
  const { text, tree, ...data } = taken;
  if (input.diff && before) return changesSince(scope, before, taken);
  const lines = [text || nothing(taken, input)];
  const file = input.annotate === undefined ? undefined : await annotate(scope, taken, input.annotate);
  if (file) lines.push(`screenshot with refs: ${file}`);
  return { text: lines.join("\n"), data: { ...data, ...(file && { file }) }, fromPage: true };
}

function nothing({ tree }: Snapshot, { interactive, scope }: SnapshotInput): string {
  const place = scope === undefined ? "on the page" : `in ${scope}`;
  const hasMore = interactive && tree.nodes.some(({ name, text }) => name !== "" || text !== undefined);
  return hasMore ? `(nothing ${place} can be clicked or filled; read it: text)` : `(nothing ${place})`;
}

async function changesSince(scope: TabScope, before: Snapshot["tree"], taken: Snapshot): Promise<Answer> {
  const { shown, more } = changesBetween(before, taken.tree, maxChanges);
  const changes = await changeLines(scope.tab, shown);
  const lines = changes.length === 0 ? ["nothing changed since the last snapshot"] : changes;
  if (more > 0) lines.push(`… ${more} more changes: snapshot`);
  return { text: lines.join("\n"), data: { url: taken.url, title: taken.title, changes, more }, fromPage: true };
}

async function annotate({ tab, files }: TabScope, taken: Snapshot, path: string): Promise<string> {
  const file = await files.forWriting(path);
  const book = refBookOf(tab);
  const boxes = new Map(taken.tree.nodes.map((node) => [node.ref, node.box]));
  const labels = taken.nodes.flatMap(({ ref }) => {
    const box = boxes.get(book.find(ref ?? "")?.page);
    return ref && box ? [{ ref, box }] : [];
  });
  await writeFile(file, await annotatedScreenshot(tab, labels), { mode: 0o600 });
  return file;
}
