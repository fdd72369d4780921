/**
 * The `devflow-worker` executable: the Temporal worker with the SDK and its native library in one file.
 *
 * - `buildWorker({ root, outfile })` builds it for this machine.
 *
 * A plain `bun build --compile` cannot follow four places of the SDK that look for a file at run time, so they are replaced
 * while they are loaded, and so is a remark that it prints at each start. Each replacement names the text that it expects: when an upgrade changes it, the build fails here and
 * not on somebody's machine.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { BunPlugin } from "bun";

const triples: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

export async function buildWorker({
  root,
  outfile,
}: {
  readonly root: string;
  readonly outfile: string;
}): Promise<void> {
  const entry = join(root, "apps/worker/src/main.ts");
  const require = createRequire(entry);
  mkdirSync(join(root, ".cache"), { recursive: true });
  const work = mkdtempSync(join(root, ".cache/worker-"));
  try {
    const thread = join(work, "workflow-thread.js");
    const sdk = dirname(require.resolve("@temporalio/worker"));
    writeFileSync(thread, `import ${JSON.stringify(join(sdk, "workflow/workflow-worker-thread.js"))};\n`);
    const unfinished = join(work, "devflow-worker");
    const { workflowCode } = await import("@devflow/worker/workflow-code");
    const built = await Bun.build({
      entrypoints: [entry, thread],
      root,
      target: "bun",
      minify: true,
      compile: { outfile: unfinished, autoloadBunfig: false, autoloadDotenv: false },
      plugins: [embedSdk(require, thread.slice(root.length + 1), await workflowCode())],
      throw: false,
    });
    if (!built.success) throw new Error(`devflow-worker could not be built:\n${built.logs.map(String).join("\n")}`);
    mkdirSync(dirname(outfile), { recursive: true });
    renameSync(unfinished, outfile);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function embedSdk(require: NodeJS.Require, thread: string, code: string): BunPlugin {
  const triple = triples[`${process.platform}-${process.arch}`];
  if (!triple) throw new Error(`there is no Temporal SDK for ${process.platform} ${process.arch}`);
  const bridge = dirname(require.resolve("@temporalio/core-bridge/package.json"));
  const native = join(bridge, "releases", triple, "index.node");
  const replace = (path: string, pairs: readonly (readonly [from: string, to: string])[]) => {
    let contents = readFileSync(path, "utf8");
    for (const [from, to] of pairs) {
      if (!contents.includes(from)) throw new Error(`${path} has changed: it no longer contains ${from}`);
      contents = contents.replace(from, to);
    }
    return { contents, loader: "js" as const };
  };
  return {
    name: "temporal-sdk",
    setup(build) {
      build.onLoad({ filter: /core-bridge\/index\.js$/ }, ({ path }) =>
        replace(path, [
          ["const nativeLibPath = getPrebuiltPath();", ""],
          ["require(nativeLibPath)", `require(${JSON.stringify(native)})`],
        ]),
      );
      // It bundles workflows with webpack; ours was bundled when this program was built.
      build.onLoad({ filter: /worker\/lib\/workflow\/bundler\.js$/ }, () => ({
        contents: bundlerWithoutWebpack,
        loader: "js",
      }));
      build.onLoad({ filter: /workflow\/threaded-vm\.js$/ }, ({ path }) =>
        replace(path, [["require.resolve('./workflow-worker-thread')", JSON.stringify(`./${thread}`)]]),
      );
      // It tells operators of something that they can neither use nor change.
      build.onLoad({ filter: /worker\/lib\/workflow\/vm-shared\.js$/ }, ({ path }) =>
        replace(path, [
          [
            "console.warn('v8.promiseHooks.createHook is not available; stack trace collection will be disabled.');",
            "",
          ],
        ]),
      );
      build.onLoad({ filter: /source-map\/lib\/read-wasm\.js$/ }, ({ path }) => {
        const bytes = readFileSync(join(dirname(path), "mappings.wasm")).toString("base64");
        return { contents: wasmFrom(bytes), loader: "js" };
      });
      build.onLoad({ filter: /worker\/src\/workflow\/workflow-code\.ts$/ }, () => ({
        contents: `export const workflowCode = async () => ${JSON.stringify(code)};`,
        loader: "js",
      }));
    },
  };
}

const bundlerWithoutWebpack = `
const refuse = () => { throw new Error("the workflow was bundled when this program was built"); };
exports.WorkflowCodeBundler = class { constructor() { refuse(); } };
exports.bundleWorkflowCode = async () => refuse();
exports.defaultWorkflowInterceptorModules = [];
exports.moduleMatches = () => false;
`;

const wasmFrom = (base64: string): string => `
const bytes = Buffer.from(${JSON.stringify(base64)}, "base64");
module.exports = async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
module.exports.initialize = () => {};
`;
