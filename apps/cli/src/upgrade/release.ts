/**
 * What a release folder offers, decided from its SHA256SUMS alone.
 *
 * - `parseChecksums(text)` names and hashes; a line that is neither is refused.
 * - `newestFor(checksums, target)` the newest archive for a platform.
 * - `judgeUpgrade({ current, offered, allowDowngrade })` whether to install it.
 */
export interface Checksum {
  readonly name: string;
  readonly sha256: string;
}

export interface OfferedRelease extends Checksum {
  readonly version: string;
}

export function parseChecksums(text: string): Checksum[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const match = /^([0-9a-f]{64}) [ *]([A-Za-z0-9][A-Za-z0-9._+-]*)$/.exec(line.trimEnd());
      if (!match?.[1] || !match[2]) throw new Error(`a line of SHA256SUMS is not a checksum: ${line.slice(0, 100)}`);
      return { sha256: match[1], name: match[2] };
    });
}

/** `linux-x64` and so on, as the archives are named. */
export function archiveName(version: string, target: string): string {
  return `devflow-${version}-${target}.tar.gz`;
}

export function newestFor(checksums: readonly Checksum[], target: string): OfferedRelease | undefined {
  const pattern = new RegExp(`^devflow-(\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+?)?)-${target}\\.tar\\.gz$`);
  return checksums
    .flatMap((one) => {
      const version = pattern.exec(one.name)?.[1];
      return version ? [{ ...one, version }] : [];
    })
    .sort((a, b) => compareVersions(b.version, a.version))[0];
}

export const upgradeVerdicts = ["install", "current", "downgrade"] as const;
export type UpgradeVerdict = (typeof upgradeVerdicts)[number];

export function judgeUpgrade(given: {
  readonly current: string;
  readonly offered: string;
  readonly allowDowngrade: boolean;
}): UpgradeVerdict {
  const order = compareVersions(given.offered, given.current);
  if (order === 0) return "current";
  return order > 0 || given.allowDowngrade ? "install" : "downgrade";
}

/** Semantic versions: numbers by value, and a pre-release before its release. */
export function compareVersions(a: string, b: string): number {
  const [coreA = "", preA] = splitOnce(a);
  const [coreB = "", preB] = splitOnce(b);
  const order = comparePieces(coreA.split("."), coreB.split("."));
  if (order !== 0) return order;
  if (preA === undefined || preB === undefined) return Number(preA === undefined) - Number(preB === undefined);
  return comparePieces(preA.split("."), preB.split("."));
}

function comparePieces(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [x, y] = [a[index], b[index]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x === y) continue;
    const [isNumberX, isNumberY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isNumberX && isNumberY) return Number(x) - Number(y);
    if (isNumberX !== isNumberY) return isNumberX ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

function splitOnce(version: string): [string, string | undefined] {
  const plain = version.split("+")[0] ?? version;
  const dash = plain.indexOf("-");
  return dash < 0 ? [plain, undefined] : [plain.slice(0, dash), plain.slice(dash + 1)];
}
