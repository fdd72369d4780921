export { findRemote, type Remote } from "./find-remote.ts";
export { openForgeApi } from "./forge-api.ts";
export type { ForgeKind } from "./forge-hosts.ts";
export { gitLabOptions, mergeRequestIn } from "./gitlab-push.ts";
export { issueRequirements } from "./issue-requirements.ts";
export { findIssue, readIssue } from "./issues.ts";
export { openCommand, pushCommand } from "./open-command.ts";
export { markedPart, openByApi, type PullRequestDraft } from "./pull-requests.ts";
export { type Pushed, pushBranch, takesNoOptions } from "./push-branch.ts";
