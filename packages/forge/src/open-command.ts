/**
 * What a person types to open the pull request without Devflow.
 *
 * - `pushCommand(options)` the push that comes first.
 * - `openCommand(remote, draft, files)` the command for the forge; undefined for a remote that is none.
 */
import { apiRoot } from "./forge-api.ts";
import type { ForgeRepository } from "./forge-repository.ts";
import type { PullRequestDraft } from "./pull-requests.ts";

export interface PreparedFiles {
  /** The text, as Markdown. */
  readonly body: string;
  /** The request, as JSON. */
  readonly request: string;
}

export function openCommand(
  repository: ForgeRepository | undefined,
  { branch, base, title, isDraft }: PullRequestDraft,
  files: PreparedFiles,
): string | undefined {
  switch (repository?.kind) {
    case undefined:
      return undefined;
    case "github": {
      const words = ["gh", "pr", "create", "--repo", `${repository.host}/${repository.path}`, "--head", branch];
      return shellText([
        ...words,
        ...["--base", base, "--title", title, "--body-file", files.body],
        ...(isDraft ? ["--draft"] : []),
      ]);
    }
    case "gitlab": {
      const where = ["--repo", `${repository.site}/${repository.path}`, "--source-branch", branch];
      const what = ["--target-branch", base, "--title", title, ...(isDraft ? ["--draft"] : [])];
      return `${shellText(["glab", "mr", "create", ...where, ...what])} --description "$(cat ${shellText([files.body])})"`;
    }
    case "gitea": {
      const [variable = "GITEA_TOKEN"] = repository.tokenVariables;
      const url = `${apiRoot(repository)}/repos/${repository.path}/pulls`;
      const data = shellText(["--data-binary", `@${files.request}`, url]);
      // The token is read by the shell of the person; a file keeps it out of the list of processes.
      return `curl --fail-with-body -H "Content-Type: application/json" -H @<(echo "Authorization: token $${variable}") ${data}`;
    }
  }
}

export function pushCommand({
  cwd,
  remote,
  branch,
  options,
}: {
  readonly cwd: string;
  readonly remote: { readonly name: string };
  readonly branch: string;
  readonly options: readonly string[];
}): string {
  const words = options.flatMap((option) => ["-o", option]);
  return shellText(["git", "-C", cwd, "push", ...words, remote.name, `${branch}:${branch}`]);
}

const shellText = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
