import { describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devflowCommand, lackOfProgram, runProcess, temporaryHome } from "@devflow/testkit";
import { openStore } from "./store/open-store.ts";

const examples = join(import.meta.dir, "../../../examples/evals");
const devflow = devflowCommand()
  .map((word) => `"${word}"`)
  .join(" ");

/** Kept between runs: compiling Go's standard library takes a minute. */
const goCache = join(import.meta.dir, "../../../.cache/go");

/** Runs a copy of the example, to keep the sources clean, with `devflow` on the path. */
async function runExample(folder: string, command: readonly string[]) {
  const home = temporaryHome();
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "devflow"), `#!/bin/sh\nexec ${devflow} "$@"\n`);
  chmodSync(join(bin, "devflow"), 0o755);
  const cwd = join(home.path, folder);
  cpSync(join(examples, folder), cwd, { recursive: true });
  const env = home.environment();
  const caches = {
    GOCACHE: goCache,
    GOPATH: join(home.path, "go"),
    GOFLAGS: "-mod=mod",
    GOTOOLCHAIN: "local",
  };
  const path = `${bin}:${process.env.PATH ?? env.PATH}`;
  const ended = await runProcess(command, { cwd, env: { ...env, ...caches, PATH: path }, timeoutMs: 180_000 });
  const store = await openStore(home.devflowHome);
  const { runs } = store.list();
  const page = runs[0] ? await store.results(`${runs[0].suite}/${runs[0].runId}`) : undefined;
  store.close();
  return { ended, runs, statuses: Object.fromEntries(page?.rows.map(({ name, status }) => [name, status]) ?? []) };
}

const pytestRun = `cat > test_it.py <<'END'
import pytest
def test_good(): pass
def test_bad(): assert 1 == 2
@pytest.fixture
def broken(): raise OSError("no model")
def test_broken(broken): pass
END
python3 -m pytest -q test_it.py`;

/** Each language is tested if it is installed; Devflow needs none of them. */
const languages = [
  ["shell", ["sh", "run-evals.sh"], undefined],
  ["python", ["python3", "run_evals.py"], await lackOfProgram("python3", "--version", "install Python")],
  ["go", ["go", "test", "./..."], await lackOfProgram("go", "version", "install Go")],
  ["ruby", ["ruby", "run_evals.rb"], await lackOfProgram("ruby", "--version", "install Ruby")],
] as const;
const hasPytest =
  (
    await runProcess(["python3", "-m", "pytest", "--version"], { env: { PATH: process.env.PATH ?? "" } }).catch(
      () => null,
    )
  )?.code === 0;

describe("the examples", () => {
  const pytestExample = async () => {
    const { runs, statuses } = await runExample("python", ["sh", "-c", pytestRun]);
    expect(runs.map(({ suite, passed, failed, errors }) => [suite, passed, failed, errors])).toEqual([
      ["pytest", 1, 1, 1],
    ]);
    expect(statuses).toEqual({
      "test_it.py::test_good": "pass",
      "test_it.py::test_bad": "fail",
      "test_it.py::test_broken": "error",
    });
  };
  if (hasPytest) test("with pytest push each test as a case", pytestExample, 120_000);

  for (const [folder, command, lack] of languages) {
    if (lack !== undefined) continue;
    test(`in ${folder} push a run with verdicts`, async () => {
      const { ended, runs, statuses } = await runExample(folder, command);
      expect([ended.code, ended.code === 0 ? "" : `${ended.stdout}${ended.stderr}`]).toEqual([0, ""]);
      expect(runs.map(({ suite, total, passed, failed }) => [suite, total, passed, failed])).toEqual([
        ["shouting", 3, 2, 1],
      ]);
      expect(statuses).toEqual({ plain: "pass", mixed: "pass", wrong: "fail" });
    }, 200_000);
  }
});
