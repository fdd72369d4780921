/**
 * Chooses in boxes that a page draws itself: comboboxes and listboxes by their roles.
 *
 * - `chooseOptions(scope, box, all)` opens the box, types the words where that filters its options, and presses the option with
 *   these words; the names of those that were chosen. Fails with the options that are shown.
 * - `missingOption(box, wanted, names)` the failure.
 * - `optionFor(options, wanted)` pure: the option of exactly this name, else the only one that begins with or contains it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Locator } from "playwright-core";
import type { TabScope } from "../../command.ts";
import { captureTree } from "../../snapshot/capture-tree.ts";
import { quote } from "../../snapshot/line.ts";
import { type PageNode, type PageTree, wordsIn } from "../../snapshot/page-tree.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { labelledRef } from "../../targets/suggest.ts";
import { actionTimeoutMs } from "../run-action.ts";
import { findReachable } from "./find-actionable.ts";
import { pressElement } from "./press-element.ts";

/** Options may come from a server, after a pause in the typing. */
const optionsMs = 2_000;
/** Until a list that closes by itself has gone. */
const fadeMs = 600;
/** Those that are there anyway come at once. */
const openMs = 400;
/** A list that has not changed for so long is complete. */
const stillMs = 250;
const pollMs = 50;
const mostListed = 10;

interface Option {
  readonly name: string;
  readonly node: PageNode;
}

export async function chooseOptions(scope: TabScope, box: Found, all: readonly string[]): Promise<string[]> {
  const before = await captureTree(scope.tab);
  const wasOpen = isOpen(before, box);
  const names: string[] = [];
  try {
    for (const wanted of all) names.push(await chooseOption(scope, box, before, wanted));
  } catch (error) {
    if (!wasOpen) await close(scope, box, before, 0);
    throw error;
  }
  if (!wasOpen) await close(scope, box, before, fadeMs);
  return names;
}

async function chooseOption(scope: TabScope, box: Found, before: PageTree, wanted: string): Promise<string> {
  const now = async () => captureTree(scope.tab);
  if (!isOpen(await now(), box)) await pressElement(scope, box);
  const shown = async () => optionsIn(await now(), before, box);
  const field = await fieldOf(box);
  const option = field
    ? ((await untilShown(openMs, shown, (options) => exactIn(options, wanted))) ?? (await filter(field, wanted, shown)))
    : await untilShown(optionsMs, shown, (options) => optionFor(options, wanted));
  if (!option)
    throw missingOption(
      box,
      wanted,
      (await shown()).map(({ name }) => name),
    );
  await press(scope, option);
  return option.name;
}

/** A list that stays open would cover what comes next. One that is closing must not get the key: a dialog around it would. */
async function close({ tab }: TabScope, box: Found, before: PageTree, graceMs: number): Promise<void> {
  const end = performance.now() + graceMs;
  for (;;) {
    const now = await captureTree(tab);
    if (!hasList(now, box, before)) return;
    if (performance.now() > end) break;
    await sleep(pollMs);
  }
  await tab.page.keyboard.press("Escape");
}

function hasList(now: PageTree, box: Found, before: PageTree): boolean {
  const known = new Set(before.nodes.map(({ ref }) => ref));
  const isNewOption = ({ role, ref }: PageNode) => optionRoles.has(role) && ref !== undefined && !known.has(ref);
  return isOpen(now, box) || now.nodes.some(isNewOption);
}

/** The text field that has the focus once the box is open: what is typed there filters the options. */
async function fieldOf({ frame }: Found): Promise<Locator | undefined> {
  const field = frame.locator(":focus");
  const isField = await field
    .evaluate(
      (element) => element instanceof HTMLInputElement && !element.readOnly && element.selectionStart !== null,
      undefined,
      { timeout: openMs },
    )
    .catch(() => false);
  return isField ? field : undefined;
}

/** Long lists have only a part of their options in the page, and some have none before something is typed. */
async function filter(field: Locator, wanted: string, shown: Shown): Promise<Option | undefined> {
  await field.fill(wanted, { timeout: actionTimeoutMs });
  const option = await untilShown(optionsMs, shown, (options) => optionFor(options, wanted));
  if (option) return option;
  await field.fill("", { timeout: actionTimeoutMs });
  await sleep(openMs);
  return undefined;
}

type Shown = () => Promise<readonly Option[]>;

/** An option of another name is taken only once the list stays as it is: the one that is wanted may still come. */
async function untilShown(
  ms: number,
  shown: Shown,
  choose: (options: readonly Option[]) => Option | undefined,
): Promise<Option | undefined> {
  const end = performance.now() + ms;
  let last = "";
  let since = performance.now();
  for (;;) {
    const options = await shown();
    const now = performance.now();
    const names = options.map(({ name }) => name).join("\n");
    if (names !== last) since = now;
    last = names;
    const found = choose(options);
    if (found && (now - since >= stillMs || now > end)) return found;
    if (now > end) return undefined;
    await sleep(pollMs);
  }
}

const exactIn = (options: readonly Option[], wanted: string): Option | undefined =>
  options.find(({ name }) => name === wanted);

export function optionFor<One extends { readonly name: string }>(
  options: readonly One[],
  wanted: string,
): One | undefined {
  const plain = (words: string) => words.trim().toLowerCase();
  const asked = plain(wanted);
  const ways: ((name: string) => boolean)[] = [
    (name) => name === asked,
    (name) => name.startsWith(asked),
    (name) => name.includes(asked),
  ];
  const exact = options.find(({ name }) => name === wanted);
  if (exact) return exact;
  for (const isSo of ways) {
    const found = options.filter(({ name }) => isSo(plain(name)));
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

const optionRoles = new Set(["option", "treeitem", "menuitemradio", "menuitemcheckbox"]);

function isOpen({ nodes }: PageTree, { page }: Found): boolean {
  const box = nodes.find(({ ref }) => ref === page);
  return box?.role === "listbox" || box?.states.includes("expanded") === true;
}

/**
 * The options that can be pressed: those in a listbox, else those that opening it brought. Some boxes show a person other
 * elements than they show to a screen reader; these only look as if they can be clicked.
 */
function optionsIn({ nodes }: PageTree, before: PageTree, found: Found): Option[] {
  const named = (node: PageNode) => ({ name: node.name || node.text || wordsIn(nodes, node), node });
  const options = nodes.filter(({ role, ref }) => optionRoles.has(role) && ref !== undefined);
  const box = nodes.find(({ ref }) => ref === found.page);
  if (box?.role === "listbox") {
    return options.filter(({ index }) => index > box.index && index < box.end).map(named);
  }
  const known = new Set(before.nodes.map(({ ref }) => ref));
  const isNew = ({ ref }: PageNode) => !known.has(ref);
  const drawn = nodes.filter((node) => node.role === "generic" && node.hasPointerCursor && node.ref !== undefined);
  const wasOpen = isOpen(before, found);
  const ways = [options.filter(isNew), wasOpen ? options : [], drawn.filter((node) => wasOpen || isNew(node)), options];
  return (ways.find((some) => some.length > 0) ?? []).map(named);
}

async function press(scope: TabScope, { node }: Option): Promise<void> {
  const { ref } = labelledRef(scope.tab, node);
  const found = await findReachable(scope, `@${ref}`, "select", { press: true });
  await pressElement(scope, found);
}

export function missingOption(box: Found, wanted: string, names: readonly string[]): DevflowError {
  const near = names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  const some = near.length > 0 ? near : names;
  const listed = some.slice(0, mostListed).map((name) => quote(name, 60));
  const more = some.length > listed.length ? `, and ${some.length - listed.length} more` : "";
  const what = near.length > 0 ? "several options like" : "no option";
  const reason = `it has ${what} ${quote(wanted, 60)}${listed.length === 0 ? "" : `; it has ${listed.join(", ")}${more}`}`;
  const next =
    listed.length === 0
      ? `See what it offers: devflow browse click @${box.ref}`
      : `Choose one of them: devflow browse select @${box.ref} ${listed[0]}`;
  return new DevflowError("browse_action_failed", { details: { action: "select", target: box.label, reason, next } });
}
