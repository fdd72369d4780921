/**
 * What a release folder offers, determined only from its SHA256SUMS.
 *
 * - `parseChecksums(text)` names and hashes; any other line is refused.
 * - `newestFor(checksums, target)` the newest archive for a platform.
 * - `judgeUpgrade({ current, offered, allowDowngrade })` whether to install it.
 */
import { compareVersions } from "@devflow/core/version-order";

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

/** `linux-x64` and so on, as in the archive names. */
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
