import { expect, test } from "bun:test";
import { describeChange, kindName, listsTouchedBy } from "./describe-change.ts";
import { activitySearch, chosenTeam, frameSearch, listSearch } from "./frame-search.ts";
import { relativeTime } from "./relative-time.ts";
import { arrange, parseOrder, toggledOrder } from "./table-order.ts";
import { applyTheme, readTheme } from "./theme.ts";

test("times are relative, in the largest fitting unit", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  const ago = (seconds: number) => relativeTime(new Date(now - seconds * 1_000).toISOString(), now);
  expect([0, 4, 5, 59, 60, 3_599, 3_600, 86_399, 86_400, 864_000].map(ago)).toEqual([
    "just now",
    "just now",
    "5 s ago",
    "59 s ago",
    "1 min ago",
    "59 min ago",
    "1 h ago",
    "23 h ago",
    "1 d ago",
    "10 d ago",
  ]);
  expect(ago(-30)).toBe("just now");
  expect(relativeTime("no time", now)).toBe("unknown time");
});

test("changes are described in words, and unknown kinds by their own name", () => {
  expect(describeChange({ kind: "repo", op: "upsert" })).toBe("Repository saved");
  expect(describeChange({ kind: "repo", op: "delete" })).toBe("Repository removed");
  expect(describeChange({ kind: "ping", op: "upsert" })).toBe("Ping received");
  expect(kindName("constructor")).toBe("constructor");
  expect(listsTouchedBy("repo")).toEqual(["repos"]);
  expect(listsTouchedBy("toString")).toEqual([]);
});

test("invalid parameters in a URL are dropped", () => {
  expect(frameSearch({ team: 42, repo: ["x"] })).toEqual({ team: "42", repo: undefined });
  expect(frameSearch({ team: "", repo: "a".repeat(900) }).repo?.length).toBe(200);
  expect(listSearch({ q: { a: 1 }, sort: "-name" })).toEqual({ q: undefined, sort: "-name" });
  expect(activitySearch({ kind: true })).toEqual({ kind: "true" });
  const teams = [{ slug: "a" }, { slug: "b" }];
  expect([
    chosenTeam(teams, "b"),
    chosenTeam(teams, "gone"),
    chosenTeam(teams, undefined),
    chosenTeam([], "a"),
  ]).toEqual([{ slug: "b" }, { slug: "a" }, { slug: "a" }, undefined]);
});

test("a table is sorted and filtered by its URL", () => {
  const columns = [
    { id: "name", text: (row: { name: string; role: string }) => row.name },
    { id: "role", text: (row: { name: string; role: string }) => row.role },
  ];
  const rows = [
    { name: "run 10", role: "owner" },
    { name: "run 9", role: "member" },
    { name: "Ada", role: "member" },
  ];
  const names = (sort: string | undefined, q = "") =>
    arrange(rows, columns, parseOrder(sort, "name"), q).map(({ name }) => name);
  expect(names(undefined)).toEqual(["Ada", "run 9", "run 10"]);
  expect(names("-name")).toEqual(["run 10", "run 9", "Ada"]);
  expect(names("role")).toEqual(["run 9", "Ada", "run 10"]);
  expect(names("nonsense")).toEqual(["Ada", "run 9", "run 10"]);
  expect(names("name", "RUN member")).toEqual(["run 9"]);
  expect(toggledOrder(parseOrder("name", ""), "name")).toBe("-name");
  expect(toggledOrder(parseOrder("-name", ""), "name")).toBe("name");
  expect(toggledOrder(parseOrder("-name", ""), "role")).toBe("role");
});

test("a selected theme is kept, and the system theme stores nothing", () => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  const root = { dataset: {} as Record<string, string> } as unknown as HTMLElement;
  applyTheme("dark", storage, root);
  expect([readTheme(storage), root.dataset.theme]).toEqual(["dark", "dark"]);
  applyTheme("system", storage, root);
  expect([readTheme(storage), root.dataset.theme, items.size]).toEqual(["system", undefined, 0]);
  items.set("devflow.theme", "<script>");
  expect(readTheme(storage)).toBe("system");
});
