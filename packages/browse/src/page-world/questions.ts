/** The questions that Devflow's code in each frame (page-world.ts) answers, and their answers. */

/** A ref as page-world.ts assigns it: `f1e507936604000002`; the digits after `e` are the document's number and a count. */
export type PageRef = string;

export type PageQuestion =
  | { readonly ask: "element"; readonly ref: PageRef }
  | { readonly ask: "version"; readonly looks?: boolean }
  /** The version and the tree, which is left out if the version is this one. */
  | { readonly ask: "state"; readonly unless?: string }
  | { readonly ask: "tree"; readonly boxes: boolean }
  | { readonly ask: "inventory" }
  | { readonly ask: "facts"; readonly of: readonly number[]; readonly wordless?: readonly number[] }
  | { readonly ask: "inView" }
  | { readonly ask: "lookFor"; readonly pattern: string }
  | { readonly ask: "secrets"; readonly of: readonly PageRef[] }
  | {
      readonly ask: "readiness";
      readonly ref: PageRef;
      readonly scroll: boolean;
      /** Prepare a press on it, which `landed` ends. */
      readonly press?: boolean;
      /** If it is a text field that can be changed, focus it and select its value. */
      readonly select?: boolean;
      /** Where in it, from its top left corner. */
      readonly at?: Point;
    }
  | { readonly ask: "landed" }
  | { readonly ask: "hasPassword" }
  | { readonly ask: "selectValue"; readonly ref: PageRef }
  /** Tell what a person does, through the binding of record/watch-person.ts. */
  | { readonly ask: "watchPerson"; readonly on: boolean }
  | { readonly ask: "ref" }
  /** Which of these are in the element that is asked. */
  | { readonly ask: "inside"; readonly of: readonly PageRef[] }
  | { readonly ask: "document" };

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An element without a role that can be clicked. */
export interface ClickableElement {
  readonly ref: PageRef;
  readonly name: string;
  /** It contains buttons, links or fields, so it is rather a container than a target. */
  readonly holdsControls: boolean;
}

/** What a live region of the page said. */
export interface Announcement {
  readonly id: number;
  readonly role: string;
  readonly text: string;
  /** It no longer says so. */
  readonly gone: boolean;
}

/** What a press reached. */
export interface Landing {
  readonly landed: "there" | "elsewhere" | "unseen";
  readonly on?: string;
  readonly onRef?: PageRef;
}

export interface FrameVersion {
  readonly document: string;
  /** Increases with every mutation and input. */
  readonly version: number;
  readonly x: number;
  readonly y: number;
  /** Too large to be read whole: a reading has only what is in view. */
  readonly large: boolean;
  readonly title: string;
  readonly news: readonly Announcement[];
  /** Attributes that changed last, each with the version it led to. */
  readonly touched: readonly { readonly version: number; readonly what: string }[];
  /** A form was submitted a moment ago, so another document will be requested. */
  readonly submitting?: true;
  /** Drawings and media, when asked for. */
  readonly looks?: readonly Look[];
}

export interface PageReading {
  readonly version: FrameVersion;
  /** As `tree`; undefined when it was not needed. */
  readonly tree?: unknown;
}

export interface Look {
  readonly what: string;
  readonly state: string;
}

export interface FrameInventory {
  readonly document: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly editables: readonly PageRef[];
  /** By their markup: summaries, and elements with a click attribute or a place in the tab order. */
  readonly clickables: readonly ClickableElement[];
  readonly news: readonly Announcement[];
  readonly canvases: readonly {
    readonly ref: PageRef;
    readonly width: number;
    readonly height: number;
    readonly label: string;
  }[];
  /** Elements that may have a closed shadow root. */
  readonly closed: readonly PageRef[];
}

export interface Fact {
  readonly marks?: readonly string[];
  /** Its value must not be shown. */
  readonly secret?: true;
  readonly value?: string;
  /** What it is, where it has no words: `<span.trash>`. */
  readonly hint?: string;
}

/** What the last reading of a document left out, because the document is too large. */
export interface LeftOut {
  readonly total: number;
  readonly read: number;
  /** The containers with the most elements that were not read. */
  readonly places: readonly (readonly [PageRef, number])[];
}

export interface Readiness {
  readonly live: boolean;
  /** A field's type: `text`, `date`, `checkbox` … */
  readonly kind?: string;
  /** Its value must not be shown. */
  readonly secret?: boolean;
  readonly hidden?: boolean;
  readonly disabled?: boolean;
  readonly cover?: string;
  readonly coverRef?: PageRef;
  /** No need to wait: it is in view, has not moved since it was last read, and a click on it hits it. */
  readonly ready?: boolean;
  /** It is focused, and what is typed next replaces its value. */
  readonly selected?: boolean;
  /** Where to press it, in the window. */
  readonly point?: Point;
  /** The size of the element, where the wanted place is outside of it. */
  readonly outside?: { readonly width: number; readonly height: number };
}

export interface PageAnswers {
  readonly element: never;
  readonly version: FrameVersion;
  readonly state: PageReading;
  /**
   * As Playwright's `ariaSnapshotJSON` gives it; null when only Playwright can give it. With what is in view, as `inView`
   * gives it, where that is likely to be asked next.
   */
  readonly tree: { readonly tree: unknown; readonly inView?: readonly number[] };
  readonly hasPassword: boolean;
  readonly inventory: FrameInventory;
  /** By the element's number in its document. */
  readonly facts: { readonly found: Readonly<Record<number, Fact>>; readonly left?: LeftOut };
  readonly lookFor: null;
  /** Numbers of the elements with a ref that are in view of their frame. */
  readonly inView: readonly number[];
  readonly secrets: readonly PageRef[];
  readonly readiness: Readiness;
  readonly landed: Landing;
  readonly selectValue: { readonly selected: boolean };
  readonly watchPerson: null;
  readonly ref: PageRef | null;
  readonly inside: readonly PageRef[];
  readonly document: string;
}

/** An element's number in its document; enough for a question to that document. */
export function numberOf(ref: PageRef): number {
  return Number(/e\d{9}(\d{6,})$/.exec(ref)?.[1] ?? 0);
}

export function documentOf(ref: PageRef): string {
  return /e(\d{9})\d{6,}$/.exec(ref)?.[1] ?? "";
}
