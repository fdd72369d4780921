/**
 * Merge requests of GitLab through the push itself: it needs no token besides what git uses.
 *
 * - `gitLabOptions(draft)` the push options that open a merge request, or update the one that the branch has.
 * - `mergeRequestIn(said, site)` the merge request that GitLab named in its answer to the push.
 */
import type { PullRequestDraft } from "./pull-requests.ts";

/** One option is one line of git's protocol, of at most 65,516 bytes. */
const mostBytes = 60_000;

export function gitLabOptions({ base, title, body, isDraft }: PullRequestDraft): string[] {
  return [
    "merge_request.create",
    `merge_request.target=${base}`,
    `merge_request.title=${title.replace(/\s+/g, " ")}`,
    // Since GitLab 15.0: `\n` is a line break. An option cannot contain a real one.
    `merge_request.description=${cut(body.trimEnd().replaceAll("\n", "\\n"))}`,
    ...(isDraft ? ["merge_request.draft"] : []),
  ];
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, mostBytes), { stream: true })}…`;
}

export function mergeRequestIn(
  said: readonly string[],
  site: string,
): { readonly url: string; readonly number: number } | undefined {
  for (const line of said) {
    const found = /https?:\/\/\S+\/-\/merge_requests\/(\d+)(?=\s|$)/.exec(line);
    if (found && URL.canParse(found[0]) && new URL(found[0]).host === new URL(site).host)
      return { url: found[0], number: Number(found[1]) };
  }
  return undefined;
}
