/** Tokens: personal ones for CI, and those of workers. */
import type { HandlerOf } from "@devflow/core/command";
import { callRpc } from "../server/client.ts";
import { textTable } from "../text-table.ts";
import type { tokenCreateRecord, tokenListRecord, tokenRevokeRecord } from "./commands.ts";
import { pickById } from "./pick.ts";
import { requireTeamServer } from "./team-server-only.ts";
import { findTarget } from "./team-target.ts";

export const createToken: HandlerOf<typeof tokenCreateRecord> = async ({ name, scope, days, ...choice }, context) => {
  const { address, server, team } = await findTarget(context, choice);
  // Workers also drive the runs of a server that one person has for themselves.
  if (scope !== "worker") requireTeamServer(server, "A token");
  const made = await callRpc(address, "create_token", { team_id: team.id, name, scopes: [scope], days });
  const text = [
    `Created the token ${name} for ${team.name} (${made.scopes.join(", ")}), valid until ${made.expires_at.slice(0, 10)}.`,
    ...(scope === "worker" ? forWorker(made.token) : forCi(server, made.token)),
  ];
  context.output.result({ ...made, server }, text.join("\n"));
};

const forCi = (server: string, token: string): string[] => [
  "It is shown only now. Store both as secrets of your CI:",
  "",
  `  DEVFLOW_SERVER=${server}`,
  `  DEVFLOW_ACCESS_TOKEN=${token}`,
];

const forWorker = (token: string): string[] => [
  "It is shown only now. On the worker's machine:",
  "",
  `  export DEVFLOW_WORKER_TOKEN=${token}`,
  "  export DEVFLOW_DATABASE_URL=postgres://devflow_worker:<password>@<host>/<database>",
  "  devflow-worker",
];

export const listTokens: HandlerOf<typeof tokenListRecord> = async (choice, context) => {
  const { address, team } = await findTarget(context, choice);
  const tokens = await callRpc(address, "list_tokens", { team_id: team.id });
  const rows = tokens.map((one) => [
    one.id.slice(0, 8),
    one.name,
    one.scopes.join(", "),
    one.user_name,
    one.last_used_at?.slice(0, 10) ?? "never",
    one.expires_at.slice(0, 10),
  ]);
  const columns = ["ID", "NAME", "SCOPES", "OF", "LAST USED", "VALID UNTIL"].map((title) => ({ title }));
  const none = "There are no tokens. Create one: devflow team token create <name>";
  context.output.result(tokens, tokens.length === 0 ? none : textTable(columns, rows));
};

export const revokeToken: HandlerOf<typeof tokenRevokeRecord> = async ({ token, ...choice }, context) => {
  const { address, team } = await findTarget(context, choice);
  const tokens = await callRpc(address, "list_tokens", { team_id: team.id });
  const found = pickById(tokens, token, "token", "devflow team token list");
  await callRpc(address, "revoke_token", { team_id: team.id, token_id: found.id });
  context.output.result({ id: found.id }, `The token ${found.name} was revoked.`);
};
