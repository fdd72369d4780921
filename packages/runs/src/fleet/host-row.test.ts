import { expect, test } from "bun:test";
import { type HostRow, hostFor, isAllowed } from "./host-row.ts";

const machine = (host: string, changes: Partial<HostRow> = {}): HostRow => ({
  ...{
    host,
    name: host,
    team_id: null,
    version: "1.0.0",
    labels: [],
    repositories: [],
    places: 4,
    busy: 0,
    waiting: 0,
  },
  ...{ agents: [{ backend: "fake", available: true }], workspace_root: "/w", public_key: "", engine: null },
  ...{ announced_at: "", beat_at: "", state: "present", silent_ms: 0 },
  ...changes,
});
const need = { teamId: "t", repository: "example.com/acme/shop", backends: ["fake"] };
const chosen = (hosts: readonly HostRow[], more: Partial<Parameters<typeof hostFor>[1]> = {}) => {
  const choice = hostFor(hosts, { ...need, ...more });
  return choice.ok ? choice.host.host : choice.reason;
};

test("the machine with the most free places takes a run, and by name if they have as many", () => {
  expect(chosen([machine("b"), machine("a"), machine("c", { busy: 1 })])).toBe("a");
  expect(chosen([machine("a", { busy: 3 }), machine("b", { places: 8, busy: 4 })])).toBe("b");
});

test("runs that are queued count too, and of machines that are equally free the one that is preferred takes it", () => {
  expect(chosen([machine("a", { waiting: 1 }), machine("b")])).toBe("b");
  expect(chosen([machine("a", { busy: 4, waiting: 2 }), machine("b", { busy: 4, waiting: 1 })])).toBe("b");
  expect(chosen([machine("a"), machine("b")], { prefer: "b" })).toBe("b");
  expect(chosen([machine("a"), machine("b", { busy: 1 })], { prefer: "b" })).toBe("a");
});

test("every machine has the label any", () => {
  expect(chosen([machine("a", { busy: 1 }), machine("b")], { wanted: "any" })).toBe("b");
});

test("a machine is found by id, name or label", () => {
  const hosts = [machine("a-1", { name: "a" }), machine("b-1", { name: "b", labels: ["gpu"] })];
  expect([chosen(hosts, { wanted: "b-1" }), chosen(hosts, { wanted: "b" }), chosen(hosts, { wanted: "gpu" })]).toEqual([
    "b-1",
    "b-1",
    "b-1",
  ]);
  expect(chosen(hosts, { wanted: "tpu" })).toBe("no machine or label is called tpu");
});

test("why no machine fits is said of each", () => {
  const hosts = [
    machine("left"),
    machine("gone", { state: "lost" }),
    machine("ending", { state: "draining" }),
    machine("narrow", { repositories: ["example.com/other/*"] }),
    machine("bare", { agents: [] }),
    machine("foreign", { team_id: "another" }),
  ];
  expect(chosen(hosts, { except: "left" })).toBe(
    "left is the one that it leaves; gone is lost; ending is draining; narrow does not take runs of example.com/acme/shop; bare has no fake",
  );
  expect(chosen([])).toBe("there is no machine");
});

test("the allow-list of a machine has patterns", () => {
  expect(isAllowed(["example.com/acme/*"], "example.com/acme/shop")).toBe(true);
  expect(isAllowed(["example.com/acme/*"], "example.com/acmes/shop")).toBe(false);
  expect(isAllowed(["example.com/acme/shop"], "example.com/acme/shop-2")).toBe(false);
  expect(isAllowed(["*.example.com/a+b/*"], "git.example.com/a+b/c")).toBe(true);
});
