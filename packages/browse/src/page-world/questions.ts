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
  /** Of an inventory only the clickables. */
  | { readonly ask: "marked" }
  | {
      readonly ask: "facts";
      readonly of: readonly number[];
      readonly wordless?: readonly number[];
      /** The document that has these elements; another one says nothing about them. */
      readonly document?: string;
    }
  /** The labels of fields that cannot be seen, the titles of frames, and words that the tree loses. */
  | { readonly ask: "labels" }
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
      /** Tell its words. */
      readonly words?: boolean;
    }
  /** Why it cannot be seen. */
  | { readonly ask: "whyHidden"; readonly ref: PageRef }
  /** Hear what is copied in the next moment, which `copied` asks for; and what is selected. */
  | { readonly ask: "hearCopy" }
  | { readonly ask: "copied" }
  | { readonly ask: "selected" }
  /** Prepare a press that goes into a frame of this document, at this point. */
  | { readonly ask: "passage"; readonly into: PageRef; readonly point: Point }
  /** `isHeld`: the button is still down. */
  | { readonly ask: "landed"; readonly isHeld?: boolean }
  /** The label that is pressed for a checkbox or radio button that cannot be pressed itself. */
  | { readonly ask: "labelToPress"; readonly ref: PageRef }
  | { readonly ask: "view" }
  | { readonly ask: "hasPassword" }
  | { readonly ask: "selectValue"; readonly ref: PageRef }
  /** What a field holds; `wanted` is what it was, or will be, filled with. */
  | { readonly ask: "held"; readonly ref: PageRef; readonly wanted: string }
  /** Tell what a person does, through the binding of record/watch-person.ts. */
  | { readonly ask: "watchPerson"; readonly on: boolean }
  /** Which of these, by their numbers, are in the document and can be seen, whether or not a pointer reaches them. */
  | { readonly ask: "seen"; readonly of: readonly number[] }
  /** Its label's, if it is a field that cannot be seen. */
  | { readonly ask: "ref"; readonly label?: boolean }
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
  /** Empty where it has no words. */
  readonly name: string;
  /** The numbers of the elements around it, and of those that end or begin before it, nearest first. */
  readonly around: readonly number[];
  readonly before: readonly number[];
  /** The words around it, if it has none. */
  readonly beside?: string | undefined;
  /** Its place in the reading order of its document. */
  readonly order?: readonly number[];
}

/** The label of a checkbox, radio button or file field that cannot be seen: pressing it does what the field does. */
export interface LabelledField extends ClickableElement {
  readonly role: string;
  readonly states: readonly string[];
  /** The number of the field itself. */
  readonly field: number;
  /** The numbers of all that is drawn for it, where that is not its label. */
  readonly inside?: readonly number[];
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
  /** Unseen where the document that could tell is gone; nowhere where it is not, and got no press. */
  readonly landed: "there" | "elsewhere" | "unseen" | "nowhere";
  readonly on?: string;
  readonly onRef?: PageRef;
  /** The element was pressed, but its click went elsewhere, or to nothing; idle when nothing at all came of it. */
  readonly strayed?: { readonly on?: string; readonly isIdle: boolean };
}

export interface FrameVersion {
  readonly document: string;
  /** Increases with every mutation and input. */
  readonly version: number;
  /** The version that the last element came with. */
  readonly grown: number;
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
  /** Milliseconds until a dialog or a menu has come or gone. */
  readonly moving?: number;
  /** A part of the page says that it is being loaded. */
  readonly busy?: true;
  /** Drawings and media, when asked for. */
  readonly looks?: readonly Look[];
}

export interface Labels {
  readonly labelled?: readonly LabelledField[];
  /** Frames with a title or a name. */
  readonly frames?: readonly { readonly ref: PageRef; readonly title: string }[];
  /** Of text fields whose white space the tree does not have as it is. */
  readonly values?: readonly { readonly ref: PageRef; readonly value: string }[];
  readonly icons?: readonly IconInWords[];
}

/** An icon in the middle of a sentence, which the tree does not have. */
export interface IconInWords {
  /** Of the element whose words these are. */
  readonly ref: PageRef;
  readonly before: string;
  readonly after: string;
  readonly hint: string;
}

export interface PageReading extends Labels {
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
  /** By their markup: summaries, what can be dragged, and elements with a click attribute or a place in the tab order. */
  readonly clickables: readonly ClickableElement[];
  readonly news: readonly Announcement[];
  readonly canvases: readonly {
    readonly ref: PageRef;
    readonly width: number;
    readonly height: number;
    readonly label: string;
  }[];
  /** Images with areas to click, and a place in each. */
  readonly maps: readonly {
    readonly ref: PageRef;
    readonly name: string;
    readonly areas: readonly (Point & { readonly name: string })[];
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
  /** Where it is in the window, and its colour, where others have the same hint: `40,12`, `#239023`. */
  readonly at?: string;
  readonly colour?: string;
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
  readonly placeholder?: string;
  /** Its value must not be shown. */
  readonly secret?: boolean;
  /** A list opens by it: suggestions for what is typed, or a submenu. */
  readonly opens?: true;
  readonly hidden?: boolean;
  readonly disabled?: boolean;
  readonly readOnly?: true;
  /** It seems to open a calendar. */
  readonly hasCalendar?: true;
  readonly cover?: string;
  readonly coverRef?: PageRef;
  /** No need to wait: it is in view, has not moved since it was last read, and a click on it hits it. */
  readonly ready?: boolean;
  /** It is drawn for a hidden checkbox, radio button or switch, which is checked or not. */
  readonly choice?: boolean;
  /** What is hit there is not in it, but belongs to it. */
  readonly beside?: true;
  /** It is focused, and what is typed next replaces its value. */
  readonly selected?: boolean;
  /** Where to press it, in the window. */
  readonly point?: Point;
  /** Where the mouse is, if it is beside the element on the menu that this one is in. */
  readonly leaving?: Point;
  /** What it is in the markup, with its words. */
  readonly words?: string;
  /** The size of the element, where the wanted place is outside of it. */
  readonly outside?: { readonly width: number; readonly height: number };
}

/** Why an element cannot be seen. */
export interface Hidden {
  /** It is not drawn at all, so nothing can bring it into view. */
  readonly isGone: boolean;
  /** What shows the part that it is in, such as a tab or a button, if that can be seen. */
  readonly opener?: { readonly ref: PageRef; readonly role: string; readonly name: string };
}

/** What a field holds, and what it says about its format. */
export interface HeldValue {
  readonly value: string;
  /** What Chromium would make of the wanted text, where it parses it: a date, a number, a range. */
  readonly wouldHold?: string;
  /** What it and the boxes after it hold, if it is one of a row of boxes for one character each. */
  readonly boxes?: string;
  readonly placeholder: string;
  readonly pattern: string;
  /** Negative when there is none. */
  readonly maxLength: number;
  readonly range: { readonly min: string; readonly max: string; readonly step: string };
  /** A slider that is not an `<input>`. */
  readonly isSlider: boolean;
}

export interface PageAnswers {
  readonly element: never;
  readonly version: FrameVersion;
  readonly state: PageReading;
  /**
   * As Playwright's `ariaSnapshotJSON` gives it; null when only Playwright can give it. With what is in view, as `inView`
   * gives it, where that is likely to be asked next.
   */
  readonly tree: Labels & { readonly tree: unknown; readonly inView?: readonly number[] };
  readonly labels: Labels;
  readonly hasPassword: boolean;
  readonly inventory: FrameInventory;
  readonly marked: readonly ClickableElement[];
  /** By the element's number in its document. */
  readonly facts: {
    readonly found: Readonly<Record<number, Fact>>;
    readonly left?: LeftOut;
    /** For how long something that covers one of them will still fade or move. */
    readonly settlesMs?: number;
  };
  readonly lookFor: null;
  /** Numbers of the elements with a ref that are in view of their frame. */
  readonly inView: readonly number[];
  readonly secrets: readonly PageRef[];
  readonly readiness: Readiness;
  readonly whyHidden: Hidden | null;
  readonly hearCopy: null;
  /** The text, if anything was copied since `hearCopy`. */
  readonly copied: string | null;
  /** Number of characters. */
  readonly selected: string;
  /** What lies over the frame there; empty when it is free. */
  readonly passage: { readonly cover?: string; readonly coverRef?: PageRef; readonly outside?: true };
  readonly landed: Landing;
  readonly labelToPress: PageRef | null;
  /** The size of the frame's viewport, and how many pixels of the screen one of its own is, which zoom changes. */
  readonly view: { readonly width: number; readonly height: number; readonly density: number };
  readonly selectValue: { readonly selected: boolean };
  /** Null when it is gone. */
  readonly held: HeldValue | null;
  readonly watchPerson: null;
  readonly ref: PageRef | null;
  readonly seen: readonly number[];
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
