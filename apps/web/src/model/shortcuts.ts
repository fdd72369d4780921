/**
 * Keyboard shortcuts, without the DOM.
 *
 * - `shortcutsOf(isTeamServer)` the list that `?` shows.
 * - `nextKey(pending, key, at)` what a key means: an action, the first key of a sequence, or nothing.
 */
import { type Screen, screensOf } from "./screens.ts";

export type KeyAction =
  | { readonly do: "go"; readonly path: Screen["path"] }
  | { readonly do: "press"; readonly key: PressKey }
  | { readonly do: "palette" | "shortcuts" | "next-row" | "previous-row" | "filter" };

/** Keys that click a button of the screen, if it has one: approve, request changes, reject, select. */
export const pressKeys = ["a", "c", "r", "x"] as const;
export type PressKey = (typeof pressKeys)[number];

export interface PendingKey {
  readonly key: "g";
  readonly at: number;
}

/** Maximum time between the two keys of a sequence. */
export const sequenceMs = 1_200;

export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly rows: readonly Shortcut[];
}

/** Of the screens that this server has. */
export const shortcutsOf = (isTeamServer: boolean): readonly ShortcutGroup[] => [
  {
    title: "Go to",
    rows: screensOf(isTeamServer).map((screen) => ({ keys: ["g", screen.key], does: screen.title })),
  },
  ...shortcuts,
];

const shortcuts: readonly ShortcutGroup[] = [
  {
    title: "Lists",
    rows: [
      { keys: ["j"], does: "Next row" },
      { keys: ["k"], does: "Previous row" },
      { keys: ["Enter"], does: "Open the row" },
      { keys: ["x"], does: "Select the row" },
      { keys: ["/"], does: "Filter the list" },
    ],
  },
  {
    title: "At a gate",
    rows: [
      { keys: ["a"], does: "Approve" },
      { keys: ["c"], does: "Request changes" },
      { keys: ["r"], does: "Reject" },
    ],
  },
  {
    title: "Anywhere",
    rows: [
      { keys: ["Mod", "K"], does: "Search" },
      { keys: ["Mod", "C"], does: "Copy the selected command" },
      { keys: ["?"], does: "Show keyboard shortcuts" },
      { keys: ["Esc"], does: "Close the dialog" },
    ],
  },
];

export interface KeyPress {
  readonly key: string;
  readonly mod: boolean;
  readonly alt: boolean;
  /** The focus is in a text field, where letters are not shortcuts. */
  readonly typing: boolean;
}

export function nextKey(
  pending: PendingKey | undefined,
  press: KeyPress,
  at: number,
  isTeamServer = false,
): { pending?: PendingKey; action?: KeyAction } {
  if (press.mod && !press.alt && press.key.toLowerCase() === "k") return { action: { do: "palette" } };
  if (press.mod || press.alt || press.typing) return {};
  if (pending && at - pending.at <= sequenceMs) {
    const screen = screensOf(isTeamServer).find((candidate) => candidate.key === press.key);
    if (screen) return { action: { do: "go", path: screen.path } };
  }
  switch (press.key) {
    case "g":
      return { pending: { key: "g", at } };
    case "?":
      return { action: { do: "shortcuts" } };
    case "j":
      return { action: { do: "next-row" } };
    case "k":
      return { action: { do: "previous-row" } };
    case "/":
      return { action: { do: "filter" } };
    default: {
      const key = pressKeys.find((each) => each === press.key);
      return key ? { action: { do: "press", key } } : {};
    }
  }
}
