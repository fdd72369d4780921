/**
 * Large libraries that are loaded on demand are embedded as files without bytecode: bytecode triples their size, and code
 * that is rarely loaded need not start fast.
 *
 * - `writePlainModules(root, work)` writes them under `embedded/` and returns, for each, a small stub module that replaces it
 *   in the code and loads the file. Playwright is one of them, reduced first.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { slimPlaywright } from "./slim-playwright.ts";

/**
 * With bytecode: axe-core 3.5 MB, the prices of all models 2 MB, re2js and jose together 0.8 MB, ACP 0.5 MB (only holders of
 * ACP agents load it), csv-parse 0.1 MB.
 */
const libraries = ["axe-core", "@pydantic/genai-prices", "re2js", "jose", "@agentclientprotocol/sdk", "csv-parse"];
/**
 * CommonJS, so their exports are members of their default. Ajv is only for the warnings about schemas that people write, 1 MB
 * with bytecode; the reader of XML for JUnit's files and one assertion, 0.1 MB; the reader of symbols for `brain why`, 0.3 MB.
 */
const commonJs = [
  { entry: "ajv/dist/2020.js", name: "ajv", names: ["Ajv2020"] },
  { entry: "saxes", name: "saxes", names: ["SaxesParser"] },
  { entry: "@vscode/tree-sitter-wasm", name: "tree-sitter", names: ["Language", "Parser"] },
];

export async function writePlainModules(root: string, work: string): Promise<Record<string, string>> {
  const embedded = join(work, "embedded");
  await slimPlaywright(join(root, "node_modules/playwright-core"), embedded);
  const stubs: Record<string, string> = {
    "playwright-core": writeStub(work, "playwright", ["default"], ["chromium", "selectors", "devices", "errors"]),
  };
  for (const library of libraries) {
    const entry = Bun.resolveSync(library, root);
    const name = library.replace(/\W+/g, "-").replace(/^-/, "");
    await bundle(entry, embedded, name);
    const names = Object.keys((await import(entry)) as object).filter((one) => /^[A-Za-z_$][\w$]*$/.test(one));
    stubs[library] = writeStub(work, name, names, []);
  }
  for (const { entry, name, names } of commonJs) {
    await bundle(Bun.resolveSync(entry, root), embedded, name);
    stubs[entry] = writeStub(work, name, ["default"], names);
  }
  return stubs;
}

async function bundle(entry: string, into: string, name: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    minify: true,
    outdir: into,
    naming: `${name}.mjs`,
  });
  if (!built.success) throw new Error(`${entry} could not be bundled:\n${built.logs.join("\n")}`);
}

/** The path is assembled at run time, so that the bundler leaves the file alone. */
function writeStub(work: string, name: string, names: readonly string[], ofDefault: readonly string[]): string {
  const path = join(work, `${name}-stub.mjs`);
  const file = join(work, "embedded", `${name}.mjs`);
  writeFileSync(`${file}.zst`, Bun.zstdCompressSync(readFileSync(file), { level: 19 }));
  rmSync(file);
  const lines = [
    'import { readFileSync } from "node:fs";',
    `const packed = readFileSync([import.meta.dir, "embedded/${name}.mjs.zst"].join("/"));`,
    'const code = new Blob([Bun.zstdDecompressSync(packed)], { type: "text/javascript" });',
    "const module = await import(URL.createObjectURL(code));",
    ...names.map((one) =>
      one === "default" ? "export default module.default;" : `export const ${one} = module.${one};`,
    ),
    ...ofDefault.map((one) => `export const ${one} = module.default.${one};`),
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
