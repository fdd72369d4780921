import { realpath } from "node:fs/promises";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { homeAt } from "@devflow/core/home";
import { version as current } from "@devflow/core/version";
import { isCompiled } from "../server/self.ts";
import type { upgradeRecord } from "./commands.ts";
import { installExecutable, previousOf, rollBack } from "./installation.ts";
import { installedHow } from "./installed-how.ts";
import { rememberOffer } from "./offered-release.ts";
import { archiveName, judgeUpgrade, newestFor, type OfferedRelease, parseChecksums } from "./release.ts";
import { openReleaseSource, type ReleaseSource } from "./release-source.ts";

export type UpgradeInput = InputOf<typeof upgradeRecord>;

const checksumsLimit = 1_000_000;
const archiveLimit = 400_000_000;

export const upgrade: HandlerOf<typeof upgradeRecord> = async (input, context) => {
  const path = await replaceableExecutable();
  return await upgradeExecutable(path, input, context);
};

/** The same for any path, so that a test can have its own executable. */
export async function upgradeExecutable(path: string, input: UpgradeInput, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  if (input.rollback) {
    const version = await rollBack(path);
    output.result({ from: current, to: version, path }, `Devflow is back at version ${version}. ${restartHint}`);
    return;
  }
  const source = openReleaseSource(input.from ?? configuredSource(context), context.cwd);
  const offered = await newestOffered(source, signal);
  await rememberOffer(homeAt(context.inspectConfig().home), offered.version);
  const verdict = judgeUpgrade({ current, offered: offered.version, allowDowngrade: input.allowDowngrade });
  if (verdict === "current") {
    output.result(
      { from: current, to: current, path },
      `Devflow ${current} is already the version in ${source.place}.`,
    );
    return;
  }
  if (verdict === "downgrade") {
    throw new DevflowError("conflict", {
      details: {
        problem: `${source.place} has version ${offered.version}, which is older than this ${current}.`,
        next: "Install it anyway: devflow upgrade --allow-downgrade",
      },
    });
  }
  if (input.check) {
    output.result({ from: current, to: offered.version, path }, `Devflow ${offered.version} is available.`);
    return;
  }
  output.note(`Fetching ${offered.name} …`);
  await installExecutable(path, await executableIn(source, offered, signal), offered.version);
  const previous = previousOf(path);
  output.result(
    { from: current, to: offered.version, path, previous },
    `Devflow is now version ${offered.version} (was ${current}; undo with: devflow upgrade --rollback). ${restartHint}`,
  );
}

const restartHint = "To restart a running server with it: devflow up -d";

async function replaceableExecutable(): Promise<string> {
  const path = await realpath(process.execPath);
  const how = installedHow(path, isCompiled());
  if (how === "executable") return path;
  const next = how === "npm" ? "npm install -g devflow@latest" : "git pull && npm start";
  throw new DevflowError("conflict", {
    details: {
      problem: `This Devflow ${how === "npm" ? "was installed by npm" : "runs from its source"}.`,
      next: `Upgrade it with: ${next}`,
    },
  });
}

function configuredSource(context: CommandContext): string {
  const source = context.config().releaseSource;
  if (source) return source;
  throw new DevflowError("usage", {
    details: {
      problem: "No release source is configured.",
      next: "Use one: devflow upgrade --from <folder or URL>, or configure it: devflow config set release_source <folder or URL>",
    },
  });
}

async function newestOffered(source: ReleaseSource, signal: AbortSignal): Promise<OfferedRelease> {
  const target = `${process.platform}-${process.arch}`;
  const text = Buffer.from(await source.read("SHA256SUMS", checksumsLimit, signal)).toString("utf8");
  const offered = newestFor(readChecksums(text, source.place), target);
  if (offered) return offered;
  throw new DevflowError("not_found", {
    details: {
      what: `A release for ${target} in ${source.place}`,
      next: `It would be named: ${archiveName("<version>", target)}`,
    },
  });
}

function readChecksums(text: string, place: string) {
  try {
    return parseChecksums(text);
  } catch (error) {
    throw new DevflowError("input_invalid", {
      details: { problem: `${place} is not a release: ${(error as Error).message}.`, next: "Nothing was changed." },
      cause: error,
    });
  }
}

async function executableIn(source: ReleaseSource, offered: OfferedRelease, signal: AbortSignal): Promise<Uint8Array> {
  const archive = await source.read(offered.name, archiveLimit, signal);
  const found = hashBytes(archive);
  if (found !== offered.sha256) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `${offered.name} has the SHA-256 ${found}, but SHA256SUMS has ${offered.sha256}.`,
        next: "Nothing was changed. Fetch the release again; if this persists, do not trust it.",
      },
    });
  }
  const files = await new Bun.Archive(archive).files();
  for (const [path, file] of files) if (/(^|\/)devflow$/.test(path)) return new Uint8Array(await file.arrayBuffer());
  throw new DevflowError("input_invalid", {
    details: { problem: `${offered.name} does not contain devflow.`, next: "Nothing was changed." },
  });
}
