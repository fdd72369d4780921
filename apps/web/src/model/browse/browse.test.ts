import { expect, test } from "bun:test";
import type { BrowseSessionView } from "@devflow/protocol";
import { stepSearch, tabSearch } from "./browse-search.ts";
import { chosenTab, pictureNote, tabName, workspaceWord } from "./browse-words.ts";
import { dataUrl } from "./data-url.ts";

const tab = (id: string, isCurrent = false) => ({ id, url: `http://x/${id}`, title: id, isCurrent });
const session = (name: string, tabs: BrowseSessionView["tabs"], isAtWork = false): BrowseSessionView => ({
  name,
  lease: "",
  tabs,
  running: isAtWork ? [{ command: "click", ms: 1 }] : [],
});

test("the tab in the URL is shown; otherwise one that runs a command, the current one, or any", () => {
  const sessions = [session("a", [tab("t1"), tab("t2", true)]), session("b", [tab("t1", true)], true)];
  const name = (wanted: Parameters<typeof chosenTab>[1], from = sessions) => {
    const found = chosenTab(from, wanted);
    return found && `${found.session.name} ${found.tab.id}`;
  };
  expect(name({ session: "a", tab: "t1" })).toBe("a t1");
  expect(name({ session: "a", tab: "t9" })).toBe("b t1");
  expect(name({}, [sessions[0]!])).toBe("a t2");
  expect(name({}, [session("c", [tab("t4")])])).toBe("c t4");
  expect(name({}, [session("c", [])])).toBeUndefined();
});

test("a page that does not respond is reported, with the time and a note that the picture is old", () => {
  const silent = { state: "page does not answer", silentMs: 12_400, at: null, jpeg: null } as const;
  expect(pictureNote(silent)).toMatchObject({ word: "Page not responding", tone: "warn" });
  expect(pictureNote(silent).detail).toContain("12 s");
  expect(pictureNote(silent).detail).toContain("the last picture");
  expect(pictureNote(undefined).word).toBe("Loading");
  expect(pictureNote({ ...silent, state: "none" }).word).toBe("No picture");
});

test("a browser that waits for its first page is not shown as running", () => {
  expect(workspaceWord({ state: "running", browser: null }).word).toBe("Idle");
  expect(workspaceWord({ state: "stopped", browser: null }).word).toBe("Stopped");
  expect(workspaceWord({ state: "no answer", browser: null }).word).toBe("Not responding");
  expect(tabName({ title: null, url: "" })).toBe("Empty tab");
});

test("invalid parameters in a URL are dropped", () => {
  expect(tabSearch({ session: 42, tab: "t3" })).toEqual({ session: "42", tab: "t3" });
  expect(tabSearch({ session: {}, tab: "../t3" })).toEqual({ session: undefined, tab: undefined });
  expect(stepSearch({ step: "3" })).toEqual({ step: 3 });
  expect(stepSearch({ step: "x" })).toEqual({ step: undefined });
});

test("only PNG and JPEG become pictures; markup never does", () => {
  const jpeg = new Uint8Array(20_000).fill(7);
  jpeg.set([0xff, 0xd8, 0xff]);
  expect(dataUrl(jpeg)).toBe(`data:image/jpeg;base64,${Buffer.from(jpeg).toString("base64")}`);
  expect(dataUrl(new TextEncoder().encode("<svg onload=1>"))).toBeUndefined();
  expect(dataUrl(new Uint8Array())).toBeUndefined();
});
