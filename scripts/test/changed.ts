/**
 * `bun scripts/test/changed.ts <root> [base]`: the tests that the changes since `base` can break, as one line of JSON
 * (`ChosenTests`). Exit code 64 and a message when there is no such base.
 */
import { readSourceTree } from "../boundaries/source-tree.ts";
import { affectedTests } from "./changed/affected-tests.ts";
import { changedFiles, UnknownBase } from "./changed/changed-files.ts";

export interface ChosenTests {
  readonly base: string;
  readonly commit: string;
  readonly changed: readonly string[];
  /** Where something changed that can affect a test. */
  readonly origins: readonly string[];
  /** Nearest first. */
  readonly tests: readonly { readonly file: string; readonly distance: number }[];
}

async function chooseTests(root: string, wanted: string | undefined): Promise<ChosenTests> {
  const { base, commit, files } = await changedFiles(root, wanted);
  const { origins, distances } = affectedTests(readSourceTree(root), files);
  const tests = [...distances]
    .map(([file, distance]) => ({ file, distance }))
    .sort((a, b) => a.distance - b.distance || a.file.localeCompare(b.file));
  return { base, commit, changed: files, origins, tests };
}

if (import.meta.main) {
  const [root = process.cwd(), base] = process.argv.slice(2);
  try {
    console.log(JSON.stringify(await chooseTests(root, base)));
  } catch (error) {
    if (!(error instanceof UnknownBase)) throw error;
    console.error(error.message);
    process.exitCode = 64;
  }
}
