/**
 * What kind of file a changed line is in.
 *
 * - `lineKindOf(path)` by its path alone: what a program wrote is counted apart, since a new lock file is nobody's work of a week.
 */
export const lineKinds = ["code", "tests", "docs", "generated"] as const;
export type LineKind = (typeof lineKinds)[number];

const generatedFolders =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|out|target|\.next|coverage|__snapshots__|__generated__|generated)\//;
const generatedNames =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|flake\.lock|Podfile\.lock|pubspec\.lock|mix\.lock)$|\.(?:lock|snap|min\.(?:js|css)|map|pb\.go|pb\.cc|pb\.h|g\.dart|designer\.cs)$|(?:_pb2(?:_grpc)?\.pyi?|[._-]generated\.[^/.]+)$/i;
const testFolders = /(?:^|\/)(?:tests?|specs?|__tests__|testing|testdata|fixtures|e2e|cypress)\//i;
const testNames =
  /(?:^|\/)(?:test_[^/]+\.py|conftest\.py|[^/]+[._-](?:test|tests|spec)\.[^/]+|[^/]+_test\.[^/]+|[^/]*Tests?\.(?:java|kt|cs|swift|scala))$/;
const docNames = /\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|README)[^/]*$/i;
const docFolders = /(?:^|\/)docs?\//i;

/** The same files come again and again. */
const known = new Map<string, LineKind>();
const mostKnown = 100_000;

export function lineKindOf(path: string): LineKind {
  const before = known.get(path);
  if (before) return before;
  const kind = readKind(path);
  if (known.size < mostKnown) known.set(path, kind);
  return kind;
}

function readKind(path: string): LineKind {
  if (generatedNames.test(path) || generatedFolders.test(path)) return "generated";
  if (testNames.test(path) || testFolders.test(path)) return "tests";
  if (docNames.test(path) || docFolders.test(path)) return "docs";
  return "code";
}
