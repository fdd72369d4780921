/**
 * Issues of a forge: what strangers wrote.
 *
 * - `findIssue(given, options)` which issue a number or a URL means. A number is of the repository's own forge.
 * - `readIssue(api, reference)` its title, text and comments. Errors: `not_found`, `forge_unreachable`, `forge_refused`.
 */
import { DevflowError } from "@devflow/core/errors";
import { z } from "zod";
import { type FindRemoteOptions, findRemote } from "./find-remote.ts";
import type { ForgeApi } from "./forge-api.ts";
import { forgeHosts } from "./forge-hosts.ts";
import { type ForgeRepository, parseRemote } from "./forge-repository.ts";

export interface IssueReference {
  readonly repository: ForgeRepository;
  readonly number: number;
}

export interface Issue {
  readonly url: string;
  /** `owner/name#12`. */
  readonly name: string;
  readonly title: string;
  readonly author: string;
  readonly text: string;
  readonly comments: readonly { readonly author: string; readonly text: string }[];
  /** Comments that were not read. */
  readonly unread: number;
}

export async function findIssue(given: string, options: FindRemoteOptions): Promise<IssueReference> {
  const number = /^#?(\d{1,15})$/.exec(given)?.[1];
  if (number === undefined) return fromUrl(given, options.forges);
  const remote = await findRemote(options);
  if (remote.repository) return { repository: remote.repository, number: Number(number) };
  const where = remote.host ? `devflow config set forges ${remote.host}=gitea` : "give the issue's URL";
  throw invalid(
    `The remote ${remote.name} (${remote.url}) is on no forge that Devflow knows, so ${given} names no issue.`,
    `If it is a forge, say of which kind (github, gitlab or gitea): ${where}`,
  );
}

function fromUrl(given: string, forges: readonly string[]): IssueReference {
  const shape = "It looks like https://github.com/owner/name/issues/12, or just the number.";
  const found = /^(https?:\/\/[^?#]+?)(?:\/-)?\/(?:issues|work_items)\/(\d{1,15})\/?(?:[?#].*)?$/.exec(given);
  if (!found?.[1]) throw invalid(`${JSON.stringify(given)} is not the URL or number of an issue.`, shape);
  const repository = parseRemote(found[1], forgeHosts(forges));
  if (repository) return { repository, number: Number(found[2]) };
  const { host } = new URL(found[1]);
  throw invalid(
    `${host} is no forge that Devflow knows.`,
    `Say of which kind it is (github, gitlab or gitea): devflow config set forges ${host}=gitea`,
  );
}

const invalid = (problem: string, next: string): DevflowError =>
  new DevflowError("input_invalid", { details: { problem, next } });

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? "");
const User = z.object({ login: z.string() }).nullish();
const IssueAnswer = z.object({ title: z.string(), body: text, user: User, comments: z.number().int().nullish() });
const Comments = z.array(z.object({ body: text, user: User }));
const Author = z.object({ username: z.string() }).nullish();
const GitLabIssue = z.object({
  title: z.string(),
  description: text,
  author: Author,
  user_notes_count: z.number().nullish(),
});
const Notes = z.array(z.object({ body: text, author: Author, system: z.boolean() }));

const mostComments = 50;

export async function readIssue(api: ForgeApi, reference: IssueReference): Promise<Issue> {
  const { repository, number } = reference;
  const about = { name: `${repository.path}#${number}`, url: urlOf(reference) };
  return repository.kind === "gitlab"
    ? { ...about, ...(await readFromGitLab(api, reference)) }
    : { ...about, ...(await readFromGitHub(api, reference)) };
}

/** Gitea has the same routes. */
async function readFromGitHub(api: ForgeApi, reference: IssueReference) {
  const { repository, number } = reference;
  const path = `repos/${repository.path}/issues/${number}`;
  const answer = await api.request("GET", path);
  if (answer === undefined) throw missing(api, reference);
  const issue = IssueAnswer.parse(answer);
  const size = repository.kind === "gitea" ? "limit" : "per_page";
  const listed = Comments.parse((await api.request("GET", `${path}/comments?${size}=${mostComments}`)) ?? []);
  const comments = listed.slice(0, mostComments).map((one) => ({ author: one.user?.login ?? "?", text: one.body }));
  const unread = Math.max(0, (issue.comments ?? comments.length) - comments.length);
  return { title: issue.title, author: issue.user?.login ?? "?", text: issue.body, comments, unread };
}

async function readFromGitLab(api: ForgeApi, reference: IssueReference) {
  const { repository, number } = reference;
  const path = `projects/${encodeURIComponent(repository.path)}/issues/${number}`;
  const answer = await api.request("GET", path);
  if (answer === undefined) throw missing(api, reference);
  const issue = GitLabIssue.parse(answer);
  const query = `sort=asc&order_by=created_at&per_page=${mostComments}`;
  // Notes of a public issue may need a token although the issue does not.
  const notes = api.via === "nobody" ? [] : Notes.parse((await api.request("GET", `${path}/notes?${query}`)) ?? []);
  const comments = notes
    .filter((one) => !one.system)
    .map((one) => ({ author: one.author?.username ?? "?", text: one.body }));
  const unread = Math.max(0, (issue.user_notes_count ?? comments.length) - comments.length);
  return { title: issue.title, author: issue.author?.username ?? "?", text: issue.description, comments, unread };
}

function urlOf({ repository: { kind, site, path }, number }: IssueReference): string {
  return `${site}/${path}${kind === "gitlab" ? "/-" : ""}/issues/${number}`;
}

function missing(api: ForgeApi, reference: IssueReference): DevflowError {
  const { host, kind, tokenVariables } = reference.repository;
  const gh = kind === "github" ? `gh auth login --hostname ${host}, or ` : "";
  const next =
    api.via === "nobody"
      ? `If it is not public, sign in: ${gh}set ${tokenVariables.join(" or ")}.`
      : "Check the number.";
  return new DevflowError("not_found", { details: { what: `Issue ${urlOf(reference)}`, next } });
}
