import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { redactSecrets } from "./index.ts";

/** Assembled from parts, so that no secret scanner takes this file for a leak. */
const letters = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
const random = (length: number, from = letters): string =>
  Array.from({ length }, (_, index) => from[(index * 7 + length) % from.length]).join("");
const hex = (length: number): string => random(length, "0a1b2c3d4e5f6789");

describe("secrets by format", () => {
  const tokens: [kind: string, token: string][] = [
    ["devflow", `dft_${"0123456789abcdef".repeat(4)}`],
    ["devflow", `dfr_01a1e340-51b3-7051-a213-f0c17a18a57a.${"aB3_".repeat(10)}xyz.${"Qw-9".repeat(10)}abc`],
    ["anthropic", `sk-ant-api03-${random(95)}-AA`],
    ["openai", `sk-proj-${random(48)}`],
    ["openai", `sk-${random(48)}`],
    ["openrouter", `sk-or-v1-${hex(64)}`],
    ["github", `ghp_${random(36)}`],
    ["github", `github_pat_${random(22)}_${random(59)}`],
    ["gitlab", `glpat-${random(20)}`],
    ["aws", `AKIA${random(16, "ABCDEFGHIJKLMNOP234567")}`],
    ["slack", `xoxb-${random(12, "0123456789")}-${random(24)}`],
    ["slack", `hooks.slack.com/services/T0123456/B0123456/${random(24)}`],
    ["google", `AIza${random(35)}`],
    ["google", `ya29.${random(60)}`],
    ["stripe", `sk_live_${random(24)}`],
    ["npm", `npm_${random(36)}`],
    ["pypi", `pypi-AgEIcHlwaS5vcmc${random(60)}`],
    ["huggingface", `hf_${random(34)}`],
    ["sendgrid", `SG.${random(22)}.${random(43)}`],
    ["supabase", `sbp_${hex(40)}`],
  ];

  test.each(tokens)("%s: found completely, anywhere in a text", (kind, token) => {
    for (const [before, after] of [
      ["", ""],
      ["key is ", "."],
      ['{"a":"', '"}'],
      ["https://example.com/?q=", "&b=1"],
      ["\u001b[31m", "\u001b[0m"],
      ["line\n", "\nline"],
    ] as const) {
      const { text, found } = redactSecrets(`${before}${token}${after}`);
      expect(text).toBe(`${before}[redacted:${kind}]${after}`);
      expect(found).toEqual([{ kind, start: before.length, end: before.length + token.length }]);
    }
  });

  test("a JSON Web Token, also after an underscore and in a URL", () => {
    const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${random(43)}`;
    expect(redactSecrets(`x ${jwt} y`).text).toBe("x [redacted:jwt] y");
    expect(redactSecrets(`session_${jwt}`).text).toBe("session_[redacted:jwt]");
    expect(redactSecrets(`/callback#access=${jwt}&next=1`).text).toBe("/callback#access=[redacted:jwt]&next=1");
  });

  test("private keys: complete, on one line with escapes, and truncated", () => {
    const lines = [random(64), random(64), `${random(30)}==`];
    const begin = "-----BEGIN RSA PRIVATE KEY-----";
    const end = "-----END RSA PRIVATE KEY-----";
    expect(redactSecrets(`a\n${begin}\n${lines.join("\n")}\n${end}\nb`).text).toBe("a\n[redacted:private-key]\nb");
    expect(redactSecrets(`"k": "${begin}\\n${lines.join("\\n")}\\n${end}\\n"`).text).toBe(
      '"k": "[redacted:private-key]\\n"',
    );
    expect(redactSecrets(`a\n${begin}\n${lines.join("\n")}`).text).toBe("a\n[redacted:private-key]");
    expect(redactSecrets(`a\n${begin}\nProc-Type: 4,ENCRYPTED\n\n${lines[0]}\n\nNext thing.`).text).toBe(
      "a\n[redacted:private-key]\n\nNext thing.",
    );
  });

  test("the password in a URL is redacted, the rest of the URL stays", () => {
    const url = (password: string) => `postgres://ada:${password}@db.example.com:5432/app?sslmode=require`;
    expect(redactSecrets(url("hunter2")).text).toBe(url("[redacted:url-password]"));
    expect(redactSecrets(url("p@ss:w%20rd")).text).toBe(url("[redacted:url-password]"));
    expect(redactSecrets("redis://:s3cr3t@localhost").text).toBe("redis://:[redacted:url-password]@localhost");
    expect(redactSecrets("https://example.com:8080/@scope/name ada@example.com").found).toEqual([]);
  });

  test("headers: authorization, bearer and cookies", () => {
    const token = random(20);
    expect(redactSecrets(`Authorization: Bearer ${token}\nHost: x`).text).toBe(
      "Authorization: Bearer [redacted:authorization]\nHost: x",
    );
    expect(redactSecrets(`curl -H "authorization: Basic ${token}" x`).text).toContain(
      'Basic [redacted:authorization]"',
    );
    expect(redactSecrets(`sent bearer ${token}.`).text).toStartWith("sent bearer [redacted:bearer]");
    expect(redactSecrets(`Cookie: sid=${token}; theme=dark\nHost: x`).text).toBe("Cookie: [redacted:cookie]\nHost: x");
  });
});

describe("secrets by name", () => {
  test.each([
    ["DB_PASSWORD=correct-horse-battery", "DB_PASSWORD=[redacted:password]"],
    ["export API_TOKEN='abc123def456'", "export API_TOKEN='[redacted:assigned-secret]'"],
    [
      "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzz",
      "aws_secret_access_key = [redacted:assigned-secret]",
    ],
    ['"password": "hunter2"', '"password": "[redacted:password]"'],
    ["password: hunter22", "password: [redacted:password]"],
    ["clientSecret: 'a1b2c3d4e5'", "clientSecret: '[redacted:assigned-secret]'"],
    ["mysql --password hunter22 -u ada", "mysql --password [redacted:password] -u ada"],
    ["tool --api-key=k3y-v4lue-9 run", "tool --api-key=[redacted:assigned-secret] run"],
    ["?access_token=abc123def456&next=1", "?access_token=[redacted:assigned-secret]&next=1"],
    ["//npm.example.com/:_authToken=abc-123-def", "//npm.example.com/:_authToken=[redacted:assigned-secret]"],
    ["AccountKey=abcDEF123456+/==;Endpoint=x", "AccountKey=[redacted:assigned-secret];Endpoint=x"],
  ])("%s", (before, after) => {
    expect(redactSecrets(before).text).toBe(after);
  });

  test("known values are redacted everywhere, also in JSON, in a URL and in base64", () => {
    const known = ['p@ss "word"\n', "correct horse"];
    const [first = "", second = ""] = known;
    const text = [first, JSON.stringify(first), encodeURIComponent(first), Buffer.from(second).toString("base64")].join(
      "|",
    );
    expect(redactSecrets(text, { known }).text).toBe(
      '[redacted:known]|"[redacted:known]"|[redacted:known]|[redacted:known]',
    );
  });

  test("a short known value does not break ordinary words", () => {
    expect(redactSecrets("a cat and a category", { known: ["cat", ""] }).found).toEqual([]);
  });
});

describe("random tokens without a name", () => {
  test("mixed-case letters and digits in random order are redacted", () => {
    const token = "q7Rz0KpX2vB9nLw4TsY6mJh8Gd3Fa5Ce";
    expect(redactSecrets(`logged in with ${token} today`).text).toBe("logged in with [redacted:random-token] today");
  });

  test.each([
    ["a commit", "commit 5626abf0f72e58d7a153368ba57db4c673c0e171"],
    ["a sha256 checksum", `sha256:${hex(64)}  file.tar.gz`],
    ["a UUID", "0190a5d2-7e1b-7c3d-9f4e-5a6b7c8d9e0f"],
    ["npm's integrity", `"integrity": "sha512-${random(86)}=="`],
    ["go.sum", `golang.org/x/text v0.3.0 h1:${random(43)}=`],
    ["an image in base64", `src="data:image/png;base64,iVBORw0KGgo${random(180)}"`],
    ["a public ssh key", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random(43)} ada@host`],
    ["a fingerprint", `SHA256:${random(43)}`],
    ["a long name", "shouldRenderTheComponentWhenTheUserIsLoggedInWith2FA"],
    ["a path", "apps/web/src/features/RunDetail/PhaseTimelineV2/index_test_helpers-2024"],
    ["a certificate", `-----BEGIN CERTIFICATE-----\n${random(64)}\n${random(40)}\n-----END CERTIFICATE-----`],
    ["wrapped base64", `${random(76)}\n${random(76)}\n`],
    ["constants", "MAX_CONCURRENT_RUNS_PER_TEAM_V2_EXPERIMENTAL_FLAG_2024_01"],
  ])("%s is left alone", (_name, text) => {
    expect(redactSecrets(text).found).toEqual([]);
  });
});

describe("ordinary code and text", () => {
  test.each([
    "const token = readToken();",
    "const token = await getToken(request);",
    "password: string;",
    "readonly apiKey?: string | undefined;",
    "function login(password: string, token: Token) {}",
    "if (token === expected) return;",
    "connect(password=password, token=self.token)",
    "token=args.token, secret=config.secret",
    "password: z.string().min(8)",
    'placeholder="Enter your password"',
    '<input type="password" name="password" autocomplete="current-password" />',
    `DB_PASSWORD=$${"{DB_PASSWORD}"}`,
    'type={hidden ? "password" : "text-input"}',
    "DATABASE_URL=postgres://user:password@localhost/app",
    "API_KEY=<your-api-key>",
    "--token <token>",
    "password=****",
    'token: "The token is missing or has expired"',
    'const tokenHeader = "x-csrf-token";',
    "secret: process.env.SECRET",
    "PWD=/home/ada/project",
    "SSH_KEY_TOKEN=/run/secrets/token",
    "tokens: 1024, maxTokens: 4096",
    "token: sha256(value)",
    'throw new Error("password: must have 8 letters")',
    "bearer authentication is required",
    "authorization: request.headers.authorization2",
    'if (pem.startsWith("-----BEGIN PRIVATE KEY-----") && pem.endsWith("-----END PRIVATE KEY-----"))',
    "task-antelope-project-manager-something-long",
    "git clone git@github.com:devflow/devflow.git",
    "primaryKey: true, foreignKey: users.id",
  ])("%s", (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] });
  });

  test("nothing is redacted in the source and the lock file of this repository", () => {
    const root = join(import.meta.dir, "../../..");
    const sources = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })
      .filter((path) => /^[^/]+\/(?:src\/.*\.ts|README\.md|package\.json)$/.test(path) && !path.includes(".test."))
      .map((path) => join("packages", path));
    expect(sources.length).toBeGreaterThan(30);
    for (const path of [...sources, "package-lock.json", "package.json"]) {
      const { found } = redactSecrets(readFileSync(join(root, path), "utf8"));
      expect({ path, found }).toEqual({ path, found: [] });
    }
  });
});

describe("any text", () => {
  // Two adjacent tokens look like one long word, so these are separate.
  const pieces = fc.constantFrom(
    ...["password=", "token: ", '"', "'", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\n", "eyJ", "."],
    ...[
      ` ghp_${random(36)} `,
      ` sk-ant-${random(40)} `,
      "://a:",
      "hunter22",
      "@",
      "Bearer ",
      `${random(40)} `,
      "[redacted:known]",
      " ",
      "é",
    ],
  );
  const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));

  test("findings are in order, do not overlap, and everything else stays", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const redacted = redactSecrets(text);
        let at = 0;
        let rebuilt = "";
        for (const { kind, start, end } of redacted.found) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          rebuilt += `${text.slice(at, start)}[redacted:${kind}]`;
          at = end;
        }
        expect(redacted.text).toBe(rebuilt + text.slice(at));
      }),
      { numRuns: 500 },
    );
  });

  test("redacting twice changes nothing, and no token is left", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactSecrets(text).text;
        expect(redactSecrets(once).text).toBe(once);
        expect(once).not.toMatch(/ghp_[A-Za-z0-9]{36}|(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9]{40}/);
      }),
      { numRuns: 500 },
    );
  });

  // Each of these makes a careless pattern backtrack at every position. Ten times the text must not take a hundred times
  // as long.
  test.each([
    "eyJ",
    "-eyJ",
    ".eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN A B C D ",
    "-----BEGIN CERTIFICATE-----",
    "://a:",
    "://a:b",
    "a.",
    "password=",
    'password="',
    "password='a",
    "token: ",
    "authorization: ",
    "cookie: a",
    "sk-",
    "sk-ant-",
    "A1b",
    "A1b+",
    "--token ",
    "\\n",
    "token token_",
  ])("a million characters of %j take linear time", (piece) => {
    const small = timed(piece.repeat(Math.ceil(100_000 / piece.length)));
    const large = timed(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    expect(large).toBeLessThan(Math.max(small, 10) * 50);
  });
});

/** CPU time, the better of two measurements, because other programs run at the same time. */
function timed(text: string): number {
  const times = [1, 2].map(() => {
    const before = process.cpuUsage();
    redactSecrets(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
