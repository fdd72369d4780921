/** An OAuth client that knows nothing of Devflow signs in a terminal, refreshes, exchanges and revokes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { startTestTeam, type TestTeam } from "./team-server.ts";

let it: TestTeam;
let server: oauth.AuthorizationServer;
beforeAll(async () => {
  it = await startTestTeam();
  server = {
    issuer: it.url,
    device_authorization_endpoint: `${it.url}/auth/oauth/device`,
    token_endpoint: `${it.url}/auth/oauth/token`,
    revocation_endpoint: `${it.url}/auth/oauth/revoke`,
  };
}, 60_000);
afterAll(() => it.stop(), 60_000);

const client: oauth.Client = { client_id: "any-client" };
const none = oauth.None();
const insecure = { [oauth.allowInsecureRequests]: true };

test("device flow, refresh and revocation, by oauth4webapi", async () => {
  const started = await oauth.deviceAuthorizationRequest(server, client, none, new URLSearchParams(), insecure);
  const device = await oauth.processDeviceAuthorizationResponse(server, client, started);
  const poll = async () =>
    oauth.processDeviceCodeResponse(
      server,
      client,
      await oauth.deviceCodeGrantRequest(server, client, none, device.device_code, insecure),
    );
  expect(await poll().catch((error: oauth.ResponseBodyError) => error.error)).toBe("authorization_pending");
  await it.post(
    "/auth/device/decide",
    { code: device.user_code, decision: "approved" },
    it.bearer(it.ada.access_token),
  );
  const first = await poll();
  expect([first.token_type, first.expires_in, first.scope]).toEqual(["bearer", 600, "read write manage"]);
  expect((await it.rpc(first.access_token, "whoami", {})).name).toBe("Ada");

  const refresh = async (token = "") =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, none, token, insecure),
    );
  const second = await refresh(first.refresh_token);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, none, second.refresh_token ?? "", insecure),
  );
  const ended = await refresh(second.refresh_token).catch((error: oauth.ResponseBodyError) => error.error);
  expect(ended).toBe("invalid_grant");
});

test("a personal access token is exchanged as RFC 8693 says", async () => {
  const { token } = await it.rpc(it.ada.access_token, "create_token", { team_id: it.teamId, name: "ci" });
  const parameters = { subject_token: token, subject_token_type: "urn:ietf:params:oauth:token-type:access_token" };
  const type = "urn:ietf:params:oauth:grant-type:token-exchange";
  const answer = await oauth.genericTokenEndpointRequest(server, client, none, type, parameters, insecure);
  const granted = await oauth.processGenericTokenEndpointResponse(server, client, answer);
  expect([granted.scope, granted.issued_token_type]).toEqual(["read", "urn:ietf:params:oauth:token-type:access_token"]);
});

test("anything else is an OAuth error with status 400, never a token", async () => {
  const cases: Record<string, Record<string, string>> = {
    invalid_request: {},
    unsupported_grant_type: { grant_type: "password", username: "ada", password: "x" },
    invalid_grant: { grant_type: "refresh_token", refresh_token: it.ada.access_token },
  };
  for (const [error, fields] of Object.entries(cases)) {
    const answer = await it.form("/auth/oauth/token", fields);
    expect([answer.status, (await answer.json()).error]).toEqual([400, error]);
  }
  const long = await fetch(`${it.url}/auth/oauth/token`, { method: "POST", body: "x".repeat(20_000) });
  expect(long.status).toBe(413);
  expect((await fetch(`${it.url}/auth/oauth/token`)).status).toBe(405);
});
