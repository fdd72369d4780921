/**
 * Opens and updates pull requests through the API of GitHub or Gitea. (GitLab: see gitlab-push.ts.)
 *
 * - `openByApi(api, repository, draft)` the open pull request of the branch: updated if there is one, otherwise opened.
 *   Of its text only the part between Devflow's marks changes, because people add to it; the title is theirs, too.
 * - `markedPart(text)` the text between Devflow's marks.
 */
import { z } from "zod";
import type { ForgeApi } from "./forge-api.ts";
import type { ForgeRepository } from "./forge-repository.ts";

export interface PullRequestDraft {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
}

export interface OpenedPullRequest {
  readonly url: string;
  readonly number: number;
  readonly action: "opened" | "updated";
}

const Pull = z.object({
  number: z.number().int(),
  html_url: z.url({ protocol: /^https?$/ }),
  body: z.string().nullish(),
  head: z.object({ ref: z.string() }),
});
const Pulls = z.array(Pull);

const pageSize = 50;
const mostPages = 20;

export async function openByApi(
  api: ForgeApi,
  repository: ForgeRepository,
  draft: PullRequestDraft,
): Promise<OpenedPullRequest> {
  const pulls = `repos/${repository.path}/pulls`;
  const found = await findOpen(api, repository, draft.branch);
  if (found) {
    const body = withOurPart(found.body ?? "", draft.body);
    if (body !== found.body) await api.request("PATCH", `${pulls}/${found.number}`, { body });
    return { url: found.html_url, number: found.number, action: "updated" };
  }
  const { branch: head, base, body, isDraft } = draft;
  const isGitea = repository.kind === "gitea";
  // Gitea takes a pull request for a draft by the beginning of its title.
  const title = isGitea && isDraft ? `WIP: ${draft.title}` : draft.title;
  const request = { title, body, head, base, ...(isGitea ? {} : { draft: isDraft }) };
  const { html_url: url, number } = Pull.parse(await api.request("POST", pulls, request));
  return { url, number, action: "opened" };
}

async function findOpen(api: ForgeApi, { kind, path }: ForgeRepository, branch: string) {
  const owner = path.split("/")[0] ?? "";
  // Gitea cannot filter by branch; GitHub could, and then the first page is the only one.
  const filter = kind === "github" ? `head=${encodeURIComponent(`${owner}:${branch}`)}&per_page` : "limit";
  for (let page = 1; page <= mostPages; page++) {
    const answer = await api.request("GET", `repos/${path}/pulls?state=open&${filter}=${pageSize}&page=${page}`);
    const listed = Pulls.parse(answer ?? []);
    const found = listed.find(({ head }) => head.ref === branch);
    if (found || listed.length < pageSize) return found;
  }
  return undefined;
}

const begin = "<!-- devflow: the text up to the next mark is replaced by `devflow run pr` -->";
const end = "<!-- devflow: end -->";

export const markedPart = (text: string): string => `${begin}\n${text.trim()}\n${end}\n`;

function withOurPart(existing: string, ours: string): string {
  // GitHub stores what a browser sent with CRLF.
  const text = existing.replaceAll("\r\n", "\n");
  const from = text.indexOf(begin);
  // The last one: what is quoted within our part may contain one, too.
  const to = text.lastIndexOf(end);
  if (from < 0 || to < from) return text.trim() === "" ? ours : `${text.trimEnd()}\n\n${ours}`;
  return `${text.slice(0, from)}${ours.trimEnd()}${text.slice(to + end.length)}`;
}
