/** People sign in to a team server in a real browser: behind TLS with a cookie, and plain on this machine without one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { Grant } from "@devflow/protocol";
import type { Page } from "playwright-core";
import { accessibilityFaults, withChromium } from "./browser.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { startTeamWeb, type TeamWeb } from "./team-server.ts";

const openPage = withChromium();
let team: TeamWeb;
let ada: Grant;
let teamId = "";
beforeAll(async () => {
  team = await startTeamWeb({ tls: true });
}, 240_000);
afterAll(() => team.stop());

const open = (options = {}) => openPage({ ignoreHTTPSErrors: true, ...options });
const heading = (page: Page) => page.locator("h1").innerText();
/** For looking at them: DEVFLOW_TEST_SCREENSHOTS=<folder>. */
const shot = async (page: Page, name: string) => {
  const folder = process.env.DEVFLOW_TEST_SCREENSHOTS;
  if (!folder) return;
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.setViewportSize(phone);
  await page.screenshot({ path: `${folder}/${name}-phone.png` });
  await page.setViewportSize({ width: 1280, height: 900 });
};
const faultsOf = async (page: Page): Promise<string[]> => {
  const faults = await accessibilityFaults(page);
  await page.setViewportSize(phone);
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  faults.push(...(await accessibilityFaults(page)), ...(sideways > 0 ? [`scrolls sideways by ${sideways}`] : []));
  await page.setViewportSize({ width: 1280, height: 900 });
  return faults;
};

describe("behind TLS", () => {
  test("the setup link makes the first owner, whose browser keeps a cookie that no script can read", async () => {
    const { page, complaints, close } = await open();
    await page.goto(team.setupUrl);
    await page.getByRole("heading", { name: "Set up this server" }).waitFor();
    expect(page.url()).toBe(`${team.url}/setup`);
    await shot(page, "setup");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("Name of the team").fill("Engines");
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByRole("button", { name: "Create the team" }).click();
    await waitUntilLive(page);
    expect(page.url()).toBe(`${team.url}/`);
    const kept = await page.evaluate(() => [document.cookie, sessionStorage.length, localStorage.length]);
    expect(kept).toEqual(["", 0, 0]);
    const cookies = await page.context().cookies();
    expect(
      cookies.map(({ name, httpOnly, secure, sameSite, path }) => ({ name, httpOnly, secure, sameSite, path })),
    ).toEqual([{ name: "__Host-devflow", httpOnly: true, secure: true, sameSite: "Strict", path: "/" }]);
    await shot(page, "home");
    const names = await page.getByRole("navigation", { name: "Main" }).getByRole("link").allInnerTexts();
    expect(names.map((name) => name.split("\n")[0])).toEqual(["Home", "Brain", "Team", "Settings"]);
    expect(await faultsOf(page)).toEqual([]);

    // A reload and a new tab are signed in.
    await page.reload();
    await waitUntilLive(page);
    const tab = await page.context().newPage();
    await tab.goto(`${team.url}/team`);
    await waitUntilLive(tab);
    expect(await heading(tab)).toBe("Team");

    await tab.goto(`${team.url}/settings`);
    await tab.getByRole("button", { name: "Make a link" }).click();
    const link = await tab.locator("code", { hasText: "/sign-in#token=" }).innerText();
    await shot(tab, "settings");
    const phoneOf = await open({ viewport: phone });
    await phoneOf.page.goto(link);
    await phoneOf.page.getByRole("button", { name: "Sign in" }).click();
    await waitUntilLive(phoneOf.page);
    expect([...complaints, ...phoneOf.complaints]).toEqual([]);
    await phoneOf.close();

    // Signing out ends every tab of this browser, and the cookie is worth nothing.
    await tab.getByRole("button", { name: "Sign out", exact: true }).click();
    await tab.getByText("You signed out in this tab.").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    await shot(page, "sign-in");
    expect(await faultsOf(page)).toEqual([]);
    await page.context().addCookies(cookies);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    await close();
  });

  test("an admin invites, the invited person joins on a phone, and the admin manages members and tokens", async () => {
    const [owner] = await team.admin<{ id: string }[]>`select id from app.users where name = 'Ada Lovelace'`;
    const [row] = await team.admin<{ id: string }[]>`select id from app.teams`;
    teamId = row?.id ?? "";
    await team.admin`delete from app.one_time_links`;
    const secret = `dfl_${"x".repeat(43)}`;
    await team.admin`
      insert into app.one_time_links (purpose, user_id, token_hash, created_at, expires_at)
      values ('sign_in', ${owner?.id ?? ""}, sha256(${Buffer.from(secret)}), now(), now() + interval '1 hour')`;
    const { page, complaints, close } = await open();
    await page.goto(`${team.url}/sign-in#token=${secret}`);
    await shot(page, "link");
    await page.getByRole("button", { name: "Sign in" }).click();
    await waitUntilLive(page);
    await page.goto(`${team.url}/team`);
    await waitUntilLive(page);
    await page.getByRole("button", { name: "Invite" }).click();
    await shot(page, "invite-dialog");
    await page.getByRole("button", { name: "Make a link" }).click();
    const invite = await page.locator("dialog code").innerText();
    expect(invite).toStartWith(`${team.url}/invite#token=dfi_`);
    await shot(page, "invite-made");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("A link for member").waitFor();

    const grace = await open({ viewport: phone });
    await grace.page.goto(invite);
    await grace.page.getByRole("heading", { name: "Join Engines" }).waitFor();
    await grace.page.getByText("Ada Lovelace invites you as a member.").waitFor();
    await shot(grace.page, "join");
    expect(await faultsOf(grace.page)).toEqual([]);
    await grace.page.getByLabel("Your name").fill("Grace <img src=x onerror=alert(1)>");
    await grace.page.getByRole("button", { name: "Join" }).click();
    await waitUntilLive(grace.page);
    // She is greeted by the team's week, and by what connects her machine.
    await grace.page.getByRole("region", { name: "Engines this week" }).getByText("Members").waitFor();
    await grace.page.getByRole("button", { name: `Copy devflow sync setup --server ${team.url}` }).waitFor();
    // The same link again, in another browser.
    const late = await open();
    await late.page.goto(invite);
    await late.page.getByText("was used before, was revoked, or has expired").waitFor();
    await late.close();

    // It appears without a reload.
    await page.getByRole("link", { name: "Grace <img" }).waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("What it is for").fill("GitHub Actions");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText(/DEVFLOW_ACCESS_TOKEN=dft_/).waitFor();
    await shot(page, "token-made");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("GitHub Actions (read, write)").waitFor();
    await shot(page, "team");
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole("link", { name: "Grace <img" }).click();
    await page.getByLabel("Role").selectOption("admin");
    await page.getByText("Erase", { exact: true }).waitFor();
    await shot(page, "member");
    expect(await faultsOf(page)).toEqual([]);
    // Her stream ended with the change of role, and her page is live again with what she may do now.
    await grace.page.goto(`${team.url}/team`);
    await grace.page.getByRole("button", { name: "Invite" }).waitFor();

    const ship = {
      ...{ id: randomUUID(), kind: "ship_log", schema_version: 1, at: new Date().toISOString(), repo: null },
      payload: { version: "4.5.6", branch: "main" },
    };
    await team.withClaims(
      { sub: owner?.id ?? "", role: "authenticated" },
      (tx) => tx`select api.push_records(${teamId}, ${tx.json([ship])}, now())`,
    );
    await grace.page.goto(`${team.url}/team/records`);
    await grace.page.getByText("4.5.6 from main").waitFor();
    await page.getByRole("button", { name: "Remove from Engines" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Team", level: 1 }).waitFor();
    // What was on her screen is gone, without a reload.
    await grace.page.getByText("4.5.6 from main").waitFor({ state: "detached" });
    await grace.page.getByText("You are not a member of any team.").waitFor();
    await grace.page.reload();
    await grace.page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    // Her page was refused what it asked for once she was out.
    expect([...complaints, ...grace.complaints.filter((one) => !/status of 403/.test(one))]).toEqual([]);
    await grace.close();
    ada = await team.grant("/auth/session/link", { token: await linkFor(page) });
    await close();
  });

  /** From the settings of a page that is signed in. */
  async function linkFor(page: Page): Promise<string> {
    await page.goto(`${team.url}/settings`);
    await page.getByRole("button", { name: "Make a link" }).click();
    return (await page.locator("code", { hasText: "/sign-in#token=" }).innerText()).split("#token=")[1] ?? "";
  }

  test("a terminal's code is confirmed on its page, or refused", async () => {
    const { page, complaints, close } = await open();
    const [owner] = await team.admin<{ id: string }[]>`select id from app.users where name = 'Ada Lovelace'`;
    const secret = `dfl_${"y".repeat(43)}`;
    await team.admin`
      insert into app.one_time_links (purpose, user_id, token_hash, created_at, expires_at)
      values ('sign_in', ${owner?.id ?? ""}, sha256(${Buffer.from(secret)}), now(), now() + interval '1 hour')`;
    const device = await team.startDevice();
    await page.goto(device.verification_uri_complete);
    await page.getByText("Sign in here first").waitFor();
    await page.goto(`${team.url}/sign-in#token=${secret}`);
    await page.getByText("This browser stays signed in").waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await waitUntilLive(page);

    await page.goto(device.verification_uri_complete);
    await page.getByText("grace@laptop").waitFor();
    await page.getByText(device.user_code).waitFor();
    await shot(page, "device");
    expect(await faultsOf(page)).toEqual([]);
    expect(page.url()).toBe(`${team.url}/device`);
    await page.getByRole("button", { name: "Sign in this terminal" }).click();
    await page.getByText("will be signed in").waitFor();
    expect(Grant.parse(await team.poll(device.device_code)).user.name).toBe("Ada Lovelace");

    const typed = await team.startDevice();
    await page.goto(`${team.url}/device`);
    await page.getByLabel("Code").fill(typed.user_code.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "It was not me" }).click();
    await page.getByText("The terminal was refused").waitFor();
    expect(await team.poll(typed.device_code)).toEqual({ error: "access_denied" });

    await page.goto(`${team.url}/device#user_code=BBBB-BBBB`);
    await page.getByText("A terminal that waits with this code was not found.").waitFor();
    expect(complaints.filter((one) => !/status of 404/.test(one))).toEqual([]);
    await close();
  });

  test("a person who has signed in joins another team under the same name", async () => {
    const other = (await team.rpc(ada.access_token, "create_team", { name: "Looms" })) as { id: string };
    const { token } = (await team.rpc(ada.access_token, "create_invite", { team_id: teamId })) as { token: string };
    const bob = await team.grant("/auth/session/invite", { token, name: "Bob" });
    const { token: second } = (await team.rpc(ada.access_token, "create_invite", { team_id: other.id })) as {
      token: string;
    };
    const secret = `dfl_${"z".repeat(43)}`;
    await team.admin`
      insert into app.one_time_links (purpose, user_id, token_hash, created_at, expires_at)
      values ('sign_in', ${bob.user.id}, sha256(${Buffer.from(secret)}), now(), now() + interval '1 hour')`;
    const { page, complaints, close } = await open();
    await page.goto(`${team.url}/sign-in#token=${secret}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await waitUntilLive(page);
    await page.goto(`${team.url}/invite#token=${second}`);
    await page.getByText("You join as Bob.").waitFor();
    await shot(page, "join-signed-in");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByText("People and repositories of Looms.").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("another site can neither use the cookie nor read a token with it", async () => {
    const { page, close } = await open();
    const [owner] = await team.admin<{ id: string }[]>`select id from app.users where name = 'Ada Lovelace'`;
    const secret = `dfl_${"w".repeat(43)}`;
    await team.admin`
      insert into app.one_time_links (purpose, user_id, token_hash, created_at, expires_at)
      values ('sign_in', ${owner?.id ?? ""}, sha256(${Buffer.from(secret)}), now(), now() + interval '1 hour')`;
    await page.goto(`${team.url}/sign-in#token=${secret}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await waitUntilLive(page);
    const hostile = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("<h1>hostile</h1>", { headers: { "content-type": "text/html" } }),
    });
    try {
      await page.goto(`http://127.0.0.1:${hostile.port}/`);
      const attempts = await page.evaluate(async (base) => {
        const attempt = (init: RequestInit) =>
          fetch(`${base}/auth/session/token`, { method: "POST", credentials: "include", ...init }).then(
            async (answer) => `${answer.type} ${answer.status} ${await answer.text()}`,
            () => "blocked",
          );
        return [
          await attempt({ headers: { "x-devflow-via": "web", "content-type": "application/json" }, body: "{}" }),
          await attempt({ mode: "no-cors", body: "{}" }),
          await attempt({ body: "{}" }),
        ];
      }, team.url);
      expect(attempts).toEqual(["blocked", "blocked", "blocked"]);
      // The browser's own request without our header does nothing either.
      const bare = await fetch(`${team.url}/auth/session/token`, {
        method: "POST",
        body: "{}",
        headers: { cookie: "__Host-devflow=x" },
        tls: { rejectUnauthorized: false },
      });
      expect(bare.status).toBe(403);
    } finally {
      await hostile.stop(true);
    }
    await close();
  });
});

test("without TLS, on this machine, there is no cookie: the secret stays in its tab", async () => {
  const local = await startTeamWeb();
  try {
    const { page, complaints, close } = await open();
    await page.goto(local.setupUrl);
    await page.getByLabel("Name of the team").fill("Tryout");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Create the team" }).click();
    await waitUntilLive(page);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual(["devflow.browser"]);
    await page.reload();
    await waitUntilLive(page);
    const tab = await page.context().newPage();
    await tab.goto(local.url);
    await tab.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    // A person who follows the advice for a browser with a cookie comes to this page again and again.
    await tab.goto(`${local.url}/device#user_code=BBBB-BBBB`);
    await tab.getByText("open the link from your terminal in this tab again").waitFor();
    await tab.goto(`${local.url}/sign-in#token=x`);
    await tab.getByText("This tab stays signed in until you close it").waitFor();
    expect(complaints).toEqual([]);
    await close();
  } finally {
    await local.stop();
  }
});
