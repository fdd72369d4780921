/** What can be asked of the world that Devflow has in each frame (page-world.ts), and what it answers. */

/** A ref as the page's world gives it: `f1e507936604000002`; the digits after `e` are the document's number and a count. */
export type PageRef = string;

export type PageQuestion =
  | { readonly ask: "element"; readonly ref: PageRef }
  | { readonly ask: "pulse" }
  | { readonly ask: "survey" }
  | { readonly ask: "facts"; readonly of: readonly number[] }
  | { readonly ask: "inView" }
  | { readonly ask: "secrets"; readonly of: readonly PageRef[] }
  | { readonly ask: "reach"; readonly ref: PageRef; readonly bring: boolean }
  | { readonly ask: "ref" }
  | { readonly ask: "document" };

export interface Pulse {
  readonly document: string;
  /** Grows with every mutation and input. */
  readonly version: number;
  readonly x: number;
  readonly y: number;
}

export interface Survey {
  readonly document: string;
  readonly width: number;
  readonly height: number;
  readonly editables: readonly PageRef[];
  readonly canvases: readonly {
    readonly ref: PageRef;
    readonly width: number;
    readonly height: number;
    readonly label: string;
  }[];
  /** Elements that may hold a closed shadow root. */
  readonly closed: readonly PageRef[];
}

export interface Fact {
  readonly marks?: readonly string[];
  /** Its value must not be shown. */
  readonly secret?: true;
  readonly value?: string;
}

export interface Reach {
  readonly live: boolean;
  /** Of a field: `text`, `date`, `checkbox` … */
  readonly kind?: string;
  /** Its value must not be shown. */
  readonly secret?: boolean;
  readonly hidden?: boolean;
  readonly disabled?: boolean;
  readonly cover?: string;
  readonly coverRef?: PageRef;
  /** Nothing has to be waited for: it is in view, has stood still since it was looked at, and a click there hits it. */
  readonly ready?: boolean;
}

export interface PageAnswers {
  readonly element: never;
  readonly pulse: Pulse;
  readonly survey: Survey;
  /** By the number of the element in its document. */
  readonly facts: Readonly<Record<number, Fact>>;
  /** Numbers of the elements with a ref that are in view of their own frame. */
  readonly inView: readonly number[];
  readonly secrets: readonly PageRef[];
  readonly reach: Reach;
  readonly ref: PageRef | null;
  readonly document: string;
}

/** An element's number in its document, which is all that a question to that document needs to say. */
export function numberOf(ref: PageRef): number {
  return Number(/e\d{9}(\d{6,})$/.exec(ref)?.[1] ?? 0);
}

export function documentOf(ref: PageRef): string {
  return /e(\d{9})\d{6,}$/.exec(ref)?.[1] ?? "";
}
