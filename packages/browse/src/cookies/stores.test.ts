import { describe, expect, test } from "bun:test";
import { createCipheriv, createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "@devflow/testkit";
import { deriveKey } from "./chromium-crypto.ts";
import { domainCounts, type ImportedCookie, matchesDomain } from "./imported-cookie.ts";
import { readBrowserCookies } from "./read-cookies.ts";
import { parseSafariCookies } from "./safari-store.ts";

const revealed = (cookies: readonly ImportedCookie[]) => cookies.map((one) => ({ ...one, value: one.value.reveal() }));

function database(path: string, sql: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const made = new DatabaseSync(path);
  made.exec(sql);
  return made;
}

describe("Chromium's store with a keyring", () => {
  function profile(password: string): string {
    const home = temporaryFolder("chrome");
    const made = database(
      join(home, ".config/google-chrome/Default/Cookies"),
      `create table meta(key text primary key, value text); insert into meta values ('version', '24');
       create table cookies(host_key text, top_frame_site_key text, name text, value text, encrypted_value blob,
         path text, expires_utc integer, is_secure integer, is_httponly integer, has_expires integer, samesite integer)`,
    );
    const cipher = createCipheriv("aes-128-cbc", deriveKey(password, 1), Buffer.alloc(16, 0x20));
    const plain = Buffer.concat([createHash("sha256").update("shop.test").digest(), Buffer.from("from v11")]);
    const sealed = Buffer.concat([Buffer.from("v11"), cipher.update(plain), cipher.final()]);
    made
      .prepare("insert into cookies values ('shop.test', '', 'sid', '', ?, '/', 13441766400000000, 1, 1, 1, -1)")
      .run(sealed);
    made.close();
    return home;
  }

  /** A stand-in for a desktop program that records its arguments. */
  function program(name: string, prints: string): { folder: string; asked: () => string } {
    const folder = temporaryFolder("bin");
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/asked'\nprintf '%s\\n' '${prints}'\n`);
    chmodSync(path, 0o755);
    return { folder, asked: () => readFileSync(join(folder, "asked"), "utf8") };
  }

  const read = (home: string, path: string) =>
    readBrowserCookies("chrome", { home, platform: "linux", env: { PATH: path } });

  test("asks secret-tool for Chrome's key", async () => {
    const tool = program("secret-tool", "gnome password");
    const { cookies, unreadable } = await read(profile("gnome password"), tool.folder);
    expect(tool.asked()).toBe("lookup\nxdg:schema\nchrome_libsecret_os_crypt_password_v2\napplication\nchrome\n");
    expect([revealed(cookies), unreadable]).toEqual([
      [
        {
          domain: "shop.test",
          name: "sid",
          value: "from v11",
          path: "/",
          expires: 1_797_292_800,
          secure: true,
          httpOnly: true,
          sameSite: undefined,
          partitionKey: undefined,
        },
      ],
      {},
    ]);
  });

  test("asks kwallet-query when there is no secret-tool", async () => {
    const tool = program("kwallet-query", "kde password");
    expect((await read(profile("kde password"), tool.folder)).cookies.length).toBe(1);
    expect(tool.asked()).toBe("--read-password\nChrome Safe Storage\n--folder\nChrome Keys\nkdewallet\n");
  });

  test("tries the empty password when KWallet fails, as Chromium does", async () => {
    const tool = program("kwallet-query", "Failed to read entry");
    expect((await read(profile(""), tool.folder)).cookies.length).toBe(1);
  });

  test("reports how many cookies cannot be read when no key is right", async () => {
    const { cookies, unreadable } = await read(profile("unknown"), temporaryFolder("bin"));
    expect([cookies, unreadable]).toEqual([[], { "the key is wrong": 1 }]);
  });
});

describe("Firefox's store", () => {
  const columns =
    "id integer primary key, originAttributes text not null default '', name text, value text, host text, path text, expiry integer, isSecure integer, isHttpOnly integer, sameSite integer default 0";

  function profile(version: number, extra: string, rows: string): string {
    const home = temporaryFolder("firefox");
    const root = join(home, ".mozilla/firefox");
    const made = database(
      join(root, "abc.default/cookies.sqlite"),
      `pragma journal_mode = wal; pragma user_version = ${version};
       create table moz_cookies(${columns}${extra}); insert into moz_cookies ${rows}`,
    );
    writeFileSync(
      join(root, "profiles.ini"),
      "[Profile0]\nName=default\nIsRelative=1\nPath=abc.default\n\n[General]\nVersion=2\n",
    );
    // Left open, since a running browser keeps its newest rows in the WAL.
    keepOpen.push(made);
    return home;
  }
  const keepOpen: DatabaseSync[] = [];
  const read = async (home: string) =>
    await readBrowserCookies("firefox", { home, platform: "linux", env: { PATH: "" } });
  const names = "(originAttributes, name, value, host, path, expiry, isSecure, isHttpOnly, sameSite)";

  test("has expiry in seconds before version 16 and in milliseconds since, and is read while Firefox runs", async () => {
    const row = `${names} values ('', 'a', 'b', '.site.test', '/', `;
    const old = await read(profile(15, "", `${row}1800000000, 1, 0, 2)`));
    const young = await read(profile(16, "", `${row}1800000000123, 1, 0, 2)`));
    expect(revealed(old.cookies)).toEqual(revealed(young.cookies));
    expect(revealed(old.cookies)).toEqual([
      {
        domain: ".site.test",
        name: "a",
        value: "b",
        path: "/",
        expires: 1_800_000_000,
        secure: true,
        httpOnly: false,
        sameSite: "Strict",
        partitionKey: undefined,
      },
    ]);
  });

  test("distinguishes a Lax that the site set from one that Firefox assumed", async () => {
    const home = profile(
      12,
      ", rawSameSite integer default 0",
      `(name, value, host, path, expiry, isSecure, isHttpOnly, sameSite, rawSameSite) values
        ('said', '1', 's.test', '/', 1800000000, 0, 0, 1, 1), ('assumed', '1', 's.test', '/', 1800000000, 0, 0, 1, 0),
        ('none', '1', 's.test', '/', 1800000000, 0, 0, 0, 0)`,
    );
    const { cookies } = await read(home);
    expect(cookies.map(({ name, sameSite }) => [name, sameSite])).toEqual([
      ["said", "Lax"],
      ["assumed", undefined],
      ["none", "None"],
    ]);
  });

  test("keeps partitions, leaves containers out and counts them", async () => {
    const { cookies, unreadable } = await read(
      profile(
        16,
        "",
        `${names} values ('^partitionKey=%28https%2Cshop.test%29', 'p', '1', 'cdn.test', '/', 1800000000000, 1, 0, 0),
          ('^userContextId=2', 'c', '1', 'cdn.test', '/', 1800000000000, 1, 0, 0)`,
      ),
    );
    expect(cookies.map(({ name, partitionKey }) => [name, partitionKey])).toEqual([["p", "https://shop.test"]]);
    expect(unreadable).toEqual({ "in a Firefox container": 1 });
    for (const one of keepOpen) one.close();
  });
});

describe("Safari's file", () => {
  function file(): Buffer {
    const texts = [".apple.test", "sid", "/app", "secret"].map((text) => Buffer.from(`${text}\0`));
    const record = Buffer.alloc(56);
    let at = 56;
    for (const [index, text] of texts.entries()) {
      record.writeUInt32LE(at, 16 + 4 * index);
      at += text.length;
    }
    record.writeUInt32LE(at, 0);
    record.writeUInt32LE(5, 8);
    record.writeDoubleLE(800_000_000, 40);
    const page = Buffer.alloc(16);
    page.writeUInt32BE(0x100, 0);
    page.writeUInt32LE(1, 4);
    page.writeUInt32LE(16, 8);
    const body = Buffer.concat([page, record, ...texts]);
    const head = Buffer.alloc(12);
    head.write("cook");
    head.writeUInt32BE(1, 4);
    head.writeUInt32BE(body.length, 8);
    return Buffer.concat([head, body, Buffer.alloc(8)]);
  }

  test("is read, with times since 2001", () => {
    expect(revealed(parseSafariCookies(file()))).toEqual([
      {
        domain: ".apple.test",
        name: "sid",
        value: "secret",
        path: "/app",
        expires: 1_778_307_200,
        secure: true,
        httpOnly: true,
        sameSite: undefined,
        partitionKey: undefined,
      },
    ]);
  });

  test("is refused when truncated anywhere", () => {
    const whole = file();
    for (let length = 0; length < whole.length - 8; length++) {
      expect(() => parseSafariCookies(whole.subarray(0, length))).toThrow("This is not a Safari cookie file");
    }
  });
});

test("a domain matches itself and its subdomains, and nothing that merely ends like it", () => {
  const at = (domain: string) => ({ domain }) as ImportedCookie;
  const hosts = ["example.com", ".example.com", "a.b.example.com", "notexample.com", "example.com.evil.test"];
  expect(hosts.filter((host) => matchesDomain(at(host), "example.com"))).toEqual(hosts.slice(0, 3));
  expect(domainCounts([at(".a.test"), at("a.test"), at("b.test")])).toEqual([
    { domain: "a.test", count: 2 },
    { domain: "b.test", count: 1 },
  ]);
});

test("the error for a missing browser names the folders that were searched", async () => {
  const home = temporaryFolder("none");
  const failed = await readBrowserCookies("brave", { home, platform: "linux", env: {} }).catch((error) => error);
  expect(failed.message).toBe("A cookie store of brave was not found.");
  expect(failed.hint).toContain(join(home, ".config/BraveSoftware/Brave-Browser"));
  const place = { home, platform: "linux", env: {}, profile: "../../etc" } as const;
  await expect(readBrowserCookies("chrome", place)).rejects.toThrow('A profile called "../../etc"');
});
