import { expect, test } from "bun:test";
import { screens } from "./screens.ts";
import { nextKey, sequenceMs, shortcutsOf } from "./shortcuts.ts";

const press = (key: string, more: Partial<{ mod: boolean; alt: boolean; typing: boolean }> = {}) => ({
  key,
  mod: false,
  alt: false,
  typing: false,
  ...more,
});

test("g and a screen's key open the screen, and each key is unique", () => {
  for (const screen of screens) {
    const { pending } = nextKey(undefined, press("g"), 0);
    expect(nextKey(pending, press(screen.key), 100)).toEqual({ action: { do: "go", path: screen.path } });
  }
  expect(new Set(screens.map(({ key }) => key)).size).toBe(screens.length);
});

test("a sequence ends after a timeout and after another key", () => {
  const { pending } = nextKey(undefined, press("g"), 0);
  expect(nextKey(pending, press("h"), sequenceMs + 1)).toEqual({});
  expect(nextKey(nextKey(pending, press("x"), 10).pending, press("h"), 20)).toEqual({});
});

test("letters typed into a field are not shortcuts, but the palette opens from everywhere", () => {
  for (const key of ["g", "j", "k", "?", "/"]) expect(nextKey(undefined, press(key, { typing: true }), 0)).toEqual({});
  expect(nextKey(undefined, press("k", { typing: true, mod: true }), 0)).toEqual({ action: { do: "palette" } });
  expect(nextKey(undefined, press("K", { mod: true }), 0)).toEqual({ action: { do: "palette" } });
});

test("keys with a modifier are left to the browser", () => {
  expect(nextKey(undefined, press("j", { mod: true }), 0)).toEqual({});
  expect(nextKey({ key: "g", at: 0 }, press("r", { mod: true }), 1)).toEqual({});
  expect(nextKey(undefined, press("?", { alt: true }), 0)).toEqual({});
});

test("a team server offers no keys for screens about one machine", () => {
  const goTo = (isTeamServer: boolean) => shortcutsOf(isTeamServer)[0]?.rows.map(({ does }) => does);
  expect(goTo(true)).toEqual(["Home", "Brain", "Team", "Settings"]);
  expect(goTo(false)).toContain("Runs");
  const press = { key: "r", mod: false, alt: false, typing: false };
  expect(nextKey({ key: "g", at: 0 }, press, 10, false).action).toEqual({ do: "go", path: "/runs" });
  expect(nextKey({ key: "g", at: 0 }, press, 10, true).action).toEqual({ do: "press", key: "r" });
});
