/**
 * Playwright as the executable carries it: what drives Chromium, and nothing of its other browsers, its MCP server,
 * its command line and their libraries; as a file beside the code, without bytecode. Whole and with bytecode it would
 * add 15 MB, like this it adds 2. A cold start pays 60 ms for that (CPU time of the import: 50 and 110 ms).
 *
 * - `slimPlaywright(folder, into)` writes `playwright.mjs`, whose default export is Playwright.
 *
 * Playwright ships two files that esbuild made: lists of top-level statements. Those that cannot be reached from the
 * in-process entry are left out, which is what a bundler would do if the files were modules.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/**
 * Modules that are reached only by starting another browser, a recorder, a server or a download; an empty function
 * stands in for the initialiser of each, so their classes stay undefined.
 */
const unusedModules = [
  ...["wkBrowser", "wvBrowser", "wvPage", "ffBrowser", "bidiBrowser", "bidiOverCdp", "bidiConnection", "firefoxPrefs"],
  ...["nativeDeps", "oopDownloadBrowserMain", "traceViewer", "playwrightServer", "playwrightConnection"],
  ...["pollingRecorderSource", "recorderApp", "csharp", "java", "python", "jsonl", "harRecorder"],
  ...["socksClientCertificatesInterceptor", "comparators", "webp", "firefoxPrefs", "videoRecorder"],
];
const unused = new RegExp(`^init_(?:${unusedModules.join("|")})$`);
/** Of its libraries: what only its command line, its zip files, its picture comparison and its own sockets use. */
const unusedLibraries = new Set([
  ...["chokidar", "open", "HttpsProxyAgent", "SocksProxyAgent", "colors", "progress", "getStream"],
  ...["ws", "wsServer", "yazl", "yauzl", "jpegjs", "PNG", "diff"],
]);
export async function slimPlaywright(folder: string, into: string): Promise<void> {
  const core = slimCore(readFileSync(join(folder, "lib/coreBundle.js"), "utf8"));
  const libraries = slimLibraries(readFileSync(join(folder, "lib/utilsBundle.js"), "utf8"), librariesUsedIn(core));
  const contents: Readonly<Record<string, string>> = {
    "index.mjs": 'import playwright from "./lib/coreBundle.js";\nexport default playwright;',
    "lib/coreBundle.js": core,
    "lib/utilsBundle.js": libraries,
  };
  const built = await Bun.build({
    entrypoints: [join(folder, "index.mjs")],
    target: "bun",
    format: "esm",
    minify: true,
    // It asks for its folder on loading, and reads nothing there.
    define: { __dirname: '"/devflow/lib"', __filename: '"/devflow/lib/playwright.js"' },
    outdir: into,
    naming: "playwright.mjs",
    plugins: [
      {
        name: "slim playwright",
        setup: (build) => {
          for (const [path, text] of Object.entries(contents)) {
            const filter = new RegExp(`playwright-core/${path.replaceAll(".", "\\.")}$`);
            build.onLoad({ filter }, () => ({ contents: text, loader: "js" }));
          }
        },
      },
    ],
  });
  if (!built.success) throw new Error(`Playwright could not be bundled:\n${built.logs.join("\n")}`);
}

function slimCore(source: string): string {
  const withFiles = source.replace(
    /require\(import_path\d*\.default\.join\(packageRoot, "(package|browsers)\.json"\)\)/g,
    'require("../$1.json")',
  );
  const end = withFiles.indexOf("// packages/playwright-core/src/coreBundle.ts");
  if (withFiles === source || end < 0)
    throw new Error("Playwright's bundle has changed; see scripts/build/slim-playwright.ts");
  return keepReachable(`${withFiles.slice(0, end)}\ninit_inprocess();\nmodule.exports = playwright;\n`, unused);
}

function librariesUsedIn(core: string): Set<string> {
  const byMember = core.matchAll(/require\("\.\/utilsBundle"\)\.(\w+)/g);
  const byPattern = core.matchAll(/\(\{ (\w+)(?:: \w+)? \} = require\("\.\/utilsBundle"\)\)/g);
  const names = [...byMember, ...byPattern].map((match) => match[1] ?? "");
  return new Set(names.filter((name) => !unusedLibraries.has(name)));
}

function slimLibraries(source: string, used: ReadonlySet<string>): string {
  const list =
    /^var utilsBundle_exports = \{\};\n__export\(utilsBundle_exports, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = .*$/m;
  const exported = list.exec(source)?.[1];
  if (exported === undefined)
    throw new Error("Playwright's libraries have changed; see scripts/build/slim-playwright.ts");
  const members = [...exported.matchAll(/^ {2}(\w+): \(\) => ([\w.]+),?$/gm)]
    .filter(([, name]) => used.has(name ?? ""))
    .map(([, name, value]) => `${name}: ${value}`);
  const rest = source.replace(list, "").replace(/\n0 && \(module\.exports = \{[\s\S]*?\n\}\);\n/, "\n");
  return keepReachable(`${rest}\nmodule.exports = { ${members.join(", ")} };\n`);
}

interface Part {
  readonly text: string;
  /** Top-level names that it declares or completes. Without any it is kept always. */
  readonly names: readonly string[];
  readonly uses: ReadonlySet<string>;
}

export function keepReachable(source: string, stubbed?: RegExp): string {
  const file = ts.createSourceFile("bundle.js", source, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  const declared = new Set(file.statements.flatMap(declaredNames));
  const parts = file.statements.map((statement): Part => {
    const names = declaredNames(statement).length > 0 ? declaredNames(statement) : completedName(statement);
    return {
      text: source.slice(statement.pos, statement.end),
      names: names.every((name) => declared.has(name)) ? names : [],
      uses: identifiersIn(statement),
    };
  });
  const isStubbed = ({ names }: Part) => stubbed?.test(names[0] ?? "") === true;
  const byName = Map.groupBy(
    parts.filter((part) => !isStubbed(part)).flatMap((part) => part.names.map((name) => ({ name, part }))),
    ({ name }) => name,
  );
  const kept = new Set<Part>();
  const waiting = parts.filter(({ names }) => names.length === 0);
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    if (kept.has(part)) continue;
    kept.add(part);
    for (const name of part.uses) waiting.push(...(byName.get(name)?.map((one) => one.part) ?? []));
  }
  const stubs = parts.filter(isStubbed).map(({ names }) => `var ${names[0]} = () => {};\n`);
  return [...stubs, ...parts.filter((part) => kept.has(part)).map(({ text }) => text)].join("");
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
}

/** `X.y = 1`, `__export(X, …)`, `Object.freeze(X)`, `(function(X) {…})(X || (X = {}))`: they complete X. */
function completedName(statement: ts.Statement): string[] {
  if (!ts.isExpressionStatement(statement)) return [];
  const name = ownerOf(statement.expression);
  return name === undefined ? [] : [name];
}

function ownerOf(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isParenthesizedExpression(expression)) return ownerOf(expression.expression);
  if (ts.isBinaryExpression(expression)) return ownerOf(expression.left);
  if (ts.isPropertyAccessExpression(expression)) return ownerOf(expression.expression);
  if (!ts.isCallExpression(expression)) return undefined;
  const { expression: callee, arguments: given } = expression;
  const first = given[0];
  const isMethod = ts.isPropertyAccessExpression(callee) && !isNamed(callee.expression, "Object");
  if (isMethod) return ownerOf(callee.expression);
  const takesOwner = !ts.isIdentifier(callee) || callee.text === "__export" || callee.text.startsWith("define");
  return first && takesOwner ? ownerOf(first) : undefined;
}

const isNamed = (node: ts.Node, name: string): boolean => ts.isIdentifier(node) && node.text === name;

function identifiersIn(statement: ts.Statement): Set<string> {
  const found = new Set<string>();
  const walk = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.add(node.text);
    // The name behind a dot is no reference.
    else if (ts.isPropertyAccessExpression(node)) walk(node.expression);
    else ts.forEachChild(node, walk);
  };
  walk(statement);
  return found;
}
