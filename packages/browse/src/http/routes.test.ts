import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { errorReport } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { proofOfSelf } from "@devflow/core/process-proof";
import { temporaryHome } from "@devflow/testkit";
import { knownWorkspaces, noteWorkspace, workspaceId } from "../workspaces/known-workspaces.ts";
import { machineBrowse } from "./index.ts";

let home: string;
let root: string;
let evidence: string;
beforeEach(async () => {
  const made = temporaryHome();
  home = join(made.path, ".devflow");
  root = join(made.path, "shop");
  evidence = join(root, ".devflow/evidence");
  mkdirSync(evidence, { recursive: true, mode: 0o700 });
  await noteWorkspace(home, root);
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/p9qGmQAAAABJRU5ErkJggg==",
  "base64",
);
const listFolder = () => join(home, "browse-workspaces");
/** With errors answered as the server does. */
const app = () => machineBrowse(home).onError((error) => Response.json({}, { status: errorReport(error).status }));
const get = (path: string) => app().request(`/workspaces/${workspaceId(root)}${path}`);
const json = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>;

/** A journal of one line, as the recorder writes it. */
function bundle(name: string): string {
  const folder = join(evidence, name);
  mkdirSync(join(folder, "shots"), { recursive: true });
  const body = {
    kind: "start",
    version: 1,
    bundle: name,
    name,
    session: "default",
    devflow: "0.1.0",
    commit: null,
    branch: null,
    changedFiles: 0,
    tabs: ["t1"],
  };
  const unsigned = { seq: 0, at: "2026-11-15T10:00:00.000Z", prev: "0".repeat(64), body };
  writeFileSync(join(folder, "journal.jsonl"), `${JSON.stringify({ ...unsigned, hash: hash(unsigned) })}\n`);
  return folder;
}

describe("the list of workspaces", () => {
  test("a workspace where nothing runs is stopped, and none can be found by a path", async () => {
    expect(await json("")).toMatchObject({ name: "shop", root, state: "stopped", browser: null, sessions: [] });
    for (const id of ["..", encodeURIComponent(root), "0".repeat(16), "%2e%2e%2f"]) {
      expect((await app().request(`/workspaces/${id}`)).status).toBe(404);
    }
  });

  test("entries for a missing folder and files with a wrong name are removed; the list is private", async () => {
    const [own] = readdirSync(listFolder());
    writeFileSync(join(listFolder(), `${"a".repeat(16)}.json`), JSON.stringify({ root: "/", startedAt: new Date() }));
    symlinkSync("/etc/passwd", join(listFolder(), `${"b".repeat(16)}.json`));
    writeFileSync(join(listFolder(), `${"c".repeat(16)}.json`), "{");
    expect((await knownWorkspaces(home)).map((one) => one.root)).toEqual([root]);
    expect(readdirSync(listFolder())).toEqual([own!]);
    expect(existsSync("/etc/passwd")).toBe(true);
    rmSync(root, { recursive: true });
    expect(await knownWorkspaces(home)).toEqual([]);
    expect(readdirSync(listFolder())).toEqual([]);
  });

  test("a workspace where nothing was started for a month is removed", async () => {
    const later = Date.now() + 31 * 86_400_000;
    expect(await knownWorkspaces(home, later)).toEqual([]);
  });

  test("a state file that others can read, or that names another process, is ignored", async () => {
    const state = { ...proofOfSelf(), port: 9, token: "t", binaryVersion: "0.1.0" };
    const file = join(root, ".devflow/browse.json");
    writeFileSync(file, JSON.stringify(state), { mode: 0o644 });
    expect(await json("")).toMatchObject({ state: "stopped" });
    rmSync(file);
    writeFileSync(file, JSON.stringify({ ...state, identity: "another" }), { mode: 0o600 });
    expect(await json("")).toMatchObject({ state: "stopped" });
    rmSync(file);
    // Our own process, but nothing listens on its port.
    writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
    expect(await json("")).toMatchObject({ state: "no answer" });
  });
});

describe("evidence", () => {
  test("a bundle without an end is open, one with a changed line is broken", async () => {
    const folder = bundle("20261115T100000-a");
    expect(await json("/evidence")).toMatchObject({ bundles: [{ bundle: basename(folder), state: "open" }] });
    writeFileSync(join(folder, "journal.jsonl"), "{}\n");
    expect(await json("/evidence")).toMatchObject({ bundles: [{ state: "broken", problem: expect.any(String) }] });
  });

  test("a screenshot is served as an image, with headers that prevent scripts", async () => {
    writeFileSync(join(bundle("one"), "shots/1.png"), png);
    const answer = await get("/evidence/one/shots/1.png");
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get("content-disposition")).toBe("attachment");
  });

  test("a file that is not an image is not served, whatever its name", async () => {
    const shots = join(bundle("one"), "shots");
    writeFileSync(join(shots, "page.png"), "<script>1</script>");
    writeFileSync(join(shots, "drawing.svg"), "<svg onload='1'/>");
    mkdirSync(join(shots, "folder.png"));
    for (const name of ["page.png", "drawing.svg", "folder.png", "missing.png"]) {
      expect((await get(`/evidence/one/shots/${name}`)).status).toBe(404);
    }
  });

  const tricks = [
    "..%2f..%2fbrowse.json",
    "%2e%2e%2fjournal.jsonl",
    "..",
    ".",
    "%2fetc%2fpasswd",
    "1.png%00.txt",
    "..%5c..%5cx",
    "shots%2f1.png",
    ".hidden",
    "%c0%ae%c0%ae%2f",
    "a".repeat(5_000),
  ];
  test.each(tricks)("no name leads out of the folder: %s", async (name) => {
    writeFileSync(join(bundle("one"), "shots/1.png"), png);
    writeFileSync(join(root, "secret.png"), png);
    for (const path of [`/evidence/one/shots/${name}`, `/evidence/${name}/shots/1.png`, `/evidence/${name}`]) {
      const answer = await get(path);
      expect([path, answer.headers.get("content-type")?.startsWith("image/") ?? false]).toEqual([path, false]);
      expect(await answer.text()).not.toContain("secret");
    }
  });

  test("no link leads out of the folder: not a file, the shots, a bundle or the evidence folder", async () => {
    const outside = join(root, "outside");
    mkdirSync(join(outside, "shots"), { recursive: true });
    writeFileSync(join(outside, "1.png"), png);
    writeFileSync(join(outside, "shots/1.png"), png);
    symlinkSync(join(outside, "1.png"), join(bundle("file"), "shots/1.png"));
    rmSync(join(bundle("shots"), "shots"), { recursive: true });
    symlinkSync(outside, join(evidence, "shots/shots"));
    symlinkSync(outside, join(evidence, "linked"));
    for (const name of ["file", "shots", "linked"]) {
      expect((await get(`/evidence/${name}/shots/1.png`)).status).toBe(404);
    }
    expect(((await json("/evidence")).bundles as { bundle: string }[]).map((one) => one.bundle)).toEqual([
      "shots",
      "file",
    ]);
    rmSync(evidence, { recursive: true });
    symlinkSync(outside, evidence);
    mkdirSync(join(outside, "one/shots"), { recursive: true });
    writeFileSync(join(outside, "one/shots/1.png"), png);
    expect((await get("/evidence/one/shots/1.png")).status).toBe(404);
    expect(await json("/evidence")).toEqual({ bundles: [], isWhole: true });
  });
});

test("a picture needs a session and a tab, and there is none without a browser", async () => {
  expect((await get("/picture")).status).toBe(400);
  expect((await get("/picture?session=default&tab=../t1")).status).toBe(400);
  expect(await json("/picture?session=default&tab=t1")).toEqual({
    state: "none",
    silentMs: null,
    at: null,
    jpeg: null,
  });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));
