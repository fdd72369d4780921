import { expect, test } from "bun:test";
import { createApi } from "./api.ts";
import { ApiFault, nextOf } from "./api-fault.ts";

function apiThatAnswers(response: () => Response | Promise<Response>) {
  const sent: { url: string; init: RequestInit }[] = [];
  let refused = 0;
  const api = createApi({
    fetch: async (url, init) => {
      sent.push({ url, init });
      return response();
    },
    origin: "",
    token: async () => "secret-token",
    onUnauthorised: () => refused++,
  });
  return { api, sent, refused: () => refused };
}
const faultOf = async (promise: Promise<unknown>): Promise<ApiFault> => {
  const fault = await promise.catch((error: unknown) => error);
  if (!(fault instanceof ApiFault)) throw new Error(`no fault: ${String(fault)}`);
  return fault;
};

test("the token is sent in a header, never in the URL, and without cookies", async () => {
  const { api, sent } = apiThatAnswers(() => Response.json({ commands: [] }));
  await api.commands();
  expect(sent[0]?.url).toBe("/api/commands");
  expect(new Headers(sent[0]?.init.headers).get("authorization")).toBe("Bearer secret-token");
  expect(sent[0]?.init.credentials).toBe("omit");
});

test("the server's error message and hint reach the page, in both formats the server uses", async () => {
  const own = apiThatAnswers(() =>
    Response.json(
      { error: { code: "db_unreachable", message: "Postgres is gone.", hint: "devflow doctor" } },
      { status: 503 },
    ),
  );
  expect(await faultOf(own.api.status())).toMatchObject({
    kind: "unexpected",
    message: "Postgres is gone.",
    next: "devflow doctor",
  });
  const data = apiThatAnswers(() =>
    Response.json(
      { code: "42501", message: "you are not a member of this team", details: null, hint: null },
      { status: 403 },
    ),
  );
  expect(await faultOf(data.api.repos("t"))).toMatchObject({
    kind: "refused",
    message: "you are not a member of this team",
    next: "",
  });
});

test("a 401 ends the session, and other refusals do not", async () => {
  const refused = apiThatAnswers(() => new Response("", { status: 401 }));
  expect((await faultOf(refused.api.status())).kind).toBe("unauthorised");
  expect(refused.refused()).toBe(1);
  const forbidden = apiThatAnswers(() => new Response("", { status: 403 }));
  expect((await faultOf(forbidden.api.status())).kind).toBe("refused");
  expect(forbidden.refused()).toBe(0);
});

test("an unreachable server and a response in an unexpected format name the command to run", async () => {
  const down = apiThatAnswers(() => Promise.reject(new TypeError("fetch failed")));
  expect(await faultOf(down.api.status())).toMatchObject({ kind: "unreachable", next: "devflow up -d" });
  const strange = apiThatAnswers(() => Response.json({ version: 7 }));
  expect(await faultOf(strange.api.status())).toMatchObject({
    kind: "unexpected",
    next: "devflow down && devflow up -d",
  });
});

test("sequence numbers are numbers even if the driver writes them as text", async () => {
  const row = {
    kind: "repo",
    entity_id: "01890000-0000-7000-8000-0000000000ee",
    op: "upsert",
    at: "2026-01-01T00:00:00+00:00",
  };
  const { api } = apiThatAnswers(() =>
    Response.json([
      { ...row, seq: 1 },
      { ...row, seq: "2" },
    ]),
  );
  const changes = await api.changes("01890000-0000-7000-8000-00000000000a", 0, 10);
  expect(changes.map(({ seq, teamId }) => ({ seq, teamId }))).toEqual([
    { seq: 1, teamId: "01890000-0000-7000-8000-00000000000a" },
    { seq: 2, teamId: "01890000-0000-7000-8000-00000000000a" },
  ]);
});

test("a diff shows characters that would reorder its lines", async () => {
  const trojan = "if (isAdmin) { \u202e} \u2066// check\u2069";
  const answer = { base: "main", branch: "b", text: trojan, isCut: false, files: [] };
  const { api } = apiThatAnswers(() => Response.json(answer));
  expect((await api.runs.diff("x")).text).toBe("if (isAdmin) { [U+202E]} [U+2066]// check[U+2069]");
});

test("on a team server nobody is told to restart it from their own machine", () => {
  const away = new ApiFault("unreachable", "The Devflow server is not responding.", "devflow up -d");
  const refused = new ApiFault("refused", "no", "devflow team members");
  expect([nextOf(away, false), nextOf(away, true)]).toEqual([
    "devflow up -d",
    "This page goes on when it answers again.",
  ]);
  expect(nextOf(refused, true)).toBe("devflow team members");
});
