/** The pure decisions of the run screens: rows in view, filters, tokens, forms, evidence, notices. */
import { describe, expect, test } from "bun:test";
import type { RunSummary } from "@devflow/protocol";
import { approvalId, artifact, runDetail, runEvent } from "../../../tests/run-fixture.ts";
import { applyEvent } from "./apply-event.ts";
import { tokenFor } from "./client-token.ts";
import { evidenceFor, openGates } from "./evidence.ts";
import { createNotices, questionsOf, readNotify, writeNotify } from "./gate-notices.ts";
import { faultsOfRefusal, formFaults, type NewRunForm, requestOf, roleInstances, templateChoices } from "./new-run.ts";
import { runCounts } from "./run-counts.ts";
import { countByState, repositoryName, runsSearch, shownRuns } from "./run-filter.ts";
import { gateSearch, runSearch } from "./run-search.ts";
import { duration, elapsedMs, gateQuestion, money, resultCommand, runWord, size, tokens } from "./run-words.ts";
import { visibleRows } from "./visible-rows.ts";

describe("rows in view", () => {
  test("short lists are rendered whole; of long ones only the rows in view and a few more, and the others keep their space", () => {
    expect(visibleRows({ count: 200, rowHeight: 10, scrollTop: 500, height: 100 })).toEqual({
      first: 0,
      last: 200,
      before: 0,
      after: 0,
    });
    const view = visibleRows({ count: 5_000, rowHeight: 10, scrollTop: 20_000, height: 100 });
    expect(view).toEqual({ first: 1_980, last: 2_031, before: 19_800, after: 29_690 });
    expect(view.before + (view.last - view.first) * 10 + view.after).toBe(50_000);
  });

  test("scrolling beyond either end stays within the list", () => {
    for (const scrollTop of [-100, 0, 49_900, 90_000]) {
      const { first, last, before, after } = visibleRows({ count: 5_000, rowHeight: 10, scrollTop, height: 100 });
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThanOrEqual(5_000);
      expect(last).toBeGreaterThan(first);
      expect(before + (last - first) * 10 + after).toBe(50_000);
    }
  });
});

describe("the list of runs", () => {
  const run = (id: string, change: Partial<RunSummary>): RunSummary => ({ ...runDetail(), id, ...change });
  const runs = [
    run("a", { state: "completed", title: "Old", createdAt: "2026-01-01T00:00:00.000Z" }),
    run("b", { state: "executing", title: "Work", createdAt: "2026-01-02T00:00:00.000Z" }),
    run("c", { state: "awaiting_approval", title: "Gate", createdAt: "2025-01-01T00:00:00.000Z" }),
    run("d", { state: "failed", title: "New", repository: "/x/other", createdAt: "2026-01-03T00:00:00.000Z" }),
  ];
  const ids = (list: readonly RunSummary[]) => list.map((each) => each.id).join("");

  test("runs that wait for a person come first, then active ones, then ended ones", () => {
    expect(ids(shownRuns(runs, {}))).toBe("cbda");
  });

  test("filters by state, group, repository and words can be combined", () => {
    expect(ids(shownRuns(runs, { state: "open" }))).toBe("cb");
    expect(ids(shownRuns(runs, { state: "ended" }))).toBe("da");
    expect(ids(shownRuns(runs, { state: "failed" }))).toBe("d");
    expect(ids(shownRuns(runs, { repo: "shop", q: "work exec" }))).toBe("b");
    expect(ids(shownRuns(runs, { q: "nothing" }))).toBe("");
  });

  test("states without runs are not listed", () => {
    expect(countByState(runs).map(({ group, count }) => `${group} ${count}`)).toEqual([
      "open 2",
      "executing 1",
      "awaiting_approval 1",
      "completed 1",
      "failed 1",
      "ended 2",
    ]);
  });

  test("invalid parameters in a URL are dropped", () => {
    expect(runsSearch({ state: "sleeping", q: 42 })).toEqual({ state: undefined, q: "42" });
    expect(runSearch({ tab: "x", session: 1, event: "-3", artifact: {} })).toEqual({
      tab: undefined,
      session: undefined,
      artifact: undefined,
      event: undefined,
    });
    expect(runSearch({ tab: "events", event: 7 })).toMatchObject({ tab: "events", event: 7 });
    expect(gateSearch({ gate: 7 })).toEqual({ gate: undefined });
  });

  test("a repository is named by its folder", () => {
    expect(repositoryName("/home/ada/shop/")).toBe("shop");
    expect(repositoryName("shop")).toBe("shop");
    expect(repositoryName("git@example.com:acme/shop.git")).toBe("shop");
  });
});

describe("idempotency tokens", () => {
  const make = () => {
    let count = 0;
    return () => `token ${++count}`;
  };

  test("a repeated input keeps its token until there is a response; a response or another input makes a new one", () => {
    const token = make();
    const first = tokenFor(undefined, "approve", token);
    expect(tokenFor(first, "approve", token)).toBe(first);
    expect(tokenFor(first, "reject", token).token).toBe("token 2");
    expect(tokenFor({ ...first, isAnswered: true }, "approve", token).token).toBe("token 3");
  });
});

describe("the form of a new run", () => {
  const form: NewRunForm = {
    template: "development@1",
    repository: " /shop ",
    baseBranch: "",
    title: " ",
    requirements: " Do it ",
    overrides: { coder: "claude-coder@1", reviewer: "" },
    queue: false,
    clientToken: "t",
  };
  test("empty fields are not sent", () => {
    expect(requestOf(form, undefined)).toEqual({
      template: "development@1",
      repository: "/shop",
      requirements: "Do it",
      overrides: { coder: { persona: "claude-coder@1" } },
      queue: false,
      clientToken: "t",
    });
  });
  test("missing values are reported by field", () => {
    expect(formFaults(form)).toEqual({});
    expect(Object.keys(formFaults({ ...form, template: "", repository: " ", requirements: "" }))).toEqual([
      "template",
      "repository",
      "requirements",
    ]);
  });
  test("the newest version of each template is listed, development first, and each instance of a role separately", () => {
    const template = (name: string, version: number) => ({
      name,
      version,
      hash: `${name}${version}`,
      roles: [],
      phases: [],
      blocked: name === "blocked" ? "no agent" : null,
    });
    const templates = [template("bugfix", 1), template("development", 1), template("development", 2)];
    const choices = templateChoices([...templates, template("blocked", 1)]);
    expect(choices.map((each) => each.hash)).toEqual(["development2", "bugfix1"]);
    const role = (id: string, count: number) => ({ id, count, requiredCapabilities: [], preferredBackends: [] });
    expect(roleInstances({ roles: [role("coder", 1), role("reviewer", 2)] })).toEqual([
      "coder",
      "reviewer#0",
      "reviewer#1",
    ]);
  });
});

describe("a refused start", () => {
  test.each([
    ["not_found", "The branch mian was not found.", { baseBranch: "The branch mian was not found." }],
    ["not_found", "The folder /x was not found.", { repository: "The folder /x was not found." }],
    ["input_invalid", "/x is not a git repository.", { repository: "/x is not a git repository." }],
    ["input_invalid", "/x has no commit yet.", { repository: "/x has no commit yet." }],
    ["backend_unavailable", "no agent", { template: "no agent" }],
    ["too_many_runs", "3 runs are active, and the limit is 3.", undefined],
  ])("%s: %s", (code, message, faults) => expect(faultsOfRefusal({ code, message })).toEqual(faults));

  test("without a checked-out branch asks for one in the words of the form", () => {
    const fault = { code: "input_invalid", message: "/x has no current branch (its head is detached)." };
    expect(faultsOfRefusal(fault)).toEqual({
      baseBranch: "No branch is checked out in this repository. Enter the branch to start from.",
    });
  });
});

test("runs are counted by state, in few groups", () => {
  const counted = runCounts({ awaiting_approval: 2, planning: 1, executing: 3, completed: 7 });
  expect(counted.map(({ name, count }) => `${name} ${count}`)).toEqual([
    "At a gate 2",
    "At work 4",
    "Paused 0",
    "Completed 7",
    "Failed 0",
    "Aborted 0",
  ]);
});

test("the merge command quotes a folder that needs it; a run of another machine is pushed", () => {
  const run = { id: "01a1ecf4-f861-74b8-a34b-e1903f9a2c1b", branch: "devflow/3f9a2c1b/main", remote: null };
  expect(resultCommand({ ...run, repository: "/work/shop" })).toBe(`git -C /work/shop merge ${run.branch}`);
  expect(resultCommand({ ...run, repository: "/my shop's" })).toBe(`git -C '/my shop'\\''s' merge ${run.branch}`);
  const remote = "git@example.com:acme/shop.git";
  expect(resultCommand({ ...run, repository: remote, remote })).toBe("devflow run pr 3f9a2c1b");
});

describe("evidence", () => {
  test("a gate shows the artifacts of the newest attempt of its phase", () => {
    const detail = runDetail({
      artifacts: [artifact(1, { attempt: 1 }), artifact(2, { attempt: 2 }), artifact(3, { phase: "build" })],
    });
    const found = evidenceFor(detail, { phase: "plan" });
    expect(found.isOwn).toBe(true);
    expect(found.artifacts.map((each) => each.attempt)).toEqual([2]);
  });
  test("a phase without artifacts shows those of earlier phases, latest first", () => {
    const detail = runDetail({ artifacts: [artifact(1, {})] });
    expect(evidenceFor(detail, { phase: "build" })).toMatchObject({ isOwn: false, artifacts: [{ phase: "plan" }] });
  });
  test("paused gates are still open, decided ones are not", () => {
    const asked = { approval: approvalId, gate: "plan_approved", kind: "gate", phase: "plan" };
    const detail = applyEvent(runDetail(), runEvent(11, "approval.requested", asked));
    expect(openGates(detail.approvals)).toHaveLength(1);
    const done = runEvent(12, "approval.resolved", { approval: approvalId, verdict: "approve" });
    expect(openGates(applyEvent(detail, done).approvals)).toHaveLength(0);
  });
});

describe("notices", () => {
  test("only gates that open later are announced, and a gate that opens again is announced again", () => {
    const asked = { approval: approvalId, gate: "plan_approved", kind: "gate", phase: "plan" };
    const [gate] = applyEvent(runDetail(), runEvent(11, "approval.requested", asked)).approvals;
    const notices = createNotices();
    const fresh = (...gates: (typeof gate)[]) =>
      notices.fresh(
        questionsOf(
          gates.map((one) => one!),
          [],
        ),
      );
    expect(fresh(gate)).toEqual([]);
    expect(fresh(gate)).toEqual([]);
    expect(fresh({ ...gate!, epoch: 2 })).toHaveLength(1);
    expect(fresh()).toEqual([]);
    expect(fresh({ ...gate!, id: "other" })).toHaveLength(1);
  });
  test("an agent's request for permission is announced too, once", () => {
    const { id: runId, title: runTitle } = runDetail();
    const asked = {
      id: "p1",
      sessionId: approvalId,
      role: "coder",
      tool: "Bash",
      detail: "rm",
      covers: null,
      askedAt: "",
      runId,
      runTitle,
    };
    const notices = createNotices();
    expect(notices.fresh([])).toEqual([]);
    expect(notices.fresh(questionsOf([], [asked]))).toMatchObject([{ runId, text: "Allow coder to use Bash?" }]);
    expect(notices.fresh(questionsOf([], [asked]))).toEqual([]);
  });
  test("the choice is kept in the browser and can be undone", () => {
    const kept = new Map<string, string>();
    const store = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
    expect(readNotify(store)).toBe(false);
    writeNotify(store, true);
    expect(readNotify(store)).toBe(true);
    writeNotify(store, false);
    expect(kept.size).toBe(0);
  });
});

describe("words", () => {
  test("durations have two units at most", () => {
    expect([0, 59_999, 61_000, 3_661_000, 200_000_000].map(duration)).toEqual([
      "0 s",
      "59 s",
      "1 min 01 s",
      "1 h 01 min",
      "2 d 7 h",
    ]);
    expect(
      elapsedMs(
        { startedAt: null, endedAt: null, createdAt: "2026-01-01T00:00:00Z" },
        Date.parse("2026-01-01T00:00:05Z"),
      ),
    ).toBe(5_000);
  });
  test("money, tokens and sizes have a fixed precision", () => {
    expect([money(1.005), money(null)]).toEqual(["$1.00", "unknown"]);
    expect([tokens(999), tokens(1_500), tokens(2_000_000)]).toEqual(["999", "1.5k", "2.00M"]);
    expect([size(5), size(2_048), size(3_145_728)]).toEqual(["5 B", "2.0 kB", "3.0 MB"]);
  });
  test("a queued run is shown as queued", () => {
    expect(runWord({ ...runDetail(), state: "created", queued: true }).word).toBe("Queued");
  });
  test("a run whose agent waits for a permission says so, and so does one that stopped", () => {
    expect(runWord({ ...runDetail(), state: "executing", pendingPermissions: 1 }).word).toBe("Needs permission");
    expect(runWord({ ...runDetail(), state: "paused", pendingRecoveries: 1 }).word).toBe("Stopped");
    expect(runWord({ ...runDetail(), state: "paused" }).word).toBe("Paused");
  });
  test("every gate has a question, including gates this page does not know", () => {
    expect(gateQuestion({ gate: "plan_approved", kind: "gate", phase: "plan" })).toBe("Is this the right plan?");
    expect(gateQuestion({ gate: "security_ok", kind: "gate", phase: null })).toBe("Security ok: continue?");
    expect(gateQuestion({ gate: "x", kind: "recovery", phase: "build" }, "Implement")).toBe(
      "Implement could not finish. Try again?",
    );
  });
});
