/**
 * The refs that an agent sees in one tab, and the elements they stand for.
 *
 * - `refFor(pageRef, what)` the short ref (`e3`), the same for as long as the element exists, never reused.
 * - `find(ref)` the element behind a ref, even when it is gone, so that an error can say what it was; `inherit(known, heir)` when an
 *   equal one took its place.
 * - `groupFor(place)` the same for folded groups (`g1`).
 * - `continueRefs(from, to)` the refs of a tab that replaces another come after those of the other.
 */
import type { Tab } from "../command.ts";
import type { PageRef } from "../page-world/questions.ts";
import type { OutlineOptions } from "./outline.ts";

export interface KnownRef {
  readonly ref: string;
  page: PageRef;
  /** The equal element that took its place on the page, if that one is gone. */
  heir?: PageRef;
  /** By what it is known while no pointer reaches it. */
  behind?: string;
  role: string;
  name: string;
}

export interface GroupPlace {
  /** The element whose children are folded; undefined for the page itself. */
  readonly parent: PageRef | undefined;
  readonly role: string;
  readonly run: number;
  /** How the page was read. */
  readonly options: Pick<OutlineOptions, "interactive" | "compact" | "depth"> & {
    readonly allClickables?: boolean | undefined;
  };
  readonly scope: string | undefined;
}

export interface RefBook {
  refFor(page: PageRef, what: { readonly role: string; readonly name: string }, kind?: "e" | "c"): string;
  find(ref: string): KnownRef | undefined;
  all(): KnownRef[];
  /** What is known of an element that has a ref. */
  at(page: PageRef): KnownRef | undefined;
  /** From now on the ref means the element that took the place of the old one. */
  inherit(known: KnownRef, heir: PageRef): void;
  groupFor(place: GroupPlace): string;
  group(id: string): GroupPlace | undefined;
  /** How many refs of each kind there are. */
  readonly counts: { e: number; c: number };
}

const bookOfTab = Symbol("browse refs");

export function refBookOf(tab: Tab): RefBook {
  return tab.memory(bookOfTab, makeRefBook);
}

/** Otherwise a ref that an agent has seen would mean another element. */
export function continueRefs(from: Tab, to: Tab): void {
  Object.assign(refBookOf(to).counts, refBookOf(from).counts);
}

export function makeRefBook(): RefBook {
  const byPage = new Map<string, KnownRef>();
  const byRef = new Map<string, KnownRef>();
  const groups = new Map<string, GroupPlace>();
  const groupIds = new Map<string, string>();
  const counts = { e: 0, c: 0 };
  return {
    refFor(page, what, kind = "e") {
      const key = `${kind}${page}`;
      let known = byPage.get(key);
      if (!known) {
        counts[kind] += 1;
        known = { ref: `${kind}${counts[kind]}`, page, role: what.role, name: what.name };
        byPage.set(key, known);
        byRef.set(known.ref, known);
      }
      known.role = what.role;
      known.name = what.name;
      return known.ref;
    },
    find: (ref) => byRef.get(ref),
    all: () => [...byRef.values()],
    at: (page) => byPage.get(`e${page}`) ?? byPage.get(`c${page}`),
    inherit(known, heir) {
      const kind = known.ref[0];
      byPage.delete(`${kind}${known.page}`);
      known.page = heir;
      delete known.heir;
      if (!byPage.has(`${kind}${heir}`)) byPage.set(`${kind}${heir}`, known);
    },
    groupFor(place) {
      const key = JSON.stringify([place.parent ?? "", place.role, place.run, place.options.interactive, place.scope]);
      let id = groupIds.get(key);
      if (!id) {
        id = `g${groupIds.size + 1}`;
        groupIds.set(key, id);
      }
      groups.set(id, place);
      return id;
    },
    group: (id) => groups.get(id),
    counts,
  };
}
