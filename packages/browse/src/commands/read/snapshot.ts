import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import { elementByRef } from "../../page-world/ask-page.ts";
import type { PageRef } from "../../page-world/questions.ts";
import { changeLines } from "../../receipts/change-lines.ts";
import { changesBetween } from "../../receipts/describe-diff.ts";
import { annotatedScreenshot } from "../../snapshot/annotate.ts";
import { frameOf, lastTree } from "../../snapshot/capture-tree.ts";
import { isInteractive } from "../../snapshot/interactive.ts";
import type { Box, PageNode } from "../../snapshot/page-tree.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Snapshot, takeSnapshot } from "../../snapshot/take-snapshot.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { writeOutput } from "../output-file.ts";
import type { snapshotRecord } from "../read.ts";

type SnapshotInput = BrowseInput<typeof snapshotRecord>;

const maxChanges = 60;
const fewControls = 3;
const fewestWords = 6;
const noEditables: ReadonlySet<string> = new Set();

export async function snapshot(given: SnapshotInput, scope: TabScope): Promise<Answer> {
  const { tab } = scope;
  const input = { ...given, scope: scopeOf(given) };
  const before = lastTree(tab);
  const within =
    input.scope === undefined ? undefined : (await resolveTarget(tab, input.scope, { part: true })).locator;
  const { clickables: allClickables, ...asked } = input;
  const taken = await takeSnapshot(tab, {
    ...asked,
    allClickables,
    within,
    signal: scope.signal,
    boxes: input.annotate !== undefined,
  });
  const { text, tree, ...data } = taken;
  if (input.diff && before) return changesSince(scope, before, taken);
  const lines = [text || nothing(taken, input)];
  const file = input.annotate === undefined ? undefined : await annotate(scope, taken, input.annotate);
  lines.push(...toRead(taken, input));
  if (file) lines.push(`screenshot with refs: ${file}`);
  return { text: lines.join("\n"), data: { ...data, ...(file && { file }) }, fromPage: true };
}

function scopeOf({ target, scope }: SnapshotInput): string | undefined {
  if (target === undefined || scope === undefined) return target ?? scope;
  const problem = `Both ${target} and -s ${scope} say which part to read.`;
  throw new DevflowError("usage", { details: { problem, next: `Give one: devflow browse snapshot ${target}` } });
}

function nothing({ tree }: Snapshot, { interactive, scope }: Pick<SnapshotInput, "interactive" | "scope">): string {
  const place = scope === undefined ? "on the page" : `in ${scope}`;
  const hasMore = interactive && tree.nodes.some(({ name, text }) => name !== "" || text !== undefined);
  return hasMore ? `(nothing ${place} can be clicked or filled; read it: text)` : `(nothing ${place})`;
}

/** The few controls of a page of words say little of it. */
function toRead(
  { tree, nodes }: Snapshot,
  { interactive, scope }: Pick<SnapshotInput, "interactive" | "scope">,
): string[] {
  if (!interactive || scope !== undefined || nodes.length === 0) return [];
  const controls = tree.nodes.filter((node) => isInteractive(node, noEditables));
  if (Math.max(nodes.length, controls.length) > fewControls) return [];
  const isInControl = ({ index }: PageNode) => controls.some((one) => index >= one.index && index < one.end);
  const words = tree.nodes.filter((node) => (node.text ?? "") !== "" || (node.role === "heading" && node.name !== ""));
  const count = words.filter((node) => !isInControl(node)).length;
  return count >= fewestWords ? [`… ${count} more to read: text`] : [];
}

async function changesSince(scope: TabScope, before: Snapshot["tree"], taken: Snapshot): Promise<Answer> {
  const { shown, more, moreRemoved } = changesBetween(before, taken.tree, maxChanges);
  const changes = await changeLines(scope.tab, shown);
  const lines = changes.length === 0 ? ["nothing changed since the last snapshot"] : changes;
  if (more > 0) lines.push(`… ${more} more changes: snapshot`);
  if (moreRemoved > 0) lines.push(`… ${moreRemoved} more removed`);
  return { text: lines.join("\n"), data: { url: taken.url, title: taken.title, changes, more }, fromPage: true };
}

async function annotate({ tab, files }: TabScope, taken: Snapshot, path: string): Promise<string> {
  const file = await files.forWriting(path);
  const book = refBookOf(tab);
  const boxes = new Map(taken.tree.nodes.map((node) => [node.ref, node.box]));
  const labels = await Promise.all(
    taken.nodes.map(async ({ ref }) => {
      const page = book.find(ref ?? "")?.page;
      if (!ref || !page) return [];
      // What has no line in Playwright's tree has no box there either.
      const box = boxes.get(page) ?? (await boxOf(tab, page));
      return box ? [{ ref, box }] : [];
    }),
  );
  await writeOutput(file, await annotatedScreenshot(tab, labels.flat()));
  return file;
}

async function boxOf(tab: Tab, page: PageRef): Promise<Box | undefined> {
  const frame = await frameOf(tab, page);
  const box = await (frame &&
    elementByRef(frame, page)
      .boundingBox({ timeout: 1_000 })
      .catch(() => null));
  return box ?? undefined;
}
