import { expect, test } from "bun:test";
import { version } from "@devflow/core/version";
import type { HostView } from "@devflow/protocol";
import { problemsOf } from "./fleet-view.ts";

const connected = { kind: "connected", message: "127.0.0.1:7233, namespace devflow", since: "" } as const;
const machine = (host: string, changes: Partial<HostView> = {}): HostView => ({
  ...{ host, name: host, state: "present", version, labels: [], agents: ["fake"], repositories: [] },
  ...{ places: 4, busy: 0, engine: connected, announcedAt: "", silentMs: 3_000 },
  ...changes,
});
const facts = { engine: "temporal", host: "here", hosts: [machine("here")], open: 0, waitingMs: undefined } as const;

test("all is well while a worker runs here and Temporal answers", () => {
  expect(problemsOf(facts)).toEqual([]);
  expect(problemsOf({ ...facts, engine: "inline", hosts: [] })).toEqual([]);
});

test("a machine without a worker is told of, with the runs that wait for it", () => {
  expect(problemsOf({ ...facts, hosts: [], open: 2 })).toEqual([
    "No worker is running on this machine (here). 2 unfinished runs of this machine wait for it. Start it: devflow-worker",
  ]);
  expect(problemsOf({ ...facts, engine: "inline", hosts: [], open: 1 })).toEqual([
    "No worker is running on this machine (here). 1 unfinished run of this machine waits for it. Start it: devflow-worker",
  ]);
});

test("a server that leaves the work to other machines needs no worker of its own, unless runs wait for one", () => {
  expect(problemsOf({ ...facts, hosts: [machine("there")] })).toEqual([]);
  expect(problemsOf({ ...facts, hosts: [machine("there")], open: 1 })).toEqual([
    "No worker is running on this machine (here). 1 unfinished run of this machine waits for it. Start it: devflow-worker",
  ]);
});

test("Temporal is told of as its workers see it, and machines that are silent", () => {
  const away = { kind: "unreachable", message: "t:7233 does not answer.", since: "" } as const;
  const hosts = [
    machine("here", { engine: away }),
    machine("there", { state: "suspect", silentMs: 130_000 }),
    machine("gone", { state: "lost", silentMs: 660_000 }),
    machine("off", { state: "suspect", silentMs: 5_000, engine: null }),
  ];
  expect(problemsOf({ ...facts, hosts })).toEqual([
    "Temporal, as seen from here: t:7233 does not answer.",
    "The worker on there has not been heard of for 2 min. Start it there: devflow-worker. If the machine is gone: devflow fleet remove there",
    "The worker on gone has not been heard of for 11 min. Start it there: devflow-worker. If the machine is gone: devflow fleet remove gone",
    "The worker on off was stopped 5 s ago. Start it there: devflow-worker. If the machine is gone: devflow fleet remove off",
  ]);
});

test("a decision that waits although everything seems well is told of", () => {
  expect(problemsOf({ ...facts, waitingMs: 5_000 })).toEqual([]);
  expect(problemsOf({ ...facts, waitingMs: 90_000 })).toEqual([
    "A decision has been waiting for Temporal for 90 s. See: devflow fleet list",
  ]);
});

test("a worker of another version is told of", () => {
  expect(problemsOf({ ...facts, hosts: [machine("here"), machine("there", { version: "0.0.9" })] })).toEqual([
    `The worker on there has version 0.0.9, and this server ${version}. Install the same on both.`,
  ]);
});
